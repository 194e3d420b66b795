internal import Foundation

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
    ///   - make: makes a thread's resource, on that thread. Where it throws, the job at hand fails with its error and
    ///     the next one tries again.
    public init(name: String, width: Int, make: @escaping @Sendable () throws -> Resource) {
        self.width = max(1, width)
        for number in 1...self.width {
            let thread = Thread { [queue] in queue.work(make: make) }
            thread.name = "\(name) \(number)"
            thread.stackSize = 8 << 20
            thread.start()
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
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.add(
                    WorkerJob(
                        cancellation: cancellation,
                        run: { resource in
                            continuation.resume(with: Swift.Result { try body(&resource, cancellation) })
                        },
                        fail: { continuation.resume(throwing: $0) }))
            }
        } onCancel: {
            cancellation.cancel()
            queue.dropCancelled()
        }
    }
}
