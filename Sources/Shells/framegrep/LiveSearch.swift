import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting
import Threads

/// Runs a live job and prints its events.
struct LiveSearch {
    let options: JobOptions
    let outputs: LiveOutputs
    let matcher: Matcher
    /// The source of patterns while the job runs: all options that were given at the start.
    let patterns: PatternOptions
    /// Stores the readings; nil unless requested.
    var memory: LiveIndexRecorder?
    /// The program that runs other jobs too; nil if this is the only one.
    var host: LiveHost?
    var voice: VoiceOptions?

    /// Runs a pipeline of the user's own.
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
            let status = try await run(sourceName: sourceName, recording) { settings, reader in
                let output = SourceDescription.liveOutput(
                    window: !options.output.headless, recording: try beginRecording(of: source),
                    tail: options.hiding.tail)
                say([opening?.description, output].compactMap { $0 }.joined(separator: " "))
                return LiveSpotter(source: source, output: output, settings: settings, reader: reader, matcher: matcher)
            }
            try recording.complete()
            return status
        } catch let interruption as Interruption {
            // A recording that a signal ends is complete too.
            try recording.complete()
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

    /// Examines the source before anything is loaded, so that a missing camera or a wrong address is reported at once;
    /// nil if it is missing and waited for.
    private func opening(of source: LiveSource) async throws -> LiveSource.Opening? {
        do {
            return try await source.open()
        } catch is FramegrepError where source.policy.triesFirstOpening {
            return nil
        }
    }

    /// - Parameters:
    ///   - recording: is informed whether there is anything to keep.
    ///   - make: called when a signal no longer ends the program immediately, so that it may create files.
    private func run(
        sourceName: String, _ recording: LiveRecording? = nil,
        _ make: (LiveSettings, any TextReader) throws -> LiveSpotter
    ) async throws -> ExitStatus {
        // Keep this for as long as the job reads.
        let engineHandle = host?.engines.engineHandle()
        defer { withExtendedLifetime(engineHandle) {} }
        var settings = LiveSettings()
        if let host { settings.rightOfWay = host.engines.rightOfWay }
        let choice = readerChoice(givingWayTo: settings.rightOfWay, from: engineHandle)
        let reader = try await load(choice, for: &settings)
        try prepare(&settings, sourceName)
        defer { outputs.pictures?.removeIfEmpty() }
        let interrupts = host == nil ? Interrupts() : nil
        let results = try host?.results ?? outputs.results()
        let receivers: Receivers
        let end: LiveEnd
        do {
            receivers = try Receivers(of: self, sourceName: sourceName, results: results)
            end = try await receivers.sinks.finishing {
                let spotter = try make(settings, reader)
                return try await run(
                    spotter, telling: receivers, recording, interrupts, screensLines: choice.noticesOtherScripts)
            }
            if host == nil { try await results.finish(after: interrupts?.signal) }
        } catch {
            // Lines printed so far have reached their file.
            if host == nil { await results.abandon() }
            throw error
        }
        if let failure = end.failure { throw failure }
        if let signal = interrupts?.signal { throw Interruption(signal: signal) }
        let limit = receivers.limit
        return (limit.countsLines ? limit.lineCount : end.sightings) > 0 ? .found : .notFound
    }

    /// Runs the job until it ends or is stopped.
    ///
    /// - Parameter screensLines: whether to leave out lines in scripts that the networks do not know.
    private func run(
        _ spotter: LiveSpotter, telling receivers: Receivers, _ recording: LiveRecording?, _ interrupts: Interrupts?,
        screensLines: Bool
    ) async throws -> LiveEnd {
        let (limit, notices, results) = (receivers.limit, receivers.notices, receivers.results)
        let limited = LimitedSinks(limit: limit, sinks: receivers.sinks, stop: spotter.stop)
        let warn: @Sendable (FramegrepError) -> Void = { [printer = receivers.printer] in printer.take(.warning($0)) }
        let endings = LiveCommands.Endings {
            limit.end(.signal)
            spotter.stop()
            notices.interrupt()
        } last: {
            notices.stop()
        }
        interrupts?.then { signal in
            if signal != SIGINT { notices.hurry() }
            endings.end()
        } last: {
            endings.last()
        }
        let commands = host?.commands ?? LiveCommands()
        commands.attach(
            spotter, patterns: patterns, targets: receivers.targets, readsInput: options.laterPatterns.areAwaited,
            endings: endings)
        defer { commands.close() }
        let isAlone = host == nil
        let deadline = Deadline(options.limits.timeout?.time) {
            limit.end(.timeout)
            spotter.stop()
            if isAlone { OutputQueue.endSoon() }
        }
        defer { deadline.cancel() }
        let sinks: [(any EventSink)?] = [
            commands, recording,
            // The reader of the results is gone, or they cannot be written, so there is nothing left to do.
            EventListener { [isQuiet = options.reading.isQuiet] event in
                // Once a second.
                if case .statistics = event, !isQuiet { results.checkReader() }
                if results.failure != nil { spotter.stop() }
            },
            host?.sink, screensLines ? ScreenedSink(sink: limited, warn: warn) : limited, memory,
        ]
        return try await spotter.run(sinks.compactMap { $0 })
    }

    /// Chooses the reader, from the program's shared engines if it runs other jobs too.
    private func readerChoice(
        givingWayTo rightOfWay: RightOfWay, from engineHandle: EngineHandle?
    ) -> ReaderChoice {
        var reading = options.reading.reader
        // The contents of the index must not depend on which languages Tesseract has.
        reading.readsAllText = options.text.isAsked && memory == nil
        reading.readsForHiding = options.hiding.redact
        return ReaderChoice(reading, matcher, givingWayTo: rightOfWay, from: engineHandle) { [speaker] warning in
            StandardError.line("\(speaker): \(warning)")
        }
    }

    private func load(_ choice: ReaderChoice, for settings: inout LiveSettings) async throws -> any TextReader {
        let reader = try await choice.load(use: .live)
        if options.reading.isVerbose { StandardError.line("\(speaker): reading with \(reader.name)", as: .info) }
        settings.closeReader = choice.closeReader
        return reader
    }

    /// Applies the options that concern how the job runs.
    private func prepare(_ settings: inout LiveSettings, _ sourceName: String) throws {
        try settings.use(options.reading, options.output, sourceName: sourceName)
        settings.hiding = try options.hiding.settings(options.reading, options.output)
        if settings.hiding != nil { settings.overlay = .exact(delay: options.output.overlayDelay.time) }
        settings.reportsBoxes = options.output.boxes
        if options.reading.isVerbose {
            settings.hearChange = { [speaker] in
                StandardError.line("\(speaker): \($0)", naming: false, as: .info)
            }
        }
        // A job that records must end.
        settings.playsRecordings = !options.output.headless && options.output.record == nil && !options.hiding.redact
        settings.snapshotFolder = try options.window.snapshotFolder()
        settings.history = options.window.history
        settings.voice = voice.map { LiveVoice($0.ear, beginsListening: $0.isAsked) }
        settings.reportsAllText = options.text.isAsked
        settings.reportsEachChange = options.text.eachChange
        settings.pictures = outputs.pictures.map { SightingPictures(folder: $0.path, source: sourceName) }
    }
}

