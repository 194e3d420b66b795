import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting

/// Redacts recordings and stills: searches one, writes a copy in which what was found is hidden, searches that again, and lets it take
/// its place only when nothing is left.
struct RecordingRedaction: Sendable {
    /// One recording or still and where its copy goes.
    struct Job: Sendable {
        let uri: SourceURI
        /// Nil where only a plan is wanted.
        let output: OutputFile?
    }

    private let hiding: HidingOptions
    /// The plan that is followed, and its name; nil where one is made.
    private let applied: (text: String, name: String)?
    private let settings: FindSettings
    private let reader: (any TextReader)?
    /// Reads still pictures once more, as a search does; nil where they are read as frames are.
    private let stillReader: (any TextReader)?
    private let matcher: Matcher
    private let allowed: Set<String>
    private let isQuiet: Bool
    private let isVerbose: Bool
    /// Where the things that are hidden are listed.
    private let list = ResultOutput.standard()
    /// The file being written, to be taken away if the program has to end at once.
    private let current = CurrentOutput()

    private final class CurrentOutput: Sendable {
        let file = Mutex<OutputFile?>(nil)
    }

    /// What is still found is hidden so many times before it is given up.
    private static let mostRepeats = 5

    /// - Parameters:
    ///   - applied: the plan that is followed, and its name; nil where one is made.
    ///   - reader: nil where nothing is searched for.
    ///   - stillReader: reads still pictures once more; nil where they are read as frames are.
    init(
        hiding: HidingOptions, applied: (text: String, name: String)?, settings: FindSettings,
        reader: (any TextReader)?, stillReader: (any TextReader)?,
        matcher: Matcher, allowed: Set<String>, isQuiet: Bool, isVerbose: Bool
    ) {
        self.hiding = hiding
        self.applied = applied
        self.settings = settings
        self.reader = reader
        self.stillReader = stillReader
        self.matcher = matcher
        self.allowed = allowed
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
    }

    /// Takes away what is being written.
    func discard() { current.file.withLock { _ = $0?.discard() } }

    // MARK: Jobs

    /// Writes what would be hidden.
    func writePlan(of job: Job, to file: OutputFile?) async throws -> ExitStatus {
        CrashRestart.blame(job.uri.redacted, "No plan is written.")
        let source = try await open(job.uri)
        let (plan, _) = try await plan(for: source)
        // It has what was read.
        if hiding.show { file?.limit(to: 0o600) }
        let output = try file.map { try ResultOutput($0) } ?? .standard()
        let size = source.info.displayedSize
        let lines = plan.lines(
            source: job.uri.redacted, width: size.width, height: size.height, showsText: hiding.show)
        for line in lines { output.line(line) }
        try Task.checkCancellation()
        try await output.finish()
        say(
            "\(job.uri.redacted): \(Amount.of(plan.things.count, "thing")) would be hidden; 'framegrep redact --apply' hides them."
        )
        return plan.isEmpty ? .notFound : .found
    }

    /// Redacts one.
    ///
    /// - Returns: whether there was something to be hidden.
    /// - Throws: ``FramegrepError`` where no clean copy can be made; nothing stands in its place then.
    func run(_ job: Job) async throws -> Bool {
        guard let output = job.output else { return false }
        CrashRestart.blame(job.uri.redacted, "\(output.name) is not written.")
        let source = try await open(job.uri)
        let kind = try Kind(of: source, writtenTo: output.name)
        let (plan, searched) = try await plan(for: source)
        try Task.checkCancellation()
        printAll(plan.things, of: source)
        // Who may not see the recording may see it no better where a reading has missed something.
        var status = stat()
        if let path = job.uri.path, FileName.withCName(path, { stat($0, &status) }) == 0 {
            output.limit(to: status.st_mode)
        }
        let place = try output.begin(beside: true)
        current.file.withLock { $0 = output }
        CrashRestart.blame(job.uri.redacted, "\(output.name) is not written.", removing: output.written)
        defer {
            // Nothing of what is not clean stays.
            output.discard()
            current.file.withLock { $0 = nil }
        }
        let hidden: HidingPlan
        do {
            hidden = try await write(source, plan, kind, to: place, named: output, frames: searched?.summary.frames)
            // Without the list there is no copy; one that nobody reads to its end (`| head`) is no failure.
            await list.settled()
            try Task.checkCancellation()
            if let failure = list.failure as? FramegrepError { throw failure }
            try output.commit()
        } catch let failure as FramegrepError {
            throw FramegrepError(failure.code, output.naming(failure.message))
        }
        sayDone(hidden, output)
        return !hidden.isEmpty
    }

