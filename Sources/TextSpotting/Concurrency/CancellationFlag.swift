internal import Synchronization

/// Tells blocking work on a thread of its own that its task was cancelled.
///
/// Set once, read from any thread; a C library's cancel callback may read it.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    public init() {}

    public var isCancelled: Bool { flag.load(ordering: .acquiring) }

    public func cancel() { flag.store(true, ordering: .releasing) }

    /// - Throws: `CancellationError` once ``cancel()`` was called.
    public func check() throws {
        if isCancelled { throw CancellationError() }
    }
}
