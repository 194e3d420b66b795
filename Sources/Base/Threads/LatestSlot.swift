internal import CProcesses
internal import Dispatch
internal import Glibc
internal import Synchronization

/// One place for the newest value: putting replaces a value that was not taken, and counts it.
///
/// Between a producer that must never wait (the picture) and a consumer that is slower (the reader). Thread-safe; one
/// consumer at a time. Holds values that cannot be copied, such as a GStreamer sample.
public final class LatestSlot<Value: ~Copyable & Sendable>: Sendable {
    private struct State: ~Copyable {
        var value: Value?
        var skipped = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bell = TaskWakeEvent()

    public init() {}

    /// The number of values that were replaced before they were taken.
    public var skipped: Int { state.withLock { $0.skipped } }

    /// Puts the newest value without waiting. After ``finish()`` or ``close()`` the value is discarded.
    public func put(_ value: consuming sending Value) {
        var incoming: Value? = consume value
        state.withLock { state in
            guard !state.isClosed else { return }
            if state.value != nil { state.skipped += 1 }
            state.value = incoming.take()
        }
        bell.ring()
    }

    /// Waits for the newest value and takes it; returns nil after the end or when the task is cancelled.
    public func take() async -> sending Value? {
        while true {
            // The end is checked first; otherwise a value that is put between the two checks would be lost.
            let isOver = state.withLock { $0.isClosed }
            if let value = takeNow() { return value }
            if isOver || Task.isCancelled { return nil }
            await bell.wait()
        }
    }

    /// Ends the producer's side: a waiting value can still be taken, then the consumer gets nil.
    public func finish() { end(dropping: false) }

    /// Ends the consumer's side: a waiting value is dropped, and a waiting consumer gets nil.
    public func close() { end(dropping: true) }

    private func end(dropping: Bool) {
        state.withLock { state in
            state.isClosed = true
            if dropping { state.value = nil }
        }
        bell.ring()
    }

    private func takeNow() -> sending Value? {
        state.withLock { state in state.value.take() }
    }
}

/// Wakes a thread that waits for any of several things: a thread that changes one of them rings, and the waiting thread
/// checks which it was.
///
/// A ring without a waiting thread is kept, so that none is missed between a check and the next wait; many count as
/// one. Any thread may ring; one thread waits at a time, which must be a dedicated one. Tasks use ``TaskWakeEvent``.
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
        // Do not clear this earlier: the check that follows answers all rings until now.
        isRung.store(false, ordering: .sequentiallyConsistent)
        return true
    }
}

/// Wakes a thread that waits in `poll` for descriptors too; see ``WakeEvent``. Thread-safe; one thread waits.
public final class PollWakeEvent: Sendable {
    private let descriptor: Int32

    /// Nil if the process has no descriptor left.
    public init?() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { return nil }
    }

    /// Wakes the waiting thread, or the next one that waits.
    public func ring() { _ = eventfd_write(descriptor, 1) }

    /// Blocks the calling thread until it rings, a descriptor is ready, or this much time has passed.
    ///
    /// - Parameters:
    ///   - descriptors: those to read from; negative ones are ignored.
    ///   - toWrite: a descriptor that counts as ready when it can be written to.
    ///   - time: the longest wait; nil to wait without limit.
    /// - Returns: whether one of them can be read, or is broken, which the next read reports.
    @discardableResult
    public func wait(for descriptors: [Int32], toWrite: Bool = false, atMost time: Duration? = nil) -> Bool {
        let events = Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0)
        var places = descriptors.map { pollfd(fd: $0, events: events, revents: 0) }
        places.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        let milliseconds = time.map { time in
            let (seconds, attoseconds) = max(.zero, time).components
            // Rounded up, so that a short rest is not a busy loop.
            let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
            return Int32(clamping: min(seconds, 1 << 32) * 1000 + part)
        }
        guard poll(&places, nfds_t(places.count), milliseconds ?? -1) > 0 else { return false }
        if places.removeLast().revents != 0 {
            var rings: eventfd_t = 0
            _ = eventfd_read(descriptor, &rings)
        }
        return places.contains { $0.revents & ~Int16(POLLOUT) != 0 }
    }

    deinit { close(descriptor) }
}
