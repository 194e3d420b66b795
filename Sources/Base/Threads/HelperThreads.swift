internal import DequeModule
internal import Dispatch
internal import Synchronization

/// Helps with blocking work that can be divided, such as a search of many files, on a few dedicated threads, because
/// those of Swift's shared pool must not wait for a disk.
///
/// The caller works too. So a piece may itself ask for help, and if the system gives no threads, the caller does
/// everything. Thread-safe. The threads live as long as the process.
public final class HelperThreads: Sendable {
    /// The threads for all callers of the process: with the caller, as many as there are processors.
    public static let shared = HelperThreads(width: Processors.usable - 1)

    /// The work of one caller.
    private final class Job: Sendable {
        private let pieces: Int
        /// What the caller wants done; nil when all of it has been, because threads that were busy find the job later and must not keep
        /// alive what the caller has let go by then, such as an index and its lock.
        private let body: Mutex<(@Sendable (Int) -> Void)?>
        private let next = Atomic<Int>(0)
        private let left: Atomic<Int>
        private let end = DispatchSemaphore(value: 0)

        init(pieces: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.pieces = pieces
            self.body = Mutex(body)
            left = Atomic(pieces)
        }

        /// Does pieces until none is left to begin.
        func work() {
            while true {
                let piece = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard piece < pieces else { return }
                perform(piece)
                if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { end.signal() }
            }
        }

        /// A function of its own, so that nothing of the caller's is held when the piece counts as done.
        @inline(never) private func perform(_ piece: Int) { body.withLock(\.self)?(piece) }

        func waitForEnd() {
            end.wait()
            body.withLock { $0 = nil }
        }
    }

    /// Each job, once for every thread that it can use.
    private let jobs = Mutex(Deque<Job>())
    private let waiting = DispatchSemaphore(value: 0)
    private let width = Atomic<Int>(0)

    /// - Parameter width: how many threads; fewer if the system gives no more.
    init(width: Int) {
        for number in 1..<max(1, width + 1) {
            guard (try? DedicatedThread.start(named: "searching \(number)", stackSize: 8 << 20, work)) != nil else {
                break
            }
            self.width.store(number, ordering: .relaxed)
        }
    }

    /// Calls `body` with each number below `pieces`, several at a time, and returns when all calls have.
    ///
    /// Call it on a thread that may block, never on Swift's shared pool.
    public func perform(pieces: Int, _ body: @escaping @Sendable (Int) -> Void) {
        guard pieces > 1 else {
            if pieces == 1 { body(0) }
            return
        }
        let job = Job(pieces: pieces, body)
        let helpers = min(width.load(ordering: .relaxed), pieces - 1)
        jobs.withLock { $0.append(contentsOf: repeatElement(job, count: helpers)) }
        for _ in 0..<helpers { waiting.signal() }
        job.work()
        job.waitForEnd()
    }

    /// Runs jobs for the whole life of a thread.
    @Sendable private func work() {
        while true {
            waiting.wait()
            jobs.withLock { $0.popFirst() }?.work()
        }
    }
}
