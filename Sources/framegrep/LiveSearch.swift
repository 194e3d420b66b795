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
    let notices: NoticeOptions
    let matcher: Matcher
    /// Where patterns come from while it runs: all that was given at the start, and whether standard input has more.
    let patterns: PatternOptions
    let readsInput: Bool

    /// Hosts a pipeline of the person's own.
    func run(_ description: String, sourceName: String) async throws -> ExitStatus {
        try await run(sourceName: sourceName, describedAs: description) { settings, reader in
            LiveSpotter(description: description, settings: settings, reader: reader, matcher: matcher)
        }
    }

    /// Searches a source that is opened again when it is lost.
    func run(_ source: LiveSource, sourceName: String) async throws -> ExitStatus {
        let opening = try await opening(of: source)
        let output = SourceDescription.liveOutput(window: !self.output.headless, recording: try outputs.begin())
        let description = [opening?.description, output].compactMap { $0 }.joined(separator: " ")
        let recording = LiveRecording(outputs.recording)
        do {
            let status = try await run(
                sourceName: sourceName, describedAs: description, hear: recording.hear,
                { settings, reader in
                    LiveSpotter(source: source, output: output, settings: settings, reader: reader, matcher: matcher)
                })
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

    /// Looks at the source before anything is loaded, so that a missing camera or a wrong address is said at once; nil where
    /// it is not there and is waited for.
    private func opening(of source: LiveSource) async throws -> LiveSource.Opening? {
        do {
            return try await source.open()
        } catch is FramegrepError where source.policy.triesFirstOpening {
            return nil
        }
    }

    private func run(
        sourceName: String, describedAs description: String, hear: @escaping @Sendable (LiveEvent) -> Void = { _ in },
        _ make: (LiveSettings, any TextReader) throws -> LiveSpotter
    ) async throws -> ExitStatus {
        MediaRuntime.shareHeaps()
        var settings = LiveSettings()
        let choice = ReaderChoice(reading, matcher, givingWayTo: settings.rightOfWay)
        let reader = try await choice.load(use: .live)
        if reading.isVerbose {
            StandardError.line("framegrep: \(redacted(description: description))", naming: false)
            StandardError.line("framegrep: reading with \(reader.name)")
        }
        settings.region = try reading.region.map(RegionOfInterest.init(parsing:))
        settings.minimumScore = reading.minScore
        settings.reportsBoxes = output.boxes
        settings.overlay = output.timing
        settings.maximumAge = reading.maximumAge ?? settings.maximumAge
        settings.snapshotFolder = try window.snapshotFolder()
        settings.history = window.history
        settings.closeReader = choice.closeReader
        let results = try outputs.results()
        // Also when the job fails: the lines so far are in their place.
        defer { results.abandon() }
        let spotter = try make(settings, reader)
        let limit = LiveLimit(maximum: maximumCount)
        let printer = LivePrinter(
            results: results, sourceName: sourceName, output: output, isQuiet: reading.isQuiet, limit: limit)
        printer.begin()
        let notices = Notices(notices) { printer.print(.warning($0)) }
        let interrupts = Interrupts { _ in
            limit.end(.signal)
            spotter.stop()
            notices.interrupt()
        } last: {
            notices.stop()
        }
        let changes = changes(of: spotter)
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
            }
            if isEnough { spotter.stop() }
            // Nobody reads the results any more, or they cannot be written: there is nothing left to do.
            if results.failure != nil { spotter.stop() }
        }
        await notices.finish()
        if let signal = interrupts.signal, signal == SIGHUP {
            // A terminal that is gone cannot be written to either: that is no failure of its own.
            try? results.finish()
        } else {
            if let failure = results.failure { throw failure }
            try results.finish()
        }
        if let failure = end.failure { throw failure }
        if let signal = interrupts.signal { throw Interruption(signal: signal) }
        return end.sightings > 0 ? .found : .notFound
    }

    /// How many sightings are wanted; nil for all. Where only the exit status is asked for, one tells it.
    private var maximumCount: Int? {
        let servesOthers = output.record != nil || notices.exec != nil || notices.bell
        return reading.isQuiet && !servesOthers ? 1 : limits.maximumCount
    }

    /// Follows standard input and the files of patterns.
    private func changes(of spotter: LiveSpotter) -> [Task<Void, Never>] {
        let changes = PatternChanges(spotter, options: patterns)
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
