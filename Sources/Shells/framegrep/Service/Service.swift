import Dispatch
import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextSpotting
import Threads

/// `live --config`: runs the sources of a file concurrently, and follows changes of the file.
///
/// One loop decides everything, one event after the other; other tasks send it events. So no source can make another
/// wait, and no locks are needed.
struct Service {
    private enum ServiceEvent: Sendable {
        case source(String, SourceSupervisor.ServiceEvent)
        case reload
        case read(Result<ServiceFile, any Error>)
        /// It is time to report to the service manager that all jobs make progress, if they do.
        case look
        /// It is time to return freed memory to the system.
        case tidy
        /// The results cannot be written, or their reader is gone.
        case resultsFailed
        case timeout
        case signal(Int32)
    }

    /// The state of one source.
    private struct Place {
        let supervisor: SourceSupervisor
        var hasStarted = false
        var state = OverlayStatus.State.opening
        /// Whether it is ending, which may take as long as its last commands.
        private(set) var isEnding = false
        /// The plan that replaces it when it has ended.
        private(set) var next: SourcePlan?

        /// Ends it, and lets another plan replace it; nil for none.
        mutating func end(before next: SourcePlan? = nil) {
            (isEnding, self.next) = (true, next)
            supervisor.end()
        }
    }

    /// The interval at which freed memory is returned to the system. Packets and lines of several sources come and go
    /// at different times, and glibc keeps their memory; returning it takes some milliseconds.
    private static let tidyingInterval = Duration.seconds(20)

    private let path: String
    /// The name of the file of the results; nil for standard output.
    private let resultsName: String?
    private let program: [String]
    private let sharedContext: SourceSupervisor.SharedContext
    private let registry = SourceRegistry()
    private let events: AsyncStream<ServiceEvent>
    private let tell: AsyncStream<ServiceEvent>.Continuation
    private let manager = ServiceManager()
    /// The sources in the order in which they were begun.
    private var places: [Place] = []
    private var outcome = ExitStatus.notFound
    /// The signal that ends the service; nil if none has arrived.
    private var signal: Int32?
    private var isEnding = false
    /// Whether the service manager was informed that all sources are started.
    private var isAnnounced = false
    private var hasComplained = false
    /// Whether the file is being read, and whether it must be read again after that.
    private var isReading = false
    private var isReloadDue = false
    /// The queue for reading files: one on a disk that is gone blocks only this queue.
    private let files = SerialQueue("framegrep.reload")

    /// The longest time that reading a file of the service may take.
    private static let patience = Duration.seconds(5)

    /// Runs the service that a command describes to its end.
    ///
    /// - Throws: ``FramegrepError`` for an invalid file, and ``Interruption``.
    static func run(_ options: ServiceOptions, _ command: LiveRequest) async throws -> ExitStatus {
        guard let path = options.config?.path else { return .error }
        try ServiceCompanions.check(command)
        TextFile.limitWaiting(to: patience)
        let file = try ServiceFile(path: path, writing: command.options.output.path)
        guard !options.check else {
            for line in file.sources.flatMap(\.summary) { try StandardOutput.print(Visible.text(line)) }
            return .found
        }
        try file.limits.trust.enforce()
        file.limits.options.reading.enforceLimits()
        MediaRuntime.returnPicturesAtOnce()
        let interrupts = Interrupts([SIGINT, SIGTERM])
        let results = try file.results.map { try ResultOutput($0, isFollowed: true) } ?? .standard()
        var service = Service(path: path, file: file, results: results, command: command)
        let tell = service.tell
        interrupts.then {
            tell.yield(.signal($0))
        } last: { [registry = service.registry] in
            registry.endCommands()
        }
        let hangups = Hangups { tell.yield($0 ? .signal(SIGHUP) : .reload) }
        defer { hangups.cancel() }
        let deadline = Deadline(command.options.limits.timeout?.time) { tell.yield(.timeout) }
        defer { deadline.cancel() }
        await service.run(file)
        try await results.finish(after: service.signal)
        if let signal = service.signal { throw Interruption(signal: signal) }
        return service.outcome
    }