    /// The kind of copy.
    private enum Kind {
        case still(StillRedactor.Format)
        case recording(RecordingContainer)

        init(of source: OpenedSource, writtenTo name: String) throws {
            self =
                source.isStill
                ? .still(try StillRedactor.Format(ofFileNamed: name))
                : .recording(try RecordingContainer(ofFileNamed: name))
        }
    }

    // MARK: What is hidden

    private func open(_ uri: SourceURI) async throws -> OpenedSource {
        try SourceGuard.check(uri, allowing: allowed)
        // Before it is opened: nobody may ever write into a pipe.
        guard try PipeInput(uri) == nil else {
            throw FramegrepError(
                .sourceUnavailable,
                "\(uri.redacted) can be read only once, and is read twice to be redacted: save it to a file first.")
        }
        let source = try await OpenedSource.open(uri, timeout: .seconds(20))
        if let omission = source.omission { say(omission) }
        if MediaProbe.isCutShort(uri) { throw Self.incomplete(source, "The file is shorter than it says itself.") }
        if !source.isStill, MediaProbe.isPlayedInPart(uri) {
            throw Self.incomplete(
                source, "It holds several recordings, one behind the other, of which only the first is played.")
        }
        return source
    }

    private func plan(for source: OpenedSource) async throws -> (HidingPlan, HidingSearch.Outcome?) {
        let size = source.info.displayedSize
        if let applied {
            let plan = try HidingPlan(
                parsing: applied.text, name: applied.name, width: size.width, height: size.height)
            return (plan, nil)
        }
        let time = try await time(in: source)
        var plan = HidingPlan()
        let searched = try await search(source, time, as: "searching")
        if let searched {
            // What could not be read to its end may hold more than was found.
            if let damage = searched.summary.damage { throw Self.incomplete(source, damage.message) }
            if let from = time.from, searched.summary.frames == 0 {
                throw FramegrepError(
                    .badArgument,
                    "\(source.uri.redacted) has no frame from \(ClockTime.text(from)) on: nothing of it was searched, and nothing is written."
                )
            }
            plan.add(searched.things)
        }
        try Task.checkCancellation()
        plan.add(try regions(in: size, time))
        return (plan, searched)
    }

    private static func incomplete(_ source: OpenedSource, _ reason: String) -> FramegrepError {
        FramegrepError(
            .sourceDamaged,
            "\(source.uri.redacted) could not be searched to its end, so that nobody knows what else is in it; nothing is written. \(reason)"
        )
    }

    private func time(in source: OpenedSource) async throws -> (from: StreamTime?, to: StreamTime?) {
        guard !source.isStill else { return (nil, nil) }
        return try await SearchedTime(from: hiding.from, to: hiding.to).resolved(in: source) { say($0) }
    }

    private func search(
        _ source: OpenedSource, _ time: (from: StreamTime?, to: StreamTime?), besides known: HidingPlan? = nil,
        as name: String
    ) async throws -> HidingSearch.Outcome? {
        guard let reader else { return nil }
        let outcome = try await search(source, with: reader, time, besides: known, as: name)
        guard source.isStill, let stillReader else { return outcome }
        // What any reading finds is hidden.
        var all = known ?? HidingPlan()
        all.add(outcome.things)
        var closer = try await search(source, with: stillReader, time, besides: all, as: name)
        var things = HidingPlan()
        things.add(outcome.things + closer.things)
        closer.things = things.things
        return closer
    }

