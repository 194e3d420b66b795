import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting

/// Searches the inputs of `find` one after the other and prints what is found.
struct RecordingSearch {
    let settings: FindSettings
    let output: FindOutputOptions
    let isQuiet: Bool
    let isVerbose: Bool
    let reader: any TextReader
    let matcher: Matcher
    private let results: ResultOutput
    private let boxes: ResultOutput?
    private let notices: Notices

    init(
        settings: FindSettings, output: FindOutputOptions, notices: NoticeOptions, isQuiet: Bool, isVerbose: Bool,
        reader: any TextReader,
        matcher: Matcher
    ) throws {
        self.settings = settings
        self.output = output
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
        self.reader = reader
        self.matcher = matcher
        results = try ResultOutput(path: output.path)
        boxes = try output.boxesPath.map { try ResultOutput(path: $0) }
        self.notices = Notices(notices) { StandardError.line("framegrep: \($0.message)") }
    }

    /// Searches all inputs; an input that fails is reported and the next one is searched.
    func run(_ inputs: [String]) async throws -> ExitStatus {
        let isColored = output.color == .always || (output.color == .auto && results.isTerminal)
        let printer = SightingPrinter(
            output: output, isQuiet: isQuiet, formatter: output.format.formatter(coloring: isColored), results: results,
            boxes: boxes, showsNames: inputs.count > 1)
        printer.begin()
        var status = ExitStatus.notFound
        let work = Task { [inputs] in
            var hadError = false
            for input in inputs where !Task.isCancelled {
                do {
                    let summary = try await search(input, printer)
                    if summary.damage != nil { hadError = true }
                } catch is CancellationError where Task.isCancelled {
                    // Interrupted before the input was known or the engine was loaded.
                    break
                } catch let error as FramegrepError {
                    // Without an engine the next input would fail in the same way.
                    if error.code == .engineUnavailable { throw error }
                    StandardError.line("framegrep: \(error.message)")
                    hadError = true
                }
                if let failure = results.failure ?? boxes?.failure { throw failure }
                if isQuiet, printer.count > 0 { break }
            }
            return hadError
        }
        let interrupts = Interrupts {
            work.cancel()
            notices.interrupt()
        } last: {
            notices.stop()
        }
        let hadError = try await work.value
        await notices.finish()
        if interrupts.wasInterrupted {
            StandardError.line("framegrep: interrupted; what was found until then is above.")
        }
        if printer.count > 0 { status = .found }
        // As grep: an error counts more than a match, unless only the exit status was asked for.
        return hadError && !(isQuiet && status == .found) ? .error : status
    }

    private func search(_ input: String, _ printer: SightingPrinter) async throws -> FindSummary {
        let uri = try SourceURI(input)
        let info = try await MediaProbe.examine(uri: uri.text, timeout: .seconds(20))
        let description = SourceDescription.search(uri.text)
        if isVerbose { StandardError.line("framegrep: \(redacted(description))") }
        let progress = ProgressLine(name: uri.redacted, isEnabled: !isQuiet)
        let spotter = FileSpotter(
            description: description, sourceName: uri.redacted, settings: settings, reader: reader, matcher: matcher)
        let found = Mutex<[Sighting]>([])
        let begun = ContinuousClock.now
        var summary = try await spotter.search { event in
            switch event {
            case .sighting(let sighting):
                progress.clear()
                found.withLock { $0.append(sighting) }
                printer.print(sighting, source: uri.redacted)
                notices.tell { JSONLinesFormatter().format(sighting, source: uri.redacted) }
            case .text(let text):
                progress.clear()
                printer.print(text: text, source: uri.redacted)
            case .progress(let position, let total):
                progress.update(position, of: total ?? info.duration)
            case .warning(let warning):
                progress.clear()
                StandardError.line("framegrep: \(warning.message)")
            }
        }
        progress.clear()
        if summary.damage == nil, searchesToTheEnd(summary), MediaProbe.isCutShort(uri) {
            summary.damage = FramegrepError(.sourceDamaged, "The file is shorter than it says itself.")
        }
        if let damage = summary.damage {
            StandardError.line(
                "framegrep: \(uri.redacted) is damaged or cut off: searched up to \(ClockTime.text(summary.end)). \(damage.message)"
            )
        }
        printer.end(source: uri.redacted)
        if isVerbose { report(summary, ContinuousClock.now - begun) }
        try await write(found.withLock { $0 }, of: uri, until: summary.end)
        return summary
    }

    /// Writes the annotated files. After a search that was interrupted they still are written, as far as it got; an
    /// interruption while they are written completes them at once.
    private func write(_ sightings: [Sighting], of uri: SourceURI, until end: StreamTime) async throws {
        let outputs = AnnotatedOutputs(output: output, uri: uri, isQuiet: isQuiet)
        let writing = Task { try await outputs.write(sightings, until: end) }
        guard !Task.isCancelled else { return try await writing.value }
        try await withTaskCancellationHandler {
            try await writing.value
        } onCancel: {
            writing.cancel()
        }
    }

    /// Nothing ended the search but the end of the input.
    private func searchesToTheEnd(_ summary: FindSummary) -> Bool {
        let isEnough = settings.maximumCount.map { summary.sightings >= $0 } ?? false
        return settings.to == nil && !isEnough && !Task.isCancelled
    }

    private func report(_ summary: FindSummary, _ took: Duration) {
        let seconds = took.inSeconds
        let speed = seconds > 0 ? summary.end.seconds / seconds : 0
        StandardError.line(
            "framegrep: \(summary.frames) frames, \(summary.readings) read, \(summary.sightings) sightings, "
                + "\(summary.linesRead) lines read, \(summary.linesKnown) known from before, "
                + String(format: "%.2f s, %.1f× real time", seconds, speed))
    }
}
