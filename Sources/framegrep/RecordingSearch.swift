import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting

/// Searches the inputs of `find` one after the other and prints what is found.
struct RecordingSearch {
    let settings: FindSettings
    let time: SearchedTime
    let allowed: Set<String>
    let output: FindOutputOptions
    let limits: LimitOptions
    let isQuiet: Bool
    let isVerbose: Bool
    let reader: any TextReader
    let matcher: Matcher
    private let outputs: FindOutputs
    private let journal: SearchJournal?
    private let notices: Notices

    init(
        settings: FindSettings, time: SearchedTime, allowed: Set<String>, output: FindOutputOptions,
        limits: LimitOptions,
        outputs: FindOutputs, journal: SearchJournal?, notices: NoticeOptions, isQuiet: Bool, isVerbose: Bool,
        reader: any TextReader,
        matcher: Matcher
    ) {
        self.settings = settings
        self.time = time
        self.allowed = allowed
        self.output = output
        self.limits = limits
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
        self.reader = reader
        self.matcher = matcher
        self.outputs = outputs
        self.journal = journal
        self.notices = Notices(notices) { StandardError.line("framegrep: \($0.message)") }
    }

    /// Whether the lines themselves are what is looked for, and how many of them are enough.
    private var lines: SightingPrinter.Lines {
        matcher.patterns.isEmpty ? .areResults(maximum: settings.maximumCount) : .accompanyResults
    }

    /// Searches all inputs; an input that fails is reported and the next one is searched.
    func run(_ inputs: [SearchInput]) async throws -> ExitStatus {
        do {
            let status = try await search(inputs)
            // A search that failed is no reason to put nothing in the place of what was found before.
            if status == .error { outputs.abandon() } else { try outputs.finish() }
            return status
        } catch {
            outputs.abandon()
            throw error
        }
    }

    private func search(_ inputs: [SearchInput]) async throws -> ExitStatus {
        let (results, boxes) = (outputs.results, outputs.boxes)
        let isColored = output.color == .always || (output.color == .auto && results.isColored)
        let printer = SightingPrinter(
            output: output, isQuiet: isQuiet, lines: lines,
            formatter:
                output.format.formatter(
                    coloring: isColored, naming: !output.hidesNames, areSeveral: inputs.count > 1), results: results,
            boxes: boxes, journal: journal, showsNames: (inputs.count > 1 || output.showsNames) && !output.hidesNames)
        let first = resume(inputs, printer)
        if first == 0 { printer.begin() }
        var status = ExitStatus.notFound
        let work = Task { [inputs] in
            var hadError = journal?[.hadError] == 1
            defer { journal?[.input] = -1 }
            for (index, input) in inputs.enumerated().dropFirst(first) where !Task.isCancelled {
                journal?[.input] = Int64(index)
                do {
                    let place = inputs.count > 1 ? "\(index + 1) of \(inputs.count)  " : ""
                    let summary = try await search(input.name, printer, shownAt: place)
                    if summary.damage != nil { hadError = noteError() }
                } catch is CancellationError where Task.isCancelled {
                    // Interrupted before the input was known or the engine was loaded.
                    break
                } catch let error as FramegrepError {
                    if input.isFound, error.code == .sourceNotVideo {
                        if isVerbose { StandardError.line("framegrep: passed over: \(error.message)") }
                        continue
                    }
                    // Without an engine the next input would fail in the same way.
                    if error.code == .engineUnavailable { throw error }
                    StandardError.line("framegrep: \(error.message)")
                    hadError = noteError()
                }
                if let failure = outputs.failure { throw failure }
                if isQuiet, printer.count > 0 { break }
            }
            return hadError
        }
        let interrupts = Interrupts { [journal] signal in
            journal?[.interruption] = Int64(signal)
            work.cancel()
            notices.interrupt()
        } last: {
            notices.stop()
            outputs.abandon()
            ProgressLine.wipe()
        }
        let deadline = Deadline(limits.timeout?.time) { work.cancel() }
        let hadError = try await work.value
        deadline.cancel()
        await notices.finish()
        if let signal = interrupts.signal ?? journal?.interruption {
            StandardError.line("framegrep: interrupted; what was found until then is above.")
            throw Interruption(signal: signal)
        }
        if deadline.isOver, !isQuiet {
            StandardError.line("framegrep: the time of --timeout is over; what was found until then is above.")
        }
        if printer.count > 0 { status = .found }
        // As grep: an error counts more than a match, unless only the exit status was asked for.
        return hadError && !(isQuiet && status == .found) ? .error : status
    }

