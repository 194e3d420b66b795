import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting
import Threads

/// The receivers of a job's events, besides the results.
private struct LiveListeners: Sendable {
    let notices: Notices
    let targets: NoticeTargets?

    /// Returns when the job is over, or has failed, and all receivers have got everything or failed.
    func listening(to job: () async throws -> LiveEnd) async throws -> LiveEnd {
        do {
            let end = try await job()
            await finish()
            return end
        } catch {
            await finish()
            throw error
        }
    }

    private func finish() async {
        await notices.finish()
        await targets?.finish()
    }
}

/// Runs a live job and prints its events.
struct LiveSearch {
    let options: JobOptions
    let outputs: LiveOutputs
    let matcher: Matcher
    /// Where patterns come from while it runs: all that was given at the start.
    let patterns: PatternOptions
    /// Keeps the readings; nil unless asked for.
    var memory: LiveIndexRecorder?
    /// The program that runs other jobs too; nil if this is the only one.
    var host: LiveHost?
    /// How a person is listened to.
    var voice: VoiceOptions?

    /// Hosts a pipeline of the user's own.
    func run(_ description: String, sourceName: String) async throws -> ExitStatus {
        try await run(sourceName: sourceName) { settings, reader in
            say(description)
            return LiveSpotter(description: description, settings: settings, reader: reader, matcher: matcher)
        }
    }

    /// Searches a source that is opened again when it is lost.
    func run(_ source: LiveSource, sourceName: String) async throws -> ExitStatus {
        let opening = try await opening(of: source)
        let recording = LiveRecording(outputs.recording)
        do {
            let status = try await run(sourceName: sourceName, hear: recording.hear) { settings, reader in
                let output = SourceDescription.liveOutput(
                    window: !options.output.headless, recording: try beginRecording(of: source))
                say([opening?.description, output].compactMap { $0 }.joined(separator: " "))
                return LiveSpotter(source: source, output: output, settings: settings, reader: reader, matcher: matcher)
            }
            try recording.finish()
            return status
        } catch let interruption as Interruption {
            // A recording that is ended by a signal is as whole as any other.
            try recording.finish()
            throw interruption
        } catch {
            throw await recording.failed(error)
        }
    }

    /// - Returns: nil if nothing is recorded.
    private func beginRecording(of source: LiveSource) throws -> Recording? {
        var file = try outputs.begin()
        guard source.hasSound else { return file }
        do {
            try file?.takeSound()
        } catch {
            StandardError.line("\(speaker): \(error.message)")
        }
        return file
    }

    private var speaker: String { LiveHost.speaker(host) }

    /// Prints the pipeline with `--verbose`.
    private func say(_ description: String) {
        guard options.reading.isVerbose else { return }
        StandardError.line("\(speaker): \(redacted(description: description))", naming: false, as: .info)
    }

    /// Looks at the source before anything is loaded, so that a missing camera or a wrong address is said at once; nil if
    /// it is not there and is waited for.
    private func opening(of source: LiveSource) async throws -> LiveSource.Opening? {
        do {
            return try await source.open()
        } catch is FramegrepError where source.policy.triesFirstOpening {
            return nil
        }
    }

    /// - Parameter make: called when a signal no longer ends the program where it stands, so that it may make files.
    private func run(
        sourceName: String, hear: @escaping @Sendable (LiveEvent) -> Void = { _ in },
        _ make: (LiveSettings, any TextReader) throws -> LiveSpotter
    ) async throws -> ExitStatus {
        // Held for as long as the job reads.
        let engineHandle = host?.engines.engineHandle()
        defer { withExtendedLifetime(engineHandle) {} }
        var (settings, reader) = try await reader(from: engineHandle)
        try prepare(&settings, sourceName)
        defer { outputs.pictures?.removeIfEmpty() }
        let interrupts = host == nil ? Interrupts() : nil
        let results = try host?.results ?? outputs.results()
        // Also when the job fails: the lines so far are in their place.
        defer { if host == nil { results.abandon() } }
        let countsLines = options.looksForLines(matcher)
        let limit = LiveLimit(maximum: options.maximumCount, countsLines: countsLines)
        let printer = LivePrinter(
            results: results, sourceName: sourceName, output: options.output, isQuiet: options.reading.isQuiet,
            limit: limit, jobName: host?.name)
        if host == nil { printer.begin() }
        let listeners = try listeners(sourceName, printer)
        settings.bestPicture = listeners.targets?.keepPicture
        let end = try await listeners.listening {
            let spotter = try make(settings, reader)
            return try await run(spotter, printer, limit, listeners, interrupts) { event in
                hear(event)
                // The reader of the results is gone, or they cannot be written: there is nothing left to do.
                if results.failure != nil { spotter.stop() }
            }
        }
        if host == nil { try finish(results, after: interrupts?.signal) }
        if let failure = end.failure { throw failure }
        if let signal = interrupts?.signal { throw Interruption(signal: signal) }
        return (countsLines ? limit.lineCount : end.sightings) > 0 ? .found : .notFound
    }

