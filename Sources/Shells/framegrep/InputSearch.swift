import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextMatching
import TextSpotting
import Threads

/// Searches one input of `find`.
struct InputSearch: Sendable {
    let job: SearchJob
    let printer: SightingPrinter
    let outputs: FindOutputs
    let journal: SearchJournal?
    let notices: SightingNotices
    /// Prints its messages, at its turn.
    let writer: OrderedWriter

    /// Searches the input, prints the sightings and writes the annotated files.
    ///
    /// - Parameters:
    ///   - input: the input as the user named it.
    ///   - place: its position among the inputs, for the progress.
    ///   - whole: the progress of all inputs, for the remaining time.
    /// - Throws: ``FramegrepError`` if it cannot be searched at all, or a file cannot be written.
    func run(_ input: String, shownAt place: String, of whole: WholeProgress.Part?) async throws -> FindSummary {
        if let entry = job.indexed[input] { return try await answer(input, entry) }
        let uri = try SourceURI(input)
        try SourceGuard.check(uri, allowing: job.allowed)
        // The head of a still picture states its size long before it is decoded.
        if let head = OpenedSource.pictureHeader(of: uri), head.orientation == nil {
            prepareReader(forWidth: head.width, height: head.height)
        }
        let source = try await OpenedSource.open(uri, timeout: .seconds(20), patience: job.patienceWithPipes)
        // The source stays open as long as this exists.
        defer { withExtendedLifetime(source) {} }
        if let omission = source.omission, !job.isQuiet { writer.tell("framegrep: \(omission)") }
        guard var settings = try await settings(for: source) else {
            writer.say { [printer] in printer.end(source: uri.redacted) }
            return FindSummary()
        }
        try await skim(source, &settings)
        if outputs.needSecondPass { settings.textPlaces = TextRegions() }
        let search = SourceSearch(
            source: source, settings: settings,
            recorder: try job.memory?.recorder(of: source, input, settings),
            progress: ProgressLine(place: place, name: uri.redacted, of: whole, isEnabled: !job.isQuiet),
            found: InputResults(
                isStill: source.isStill, maximumLines: printer.maximumLines,
                keeping: outputs.needSecondPass ? .all : job.absences != nil ? .times : .none),
            screen: job.scripts.map { TextScreen(leftOut: $0) })
        let summary = try await report(search)
        if outputs.needSecondPass {
            // Names of pictures depend on the existing files.
            await writer.turn()
            try await write(
                search.found.sightings, of: source, until: summary.end, to: settings.to, avoiding: settings.textPlaces)
        }
        return summary
    }

    /// Searches an open source, and prints the results and messages.
    private func report(_ search: SourceSearch) async throws -> FindSummary {
        let begun = ContinuousClock.now
        var summary = try await read(search)
        let (source, settings, found) = (search.source, search.settings, search.found)
        let name = source.uri.redacted
        writer.say { search.progress.clear() }
        if !search.enough.isAsked { say(of: &summary, in: source, from: settings.from, until: settings.to) }
        tellAbsences(found.sightings, from: settings.from, until: summary.end, of: name, isStill: found.isStill)
        writer.say { [printer] in printer.end(source: name) }
        if job.isVerbose { writer.tell("framegrep: \(summary.line(ContinuousClock.now - begun))") }
        return summary
    }

    /// Reads a source: a recording once, a still picture as often as needed.
    private func read(_ search: SourceSearch) async throws -> FindSummary {
        let (isStill, enough) = (search.source.isStill, search.enough)
        let closely = isStill ? job.stillReader : nil
        let triesTurns =
            isStill && closely == nil && !job.matcher.patterns.isEmpty && search.settings.reading.region == nil
        var settings = search.settings
        if triesTurns { settings.reportsAllText = true }
        let spotter = try spotter(for: search.source, settings)
        var summary = FindSummary()
        // Lines are reported once, from their best reading.
        if closely == nil || !job.matcher.patterns.isEmpty {
            summary = try await enough.run {
                try await spotter.search { event in
                    if closely == nil || !event.isOfLines { take(event, of: search) }
                } keepingPace: {
                    await outputs.caughtUp()
                }
            }
        }
        func goesOn() -> Bool { !enough.isAsked && !Task.isCancelled }
        if let closely, goesOn(), searchesToTheEnd(summary) {
            // Show the results so far while the second reading takes its time.
            writer.show { [printer] in printer.flush() }
            summary = try await enough.run { try await searchClosely(search, closely) }
        }
        for event in search.screen?.finish() ?? [] where !enough.isAsked { pass(event, of: search) }
        if triesTurns, goesOn() { summary.sightings += try await searchTurned(search, settings) }
        if goesOn(), searchesToTheEnd(summary) { search.recorder?.finish(summary) }
        return summary
    }

