import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting

/// Runs a live job and prints what happens.
struct LiveSearch {
    let reading: ReadingOptions
    let output: LiveOutputOptions
    let window: WindowOptions
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
    ///
    /// - Parameter output: where the picture goes; nil for nowhere.
    func run(_ source: LiveSource, output: String?, sourceName: String) async throws -> ExitStatus {
        // Looked at before anything is loaded, so that a missing camera or a wrong address is said at once.
        let opening = try await source.open()
        let description = [opening.description, output].compactMap { $0 }.joined(separator: " ")
        let file = self.output.record.map(RecordedFile.init)
        let hasFrames = Mutex(false)
        defer {
            if !hasFrames.withLock({ $0 }), let file, file.removeWithoutFrames() {
                StandardError.line("framegrep: nothing was recorded, because no frame came; \(file.path) was removed.")
            }
        }
        return try await run(
            sourceName: sourceName, describedAs: description,
            hear: { event in
                // Said of the first frame; whatever happens then, it is recorded.
                if case .state(.running, _) = event { hasFrames.withLock { $0 = true } }
            },
            { settings, reader in
                LiveSpotter(source: source, output: output, settings: settings, reader: reader, matcher: matcher)
            })
    }

    private func run(
        sourceName: String, describedAs description: String, hear: @escaping @Sendable (LiveEvent) -> Void = { _ in },
        _ make: (LiveSettings, any TextReader) throws -> LiveSpotter
    ) async throws -> ExitStatus {
        MediaRuntime.shareHeaps()
        let reader = try await ReaderChoice(reading, matcher).load(use: .live)
        if reading.isVerbose {
            StandardError.line("framegrep: \(redacted(description))")
            StandardError.line("framegrep: reading with \(reader.name)")
        }
        var settings = LiveSettings()
        settings.region = try reading.region.map(RegionOfInterest.init(parsing:))
        settings.minimumScore = reading.minScore
        settings.reportsBoxes = output.boxes
        settings.overlay = output.timing
        settings.maximumAge = reading.maximumAge ?? settings.maximumAge
        settings.snapshotFolder = try window.snapshotFolder()
        settings.history = window.history
        settings.closeReader = ReaderChoice(reading, matcher).closeReader
        let results = try ResultOutput(path: output.path)
        let spotter = try make(settings, reader)
        let printer = LivePrinter(
            results: results, sourceName: sourceName, printsEvents: output.events != nil, isQuiet: reading.isQuiet,
            showsStatistics: output.stats)
        let notices = Notices(notices) { printer.print(.warning($0)) }
        let interrupts = Interrupts {
            spotter.stop()
            notices.interrupt()
        } last: {
            notices.stop()
        }
        let changes = changes(of: spotter)
        defer { for change in changes { change.cancel() } }
        let end = try await spotter.run { event in
            printer.print(event)
            hear(event)
            if case .appeared = event { notices.tell { printer.json(event) } }
            // Nobody reads the results any more, or they cannot be written: there is nothing left to do.
            if results.failure != nil { spotter.stop() }
        }
        await notices.finish()
        _ = interrupts
        if let failure = results.failure { throw failure }
        if let failure = end.failure { throw failure }
        return end.sightings > 0 ? .found : .notFound
    }

    /// Follows standard input and the files of patterns.
    private func changes(of spotter: LiveSpotter) -> [Task<Void, Never>] {
        let changes = PatternChanges(spotter, options: patterns)
        var tasks = [Task { await WatchedFiles(patterns.files).watch { await changes.readFiles() } }]
        if readsInput {
            tasks.append(
                Task {
                    for await line in InputLines.lines() {
                        switch line {
                        case .success(let text): await changes.take(PatternLine(text))
                        case .failure(let warning): await changes.warn(warning)
                        }
                    }
                })
        }
        return tasks
    }
}
