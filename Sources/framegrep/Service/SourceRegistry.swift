import Synchronization

/// The sources that run, for code outside of the loop that decides about them. Thread-safe.
final class SourceRegistry: Sendable {
    private let sources = Mutex<[SourceSupervisor]>([])

    func set(_ now: [SourceSupervisor]) { sources.withLock { $0 = now } }

    /// There is no more time: commands of notices end at once.
    func endCommands() { sources.withLock { $0 }.forEach { $0.endCommands() } }
}
