import Errors
import Synchronization

/// Lets a running job be stopped, or told something, from outside, also before it has begun. Thread-safe.
final class LiveControl: Sendable {
    private struct State {
        var running: (life: JobLife, report: LiveReport)?
        var isStopped = false
    }

    private let state = Mutex(State())

    func attach(_ life: JobLife, _ report: LiveReport) {
        let isStopped = state.withLock { state in
            state.running = (life, report)
            return state.isStopped
        }
        if isStopped { life.end(.signal) }
    }

    func warn(_ warning: FramegrepError) { state.withLock { $0.running }?.report.warn(warning) }

    /// The job is over. What it reports to may well hold this, and would keep it alive.
    func detach() { state.withLock { $0.running = nil } }

    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            return state.running
        }
        running?.life.end(.signal)
    }
}
