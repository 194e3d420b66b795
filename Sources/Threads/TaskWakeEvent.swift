internal import Synchronization

/// Wakes a task that waits for any of several things; see ``WakeEvent``, which is for threads. Thread-safe; one task waits at a time.
public final class TaskWakeEvent: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    public init() {}

    /// Wakes the waiting task, or the next one that waits.
    public func ring() {
        let waiter = state.withLock { state in
            state.isRung = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Returns when it rings, at once where it rang since the last wait, and when the task is cancelled.
    public func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isRung, !Task.isCancelled else {
                        state.isRung = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume()
        }
    }

    /// The same, but for this much time at most.
    public func wait(atMost time: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}
