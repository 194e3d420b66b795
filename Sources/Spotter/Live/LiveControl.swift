import Errors
import Synchronization
import TextSpotting

/// Lets a running job be stopped, or told something, from outside, also before it has begun. Thread-safe.
final class LiveControl: Sendable {
    private let state = Mutex<(session: LiveSession?, isStopped: Bool)>((nil, false))

    func attach(_ session: LiveSession) {
        let isStopped = state.withLock { state in
            state.session = session
            return state.isStopped
        }
        if isStopped { session.end(.signal) }
    }

    func warn(_ warning: FramegrepError) { state.withLock { $0.session }?.warn(warning) }

    /// The job is over. What it reports to may well hold this, and would keep it and its last frames alive.
    func detach() { state.withLock { $0.session = nil } }

    func stop() {
        let session = state.withLock { state in
            state.isStopped = true
            return state.session
        }
        session?.end(.signal)
    }
}
