internal import Dispatch
internal import Glibc
internal import Synchronization

/// A job of a ``WorkerPool``: each of its pieces is either run or failed, once.
struct WorkerJob<Resource: ~Copyable>: Sendable {
    /// The number of calls of `run`, with 0, 1, 2 …
    let pieces: Int
    /// Whether its pieces wait until every thread is idle, and nothing begins beside them.
    let alone: Bool
    let cancellation: CancellationFlag
    let run: @Sendable (inout Resource, Int) -> Void
    /// Takes how many pieces will not be run, and why.
    let fail: @Sendable (Int, any Error) -> Void
}

/// The jobs of a ``WorkerPool`` that have not begun, first in, first out, and the loop of its threads.
///
/// A piece wakes one thread: the one that worked last, whose memory is still in its processor's caches. A pool that is wider than its work keeps
/// to few threads, and costs no more than a narrower one (docs/decisions/threads.md).
final class WorkerQueue<Resource: ~Copyable>: Sendable {
    private struct State {
        var jobs: [WorkerJob<Resource>] = []
        /// The next piece of the first of `jobs`.
        var nextPiece = 0
        /// The number of threads that are at a piece, and whether it is one that runs alone.
        var running = 0
        var runsAlone = false
        var isClosed = false
        /// The semaphores of the idle threads, in the order in which they became idle.
        var idle: [DispatchSemaphore] = []

        /// Whether a piece may begin now.
        var hasWork: Bool { jobs.first.map { !runsAlone && (!$0.alone || running == 0) } ?? false }
        var isOver: Bool { jobs.isEmpty && isClosed }

        mutating func takePiece() -> (job: WorkerJob<Resource>, piece: Int) {
            let (job, piece) = (jobs[0], nextPiece)
            running += 1
            runsAlone = job.alone
            nextPiece += 1
            if nextPiece == job.pieces {
                jobs.removeFirst()
                nextPiece = 0
            }
            return (job, piece)
        }

        /// The thread to be woken, if there is anything for one to do. It wakes the next.
        mutating func idleThread() -> DispatchSemaphore? { hasWork || isOver ? idle.popLast() : nil }
    }

    private let state = Mutex(State())

    func add(_ job: WorkerJob<Resource>) {
        let (isTaken, thread) = state.withLock { state -> (Bool, DispatchSemaphore?) in
            if state.isClosed || job.cancellation.isCancelled { return (false, nil) }
            state.jobs.append(job)
            return (true, state.idleThread())
        }
        thread?.signal()
        if !isTaken { job.fail(job.pieces, CancellationError()) }
    }

    /// Ends the jobs, or the rest of them, that were cancelled before they began.
    func dropCancelled() { drop(where: \.cancellation.isCancelled) }

    /// Lets the threads end after the pieces they are at, and those that wait fail.
    func close() {
        state.withLock { $0.isClosed = true }
        drop { _ in true }
    }

    private func drop(where isOver: (WorkerJob<Resource>) -> Bool) {
        var dropped: [(job: WorkerJob<Resource>, pieces: Int)] = []
        let thread = state.withLock { state in
            var kept: [WorkerJob<Resource>] = []
            for (index, job) in state.jobs.enumerated() {
                // Asked once: a flag may be set at any time.
                if isOver(job) {
                    dropped.append((job, index == 0 ? job.pieces - state.nextPiece : job.pieces))
                    if index == 0 { state.nextPiece = 0 }
                } else {
                    kept.append(job)
                }
            }
            state.jobs = kept
            return state.idleThread()
        }
        thread?.signal()
        for (job, pieces) in dropped { job.fail(pieces, CancellationError()) }
    }

    /// Runs jobs for the whole life of a thread.
    func work(givingWayTo picture: RightOfWay?, make: () throws -> Resource) {
        var resource: Resource?
        let waiting = DispatchSemaphore(value: 0)
        while let (job, piece) = next(waiting) {
            let begun = ContinuousClock.now
            do {
                var current = if let made = resource.take() { made } else { try make() }
                job.run(&current, piece)
                resource = consume current
            } catch {
                job.fail(1, error)
            }
            picture?.rest(after: .now - begun)
            state.withLock {
                $0.running -= 1
                $0.runsAlone = false
            }
        }
    }

    /// Waits for the next piece that may run now; nil when there will be none.
    private func next(_ waiting: DispatchSemaphore) -> (job: WorkerJob<Resource>, piece: Int)? {
        while true {
            let (found, isOver, thread) = state.withLock { state in
                let found = state.hasWork ? state.takePiece() : nil
                if found == nil, !state.isOver { state.idle.append(waiting) }
                return (found, state.isOver, found != nil || state.isOver ? state.idleThread() : nil)
            }
            thread?.signal()
            if found != nil || isOver { return found }
            waiting.wait()
        }
    }
}

/// Lets a running picture go first if reading it would make it late.
///
/// Reading has the usual share of the processors: with a lower priority it would get only what other programs leave, which may be almost
/// nothing, and a thread that gave up priority can only get it back from an administrator. Instead, the display reports when a frame is
/// late, and while frames are late, readers rest after each piece of work. So a reading takes at most four times as long as without
/// rests, and does not rest at all if the picture is in time.
///
/// Safe to use from any thread.
public final class RightOfWay: Sendable {
    private let rule = Mutex(RestRule())

    public init() {}

    /// Reports that a frame is late.
    public func claim() { rule.withLock { $0.claim(at: .now) } }

    /// Rests as long as there is reason to, on the calling thread, which must belong to an engine.
    ///
    /// - Parameter work: how long the thread worked since it last rested.
    public func rest(after work: Duration) {
        var rested = Duration.zero
        while let rest = rule.withLock({ $0.rest(after: work, rested: rested, at: .now) }) {
            let begun = ContinuousClock.now
            BlockingSleep.sleep(rest)
            rested += .now - begun
        }
    }
}

/// Decides how long to rest; a value that uses no threads and no clock.
struct RestRule: Sendable, Hashable {
    /// The time for which a late frame counts: if the picture is still late, the next one comes within this time.
    static let memory = Duration.milliseconds(250)
    /// The longest rest, as a multiple of the work before it.
    static let longest = 3

    private var last: ContinuousClock.Instant?

    /// Notes that a frame was late.
    mutating func claim(at now: ContinuousClock.Instant) { last = now }

    /// Returns how long to rest before asking again; nil to continue working.
    func rest(after work: Duration, rested: Duration, at now: ContinuousClock.Instant) -> Duration? {
        guard let last, last + Self.memory > now else { return nil }
        let left = work * Self.longest - rested
        return left > .zero ? min(left, last + Self.memory - now) : nil
    }
}

/// Sleeping on a dedicated thread; tasks use `Task.sleep`.
public enum BlockingSleep {
    /// Blocks the calling thread for this long; not at all if it is not positive.
    public static func sleep(_ duration: Duration) {
        guard duration > .zero else { return }
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
