import Glibc
import TextSpotting

/// A fixed number of threads of the engine's own, on which everything that blocks is run.
///
/// Swift's shared pool must not block, and OpenVINO's inferences do. Work is taken in the order in which it was handed
/// in; several pieces of one job run on several threads. The threads end when the last reference is gone.
final class EngineThreads: Sendable {
    private let queue: WorkQueue
    let count: Int

    /// - Parameter giveWay: they run only when nothing else wants to; see ``ThreadPriority``.
    /// - Throws: when the system gives no more threads.
    init(count: Int, giveWay: Bool = false) throws {
        queue = WorkQueue(givesWay: giveWay)
        self.count = count
        for _ in 0..<count {
            let body = Unmanaged.passRetained(queue)
            var thread = pthread_t()
            if pthread_create(&thread, nil, runEngineThread, body.toOpaque()) == 0 {
                pthread_detach(thread)
            } else {
                body.release()
                queue.close()
                throw FramegrepError(
                    .engineUnavailable, "The neural engine could not start \(count) threads; use a smaller --threads.")
            }
        }
    }

    deinit { queue.close() }

    /// Calls `work` with each number below `pieces`, on the engine's threads, and returns what it gave, in order.
    ///
    /// When the task is cancelled the inferences under way are stopped.
    /// - Parameter alone: nothing else runs on the engine's threads at the same time.
    /// - Throws: `CancellationError` when the task was cancelled, else the first error of a piece.
    func perform<Result: Sendable>(
        pieces: Int, alone: Bool = false, _ work: @escaping @Sendable (Int, Cancellation) throws -> Result
    ) async throws -> [Result] {
        try Task.checkCancellation()
        guard pieces > 0 else { return [] }
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = EngineJob(pieces: pieces) { index in
                    try cancellation.check()
                    return try work(index, cancellation)
                } finish: {
                    continuation.resume(with: $0)
                }
                queue.append(WorkQueue.Item(pieces: pieces, alone: alone, run: job.run))
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}

private func runEngineThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<WorkQueue>.fromOpaque(argument).takeRetainedValue().runUntilClosed()
    return nil
}
