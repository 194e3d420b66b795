internal import DequeModule
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A few dedicated threads for blocking work, each with a resource that never leaves it (a loaded engine).
///
/// Swift's shared pool has as many threads as the machine has cores and must not be blocked; blocking work goes here
/// instead. Jobs start in the order in which they were given; the queue needs no bound, because each job in it has a
/// caller that waits. A resource is made on its thread when the first job arrives there and lives until the pool is
/// gone; running jobs end first.
///
/// Safe to use from any thread.
public final class WorkerPool<Resource: ~Copyable>: Sendable {
    private let queue = WorkerQueue<Resource>()
    /// The number of threads.
    public let width: Int

    /// - Parameters:
    ///   - name: of the threads, as debuggers show them.
    ///   - width: how many threads there are; at least 1.
    ///   - picture: the running picture that goes first, if there is one: they rest after each piece while it is late,
    ///     and take no processor from others when they wake (``BatchThreads``).
    ///   - make: makes a thread's resource, on that thread. If it throws, the current job fails with its error and the
    ///     next one tries again.
    /// - Throws: ``OutOfThreads`` if the system does not allow this many.
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

/// Signals to blocking work on a dedicated thread that its task was cancelled.
///
/// Set once, read from any thread; a C library's cancel callback may read it. For a library that must be called to
/// stop, see ``withStop(_:_:)``.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)
    /// Stops the work under way. The flag is set while this is locked, so that no work begins unnoticed.
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

/// The results of the pieces of one job of a ``WorkerPool``. Thread-safe.
final class WorkerResults<Result: Sendable>: Sendable {
    private struct State {
        var results: [Result?]
        var left: Int
        var failure: (any Error)?
    }
    private let state: Mutex<State>
    private let finish: @Sendable (Swift.Result<[Result], any Error>) -> Void

    /// - Parameter finish: called once, by the thread that ends the last piece.
    init(pieces: Int, finish: @escaping @Sendable (Swift.Result<[Result], any Error>) -> Void) {
        state = Mutex(State(results: Array(repeating: nil, count: pieces), left: pieces))
        self.finish = finish
    }

    /// Does a piece; after a failure the remaining ones are only counted.
    func take(_ piece: Int, _ work: () throws -> Result) {
        guard state.withLock({ $0.failure == nil }) else { return count(1) { _ in } }
        switch Swift.Result(catching: work) {
        case .success(let result): count(1) { $0.results[piece] = result }
        case .failure(let error): fail(1, error)
        }
    }

    /// Notes that this many pieces will not be done.
    @Sendable func fail(_ pieces: Int, _ error: any Error) {
        count(pieces) { $0.failure = $0.failure ?? error }
    }

    private func count(_ pieces: Int, _ change: (inout State) -> Void) {
        let ended = state.withLock { state -> Swift.Result<[Result], any Error>? in
            change(&state)
            state.left -= pieces
            guard state.left == 0 else { return nil }
            if let failure = state.failure { return .failure(failure) }
            return .success(state.results.compactMap { $0 })
        }
        if let ended { finish(ended) }
    }
}

/// Linux's policy `SCHED_BATCH` (sched(7)): threads do not preempt others when they wake.
enum BatchPolicy {
    /// `SCHED_BATCH`, which Swift's Glibc leaves out: it is Linux's own (linux/sched.h).
    static let number: CInt = 3

    /// Gives the calling thread this policy, which does not change its share of the processors. Has no effect if the system refuses.
    static func apply() {
        var parameter = sched_param()
        // 0 is the calling thread (sched_setscheduler(2), on Linux).
        _ = sched_setscheduler(0, number, &parameter)
    }
}

/// Runs tasks that read a running picture on a few dedicated threads, which do not preempt the threads of the picture.
///
/// The thread that hands a frame to a reader wakes it. On Swift's shared pool the reader then preempted the stream's
/// thread, which still had to pass the same frame on (docs/decisions/reading-threads.md). Tasks and actors that are
/// reached from a task with this preference run here too.
///
/// Thread-safe. The threads live as long as the process.
public final class BatchThreads: TaskExecutor {
    /// For all readers of the process: as many threads as there are processors, from 2 to 4. If the system gives none,
    /// it is Swift's shared pool.
    public static let shared: any TaskExecutor =
        BatchThreads(width: min(4, max(2, Processors.usable))) ?? globalConcurrentExecutor

    private let jobs = Mutex(Deque<UnownedJob>())
    private let waiting = DispatchSemaphore(value: 0)

    /// Nil if the system does not allow even one thread.
    init?(width: Int) {
        var count = 0
        while count < width,
            (try? DedicatedThread.start(named: "reading \(count + 1)", stackSize: 8 << 20, work)) != nil
        {
            count += 1
        }
        if count == 0 { return nil }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        waiting.signal()
    }

    /// Runs jobs for the whole life of a thread.
    @Sendable private func work() {
        BatchPolicy.apply()
        while true {
            waiting.wait()
            jobs.withLock { $0.popFirst() }?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