    private init(path: String, file: ServiceFile, results: ResultOutput, command: LiveRequest) {
        self.path = path
        resultsName = command.options.output.path
        program = file.program
        let (stream, tell) = AsyncStream.makeStream(of: ServiceEvent.self)
        (events, self.tell) = (stream, tell)
        sharedContext = SourceSupervisor.SharedContext(
            command: command, results: results, engines: EngineCache()
        ) { name, event in
            tell.yield(.source(name, event))
            if results.failure != nil { tell.yield(.resultsFailed) }
        }
        let formatter = command.options.output.format.formatter(coloring: results.isColored, naming: true)
        if command.options.output.format != .jsonl, let header = formatter.header {
            results.line(header, isResult: false)
        }
    }

    // MARK: The loop

    private mutating func run(_ file: ServiceFile) async {
        let watch = watch()
        defer { watch?.cancel() }
        let tidying = every(Self.tidyingInterval, .tidy)
        defer { tidying.cancel() }
        file.sources.forEach { begin($0) }
        for await event in events {
            switch event {
            case .source(let name, let event): note(event, of: name)
            case .reload: reload()
            case .read(let file): take(file)
            case .look: look()
            case .tidy: MediaRuntime.returnFreeMemory()
            case .resultsFailed, .timeout: end()
            case .signal(let number):
                signal = signal ?? number
                end()
            }
            if places.isEmpty { break }
        }
        manager?.stopping()
    }

    private mutating func begin(_ plan: SourcePlan) {
        let supervisor = SourceSupervisor(plan, sharedContext)
        places.append(Place(supervisor: supervisor))
        registry.set(places.map(\.supervisor))
        Task { await supervisor.run() }
    }

    private mutating func note(_ event: SourceSupervisor.ServiceEvent, of name: String) {
        guard let index = places.firstIndex(where: { $0.supervisor.name == name }) else { return }
        switch event {
        case .started: places[index].hasStarted = true
        case .state(let state): places[index].state = state
        case .ended(let status):
            outcome = SourceSupervisor.better(outcome, status)
            let place = places.remove(at: index)
            registry.set(places.map(\.supervisor))
            if let next = place.next, !isEnding { begin(next) }
        }
        announce()
    }

    private mutating func end() {
        guard !isEnding else { return }
        isEnding = true
        OutputQueue.endSoon()
        manager?.stopping()
        for index in places.indices { places[index].end() }
    }

    // MARK: The service manager

    /// Reports that all sources are started, once they are, and their states.
    ///
    /// A source that is missing is started too: it is waited for, and the others do not wait for it.
    private mutating func announce() {
        guard let manager, !isEnding, !places.isEmpty else { return }
        if !isAnnounced, !isReading, places.allSatisfy(\.hasStarted) {
            isAnnounced = true
            manager.ready()
        }
        manager.status(status)
    }

    /// The states of the sources: `3 sources: 2 running, 1 reconnecting (gate)`.
    private var status: String {
        let states = places.reduce(into: [String: [String]]()) {
            // A missing camera is opened again and again.
            $0[$1.state == .opening ? "waited for" : $1.state.rawValue, default: []].append($1.supervisor.name)
        }
        let parts = states.sorted { $0.key < $1.key }.map { state, names in
            "\(names.count) \(state)" + (state == "running" ? "" : " (\(names.joined(separator: ", ")))")
        }
        return "\(places.count) \(places.count == 1 ? "source" : "sources"): " + parts.joined(separator: ", ")
    }

    /// Checks four times within the watchdog time, after which the service manager would consider the program hung.
    private func watch() -> Task<Void, Never>? {
        guard let interval = manager?.watchdog else { return nil }
        tell.yield(.look)
        return every(interval / 4, .look)
    }

    /// Sends an event to the loop at an interval.
    private func every(_ interval: Duration, _ event: ServiceEvent) -> Task<Void, Never> {
        Task { [tell] in
            while (try? await Task.sleep(for: interval)) != nil { tell.yield(event) }
        }
    }

    private mutating func look() {
        guard let manager, let interval = manager.watchdog else { return }
        let hung = places.filter { !$0.supervisor.isAlive(patience: interval / 2) }.map(\.supervisor.name)
        guard !hung.isEmpty else {
            hasComplained = false
            return manager.isAlive()
        }
        guard !hasComplained else { return }
        hasComplained = true
        StandardError.line(
            "framegrep: \(hung.joined(separator: ", ")): nothing was read for \((interval / 2).components.seconds) s although pictures come. The service manager is not told that work goes on, and will restart the program.",
            as: .error)
    }

    // MARK: Reloading

