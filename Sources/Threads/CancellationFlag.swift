internal import Synchronization

/// Tells blocking work on a thread of its own that its task was cancelled.
///
/// Set once, read from any thread; a C library's cancel callback may read it. Where a library has to be told instead, see
/// ``withStop(_:_:)``.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)
    /// Stops the work under way. The flag is set while it is locked, so that nothing begins unnoticed.
    private let stops = Mutex(Stops())

    private struct Stops {
        var next = 0
        var running: [Int: @Sendable () -> Void] = [:]
    }

    public init() {}

    public var isCancelled: Bool { flag.load(ordering: .acquiring) }

    public func cancel() {
        stops.withLock {
            flag.store(true, ordering: .releasing)
            for stop in $0.running.values { stop() }
        }
    }

    /// - Throws: `CancellationError` once ``cancel()`` was called.
    public func check() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Runs `work`, which `stop` stops in the middle.
    ///
    /// - Parameter stop: called on another thread when the flag is set meanwhile, and never after `work` has returned.
    ///   Returns at once and leaves the flag alone.
    /// - Throws: `CancellationError` if the flag is set already; else what `work` throws.
    public func withStop<Result>(_ stop: @escaping @Sendable () -> Void, _ work: () throws -> Result) throws -> Result {
        let number = try stops.withLock {
            try check()
            $0.next += 1
            $0.running[$0.next] = stop
            return $0.next
        }
        defer { stops.withLock { $0.running[number] = nil } }
        return try work()
    }
}
