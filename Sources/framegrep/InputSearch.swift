import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextIndex
import TextMatching
import TextSpotting

/// The settings of a search that hold for every input.
struct SearchJob: Sendable {
    let settings: FindSettings
    let time: SearchedTime
    /// The time on the clock that is searched.
    var range = WallRange()
    let dates: FileDates
    /// Kinds of addresses that may be opened besides.
    let allowed: Set<String>
    let isQuiet: Bool
    let isVerbose: Bool
    /// Nil if the index has all inputs.
    let reader: (any TextReader)?
    let matcher: Matcher
    /// The inputs that need not be read.
    let indexed: IndexedInputs
    /// Keeps the readings; nil unless asked for.
    let memory: SearchIndexRecorder?
    /// Only key frames are read; see ``SkimPlan``.
    var skims = false
    /// The bound on the age of readings that a user asked for.
    var maximumAge: StreamTime? = nil
    /// How long a pipe may take to begin; nil for as long as it takes.
    var patienceWithPipes: Duration? = nil
    /// How much around each sighting is written.
    var context: SightingContext? = nil
    /// The lines are joined to paragraphs when the input has ended.
    var joinsParagraphs = false
    /// Those that stand there through most of a recording are said too.
    var keepsStanding = false
    /// Reads still pictures once more, as well as they can be read; nil where they are read as frames are.
    var stillReader: (any TextReader)? = nil
    /// Report when no pattern is in view; at most this many times in each input, nil for all.
    var absences: Absences? = nil

    /// How times are printed in which nothing is in view.
    struct Absences: Sendable {
        let maximum: Int?
    }
}

/// The findings in one input so far. Thread-safe.
final class InputResults: Sendable {
    private struct State {
        var sightings: [Sighting] = []
        var lines: [Sighting] = []
        var lineCount = 0
        var isStill: Bool
    }

    private let state: Mutex<State>
    private let maximumLines: Int?

    /// - Parameter maximumLines: this many lines of text are enough; nil if they do not count.
    init(isStill: Bool, maximumLines: Int?) {
        state = Mutex(State(isStill: isStill))
        self.maximumLines = maximumLines
    }

    var sightings: [Sighting] { state.withLock { $0.sightings } }
    /// The lines of a still picture.
    var lines: [Sighting] { state.withLock { $0.lines } }
    /// There is one picture, which has no times.
    var isStill: Bool { state.withLock { $0.isStill } }

    /// Whether the pattern was found at this place already.
    func holds(_ sighting: Sighting) -> Bool {
        let quad = sighting.peak.quad
        return sightings.contains {
            $0.pattern == sighting.pattern && max($0.peak.quad.share(in: quad), quad.share(in: $0.peak.quad)) > 0.3
        }
    }

    /// Notes what happened; says whether that is enough.
    func take(_ event: FindEvent) -> Bool {
        state.withLock { state in
            switch event {
            case .sighting(let sighting): state.sightings.append(sighting)
            case .onePicture: state.isStill = true
            case .text(let line):
                if state.isStill { state.lines.append(line) }
                state.lineCount += 1
                return maximumLines.map { state.lineCount >= $0 } ?? false
            default: break
            }
            return false
        }
    }
}

/// Searches one input of `find`.
struct InputSearch: Sendable {
    let job: SearchJob
    let printer: SightingPrinter
    let outputs: FindOutputs
    let journal: SearchJournal?
    let notices: Notices
    /// Where it speaks, at its turn.
    let writer: OrderedWriter

