import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting
import Threads

/// Runs a live job and prints what happens.
struct LiveSearch {
    let reading: ReadingOptions
    let output: LiveOutputOptions
    let outputs: LiveOutputs
    let window: WindowOptions
    let limits: LimitOptions
    let text: TextOptions
    let notices: NoticeOptions
    /// Who is told over the network.
    let targets: NoticeTargetOptions
    let matcher: Matcher
    /// Where patterns come from while it runs: all that was given at the start, and whether standard input has more.
    let patterns: PatternOptions
    let readsInput: Bool
    /// Keeps what is read; nil where nobody asked for it.
    var memory: LiveMemory?

    /// Hosts a pipeline of the person's own.
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
                    window: !self.output.headless, recording: try beginRecording(of: source))
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

    /// - Returns: nil where nothing is recorded.
    private func beginRecording(of source: LiveSource) throws -> Recording? {
        var file = try outputs.begin()
        guard source.hasSound else { return file }
        do {
            try file?.takeSound()
        } catch {
            StandardError.line("framegrep: \(error.message)")
        }
        return file
    }

    /// Says what is run, to somebody who wants to know.
    private func say(_ description: String) {
        guard reading.isVerbose else { return }
        StandardError.line("framegrep: \(redacted(description: description))", naming: false)
    }

    /// Looks at the source before anything is loaded, so that a missing camera or a wrong address is said at once; nil where
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
        MediaRuntime.shareHeaps()
        var settings = LiveSettings()
        let choice = ReaderChoice(reading.reader, matcher, givingWayTo: settings.rightOfWay) { warning in
            StandardError.line("framegrep: \(warning)")
        }
        let reader = try await choice.load(use: .live)
        if reading.isVerbose { StandardError.line("framegrep: reading with \(reader.name)") }
        settings.region = try reading.region.map(RegionOfInterest.init(parsing:))
        settings.minimumScore = reading.minScore
        settings.reportsBoxes = output.boxes
        settings.overlay = output.timing
        settings.maximumAge = reading.maximumAge ?? settings.maximumAge
        settings.sourceName = sourceName
        // What is recorded needs an end.
        settings.playsRecordings = !output.headless && output.record == nil
        settings.snapshotFolder = try window.snapshotFolder()
        settings.history = window.history
        settings.closeReader = choice.closeReader
        settings.reportsAllText = text.isAsked
        settings.reportsEachChange = text.eachChange
        settings.keepReading = memory?.take
        settings.pictures = outputs.pictures.map { SightingPictures(folder: $0.path, source: sourceName) }
        defer { outputs.pictures?.removeIfEmpty() }
        let interrupts = Interrupts()
        let results = try outputs.results()
        // Also when the job fails: the lines so far are in their place.
        defer { results.abandon() }
        let limit = LiveLimit(maximum: maximumCount, countsLines: areLinesResults)
        let printer = LivePrinter(
            results: results, sourceName: sourceName, output: output, isQuiet: reading.isQuiet, limit: limit)
        printer.begin()
        let notices = Notices(notices) { printer.print(.warning($0)) }
        let targets = try NoticeTargets(targets, sourceName: sourceName, patterns: matcher.patterns.map(\.text)) {
            printer.print(.warning($0))
        }
        settings.bestPicture = targets?.keepPicture
        let spotter = try make(settings, reader)
        interrupts.then { _ in
            limit.end(.signal)
            spotter.stop()
            notices.interrupt()
        } last: {
            notices.stop()
        }
        let changes = changes(of: spotter, targets)
        defer { for change in changes { change.cancel() } }
        let deadline = Deadline(limits.timeout?.time) {
            limit.end(.timeout)
            spotter.stop()
        }
        defer { deadline.cancel() }
        let end = try await spotter.run { event in
            hear(event)
            let (wanted, isEnough) = limit.take(event)
            if let wanted {
                printer.print(wanted)
                if case .appeared = wanted { notices.tell { printer.json(wanted) } }
                targets?.take(wanted)
            }
            if isEnough { spotter.stop() }
            // Nobody reads the results any more, or they cannot be written: there is nothing left to do.
            if results.failure != nil { spotter.stop() }
        }
        await notices.finish()
        await targets?.finish()
        if let signal = interrupts.signal, signal == SIGHUP {
            // A terminal that is gone cannot be written to either: that is no failure of its own.
            try? results.finish()
        } else {
            if let failure = results.failure { throw failure }
            try results.finish()
        }
        if let failure = end.failure { throw failure }
        if let signal = interrupts.signal { throw Interruption(signal: signal) }
        return (areLinesResults ? limit.lineCount : end.sightings) > 0 ? .found : .notFound
    }

    /// No pattern is given and none can come, so the lines of all text are what is looked for.
    private var areLinesResults: Bool { text.isAsked && matcher.patterns.isEmpty && !readsInput }

    /// How many sightings are wanted; nil for all. Where only the exit status is asked for, one tells it.
    private var maximumCount: Int? {
        let servesOthers =
            output.record != nil || output.saveFrames != nil || notices.exec != nil || notices.bell
            || targets.isAsked
        return reading.isQuiet && !servesOthers ? 1 : limits.maximumCount
    }

    /// Follows standard input and the files of patterns, and words that come from a broker.
    private func changes(of spotter: LiveSpotter, _ targets: NoticeTargets?) -> [Task<Void, Never>] {
        let changes = PatternChanges(spotter, options: patterns) { targets?.watch($0) }
        targets?.whenPatternsCome { words in Task { await changes.replace(with: words) } }
        var tasks = [Task { await WatchedFiles(patterns.files).watch { await changes.readFiles() } }]
        if readsInput {
            tasks.append(
                Task {
                    let lines = InputLines.lots()
                    while let lot = await lines.next() { await changes.take(lot) }
                })
        }
        return tasks
    }
}
