import Errors
import Synchronization

/// How long a job goes on, and why it ends. Thread-safe.
///
/// Any part may end it; each part that waits is told.
final class JobLife: Sendable {
    private struct State {
        var end: (reason: LiveEnd.Reason, failure: FramegrepError?)?
        var actions: [@Sendable () -> Void] = []
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    /// The job is to end.
    var isStopping: Bool { state.withLock { $0.end != nil } }

    /// Why it ends: by default because the source did.
    var ending: (reason: LiveEnd.Reason, failure: FramegrepError?) { state.withLock { $0.end ?? (.eos, nil) } }

    /// Ends the job; the first reason counts.
    func end(_ reason: LiveEnd.Reason, failure: FramegrepError? = nil) {
        let (actions, waiters) = state.withLock { state in
            state.end = state.end ?? (reason, failure)
            defer { (state.actions, state.waiters) = ([], [:]) }
            return (state.actions, Array(state.waiters.values))
        }
        actions.forEach { $0() }
        waiters.forEach { $0.resume() }
    }

    /// Has `action` called once when the job is to end; at once when it is already. For threads, which cannot await.
    func whenStopping(_ action: @escaping @Sendable () -> Void) {
        let isStopping = state.withLock { state in
            if state.end == nil { state.actions.append(action) }
            return state.end != nil
        }
        if isStopping { action() }
    }

    /// Returns when the job is to end, and when the task is cancelled.
    func stopped() async {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.end == nil, !Task.isCancelled else { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Runs `body`, and cancels it when the job is to end.
    ///
    /// - Throws: what `body` throws.
    func untilStopped<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                await self.stopped()
                return nil
            }
            while let ended = try await group.next() {
                group.cancelAll()
                if let value = ended { return value }
            }
            throw CancellationError()
        }
    }
}
