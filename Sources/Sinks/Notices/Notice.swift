public import Errors
import Synchronization
import Threads

/// Reports to the user why notices do not arrive, and that they do again.
public typealias NoticeWarning = @Sendable (FramegrepError) -> Void

/// A message about a sighting for receivers outside of the program: one of the two notices of each sighting.
public struct Notice: Sendable, Hashable {
    /// Unique to the notice, and the same each time it is sent, so that receivers can drop duplicates.
    public var id: String
    /// The topic; empty for webhooks.
    public var topic: String
    /// A JSON object.
    public var body: [UInt8]

    public init(id: String, topic: String = "", body: [UInt8]) {
        (self.id, self.topic, self.body) = (id, topic, body)
    }
}

/// The end of a sender's thread: one thread asks for it, the other reports it. Thread-safe.
public final class SenderEnd: Sendable {
    private struct State {
        var isAsked = false
        var isReached = false
    }

    private let state = Mutex(State())
    private let reached = TaskWakeEvent()

    public init() {}

    /// The program ends: receivers that do not answer are no longer waited for.
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