    /// Stores and prints the results of a reading of the source.
    func take(_ event: FindEvent, of search: SourceSearch) {
        if case .finding(let finding) = event { search.recorder?.take(finding) }
        for event in search.screen?.pass(event) ?? [event] { pass(event, of: search) }
    }

    private func pass(_ event: FindEvent, of search: SourceSearch) {
        if search.found.take(event) { search.enough.ask() }
        tell(event, of: search.source, isStill: search.found.isStill, search.progress)
        // The reader of the results is gone (`| head -n 1`), or the disk is full, so there is no point in searching on.
        if outputs.failure != nil { search.enough.ask() }
    }

    /// Limits the search to key frames of a recording, if requested, and reports how far apart they are.
    private func skim(_ source: OpenedSource, _ settings: inout FindSettings) async throws {
        guard job.skims, !source.isStill else { return }
        let plan = try await SkimPlan.of(source, SourceDescription.search(source))
        settings.skim(plan)
        if !job.isQuiet { writer.tell("framegrep: \(source.uri.redacted): \(plan.sentence)") }
    }

    /// Returns the settings with the searched part of this source; nil if none of it is searched.
    private func settings(for source: OpenedSource) async throws -> FindSettings? {
        var settings = job.settings
        let asked = try await job.time.resolved(in: source) { writer.tell("framegrep: \($0)") }
        var length = source.isStill ? StreamTime(nanoseconds: 1) : source.info.duration
        // The beginning is calculated back from the date of the file.
        if job.range.isAsked, source.wallStart == nil, !source.isStill, !source.isReadOnce, let stated = length {
            length = try await RecordingEnd.seen(in: source, stating: stated)
        }
        guard
            let time = try narrowed(
                (asked.from, asked.to), from: source.wallStart, length: length,
                path: source.isReadOnce ? nil : source.uri.path,
                source.uri.redacted)
        else { return nil }
        (settings.from, settings.to) = time
        settings.canSeek = asked.canSeek
        return settings
    }

    /// Returns the part of an input that lies in the searched time of the clock; nil for none.
    ///
    /// - Parameters:
    ///   - start: the beginning that the input states.
    ///   - path: the path of its file, whose date counts otherwise.
    ///   - stamp: the stamp of the file that was read, which may be gone.
    /// - Throws: ``FramegrepError`` (`badArgument`) if it is unknown when it was recorded.
    func narrowed(
        _ times: (from: StreamTime?, to: StreamTime?), from start: Date?, length: StreamTime?, path: String?,
        stamp: FileStamp? = nil, _ name: String
    ) throws -> (from: StreamTime?, to: StreamTime?)? {
        guard job.range.isAsked else { return times }
        guard let start = start ?? job.dates.start(of: path, stamp, length: length, named: name) else {
            throw FramegrepError(
                .badArgument,
                "It is not known when \(name) was recorded, so --since and --until have no meaning there; leave them out."
            )
        }
        return job.range.part(from: start, length: length, of: times)
    }

    /// Prepares the reader for a source while it is opened or its first picture decoded. If only a part is read, its
    /// size is known later.
    private func prepareReader(forWidth width: Int, height: Int) {
        if job.settings.reading.region == nil { job.reader?.prepare(forWidth: width, height: height) }
    }

    private func spotter(for source: OpenedSource, _ settings: FindSettings) throws -> FileSpotter {
        let description = SourceDescription.search(source)
        if job.isVerbose { writer.tell("framegrep: \(redacted(description: description))", naming: false) }
        guard let reader = job.reader else {
            throw FramegrepError(.engineUnavailable, "No engine was loaded to read \(source.uri.redacted).")
        }
        // In a rotated picture the sides are exchanged.
        if source.info.orientation == nil {
            prepareReader(forWidth: source.info.width, height: source.info.height)
        }
        return FileSpotter(
            description: description, sourceName: source.uri.redacted, settings: settings, reader: reader,
            matcher: job.matcher, file: source.file)
    }

    func tell(
        _ event: FindEvent, of source: OpenedSource, isStill: Bool, _ progress: ProgressLine
    ) {
        let (name, clock) = (source.uri.redacted, source.clock)
        switch event {
        case .onePicture: break
        case .sighting where job.absences != nil: break
        case .sighting(let sighting):
            writer.say { [printer, notices] in
                progress.clear()
                printer.print(sighting, of: ShownSource(name: name, isStill: isStill, clock: isStill ? nil : clock))
                notices.tell {
                    JSONLinesFormatter().format(
                        sighting, source: name, wallStart: isStill ? nil : clock?.date(at: sighting.start))
                }
            }
        case .text where !job.settings.reportsAllText: break
        case .text(let text):
            writer.say { [printer] in
                progress.clear()
                printer.print(text: text, of: ShownSource(name: name, isStill: isStill))
            }
        case .finding: break
        case .progress(let position, let total):
            writer.show {
                printer.flush()
                progress.update(position, of: total ?? source.info.duration)
            }
        case .warning(let warning):
            writer.say {
                progress.clear()
                StandardError.line("framegrep: \(warning.message)")
            }
        }
    }

