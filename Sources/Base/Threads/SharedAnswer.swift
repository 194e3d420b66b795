internal import Synchronization

/// The answer to a question that is asked only once, however many callers want it, such as a dialog shown to the user.
///
/// Thread-safe. Callers that come while the question is open wait for the same answer. The question is abandoned when
/// the last of them is cancelled; if it failed, the next caller asks again.
public final class SharedAnswer<Value: Sendable>: Sendable {
    private struct State {
        var question: Task<Value, any Error>?
        var waiting = 0
        /// Identifies the question, so that the end of an old one does not affect a new one.
        var number = 0
    }

    private let state = Mutex(State())
    private let ask: @Sendable () async throws -> Value

    public init(_ ask: @escaping @Sendable () async throws -> Value) { self.ask = ask }

    /// Returns the answer, asking the question if that has not been done.
    ///
    /// - Throws: what asking throws; `CancellationError` once the task is cancelled and no other waits.
    public func value() async throws -> Value {
        let (question, number) = state.withLock { state in
            state.waiting += 1
            if let question = state.question { return (question, state.number) }
            let question = Task { [ask] in try await ask() }
            state.number += 1
            (state.question, state.waiting) = (question, 1)
            return (question, state.number)
        }
        return try await withTaskCancellationHandler {
            do {
                return try await question.value
            } catch {
                state.withLock { if $0.number == number { $0.question = nil } }
                throw error
            }
        } onCancel: {
            state.withLock { state in
                guard state.number == number else { return }
                state.waiting -= 1
                guard state.waiting == 0 else { return }
                question.cancel()
                state.question = nil
            }
        }
    }
}
