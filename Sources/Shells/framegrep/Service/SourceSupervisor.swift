import Engines
import Errors
import Spotter
import Synchronization
import TextSpotting
import Threads

/// Keeps one source of a service running: starts its job again when it fails, and reports to its own listeners only.
/// Thread-safe.
final class SourceSupervisor: EventSink {
    /// Everything that the sources of the program share.
    struct SharedContext: Sendable {
        /// The options for the output of each source.
        let command: LiveRequest
        let results: ResultOutput
        let engines: EngineCache
        /// Reports events, from several threads; must not block.
        let tell: @Sendable (_ name: String, ServiceEvent) -> Void
    }

    enum ServiceEvent: Sendable {
        /// The job runs, or has failed for the first time.
        case started
        case state(OverlayStatus.State)
        case ended(ExitStatus)
    }

    private struct State {
        var plan: SourcePlan
        var commands: LiveCommands?
        var hasStarted = false
        var pulse: JobPulse
        var state: OverlayStatus.State?
    }

    let name: String
    private let sharedContext: SharedContext
    private let state: Mutex<State>
    private let supervisor = Supervisor(pauses: Backoff(first: .seconds(1), longest: .seconds(60)))

    init(_ plan: SourcePlan, _ sharedContext: SharedContext) {
        name = plan.name
        self.sharedContext = sharedContext
        state = Mutex(State(plan: plan, pulse: JobPulse(at: .now)))
    }

    var plan: SourcePlan { state.withLock { $0.plan } }

    /// Returns whether it makes progress; see ``JobPulse``.
    func isAlive(patience: Duration) -> Bool {
        state.withLock { $0.pulse.isAlive(at: .now, patience: patience) }
    }

    /// Searches for the words of this plan, which differs in nothing else.
    func use(_ plan: SourcePlan) {
        let commands = state.withLock { state in
            state.plan = plan
            return state.commands
        }
        commands?.use(plan.command.options.patterns)
    }

    func end() {
        supervisor.end()
        let commands = state.withLock { state in
            state.pulse.end()
            return state.commands
        }
        commands?.end()
    }

    /// Ends commands of notices at once, because there is no more time.
    func endCommands() { state.withLock { $0.commands }?.endCommands() }

    /// Runs jobs until one has come to its end, or the source must end.
    func run() async {
        var status = ExitStatus.notFound
        await supervisor.run {
            let (plan, commands) = next()
            status = Self.better(status, try await runJob(plan, commands))
            state.withLock { $0.pulse.rest() }
            return plan.repeats
        } failed: { error, pause in
            say(error, next: pause)
            guard pause != nil else { return status = Self.better(status, .error) }
            state.withLock { $0.pulse.rest() }
            start()
            set(.failed)
        }
        start()
        sharedContext.tell(name, .ended(status))
    }

    /// Returns the more important of the statuses of two runs: a match counts most, then a failure.
    static func better(_ first: ExitStatus, _ second: ExitStatus) -> ExitStatus {
        let order: [ExitStatus] = [.found, .error, .notFound]
        return order.first { $0 == first || $0 == second } ?? second
    }

    /// Returns the next job to run.
    private func next() -> (SourcePlan, LiveCommands) {
        let commands = LiveCommands()
        let plan = state.withLock { state in
            state.commands = commands
            state.pulse = JobPulse(at: .now)
            return state.plan
        }
        // The source was ended before this job could receive that.
        if supervisor.isEnding { commands.end() }
        return (plan, commands)
    }

    private func runJob(_ plan: SourcePlan, _ commands: LiveCommands) async throws -> ExitStatus {
        let host = LiveHost(
            name: name, results: sharedContext.results, engines: sharedContext.engines, plan: plan.outputs,
            commands: commands, sink: self)
        var command = plan.commandOfNow()
        let shown = sharedContext.command
        (command.options.output.askedFormat, command.options.output.events) = (
            shown.options.output.askedFormat, shown.options.output.events
        )
        (command.options.output.stats, command.options.reading.isVerbose) = (
            shown.options.output.stats, shown.options.reading.isVerbose
        )
        // Reading files of words may take some time.
        let options = command.options
        let matcher = try await DedicatedThread.run(named: "framegrep-words") {
            try options.matcher(of: options.patterns)
        }
        return try await command.job(
            command.options.patterns, matcher, source: plan.address ?? command.source.device, in: host
        )
        .run()
    }

    private func say(_ error: any Error, next pause: Duration?) {
        // The reader of the results is gone, so all sources end without a message.
        guard !(error is ClosedPipe) else { return }
        let message = (error as? FramegrepError)?.message ?? "\(error)"
        let next = pause.map { " It is tried again in \($0.components.seconds) s." } ?? ""
        StandardError.line("framegrep: \(name): \(message)\(next)", as: .error)
    }

    private func start() {
        let isFirst = state.withLock { $0.hasStarted.raise() }
        if isFirst { sharedContext.tell(name, .started) }
    }

    private func set(_ new: OverlayStatus.State) {
        let isNew = state.withLock { state in
            defer { state.state = new }
            return state.state != new
        }
        if isNew { sharedContext.tell(name, .state(new)) }
    }

    func take(_ event: LiveEvent) {
        state.withLock { $0.pulse.hear(event, at: .now) }
        start()
        if case .state(let state, _) = event { set(state) }
    }
}

/// Decides whether a job makes progress: a state machine that receives events with their times.
///
/// Waiting for a missing source counts as progress. If frames arrive, they must be read, and every job reports its
/// figures once a second; otherwise it hangs.
struct JobPulse: Sendable, Hashable {
    private enum Phase: Sendable, Hashable {
        case starting
        case running
        /// It failed, and waits for its next attempt.
        case resting
        /// It completes its files.
        case ending
    }

    /// The longest time to load the networks, on a slow machine that does it for the first time.
    static let longestStart = Duration.seconds(300)

    private var phase = Phase.starting
    private var state = OverlayStatus.State.opening
    private var unchanged = 0
    private var progress: ContinuousClock.Instant

    /// Creates the state of a job that begins, or begins again.
    init(at now: ContinuousClock.Instant) { progress = now }

    mutating func rest() { phase = .resting }

    mutating func end() { phase = .ending }

    mutating func hear(_ event: LiveEvent, at now: ContinuousClock.Instant) {
        if phase == .starting {
            phase = .running
            progress = now
        }
        switch event {
        case .state(let next, _):
            state = next
            progress = now
        case .statistics(let figures, _):
            let isRead = figures.framesRead > 0 || figures.unchanged != unchanged
            unchanged = figures.unchanged
            // Frames that have arrived must be read.
            let isOwed = state == .running && figures.framesIn > 0
            if isRead || !isOwed { progress = now }
        case .end: phase = .ending
        default: break
        }
    }

    /// - Parameter patience: the time for which a running job may make no progress.
    func isAlive(at now: ContinuousClock.Instant, patience: Duration) -> Bool {
        switch phase {
        case .starting: now - progress < Self.longestStart
        case .running: now - progress < patience
        case .resting, .ending: true
        }
    }
}

/// The running sources, for code outside the loop that manages them. Thread-safe.
final class SourceRegistry: Sendable {
    private let sources = Mutex<[SourceSupervisor]>([])

    func set(_ now: [SourceSupervisor]) { sources.withLock { $0 = now } }

    /// Ends commands of notices at once, because there is no more time.
    func endCommands() { sources.withLock { $0 }.forEach { $0.endCommands() } }
}