    /// Prints the times in which none of the sightings is in view, if requested.
    func tellAbsences(
        _ sightings: [Sighting], from start: StreamTime?, until end: StreamTime, of name: String, isStill: Bool
    ) {
        guard let absences = job.absences else { return }
        let gaps = Sighting.gaps(between: sightings, from: start ?? .zero, to: end)
        let patterns = job.matcher.patterns.map(\.text)
        for (index, gap) in gaps.prefix(absences.maximum ?? gaps.count).enumerated() {
            let absence = Absence(id: index + 1, patterns: patterns, start: gap.lowerBound, end: gap.upperBound)
            writer.say { [printer] in printer.print(absence, of: ShownSource(name: name, isStill: isStill)) }
        }
    }

    /// Writes the annotated files. After an interrupted search they are still written, as far as it got; an
    /// interruption during writing completes them at once.
    func write(
        _ sightings: [Sighting], of source: OpenedSource, until end: StreamTime, to: StreamTime?,
        avoiding text: TextRegions? = nil
    ) async throws {
        let annotated = AnnotatedOutputs(
            outputs: outputs, journal: journal, source: source, patience: job.settings.patience, text: text,
            isQuiet: job.isQuiet, context: job.context)
        let isInterrupted = Task.isCancelled
        let writing = Task {
            try await annotated.write(
                sightings, until: end, isPart: to.map { $0 <= end } ?? false, isInterrupted: isInterrupted)
        }
        guard !isInterrupted else { return try await writing.value }
        try await withTaskCancellationHandler {
            try await writing.value
        } onCancel: {
            writing.cancel()
        }
    }

    /// Reports why an input was not searched to its end, unless that was intended, and records it as damage.
    private func say(of summary: inout FindSummary, in source: OpenedSource, from: StreamTime?, until to: StreamTime?) {
        let uri = source.uri
        let place = ClockTime.text(summary.end)
        if summary.damage == nil, searchesToTheEnd(summary), to.map({ summary.end < $0 }) ?? true {
            if to == nil, MediaProbe.isCutShort(uri) {
                summary.damage = FramegrepError(.sourceDamaged, "The file is shorter than its header says.")
            } else if MediaProbe.isPlayedInPart(uri) {
                let text =
                    "\(uri.redacted) contains several recordings, one after the other: only the first was searched completely, up to \(place). "
                    + "Separate them, or join them with a program that knows the format, such as mkvmerge."
                summary.damage = FramegrepError(.sourceDamaged, text)
                return writer.tell("framegrep: \(text)")
            }
        }
        if let sentence = summary.leftOut.sentence(of: uri.redacted) { writer.tell("framegrep: \(sentence)") }
        // A time after the end that the recording states was already reported.
        if summary.frames == 0, let from, from < source.info.duration ?? .zero, !Task.isCancelled {
            let sentence = "\(uri.redacted) has no frame from \(ClockTime.text(from)) on; nothing of it was searched."
            return writer.tell("framegrep: \(sentence)")
        }
        guard let damage = summary.damage else { return }
        writer.tell("framegrep: \(uri.redacted) \(summary.fate): searched up to \(place). \(damage.message)")
    }

    /// Returns whether only the end of the input ended the search.
    private func searchesToTheEnd(_ summary: FindSummary) -> Bool {
        let isEnough = job.settings.maximumCount.map { summary.sightings >= $0 } ?? false
        return !isEnough && !Task.isCancelled
    }
}

extension FindSummary {
    /// Returns the line that `--verbose` prints at the end of a search.
    func line(_ took: Duration) -> String {
        let seconds = took.inSeconds
        let speed = seconds > 0 ? end.seconds / seconds : 0
        return
            "\(frames) frames, \(readings) read, \(sightings) sightings, \(linesRead) lines read, \(linesKnown) known from before, "
            + String(format: "%.2f s, %.1f× real time", seconds, speed)
    }

    /// The damage of a source, to follow its name in a sentence.
    var fate: String {
        hasChanged ? "has changed" : damage?.code == .sourceUnavailable ? "broke off" : "is damaged or cut off"
    }
}

extension LeftOutTexts {
    /// Returns a sentence for the user, once for each input; nil if nothing was left out.
    func sentence(of source: String) -> String? {
        guard count > 0 else { return nil }
        let times = places.first.map { " from \(ClockTime.text($0.time)) on" } ?? ""
        return
            "In \(source) more places change at once than are read again: \(count) states of texts were not read\(times). --region "
            + "around the text that matters has all of it read, and so does --every-frame."
    }
}