    private func search(
        _ source: OpenedSource, with reader: any TextReader, _ time: (from: StreamTime?, to: StreamTime?),
        besides known: HidingPlan?, as name: String
    ) async throws -> HidingSearch.Outcome {
        var settings = settings
        (settings.from, settings.to) = time
        let progress = ProgressLine(name: name, isEnabled: !isQuiet)
        defer { progress.clear() }
        let search = HidingSearch(settings, reader: reader, matcher: matcher, onlyWords: hiding.onlyWords)
        return try await search.run(source, besides: known) { event in
            switch event {
            case .progress(let position, let total): progress.update(position, of: total ?? source.info.duration)
            case .warning(let warning):
                progress.clear()
                StandardError.line("framegrep: \(warning.message)")
            default: break
            }
        }
    }

    /// Places that are hidden whatever stands there.
    private func regions(
        in size: (width: Int, height: Int), _ time: (from: StreamTime?, to: StreamTime?)
    ) throws -> [HiddenThing] {
        try hiding.region.map { text in
            let rect = try RegionOfInterest(parsing: text).rect(width: size.width, height: size.height)
            let start = time.from ?? .zero
            return HiddenThing(
                id: 0, reason: "region", start: start, end: time.to ?? Self.forever,
                places: [HiddenThing.Place(time: start, quad: Quad(rect))])
        }
    }

    /// Longer than any recording: what it says of its length may be wrong.
    private static let forever = StreamTime(seconds: 1e6)

    // MARK: The copy

    /// Writes the copy, and hides more of it until nothing is left.
    ///
    /// - Parameters:
    ///   - place: where it is written.
    ///   - frames: how many were searched; nil where nobody did.
    /// - Returns: all that is hidden in it.
    private func write(
        _ source: OpenedSource, _ found: HidingPlan, _ kind: Kind, to place: String, named output: OutputFile,
        frames: Int?
    ) async throws -> HidingPlan {
        var plan = found
        for round in 0...Self.mostRepeats {
            try await write(source, plan, kind, to: place)
            try Task.checkCancellation()
            guard reader != nil else { break }
            let path = output.written ?? place
            let copy = try await OpenedSource.open(try SourceURI(path), timeout: .seconds(20))
            let again = try await search(copy, try await time(in: source), besides: plan, as: "searching again")
            try Task.checkCancellation()
            guard let again, again.summary.damage == nil, frames.map({ $0 == again.summary.frames }) ?? true else {
                throw FramegrepError(
                    .outputFailed,
                    "The copy of \(source.uri.redacted) has \(again?.summary.frames ?? 0) pictures that can be searched again, and not \(frames ?? 0); \(output.name) is not written."
                        + (hiding.from != nil || hiding.to != nil
                            ? " Leave --from and --to out: then all of it is searched and hidden." : "")
                )
            }
            if again.things.isEmpty { break }
            if isVerbose { printAll(again.things, of: source, as: "left") }
            guard round < Self.mostRepeats else { throw Self.stillFound(again.things, output) }
            say("searched again: \(Amount.of(again.things.count, "place")) more; hidden too.")
            printAll(again.things, of: source)
            plan.add(again.things)
        }
        return plan
    }

    private static func stillFound(_ things: [HiddenThing], _ output: OutputFile) -> FramegrepError {
        let first = things.prefix(3).map { "\($0.reason) at \(ClockTime.text($0.start))" }.joined(separator: ", ")
        return FramegrepError(
            .outputFailed,
            "Something is still found in the copy after \(mostRepeats) repeats: \(first)\(things.count > 3 ? " and more" : ""). \(output.name) is not "
                + "written; hide the place with --region, or raise --min-score where it is none of what you mean.")
    }