    /// After a crash: says in which input it was, and goes on after that.
    ///
    /// - Returns: the first input to be searched; all of them where somebody has asked for an end meanwhile.
    private func resume(_ inputs: [SearchInput], _ printer: SightingPrinter) -> Int {
        guard let journal, let crash = journal.crash, inputs.indices.contains(crash.input) else { return 0 }
        // Where the progress was shown.
        ProgressLine.wipe()
        let name = (try? SourceURI(inputs[crash.input].name))?.redacted ?? inputs[crash.input].name
        let isLast = crash.input == inputs.count - 1
        StandardError.line(
            "framegrep: \(name) could not be searched to its end: a library that decodes or reads it crashed "
                + "(\(crash.reason)). What was found in it until then is above"
                + (isLast ? "." : "; the search goes on with the next."))
        printer.resume(total: Int(journal[.sightings]), inInput: Int(journal[.sightingsInInput]))
        printer.end(source: name)
        _ = noteError()
        return journal.interruption == nil ? crash.input + 1 : inputs.count
    }

    /// Keeps in mind that something went wrong; always true.
    private func noteError() -> Bool {
        journal?[.hadError] = 1
        return true
    }

    /// - Parameter place: which of the inputs it is, for the progress.
    private func search(
        _ input: String, _ printer: SightingPrinter, shownAt place: String
    ) async throws -> FindSummary {
        let uri = try SourceURI(input)
        try SourceGuard.check(uri, allowing: allowed)
        let source = try await OpenedSource.open(uri, timeout: .seconds(20))
        // What is open already is open as long as this is.
        defer { withExtendedLifetime(source) {} }
        let info = source.info
        let description = SourceDescription.search(source)
        if isVerbose { StandardError.line("framegrep: \(redacted(description: description))", naming: false) }
        var settings = settings
        (settings.from, settings.to) = try time.resolved(in: info.duration, of: uri.redacted) {
            StandardError.line("framegrep: \($0)")
        }
        settings.canSeek = !source.isReadOnce
        let progress = ProgressLine(place: place, name: uri.redacted, isEnabled: !isQuiet)
        let spotter = FileSpotter(
            description: description, sourceName: uri.redacted, settings: settings, reader: reader, matcher: matcher)
        let found = Mutex<[Sighting]>([])
        let begun = ContinuousClock.now
        let enough = EarlyEnd()
        var summary = try await enough.run {
            try await spotter.search { event in
                if case .sighting(let sighting) = event { found.withLock { $0.append(sighting) } }
                tell(event, of: source, printer, progress, enough)
            }
        }
        progress.clear()
        if !enough.isAsked { say(of: &summary, in: uri, until: settings.to) }
        printer.end(source: uri.redacted)
        if isVerbose { report(summary, ContinuousClock.now - begun) }
        try await write(found.withLock { $0 }, of: source, until: summary.end)
        return summary
    }

    /// - Parameter enough: asked for the end after the last line that is wanted.
    private func tell(
        _ event: FindEvent, of source: OpenedSource, _ printer: SightingPrinter, _ progress: ProgressLine,
        _ enough: EarlyEnd
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
        let annotated = AnnotatedOutputs(outputs: outputs, journal: journal, source: source, isQuiet: isQuiet)
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
        let isEnough = settings.maximumCount.map { summary.sightings >= $0 } ?? false
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
