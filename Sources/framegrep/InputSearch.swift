import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting

/// What `find` does with every input.
struct SearchJob: Sendable {
    let settings: FindSettings
    let time: SearchedTime
    /// Kinds of addresses that may be opened besides.
    let allowed: Set<String>
    let isQuiet: Bool
    let isVerbose: Bool
    let reader: any TextReader
    let matcher: Matcher
}

/// Searches one input of `find`.
struct InputSearch: Sendable {
    let job: SearchJob
    let printer: SightingPrinter
    let outputs: FindOutputs
    let journal: SearchJournal?
    let notices: Notices

    /// Searches the input, prints what is found and writes the annotated files.
    ///
    /// - Parameters:
    ///   - input: as it was named.
    ///   - place: which of the inputs it is, for the progress.
    /// - Throws: ``FramegrepError`` when it cannot be searched at all, or a file not be written.
    func run(_ input: String, shownAt place: String) async throws -> FindSummary {
        let uri = try SourceURI(input)
        try SourceGuard.check(uri, allowing: job.allowed)
        let source = try await OpenedSource.open(uri, timeout: .seconds(20))
        // What is open already is open as long as this is.
        defer { withExtendedLifetime(source) {} }
        let settings = try settings(for: source)
        let spotter = try spotter(for: source, settings)
        let progress = ProgressLine(place: place, name: uri.redacted, isEnabled: !job.isQuiet)
        let found = Mutex<[Sighting]>([])
        let begun = ContinuousClock.now
        let enough = EarlyEnd()
        var summary = try await enough.run {
            try await spotter.search { event in
                if case .sighting(let sighting) = event { found.withLock { $0.append(sighting) } }
                tell(event, of: source, progress, enough)
            }
        }
        progress.clear()
        if !enough.isAsked { say(of: &summary, in: uri, until: settings.to) }
        printer.end(source: uri.redacted)
        if job.isVerbose { report(summary, ContinuousClock.now - begun) }
        try await write(found.withLock { $0 }, of: source, until: summary.end)
        return summary
    }

    /// The settings with the part of the time that is searched in this source.
    private func settings(for source: OpenedSource) throws -> FindSettings {
        var settings = job.settings
        (settings.from, settings.to) = try job.time.resolved(in: source.info.duration, of: source.uri.redacted) {
            StandardError.line("framegrep: \($0)")
        }
        settings.canSeek = !source.isReadOnce
        return settings
    }

    private func spotter(for source: OpenedSource, _ settings: FindSettings) throws -> FileSpotter {
        let description = SourceDescription.search(source)
        if job.isVerbose { StandardError.line("framegrep: \(redacted(description: description))", naming: false) }
        return FileSpotter(
            description: description, sourceName: source.uri.redacted, settings: settings, reader: job.reader,
            matcher: job.matcher)
    }

    /// - Parameter enough: asked for the end after the last line that is wanted.
    private func tell(
        _ event: FindEvent, of source: OpenedSource, _ progress: ProgressLine, _ enough: EarlyEnd
    ) {
        let name = source.uri.redacted
        switch event {
        case .sighting(let sighting):
            progress.clear()
            printer.print(sighting, source: name, isStill: source.isStill)
            notices.tell { JSONLinesFormatter().format(sighting, source: name) }
        case .text(let text):
            progress.clear()
            if printer.print(text: text, source: name, isStill: source.isStill) { enough.ask() }
        case .progress(let position, let total):
            progress.update(position, of: total ?? source.info.duration)
        case .warning(let warning):
            progress.clear()
            StandardError.line("framegrep: \(warning.message)")
        }
    }

    /// Writes the annotated files. After a search that was interrupted they still are written, as far as it got; an
    /// interruption while they are written completes them at once.
    private func write(
        _ sightings: [Sighting], of source: OpenedSource, until end: StreamTime
    ) async throws {
        let annotated = AnnotatedOutputs(outputs: outputs, journal: journal, source: source, isQuiet: job.isQuiet)
        let isInterrupted = Task.isCancelled
        let writing = Task { try await annotated.write(sightings, until: end, isInterrupted: isInterrupted) }
        guard !isInterrupted else { return try await writing.value }
        try await withTaskCancellationHandler {
            try await writing.value
        } onCancel: {
            writing.cancel()
        }
    }

    /// Says why an input was not searched to its end, where nobody wanted that, and notes it as damage.
    private func say(of summary: inout FindSummary, in uri: SourceURI, until to: StreamTime?) {
        let place = ClockTime.text(summary.end)
        if summary.damage == nil, searchesToTheEnd(summary), to.map({ summary.end < $0 }) ?? true {
            if to == nil, MediaProbe.isCutShort(uri) {
                summary.damage = FramegrepError(.sourceDamaged, "The file is shorter than it says itself.")
            } else if MediaProbe.isPlayedInPart(uri) {
                let text =
                    "\(uri.redacted) holds several recordings, one behind the other: only the first was searched as a whole, up to \(place). "
                    + "Take them apart, or put them together with a program that knows the format, such as mkvmerge."
                summary.damage = FramegrepError(.sourceDamaged, text)
                return StandardError.line("framegrep: \(text)")
            }
        }
        guard let damage = summary.damage else { return }
        let what = damage.code == .sourceUnavailable ? "broke off" : "is damaged or cut off"
        StandardError.line("framegrep: \(uri.redacted) \(what): searched up to \(place). \(damage.message)")
    }

    /// Nothing ended the search but the end of the input.
    private func searchesToTheEnd(_ summary: FindSummary) -> Bool {
        let isEnough = job.settings.maximumCount.map { summary.sightings >= $0 } ?? false
        return !isEnough && !Task.isCancelled
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
