internal import DequeModule
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Linux's policy `SCHED_BATCH` (sched(7)): threads that take no processor from others when they wake.
enum BatchPolicy {
    /// `SCHED_BATCH`, which Swift's Glibc leaves out: it is Linux's own (linux/sched.h).
    static let number: CInt = 3

    /// Gives the calling thread this policy. Its share of the processors stays as it was; so does all where the system refuses.
    static func apply() {
        var parameter = sched_param()
        // 0 is the calling thread (sched_setscheduler(2), on Linux).
        _ = sched_setscheduler(0, number, &parameter)
    }
}

/// Runs tasks that read a running picture, on a few threads of their own that take no processor from the picture's.
///
/// The thread that hands a frame to a reader wakes it. On Swift's shared pool the reader then took the processor from the stream's thread,
/// which still had to hand the same frame on (docs/decisions/reading-threads.md). Tasks and actors that are reached from a task with this
/// preference run here too.
///
/// Thread-safe. The threads live as long as the process.
public final class BatchThreads: TaskExecutor {
    /// For all readers of the process: as many threads as there are processors, from 2 to 4. Swift's shared pool where the system gives
    /// none.
    public static let shared: any TaskExecutor =
        BatchThreads(width: min(4, max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN))))) ?? globalConcurrentExecutor

    private let jobs = Mutex(Deque<UnownedJob>())
    private let waiting = DispatchSemaphore(value: 0)

    /// Nil if the system gives not even one thread.
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

    /// A thread's whole life.
    @Sendable private func work() {
        BatchPolicy.apply()
        while true {
            waiting.wait()
            jobs.withLock { $0.popFirst() }?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
