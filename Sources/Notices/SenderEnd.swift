import Synchronization
import Threads

/// The end of a sender's thread, which is asked for by one and come to by the other. Thread-safe.
public final class SenderEnd: Sendable {
    private struct State {
        var isAsked = false
        var isReached = false
    }

    private let state = Mutex(State())
    private let reached = TaskWakeEvent()

    public init() {}

    /// The program ends: there is no more waiting for who does not answer.
    public var isAsked: Bool { state.withLock { $0.isAsked } }

    /// Afterwards, wake the sender's thread if it waits for something.
    public func ask() { state.withLock { $0.isAsked = true } }

    /// The thread is over.
    public func reach() {
        state.withLock { $0.isReached = true }
        reached.ring()
    }

    /// Waits for the thread's end, for this long at most.
    public func wait(within patience: Duration) async {
        let deadline = ContinuousClock.now + patience
        while !state.withLock({ $0.isReached }), ContinuousClock.now < deadline {
            await reached.wait(atMost: deadline - .now)
        }
    }
}
