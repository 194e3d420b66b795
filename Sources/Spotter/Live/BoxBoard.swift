import Synchronization
import TextSpotting

/// The boxes to be drawn now: written by the reader, read by the display for every frame. Thread-safe.
final class BoxBoard: Sendable {
    /// One box and the frame it was read in.
    struct Entry: Sendable {
        let sightingID: Int
        let match: Match
        /// In pixels of the frame as stored.
        let quad: Quad
        let readAt: StreamTime
    }

    private let entries = Mutex<[Entry]>([])

    /// Replaces what is drawn by what the latest reading found.
    func show(_ newEntries: [Entry]) { entries.withLock { $0 = newEntries } }

    /// What is to be drawn over a frame, and how old the oldest of it is; too old entries are left out.
    func entries(for time: StreamTime, maximumAge: StreamTime) -> [Entry] {
        entries.withLock { $0.filter { time - $0.readAt <= maximumAge } }
    }
}
