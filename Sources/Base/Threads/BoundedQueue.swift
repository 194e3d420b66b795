import DequeModule
import Dispatch
import Synchronization

/// Hands values from a thread that may block to a task that must not: when full, the thread waits.
///
/// Buffering policy: at most `capacity` values, none is ever dropped. Thread-safe; one consumer at a time.
public final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements = Deque<Element>()
        var isFinished = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let places: DispatchSemaphore
    private let bell = TaskWakeEvent()

    public init(capacity: Int) {
        // Dispatch traps when a semaphore is freed below the value it began with, so it begins at 0.
        places = DispatchSemaphore(value: 0)
        for _ in 0..<max(1, capacity) { places.signal() }
    }

    /// Adds a value, blocking the calling thread while the queue is full; returns false once the queue has been closed.
    ///
    /// Call it on a dedicated thread, never on Swift's shared pool.
    public func push(_ element: Element) -> Bool {
        places.wait()
        let isAccepted = state.withLock { state in
            guard !state.isClosed, !state.isFinished else { return false }
            state.elements.append(element)
            return true
        }
        if isAccepted { bell.ring() } else { places.signal() }
        return isAccepted
    }

    /// Waits for the next value; returns nil when the producer has finished, the queue was closed or the task was
    /// cancelled.
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
            await bell.wait()
        }
    }

    /// Ends the producer's side: queued values are still delivered.
    public func finish() {
        state.withLock { $0.isFinished = true }
        bell.ring()
    }

    /// Ends the consumer's side: queued values are dropped and a blocked producer is released.
    public func close() {
        state.withLock { state in
            state.isClosed = true
            state.elements.removeAll()
        }
        places.signal()
        bell.ring()
    }
}

/// Bounds the bytes in flight between the thread that makes them and the one that finishes them.
///
/// One producer takes bytes and waits for them; any thread may give them back. A minimum number of pieces is admitted
/// whatever their size, because otherwise nothing would run in parallel.
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
    /// Call it on a dedicated thread, never on Swift's shared pool.
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

    /// Gives back some bytes of a piece, which keeps the others.
    public func giveBack(_ bytes: Int) { wake { $0.bytes -= bytes } }

    /// Removes the limit, because little more will come. Waiting threads continue.
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
