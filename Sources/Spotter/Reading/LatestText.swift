import Synchronization
import TextSpotting

/// All text of the latest reading: put by the reader, used where the picture is shown. Thread-safe.
final class LatestText: Sendable {
    /// All text of one reading.
    struct Reading: Sendable {
        /// In pixels of the frame as stored.
        let lines: [TextLine]
        /// The frame that was read.
        let time: FrameTime
    }

    private let latest = Mutex<Reading?>(nil)

    /// Nil before the first.
    var reading: Reading? { latest.withLock { $0 } }

    /// A frame was read; `lines` are in pixels of the frame as stored.
    func put(_ lines: [TextLine], at time: FrameTime) {
        latest.withLock { $0 = Reading(lines: lines, time: time) }
    }
}
