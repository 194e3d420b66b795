import DequeModule
import Dispatch
import Synchronization

/// Hands values from a thread that may block to a task that must not: when full, the thread waits.
///
/// Buffering policy: at most `capacity` values, none is ever dropped. Thread-safe; one consumer at a time.
public final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements = Deque<Element>()
        var waiter: CheckedContinuation<Void, Never>?
        var isFinished = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let places: DispatchSemaphore

    public init(capacity: Int) {
        // Dispatch traps when a semaphore is freed below the value it began with, so it begins at none.
        places = DispatchSemaphore(value: 0)
        for _ in 0..<max(1, capacity) { places.signal() }
    }

    /// Adds a value, blocking the calling thread while the queue is full; false once the queue was closed.
    ///
    /// To be called on a thread of its own, never on Swift's shared pool.
    public func push(_ element: Element) -> Bool {
        places.wait()
        let (accepted, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isClosed, !state.isFinished else { return (false, nil) }
            state.elements.append(element)
            return (true, state.waiter.take())
        }
        if !accepted { places.signal() }
        waiter?.resume()
        return accepted
    }

    /// The next value, waiting for one; nil when the producer has finished, the queue was closed or the task cancelled.
    public func next() async -> Element? {
        while true {
            let (element, isOver) = state.withLock { state in
                (state.elements.popFirst(), state.isFinished || state.isClosed)
            }
            if let element {
                places.signal()
                return element
            }
            if isOver || Task.isCancelled { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        let isReady =
                            !state.elements.isEmpty || state.isFinished || state.isClosed || Task.isCancelled
                        if !isReady { state.waiter = continuation }
                        return isReady
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.waiter.take() }?.resume()
            }
        }
    }

    /// The producer has no more: queued values are still delivered.
    public func finish() {
        state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }?.resume()
    }

    /// The consumer wants no more: queued values are dropped and a blocked producer is released.
    public func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            state.elements.removeAll()
            return state.waiter.take()
        }
        places.signal()
        waiter?.resume()
    }
}
