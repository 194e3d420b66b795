public import Errors

/// Brings the notices of an outbox to one receiver, on a thread of its own, as long as the program runs. Thread-safe.
public protocol NoticeSender: Sendable {
    /// Something new is in the outbox.
    func ring()

    /// Sends what is left, as long as the receiver takes it and for at most `patience`, then stops. Whatever is not acknowledged by then
    /// stays in the outbox.
    func finish(within patience: Duration) async
}

/// Reports to the user why notices do not arrive, and that they do again.
public typealias NoticeWarning = @Sendable (FramegrepError) -> Void
