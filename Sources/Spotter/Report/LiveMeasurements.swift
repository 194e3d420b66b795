import Synchronization
import TextSpotting

/// The measurements of a running job: each part reports its work, and once a second they are published. Thread-safe.
final class LiveMeasurements: Sendable {
    private struct State {
        var meter = LiveMeter()
        var latest = LiveStatistics()
        var time = StreamTime.zero
    }

    private let state = Mutex(State())

    /// When the newest frame begins.
    var time: StreamTime { state.withLock { $0.time } }

    /// A frame was read.
    var hasRead: Bool { state.withLock { $0.meter.readings > 0 } }

    /// How many frames were handed on to be shown.
    var shownFrames: Int { state.withLock { $0.meter.shownByUs } }

    /// How many frames are read a second; nil before the first.
    var readingsPerSecond: Double? { state.withLock { $0.meter.readings > 0 ? $0.latest.framesRead : nil } }

    /// A frame came.
    func frameArrived(at time: StreamTime) { state.withLock { $0.time = time } }

    /// So many frames wait to be shown.
    func holding(_ count: Int) { state.withLock { $0.meter.held = count } }

    /// A frame was taken to be read, and looked as it did when it was last read.
    func foundUnchanged() { state.withLock { $0.meter.foundUnchanged() } }

    /// A frame was read.
    func read(in duration: Duration) { state.withLock { $0.meter.read(in: duration) } }

    /// A frame was handed on to be shown, its boxes so far from their readings; nil where it has none.
    func showed(staleness: StreamTime?) { state.withLock { $0.meter.showed(staleness: staleness) } }

    /// Measures the time since the last call.
    ///
    /// - Parameters:
    ///   - received: frames that reached the program, from the beginning.
    ///   - window: what the window showed and threw away as too late; nil where there is none.
    ///   - skipped: frames that were not read, from the beginning.
    func tick(received: Int, window: (rendered: Int, dropped: Int)?, skipped: Int) -> LiveEvent {
        state.withLock { state in
            state.latest = state.meter.report(received: received, window: window, skipped: skipped)
            return .statistics(state.latest, at: state.time)
        }
    }

    /// The totals until now, with the figures of the last second that was reported.
    func totals(skipped: Int) -> LiveStatistics {
        state.withLock { state in
            var totals = state.latest
            totals.skipped = skipped
            totals.unchanged = state.meter.unchanged
            return totals
        }
    }
}
