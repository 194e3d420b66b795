public import Errors

/// Brings the notices of an outbox to one receiver, on a thread of its own, as long as the program runs. Thread-safe.
public protocol NoticeSender: Sendable {
    /// Something new is in the outbox.
    func ring()

    /// Sends the remaining notices, as long as the receiver takes them and for at most `patience`, then stops. Those that are not
    /// acknowledged by then stay in the outbox.
    func finish(within patience: Duration) async
}

/// Reports to the user why notices do not arrive, and that they do again.
public typealias NoticeWarning = @Sendable (FramegrepError) -> Void