    private func write(_ source: OpenedSource, _ plan: HidingPlan, _ kind: Kind, to place: String) async throws {
        let brush = HidingBrush(plan, style: hiding.style)
        switch kind {
        case .still(let format): try await StillRedactor(source).write(hiding: brush, as: format, to: place)
        case .recording(let container): try await write(source, brush, container, to: place)
        }
    }

    private func write(
        _ source: OpenedSource, _ brush: HidingBrush, _ container: RecordingContainer, to place: String
    ) async throws {
        var recording = Recording(path: place, container: container)
        recording.hidesPlaces = true
        if let format = source.info.audioFormat {
            recording.sound = try SoundTrack(of: source.uri.text, format: format, into: container, leavesWords: true)
        }
        let progress = ProgressLine(name: "hiding", isEnabled: !isQuiet)
        defer { progress.clear() }
        let annotator = RecordingAnnotator(
            source, recording: recording, pictures: nil, patience: settings.patience, hiding: brush)
        let outcome = try await annotator.write([], until: StreamTime(nanoseconds: .max)) {
            progress.update($0, of: source.info.duration)
        }
        try Task.checkCancellation()
        if let failure = outcome.soundFailure {
            throw FramegrepError(
                failure.code, "The sound of \(source.uri.redacted) could not be copied: \(failure.message)")
        }
        guard outcome.isWhole else {
            throw Self.incomplete(source, outcome.failure?.message ?? "It could not be read a second time.")
        }
        // Only a person writes such a thing, who believes it to be hidden.
        if let late = brush.plan.things.first(where: { $0.start >= outcome.end }) {
            throw FramegrepError(
                .badArgument,
                "Something is to be hidden from \(ClockTime.text(late.start)) on, and \(source.uri.redacted) ends at \(ClockTime.text(outcome.end)): "
                    + "nothing is written. Times are in seconds from its beginning.")
        }
        if let sound = recording.sound, !sound.isCopied {
            say(
                "the sound is encoded anew, because .\(container.rawValue) does not take it as it is, or it holds titles of its own."
            )
        }
    }

    // MARK: Telling

    private func printAll(_ things: [HiddenThing], of source: OpenedSource, as prefix: String? = nil) {
        guard !isQuiet else { return }
        let name = Visible.text(source.uri.redacted)
        for thing in things {
            let half = StreamTime(nanoseconds: (thing.end - thing.start).nanoseconds / 2)
            let box = thing.quad(at: thing.start + half).bounds
            let end = thing.end < Self.forever ? thing.end : source.info.duration ?? thing.end
            let times = source.isStill ? "" : "\(ClockTime.text(thing.start))-\(ClockTime.text(end)):"
            let sides = [box.x, box.y, box.width, box.height].map { Int($0.rounded()) }
            let text = hiding.show ? thing.text.map { " " + Visible.text($0) } ?? "" : ""
            let line =
                "\(name):\(times) \(Visible.text(thing.reason)) at \(sides[0]),\(sides[1]) \(sides[2])×\(sides[3])\(text)"
            if let prefix { StandardError.line("framegrep: \(prefix): \(line)") } else { list.line(line) }
        }
    }

    private func sayDone(_ plan: HidingPlan, _ output: OutputFile) {
        let what =
            plan.isEmpty
            ? "nothing was found; it is a copy all the same" : "\(Amount.of(plan.things.count, "thing")) hidden"
        let isPart = hiding.from != nil || hiding.to != nil
        let check =
            reader != nil
            ? isPart
                ? "That part of it was searched again: nothing of it is left there; the rest is as it was."
                : "Searched again: nothing of it is left."
            : hiding.apply != nil
                ? "It was not searched again, because a plan does not say for what." : "Nothing was searched for."
        say(
            "\(output.name): \(what). \(check) Subtitles, chapters, titles, tags and attached pictures are left out.")
    }

    private func say(_ text: String) { if !isQuiet { StandardError.line("framegrep: \(text)") } }
}
