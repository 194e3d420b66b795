/// A few threads of one's own for work that blocks, each with a resource that never leaves it (a loaded engine).
///
/// Swift's shared pool is as wide as the machine has cores and must not be blocked; this is where blocking work goes
/// instead. Jobs are started in the order in which they were given; the queue has no bound of its own, because each
/// job in it is a caller that waits. A resource is made on its thread when the first job arrives there and lives until
/// the pool is gone; running jobs end first.
///
/// Safe to use from any thread.
public final class WorkerPool<Resource: ~Copyable>: Sendable {
    private let queue = WorkerQueue<Resource>()
    /// The number of threads.
    public let width: Int

    /// - Parameters:
    ///   - name: of the threads, as debuggers show them.
    ///   - width: how many threads there are; at least 1.
    ///   - picture: the running picture that goes first, if there is one: they rest after each piece while it is late, and take no
    ///     processor from others when they wake (``BatchThreads``).
    ///   - make: makes a thread's resource, on that thread. Where it throws, the job at hand fails with its error and
    ///     the next one tries again.
    /// - Throws: ``OutOfThreads`` when the system does not give this many.
    public init(
        name: String, width: Int, givingWayTo picture: RightOfWay? = nil,
        make: @escaping @Sendable () throws -> Resource
    ) throws(OutOfThreads) {
        self.width = max(1, width)
        for number in 1...self.width {
            do {
                try DedicatedThread.start(named: "\(name) \(number)", stackSize: 8 << 20) { [queue] in
                    if picture != nil { BatchPolicy.apply() }
                    queue.work(givingWayTo: picture, make: make)
                }
            } catch {
                queue.close()
                throw error
            }
        }
    }

    deinit { queue.close() }

    /// Runs `body` on one of the threads.
    ///
    /// When the task is cancelled, a job that has not begun is dropped at once; one that runs sees its flag set and
    /// should end soon.
    /// - Throws: `CancellationError`, or what `body` or the making of the resource throws.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable (inout Resource, CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await run(pieces: 1) { resource, _, cancellation in try body(&resource, cancellation) }[0]
    }

    /// Calls `body` with each number below `pieces`, several at a time, and returns the results in their order.
    ///
    /// - Parameter alone: waits until no other job runs, and lets none begin beside it.
    /// - Throws: `CancellationError` when the task was cancelled, else the first error of a piece; pieces that have not begun
    ///   by then are dropped.
    public func run<Result: Sendable>(
        pieces: Int, alone: Bool = false,
        _ body: @escaping @Sendable (inout Resource, Int, CancellationFlag) throws -> Result
    ) async throws -> [Result] {
        try Task.checkCancellation()
        guard pieces > 0 else { return [] }
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let results = WorkerResults<Result>(pieces: pieces) { continuation.resume(with: $0) }
                queue.add(
                    WorkerJob(
                        pieces: pieces, alone: alone, cancellation: cancellation,
                        run: { resource, piece in
                            results.take(piece) {
                                try cancellation.check()
                                return try body(&resource, piece, cancellation)
                            }
                        },
                        fail: results.fail))
            }
        } onCancel: {
            cancellation.cancel()
            queue.dropCancelled()
        }
    }
}
