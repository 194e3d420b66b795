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
    /// Call it on a thread of its own, never on Swift's shared pool.
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

/// Bounds the bytes in flight between the thread that makes them and the one that finishes them.
///
/// For one producer, which waits; any thread may give bytes back. Some pieces are admitted whatever their size, because with fewer nothing
/// would run in parallel.
public final class ByteBudget: Sendable {
    private struct State {
        var bytes = 0
        var pieces = 0
        var isAwaited = false
        var isLifted = false
    }

    private let limit: Int
    private let fewest: Int
    private let state = Mutex(State())
    private let freed = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - limit: in bytes, of all pieces together.
    ///   - fewest: this many pieces may be in flight even if they exceed the limit.
    public init(limit: Int, fewest: Int) {
        self.limit = limit
        self.fewest = max(1, fewest)
    }

    /// Takes bytes for a piece, blocking the calling thread until there are enough.
    ///
    /// Call it on a thread of its own, never on Swift's shared pool.
    public func take(_ bytes: Int) {
        while true {
            let isTaken = state.withLock { state in
                let fits = state.isLifted || state.pieces < fewest || state.bytes + bytes <= limit
                if fits {
                    state.bytes += bytes
                    state.pieces += 1
                } else {
                    state.isAwaited = true
                }
                return fits
            }
            if isTaken { return }
            freed.wait()
        }
    }

    /// Gives a piece's bytes back.
    public func give(_ bytes: Int) {
        wake { state in
            state.bytes -= bytes
            state.pieces -= 1
        }
    }

    /// Removes the limit, because little more comes. Waiting threads continue.
    public func lift() { wake { $0.isLifted = true } }

    private func wake(after change: (inout sending State) -> Void) {
        let isAwaited = state.withLock { state in
            change(&state)
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { freed.signal() }
    }
}