    /// Searches the input, prints the sightings and writes the annotated files.
    ///
    /// - Parameters:
    ///   - input: as it was named.
    ///   - place: which of the inputs it is, for the progress.
    ///   - whole: the same, for the remaining time of all of them.
    /// - Throws: ``FramegrepError`` when it cannot be searched at all, or a file not be written.
    func run(_ input: String, shownAt place: String, of whole: WholeProgress.Part?) async throws -> FindSummary {
        if let entry = job.indexed[input] { return try await answer(input, entry) }
        let uri = try SourceURI(input)
        try SourceGuard.check(uri, allowing: job.allowed)
        let source = try await OpenedSource.open(uri, timeout: .seconds(20), patience: job.patienceWithPipes)
        // What is open already is open as long as this is.
        defer { withExtendedLifetime(source) {} }
        guard var settings = try settings(for: source) else {
            writer.say { [printer] in printer.end(source: uri.redacted) }
            return FindSummary()
        }
        try await skim(source, &settings)
        if outputs.needSecondPass { settings.textPlaces = TextRegions() }
        let closely = source.isStill ? job.stillReader : nil
        let triesTurns = source.isStill && closely == nil && !job.matcher.patterns.isEmpty && settings.region == nil
        if triesTurns { settings.reportsAllText = true }
        let spotter = try spotter(for: source, settings)
        let recorder = try job.memory?.recorder(of: source, input, settings)
        let progress = ProgressLine(place: place, name: uri.redacted, of: whole, isEnabled: !job.isQuiet)
        let found = InputResults(isStill: source.isStill, maximumLines: printer.maximumLines)
        let begun = ContinuousClock.now
        let enough = EarlyEnd()
        var summary = FindSummary()
        // Lines are told once, as they are read best.
        if closely == nil || !job.matcher.patterns.isEmpty {
            summary = try await enough.run {
                try await spotter.search { event in
                    if closely != nil, event.isOfLines { return }
                    if found.take(event) { enough.ask() }
                    if case .finding(let finding) = event { recorder?.take(finding) }
                    tell(event, of: source, isStill: found.isStill, progress)
                    // The reader of the results is gone (`| head -n 1`), or the disk is full: searching on is useless.
                    if outputs.failure != nil { enough.ask() }
                }
            }
        }
        if let closely, !enough.isAsked, !Task.isCancelled, searchesToTheEnd(summary) {
            summary = try await enough.run { [settings] in
                try await searchClosely(source, settings, closely, found: found, recorder, progress, enough)
            }
        }
        if triesTurns, !enough.isAsked, !Task.isCancelled {
            summary.sightings += try await searchTurned(source, settings: settings, found: found, progress: progress)
        }
        writer.say { progress.clear() }
        if !enough.isAsked, !Task.isCancelled, searchesToTheEnd(summary) { recorder?.finish(summary) }
        if !enough.isAsked { say(of: &summary, in: uri, until: settings.to) }
        tellAbsences(
            found.sightings, from: settings.from, until: summary.end, of: uri.redacted, isStill: found.isStill)
        writer.say { [printer] in printer.end(source: uri.redacted) }
        if job.isVerbose { report(summary, ContinuousClock.now - begun) }
        if outputs.needSecondPass {
            // Names of pictures depend on those that are there already.
            await writer.turn()
            try await write(
                found.sightings, of: source, until: summary.end, to: settings.to, avoiding: settings.textPlaces)
        }
        return summary
    }

    /// Has only key frames of a recording looked at, where that is asked for, and says how far apart they are.
    private func skim(_ source: OpenedSource, _ settings: inout FindSettings) async throws {
        guard job.skims, !source.isStill else { return }
        let plan = try await SkimPlan.of(source, SourceDescription.search(source))
        settings.skim(plan, maximumAge: job.maximumAge)
        if !job.isQuiet { writer.tell("framegrep: \(source.uri.redacted): \(plan.sentence)") }
    }

    /// Prints the index's sightings in an input, as if it had been read.
    private func answer(_ input: String, _ entry: IndexedInputs.Entry) async throws -> FindSummary {
        let name = redacted(input)
        let asked = try job.time.resolved(
            in: entry.source.isStill ? nil : entry.source.duration ?? entry.source.end, of: name
        ) { writer.tell("framegrep: \($0)") }
        let time = try narrowed(
            asked, from: entry.source.wallStart, length: entry.source.searchedLength, path: entry.source.name,
            stamp: entry.source.stamp, name)
        let sightings = if let time { try await found(in: entry, time, named: name) } else { [Sighting]() }
        if time != nil {
            tellAbsences(
                sightings, from: time?.from, until: min(entry.source.end, time?.to ?? entry.source.end), of: name,
                isStill: entry.source.isStill)
        }
        writer.say { [printer] in printer.end(source: name) }
        var summary = FindSummary()
        summary.sightings = sightings.count
        summary.end = entry.source.end
        if job.isVerbose { writer.tell("framegrep: \(name): from the index, \(sightings.count) sightings") }
        if entry.source.isLive, outputs.needSecondPass, !sightings.isEmpty {
            writer.tell("framegrep: \(name) was shown live: only its text was kept, so there are no pictures of it.")
        } else if outputs.needSecondPass {
            let source = try await OpenedSource.open(try SourceURI(input), timeout: .seconds(20))
            await writer.turn()
            try await write(sightings, of: source, until: min(summary.end, time?.to ?? summary.end), to: time?.to)
        }
        return summary
    }

    /// What the index has of an input, printed as it is found.
    private func found(
        in entry: IndexedInputs.Entry, _ time: (from: StreamTime?, to: StreamTime?), named name: String
    ) async throws -> [Sighting] {
        func reported(_ sightings: [Sighting]) -> [Sighting] {
            IndexedAnswer(
                sightings: sightings, from: time.from, to: time.to, maximum: job.settings.maximumCount
            ).reported
        }
        guard let findings = entry.findings else {
            let sightings = reported(entry.sightings)
            tell(sightings, of: entry, named: name)
            return sightings
        }
        // In a part of the time they are counted once all are known.
        let isCut = time.from != nil || time.to != nil
        var all: [Sighting] = []
        while true {
            let (more, isWhole) = try await findings.next(of: entry.source.id, after: all.count)
            all += more
            if !isCut { tell(reported(more), of: entry, named: name) }
            guard isWhole else { continue }
            let sightings = reported(all)
            if isCut { tell(sightings, of: entry, named: name) }
            return sightings
        }
    }

    private func tell(_ sightings: [Sighting], of entry: IndexedInputs.Entry, named name: String) {
        let clock = entry.source.clock
        for sighting in job.absences == nil ? sightings : [] {
            writer.say { [printer, notices] in
                printer.print(sighting, source: name, isStill: entry.source.isStill, clock: clock)
                notices.tell {
                    JSONLinesFormatter().format(sighting, source: name, wallStart: clock?.date(at: sighting.start))
                }
            }
        }
    }

