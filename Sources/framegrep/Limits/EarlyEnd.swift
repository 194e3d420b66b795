import Synchronization

/// Ends work cleanly, by cancelling it, as soon as enough is done. Thread-safe.
final class EarlyEnd: Sendable {
    private let state = Mutex<(cancel: (@Sendable () -> Void)?, isAsked: Bool)>((nil, false))

    /// Whether the end was asked for.
    var isAsked: Bool { state.withLock { $0.isAsked } }

    /// Has the work cancelled, now or as soon as it begins.
    func ask() {
        state.withLock { state in
            state.isAsked = true
            return state.cancel
        }?()
    }

    /// Runs the work in a task of its own, which the caller's own end cancels too.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await work() }
        let isLate = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.isAsked
        }
        if isLate { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
