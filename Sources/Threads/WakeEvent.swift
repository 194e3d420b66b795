internal import Dispatch
internal import Synchronization

/// Wakes a thread that waits for any of several things: a thread that changes one rings, and the waiting thread looks for itself what it
/// was.
///
/// A ring without a waiting thread is kept, so that none is missed between a look and the next wait; many count as one. Rings from any
/// thread; one thread waits at a time. To be waited for on a thread of one's own: tasks have ``TaskWakeEvent``.
public final class WakeEvent: Sendable {
    private let isRung = Atomic<Bool>(false)
    private let signal = DispatchSemaphore(value: 0)

    public init() {}

    /// Wakes the waiting thread, or the next one that waits.
    public func ring() {
        if !isRung.exchange(true, ordering: .acquiringAndReleasing) { signal.signal() }
    }

    /// Blocks the calling thread until it rings.
    public func wait() {
        signal.wait()
        isRung.store(false, ordering: .sequentiallyConsistent)
    }

    /// Blocks the calling thread until it rings, or until this much time has passed.
    ///
    /// - Returns: whether it rang.
    @discardableResult
    public func wait(atMost time: Duration) -> Bool {
        let (seconds, attoseconds) = max(.zero, time).components
        let nanoseconds = min(seconds, 1 << 32) * 1_000_000_000 + attoseconds / 1_000_000_000
        guard signal.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success else { return false }
        // Not before: a ring until now has been heard, and what it tells of is looked for next.
        isRung.store(false, ordering: .sequentiallyConsistent)
        return true
    }
}