    /// The settings with the part of the time that is searched in this source; nil if none of it is.
    private func settings(for source: OpenedSource) throws -> FindSettings? {
        var settings = job.settings
        let asked = try job.time.resolved(in: source.info.duration, of: source.uri.redacted) {
            writer.tell("framegrep: \($0)")
        }
        let length = source.isStill ? StreamTime(nanoseconds: 1) : source.info.duration
        guard
            let time = try narrowed(
                asked, from: source.wallStart, length: length, path: source.isReadOnce ? nil : source.uri.path,
                source.uri.redacted)
        else { return nil }
        (settings.from, settings.to) = time
        settings.canSeek = !source.isReadOnce
        return settings
    }

    /// The part of an input that lies in the searched time of the clock; nil for none.
    ///
    /// - Parameters:
    ///   - start: when the input begins, as it says itself.
    ///   - path: of its file, whose date counts otherwise.
    ///   - stamp: of the file that was read, which may be gone.
    /// - Throws: ``FramegrepError`` (`badArgument`) if it is unknown when it was recorded.
    private func narrowed(
        _ times: (from: StreamTime?, to: StreamTime?), from start: Date?, length: StreamTime?, path: String?,
        stamp: FileStamp? = nil, _ name: String
    ) throws -> (from: StreamTime?, to: StreamTime?)? {
        guard job.range.isAsked else { return times }
        guard let start = start ?? job.dates.start(of: path, stamp, length: length, named: name) else {
            throw FramegrepError(
                .badArgument,
                "Nobody knows when \(name) was recorded, so that --since and --until mean nothing there; leave them out."
            )
        }
        return job.range.part(from: start, length: length, of: times)
    }

    private func spotter(for source: OpenedSource, _ settings: FindSettings) throws -> FileSpotter {
        let description = SourceDescription.search(source)
        if job.isVerbose { writer.tell("framegrep: \(redacted(description: description))", naming: false) }
        guard let reader = job.reader else {
            throw FramegrepError(.engineUnavailable, "Nothing was loaded that reads \(source.uri.redacted).")
        }
        // While the first picture is decoded. Of a turned picture the sides change places; of a part the size is known later.
        if settings.region == nil, source.info.orientation == nil {
            reader.prepare(forWidth: source.info.width, height: source.info.height)
        }
        return FileSpotter(
            description: description, sourceName: source.uri.redacted, settings: settings, reader: reader,
            matcher: job.matcher)
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
                printer.print(sighting, source: name, isStill: isStill, clock: isStill ? nil : clock)
                notices.tell {
                    JSONLinesFormatter().format(
                        sighting, source: name, wallStart: isStill ? nil : clock?.date(at: sighting.start))
                }
            }
        case .text where !job.settings.reportsAllText: break
        case .text(let text):
            writer.say { [printer] in
                progress.clear()
                printer.print(text: text, source: name, isStill: isStill)
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

    /// Prints from when to when none of the sightings is in view, where that is asked for.
    private func tellAbsences(
        _ sightings: [Sighting], from start: StreamTime?, until end: StreamTime, of name: String, isStill: Bool
    ) {
        guard let absences = job.absences else { return }
        let gaps = Sighting.gaps(between: sightings, from: start ?? .zero, to: end)
        let patterns = job.matcher.patterns.map(\.text)
        for (index, gap) in gaps.prefix(absences.maximum ?? gaps.count).enumerated() {
            let absence = Absence(id: index + 1, patterns: patterns, start: gap.lowerBound, end: gap.upperBound)
            writer.say { [printer] in printer.print(absence, source: name, isStill: isStill) }
        }
    }

    /// Writes the annotated files. After a search that was interrupted they still are written, as far as it got; an
    /// interruption while they are written completes them at once.
    private func write(
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

    /// Reports why an input was not searched to its end, unless that was intended, and notes it as damage.
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
                return writer.tell("framegrep: \(text)")
            }
        }
        guard let damage = summary.damage else { return }
        let what = damage.code == .sourceUnavailable ? "broke off" : "is damaged or cut off"
        writer.tell("framegrep: \(uri.redacted) \(what): searched up to \(place). \(damage.message)")
    }

    /// Nothing ended the search but the end of the input.
    private func searchesToTheEnd(_ summary: FindSummary) -> Bool {
        let isEnough = job.settings.maximumCount.map { summary.sightings >= $0 } ?? false
        return !isEnough && !Task.isCancelled
    }

    private func report(_ summary: FindSummary, _ took: Duration) {
        let seconds = took.inSeconds
        let speed = seconds > 0 ? summary.end.seconds / seconds : 0
        writer.tell(
            "framegrep: \(summary.frames) frames, \(summary.readings) read, \(summary.sightings) sightings, "
                + "\(summary.linesRead) lines read, \(summary.linesKnown) known from before, "
                + String(format: "%.2f s, %.1f× real time", seconds, speed))
    }
}
