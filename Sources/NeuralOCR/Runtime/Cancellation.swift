import Synchronization

/// Carries the cancelling of a task to the inferences that run for it on the engine's threads.
final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var running: [ObjectIdentifier: InferenceRequest] = [:]
    }
    private let state = Mutex(State())

    /// Stops what runs and refuses what is still to run.
    func cancel() {
        state.withLock {
            $0.isCancelled = true
            for request in $0.running.values { request.cancel() }
        }
    }

    /// - Throws: `CancellationError` once cancelled.
    func check() throws {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }

    /// Says that `request` is about to run.
    func begin(_ request: InferenceRequest) {
        state.withLock { $0.running[ObjectIdentifier(request)] = request }
    }

    /// Says that `request` runs no more.
    func end(_ request: InferenceRequest) {
        state.withLock { $0.running[ObjectIdentifier(request)] = nil }
    }
}
