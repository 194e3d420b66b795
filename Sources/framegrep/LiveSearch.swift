import Foundation
import GStreamerMedia
import Spotter
import TextSpotting

/// Runs a live job and prints what happens.
struct LiveSearch {
    let reading: ReadingOptions
    let output: LiveOutputOptions
    let window: WindowOptions
    let notices: NoticeOptions
    let matcher: Matcher

    func run(_ description: String, sourceName: String) async throws -> ExitStatus {
        let reader = try await ReaderChoice(reading, matcher).load(use: .live)
        if reading.isVerbose {
            StandardError.line("framegrep: \(redacted(description))")
            StandardError.line("framegrep: reading with \(reader.name)")
        }
        var settings = LiveSettings()
        settings.region = try reading.region.map(RegionOfInterest.init(parsing:))
        settings.minimumScore = reading.minScore
        settings.reportsBoxes = output.boxes
        settings.snapshotFolder = try window.snapshotFolder()
        settings.history = window.history
        settings.closeReader = ReaderChoice(reading, matcher).closeReader
        let results = try ResultOutput(path: output.path)
        let spotter = LiveSpotter(description: description, settings: settings, reader: reader, matcher: matcher)
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
        let end = try await spotter.run { event in
            printer.print(event)
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
}