/// The receivers of the job's events, up to the limit.
private struct Receivers: Sendable {
    let results: ResultOutput
    let limit: LiveLimit
    let printer: LivePrinter
    let notices: SightingNotices
    let targets: NoticeTargets?

    var sinks: [any EventSink] { [printer, notices] + (targets.map { [$0] } ?? []) }

    /// - Throws: ``FramegrepError`` for notices that cannot be sent.
    init(of search: LiveSearch, sourceName: String, results: ResultOutput) throws {
        let (options, host) = (search.options, search.host)
        self.results = results
        limit = LiveLimit(
            maximum: options.maximumCount, countsLines: options.looksForLines(search.matcher))
        printer = LivePrinter(
            results: results, sourceName: sourceName, output: options.output, isQuiet: options.reading.isQuiet,
            limit: limit, jobName: host?.name)
        if host == nil { printer.begin() }
        let warn: @Sendable (FramegrepError) -> Void = { [printer] in printer.take(.warning($0)) }
        notices = SightingNotices(options.notices, json: printer.json, warn: warn)
        if host != nil { notices.hurry() }
        targets = try NoticeTargets(
            options.targets, sourceName: sourceName, isOneOfMany: host != nil,
            patterns: search.matcher.patterns.map(\.text), warn: warn)
    }
}

extension [any EventSink] {
    /// Runs a job with these receivers; returns when it is over or has failed, and each of them has written everything.
    func finishing<Result>(_ job: () async throws -> Result) async throws -> Result {
        do {
            let result = try await job()
            for sink in self { await sink.finish() }
            return result
        } catch {
            for sink in self { await sink.finish() }
            throw error
        }
    }
}
