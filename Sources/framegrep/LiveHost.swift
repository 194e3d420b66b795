import Engines
import Spotter
import Synchronization

/// The program around a job, if it runs several: shared parts, and the job's own among them.
struct LiveHost: Sendable {
    /// The name of the job in messages.
    let name: String
    /// All jobs' results go there.
    let results: ResultOutput
    /// Networks are in memory once, however many jobs read with them.
    let engines: EngineCache
    /// Files that the program's other jobs read, which must not be overwritten.
    let plan: OutputPlan?
    /// Receives the program's commands to the job.
    let remote: LiveRemote
    /// Hears all that happens in the job, from several threads; must not block.
    let hear: @Sendable (LiveEvent) -> Void

    /// The prefix of messages on standard error.
    static func speaker(_ host: LiveHost?) -> String { host.map { "framegrep: \($0.name)" } ?? "framegrep" }
}

/// Ends a job of the program and changes its words, also before it has begun. For one run of it; thread-safe.
final class LiveRemote: Sendable {
    /// A job that runs.
    struct Job: Sendable {
        let end: @Sendable () -> Void
        /// Time is up: ends at once everything that the job has started.
        let last: @Sendable () -> Void
        let words: LiveWords
    }

    private struct State {
        var job: Job?
        var isEnded = false
        var patterns: PatternOptions?
    }

    private let state = Mutex(State())

    /// The job runs from now on, until ``detach()``.
    func attach(_ job: Job) {
        let isEnded = state.withLock { state in
            state.job = job
            // Handed over within the lock, as are all that come later: so they stay in their order.
            if let patterns = state.patterns { job.words.use(patterns) }
            return state.isEnded
        }
        if isEnded { job.end() }
    }

    func detach() { state.withLock { $0.job = nil } }

    /// Ends the job cleanly.
    func end() {
        let job = state.withLock { state in
            state.isEnded = true
            return state.job
        }
        job?.end()
    }

    /// Ends at once everything that the job has started.
    func endCommands() { state.withLock { $0.job }?.last() }

    /// Has other words searched for.
    func use(_ patterns: PatternOptions) {
        state.withLock { state in
            state.patterns = patterns
            state.job?.words.use(patterns)
        }
    }
}
