internal import Foundation

/// A job of a ``WorkerPool``: exactly one of its closures is called, once.
struct WorkerJob<Resource: ~Copyable>: Sendable {
    let cancellation: CancellationFlag
    let run: @Sendable (inout Resource) -> Void
    let fail: @Sendable (any Error) -> Void
}

/// The jobs of a ``WorkerPool`` that have not begun, and the loop of its threads.
///
// `jobs` and `isClosed` are only touched while `condition` is locked.
final class WorkerQueue<Resource: ~Copyable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [WorkerJob<Resource>] = []
    private var isClosed = false

    func add(_ job: WorkerJob<Resource>) {
        let refused = condition.withLock {
            if isClosed || job.cancellation.isCancelled { return true }
            jobs.append(job)
            condition.signal()
            return false
        }
        if refused { job.fail(CancellationError()) }
    }

    /// Ends the jobs that were cancelled before they began.
    func dropCancelled() {
        let dropped = condition.withLock {
            let dropped = jobs.filter(\.cancellation.isCancelled)
            jobs.removeAll(where: \.cancellation.isCancelled)
            return dropped
        }
        for job in dropped { job.fail(CancellationError()) }
    }

    /// Lets the threads end after the jobs they are at, and those that wait fail.
    func close() {
        let dropped = condition.withLock {
            isClosed = true
            let dropped = jobs
            jobs = []
            condition.broadcast()
            return dropped
        }
        for job in dropped { job.fail(CancellationError()) }
    }

    /// A thread's whole life.
    func work(make: () throws -> Resource) {
        var resource: Resource?
        while let job = next() {
            do {
                var current = if let made = resource.take() { made } else { try make() }
                job.run(&current)
                resource = consume current
            } catch {
                job.fail(error)
            }
        }
    }

    private func next() -> WorkerJob<Resource>? {
        condition.withLock {
            while jobs.isEmpty && !isClosed { condition.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }
}