    private mutating func reload() {
        guard !isEnding else { return }
        guard !isReading else { return isReloadDue = true }
        manager?.reloading()
        (isAnnounced, isReading) = (false, true)
        files.start { [path, resultsName, tell] in
            tell.yield(.read(Result { try ServiceFile(path: path, writing: resultsName) }))
        }
    }

    private mutating func take(_ result: Result<ServiceFile, any Error>) {
        isReading = false
        guard !isEnding else { return }
        do {
            let file = try result.get()
            apply(file.sources)
            if file.program != program {
                StandardError.line(
                    "framegrep: changes of 'allow' and 'max-picture' take effect at the next start.")
            }
        } catch {
            let message = (error as? FramegrepError)?.message ?? "\(error)"
            StandardError.line(
                "framegrep: \(message)\nframegrep: The file was not applied; the sources continue as before.",
                as: .error)
        }
        announce()
        if isReloadDue {
            isReloadDue = false
            reload()
        }
    }

    private mutating func apply(_ plans: [SourcePlan]) {
        var (changed, ended, other) = (0, 0, 0)
        for index in places.indices {
            let supervisor = places[index].supervisor
            guard let plan = plans.first(where: { $0.name == supervisor.name }) else {
                ended += 1
                places[index].end()
                continue
            }
            // A source that is ending takes no new words, and does not continue.
            if !places[index].isEnding, plan.differsInWordsOnly(from: supervisor.plan) {
                guard !plan.isSame(as: supervisor.plan) else { continue }
                changed += 1
                supervisor.use(plan)
            } else {
                other += 1
                places[index].end(before: plan)
            }
        }
        let new = plans.filter { plan in !places.contains { $0.supervisor.name == plan.name } }
        new.forEach { begin($0) }
        StandardError.line(
            "framegrep: the file was read again: \(changed) with other words, \(other) restarted, \(new.count) new, \(ended) ended.",
            as: .info)
    }
}

/// Handles SIGHUP: services read their file again. If the program's terminal is gone, it means the end.
final class Hangups: Sendable {
    // Dispatch sources lock themselves; it is only kept, never changed after the initializer.
    nonisolated(unsafe) private let source: any DispatchSourceSignal

    /// - Parameter hear: called on a thread of Dispatch; its argument is true if the terminal is gone.
    init(_ hear: @escaping @Sendable (Bool) -> Void) {
        let source = DispatchSource.makeSignalSource(
            signal: SIGHUP, queue: DispatchQueue(label: "framegrep.hangups", attributes: .concurrent))
        self.source = source
        // Until Dispatch has taken it over, the signal ends the program.
        let taken = DispatchGroup()
        taken.enter()
        source.setRegistrationHandler { taken.leave() }
        source.setEventHandler { hear(StandardError.isTerminal && isatty(StandardError.descriptor) == 0) }
        source.resume()
        _ = taken.wait(timeout: .now() + 1)
    }

    func cancel() { source.cancel() }
}

/// The options that are allowed in addition to `--config`: those about the destination and the duration of the output.
/// All others are in the file, separately for each source.
enum ServiceCompanions {
    private static let flags: Set<String> = ["--check", "--stats", "--verbose", "-v"]
    private static let valued: Set<String> = ["--config", "--format", "--events", "--output", "-o", "--timeout"]

    /// - Throws: ``FramegrepError`` (`badArgument`) naming an argument that is not allowed with `--config`.
    static func check(_ command: LiveRequest) throws(FramegrepError) {
        if let argument = firstUnexpected(
            in: Arguments.given.filter { !$0.hasPrefix("--gst-") }.drop { $0 != "live" }.dropFirst())
        {
            throw FramegrepError(
                .badArgument,
                "'\(redacted(argument))' cannot be used with --config, because the file says what to search, and for what. You can use --check, --format, -o, --stats, --timeout and -v."
            )
        }
        guard [.text, .csv, .jsonl].contains(command.options.output.format) else {
            throw FramegrepError(
                .badArgument,
                "--format \(command.options.output.format.rawValue) is for one source; with --config use text, csv or jsonl."
            )
        }
    }

    private static func firstUnexpected(in arguments: some Sequence<String>) -> String? {
        var isValue = false
        for argument in arguments {
            if isValue {
                isValue = false
                continue
            }
            let name = argument.hasPrefix("--") ? String(argument.prefix { $0 != "=" }) : argument
            if valued.contains(name) {
                isValue = name == argument
            } else if !flags.contains(name), !name.hasPrefix("-o") || name.hasPrefix("--") {
                return argument
            }
        }
        return nil
    }
}
