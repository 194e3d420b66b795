import Synchronization

/// The sources that run, for code outside of the loop that decides about them. Thread-safe.
final class SourceRoster: Sendable {
    private let sources = Mutex<[SourceKeeping]>([])

    func set(_ now: [SourceKeeping]) { sources.withLock { $0 = now } }

    /// There is no more time: commands of notices end at once.
    func endCommands() { sources.withLock { $0 }.forEach { $0.endCommands() } }
}