    private func listeners(_ sourceName: String, _ printer: LivePrinter) throws -> LiveListeners {
        LiveListeners(
            notices: Notices(options.notices) { printer.print(.warning($0)) },
            targets: try NoticeTargets(
                options.targets, sourceName: sourceName, isOneOfMany: host != nil,
                patterns: matcher.patterns.map(\.text)
            ) {
                printer.print(.warning($0))
            })
    }

    /// Runs the job until its end, and reports to all listeners.
    private func run(
        _ spotter: LiveSpotter, _ printer: LivePrinter, _ limit: LiveLimit, _ listeners: LiveListeners,
        _ interrupts: Interrupts?, _ hear: @escaping @Sendable (LiveEvent) -> Void
    ) async throws -> LiveEnd {
        let end: @Sendable () -> Void = {
            limit.end(.signal)
            spotter.stop()
            listeners.notices.interrupt()
        }
        interrupts?.then { _ in
            end()
        } last: {
            listeners.notices.stop()
        }
        let words = LiveWords(spotter, patterns, listeners.targets, readsInput: options.laterPatterns.areAwaited)
        defer { words.end() }
        host?.remote.attach(LiveRemote.Job(end: end, last: listeners.notices.stop, words: words))
        defer { host?.remote.detach() }
        let deadline = Deadline(options.limits.timeout?.time) {
            limit.end(.timeout)
            spotter.stop()
        }
        defer { deadline.cancel() }
        return try await spotter.run { [host] event in
            words.begin()
            hear(event)
            host?.hear(event)
            let (wanted, isEnough) = limit.take(event)
            if let wanted {
                printer.print(wanted)
                if case .appeared = wanted { listeners.notices.tell { printer.json(wanted) } }
                listeners.targets?.take(wanted)
            }
            if isEnough { spotter.stop() }
        }
    }

    /// The reader, from the engines of the program if it runs other jobs too.
    private func reader(from engineHandle: EngineHandle?) async throws -> (LiveSettings, any TextReader) {
        var settings = LiveSettings()
        if let host { settings.rightOfWay = host.engines.rightOfWay }
        let choice = ReaderChoice(options.reading.reader, matcher, givingWayTo: settings.rightOfWay, from: engineHandle)
        {
            warning in
            StandardError.line("\(speaker): \(warning)")
        }
        let reader = try await choice.load(use: .live)
        if options.reading.isVerbose { StandardError.line("\(speaker): reading with \(reader.name)", as: .info) }
        settings.closeReader = choice.closeReader
        return (settings, reader)
    }

    /// Applies the options that concern how the job runs.
    private func prepare(_ settings: inout LiveSettings, _ sourceName: String) throws {
        try settings.use(options.reading, options.output, sourceName: sourceName, memory)
        settings.reportsBoxes = options.output.boxes
        // What is recorded needs an end.
        settings.playsRecordings = !options.output.headless && options.output.record == nil
        settings.snapshotFolder = try options.window.snapshotFolder()
        settings.history = options.window.history
        settings.voice = voice.map { LiveVoice($0.ear, beginsListening: $0.isAsked) }
        settings.reportsAllText = options.text.isAsked
        settings.reportsEachChange = options.text.eachChange
        settings.pictures = outputs.pictures.map { SightingPictures(folder: $0.path, source: sourceName) }
    }

    private func finish(_ results: ResultOutput, after signal: Int32?) throws {
        // A terminal that is gone cannot be written to either: that is no failure of its own.
        if signal == SIGHUP { return _ = try? results.finish() }
        if let failure = results.failure { throw failure }
        try results.finish()
    }
}
