import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting

/// Redacts recordings and stills: searches one, writes a copy in which the findings are hidden, searches that again,
/// and puts it into place only when nothing is left.
struct RecordingRedaction: Sendable {
    /// One recording or still and the destination of its copy.
    struct Job: Sendable {
        let uri: SourceURI
        /// The copy; nil if only a plan is wanted.
        let output: OutputFile?
        /// The page with pictures of what was hidden; nil if none is wanted.
        var report: OutputFile?
    }

    /// The readers and their names.
    struct Readers: Sendable {
        let readers: HidingSearch.Readers
        /// Reads still pictures again, as a search does; nil if they are read like frames.
        let still: (any TextReader)?
        let name: ReaderName
    }

    let hiding: HidingOptions
    /// The plan to apply, and its name; nil to create one.
    let applied: (text: String, name: String)?
    let settings: FindSettings
    /// Nil if nothing is searched for.
    let readers: Readers?
    let matcher: Matcher
    let allowed: Set<String>
    let isQuiet: Bool
    let isVerbose: Bool
    /// The output that lists the hidden things.
    let list = ResultOutput.standard()
    /// The file being written, which is removed if the program has to end at once.
    private let current = CurrentOutput()

    private final class CurrentOutput: Sendable {
        let file = Mutex<OutputFile?>(nil)
    }

    /// Removes the file being written.
    func discard() { current.file.withLock { _ = $0?.discard() } }

    // MARK: Jobs

    /// Writes the plan of what would be hidden.
    func writePlan(of job: Job, to file: OutputFile?) async throws -> ExitStatus {
        CrashRestart.blame(job.uri.redacted, "No plan is written.")
        let source = try await open(job.uri)
        let (found, searched) = try await plan(for: source)
        let plan =
            searched == nil || found.isEmpty ? found : try await tried(found, on: source, searched?.summary.frames)
        // The plan contains the text that was read.
        if hiding.show { file?.limit(to: 0o600) }
        let output = try file.map { try ResultOutput($0) } ?? .standard()
        let lines = plan.lines(of: subject(source), showsText: hiding.show)
        for line in lines { output.line(line) }
        try Task.checkCancellation()
        try await output.finish()
        say(
            "\(job.uri.redacted): \(Amount.of(plan.things.count, "thing")) would be hidden; 'framegrep redact --apply' hides what the plan lists."
        )
        return plan.isEmpty ? .notFound : .found
    }

    /// Returns what else is found in a copy, which is made only for this and then removed.
    private func tried(_ plan: HidingPlan, on source: OpenedSource, _ frames: Int?) async throws -> HidingPlan {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "framegrep-trial-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = folder.appendingPathComponent(source.isStill ? "trial.png" : "trial.mkv").path
        let kind = try Kind(of: source, writtenTo: name)
        return try await write(
            source, plan, kind, to: name, readFrom: name, named: "the plan's trial copy", frames: frames
        ).plan
    }

    private func subject(_ source: OpenedSource) -> HidingPlan.Subject {
        let size = source.info.displayedSize
        return HidingPlan.Subject(
            source: source.uri.redacted, width: size.width, height: size.height,
            duration: source.isStill ? nil : source.info.duration,
            file: source.uri.path.flatMap { HidingPlan.FileSum(ofFileAt: $0) })
    }

    /// Redacts one recording.
    ///
    /// - Returns: whether there was something to hide.
    /// - Throws: ``FramegrepError`` if no clean copy can be made; nothing is left in its place then.
    func run(_ job: Job) async throws -> Bool {
        guard let output = job.output else { return false }
        CrashRestart.blame(job.uri.redacted, "\(output.name) is not written.")
        let source = try await open(job.uri)
        let kind = try Kind(of: source, writtenTo: output.name)
        let (plan, searched) = try await plan(for: source)
        if source.isStill, let count = searched?.summary.frames, count > 1 {
            throw FramegrepError(
                .badArgument,
                "\(source.uri.redacted) holds \(count) pictures, one behind the other, and the copy of a still holds one: nothing is written. Make a file of each."
            )
        }
        try Task.checkCancellation()
        guard !plan.isEmpty || searched == nil || hiding.copyAnyway else {
            let unread = searched?.unread ?? []
            try checkStrictly(unread, output)
            sayNothingFound(source, unread)
            return false
        }
        printAll(plan.things, of: source)
        // Users without access to the recording get none to the copy either, in case a reading missed something.
        var status = stat()
        if let path = job.uri.path, FileName.withCName(path, { stat($0, &status) }) == 0 {
            output.limit(to: status.st_mode)
        }
        return try await copy(source, plan, searched, kind, to: output, job.report)
    }

    /// Writes the copy and its report. Nothing is kept that is not clean.
    ///
    /// - Returns: whether something is hidden in it.
    private func copy(
        _ source: OpenedSource, _ plan: HidingPlan, _ searched: HidingSearch.Outcome?, _ kind: Kind,
        to output: OutputFile, _ report: OutputFile?
    ) async throws -> Bool {
        let place = try output.begin(beside: true)
        current.file.withLock { $0 = output }
        CrashRestart.blame(source.uri.redacted, "\(output.name) is not written.", removing: output.written)
        defer {
            output.discard()
            current.file.withLock { $0 = nil }
        }
        let hidden: HidingPlan
        do {
            let (all, unread) = try await write(
                source, plan, kind, to: place, readFrom: output.written ?? place, named: output.name,
                frames: searched?.summary.frames)
            hidden = all
            // Without the list there is no copy, but a list that is not read to its end (`| head`) is not a failure.
            await list.settled()
            try Task.checkCancellation()
            if let failure = list.failure as? FramegrepError { throw failure }
            try checkStrictly(unread, output)
            guard !hidden.isEmpty || hiding.copyAnyway else {
                sayNothingFound(source, unread)
                return false
            }
            if let report {
                try await writeReport(hidden, unread, of: source, copiedTo: output.written ?? place, report)
            }
            try output.commit()
            sayDone(hidden, unread, output)
            if let report {
                say("\(report.name): shows what was hidden, and is as secret as \(source.uri.redacted).")
            }
        } catch let failure as FramegrepError {
            throw FramegrepError(failure.code, output.naming(failure.message))
        }
        return !hidden.isEmpty
    }

    /// The kind of copy.
    enum Kind {
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
        // Check before opening: nothing may ever write into the pipe.
        guard try PipeInput(uri) == nil else {
            throw FramegrepError(
                .sourceUnavailable,
                "\(uri.redacted) can be read only once, and is read twice to be redacted: save it to a file first.")
        }
        let source = try await OpenedSource.open(uri, timeout: .seconds(20))
        if let omission = source.omission { say(omission) }
        if MediaProbe.isCutShort(uri) { throw Self.incomplete(source, "The file is shorter than its header says.") }
        if !source.isStill, MediaProbe.isPlayedInPart(uri) {
            throw Self.incomplete(
                source, "It holds several recordings, one behind the other, of which only the first is played.")
        }
        return source
    }

    private func plan(for source: OpenedSource) async throws -> (HidingPlan, HidingSearch.Outcome?) {
        if let applied {
            return (try HidingPlan(parsing: applied.text, name: applied.name, for: subject(source)), nil)
        }
        let time = try await time(in: source)
        var plan = HidingPlan()
        var searched = try await search(source, time, as: "searching")
        if let first = searched, first.summary.damage == nil, first.things.isEmpty {
            // No copy will be searched otherwise.
            searched = try await search(source, time, besides: HidingPlan(), as: "looking again")
        }
        if let searched {
            // A recording that could not be read to its end may contain more than was found.
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
        plan.add(try regions(in: source.info.displayedSize, time))
        return (plan, searched)
    }

    static func incomplete(_ source: OpenedSource, _ reason: String) -> FramegrepError {
        FramegrepError(
            .sourceDamaged,
            "\(source.uri.redacted) could not be searched to its end, so it is not known what else is in it; nothing is written. \(reason)"
        )
    }

    func time(in source: OpenedSource) async throws -> (from: StreamTime?, to: StreamTime?) {
        guard !source.isStill else { return (nil, nil) }
        let part = try await SearchedTime(from: hiding.from, to: hiding.to).resolved(in: source) { say($0) }
        return (part.from, part.to)
    }

    /// Returns how much later a copy shows the same frame: some recordings count from their first frame, and others do
    /// not.
    func delay(of copy: OpenedSource, after source: OpenedSource) async throws -> StreamTime {
        guard !source.isStill, let begin = try await RecordingEnd.beginning(of: source),
            let copied = try await RecordingEnd.beginning(of: copy)
        else { return .zero }
        return copied - begin
    }

    func search(
        _ source: OpenedSource, _ time: (from: StreamTime?, to: StreamTime?), besides known: HidingPlan? = nil,
        _ closely: [Range<StreamTime>] = [], as name: String
    ) async throws -> HidingSearch.Outcome? {
        guard let readers else { return nil }
        var outcome = try await search(source, with: readers.readers, time, besides: known, closely, as: name)
        guard source.isStill, let still = readers.still else { return outcome }
        // Findings of any reading are hidden.
        var all = known ?? HidingPlan()
        all.add(outcome.things)
        let closer = try await search(
            source, with: HidingSearch.Readers(search: still, again: still), time, besides: all, as: name)
        var things = HidingPlan()
        things.add(outcome.things + closer.things)
        outcome.things = things.things
        return outcome
    }

    private func search(
        _ source: OpenedSource, with readers: HidingSearch.Readers, _ time: (from: StreamTime?, to: StreamTime?),
        besides known: HidingPlan?, _ closely: [Range<StreamTime>] = [], as name: String
    ) async throws -> HidingSearch.Outcome {
        var settings = settings
        (settings.from, settings.to) = time
        // Read all of it: after a seek nothing arrives from beyond the recording's stated end.
        settings.canSeek = time.from == nil
        let progress = ProgressLine(name: name, isEnabled: !isQuiet)
        defer { progress.clear() }
        let search = HidingSearch(settings, readers: readers, matcher: matcher, onlyWords: hiding.onlyWords)
        let closely = hiding.everyFrame ? [.zero..<Self.forever] : closely
        let begun = ContinuousClock.now
        let outcome = try await search.run(source, besides: known, closely: closely) { event in
            switch event {
            case .progress(let position, let total): progress.update(position, of: total ?? source.info.duration)
            case .warning(let warning):
                progress.clear()
                StandardError.line("framegrep: \(warning.message)")
            default: break
            }
        }
        if isVerbose { StandardError.line("framegrep: \(name): \(outcome.summary.line(.now - begun))") }
        return outcome
    }

    /// Returns places that are hidden whatever they show.
    private func regions(
        in size: (width: Int, height: Int), _ time: (from: StreamTime?, to: StreamTime?)
    ) throws -> [HiddenThing] {
        try hiding.region.map { text in
            let rect = try RegionOfInterest(parsing: text).rect(width: size.width, height: size.height)
            let start = time.from ?? .zero
            return HiddenThing(
                id: 0, reason: "region", start: start, end: time.to ?? Self.forever,
                places: [HiddenPath.Place(time: start, quad: Quad(rect))])
        }
    }

    /// A time longer than any recording, because its stated length may be wrong.
    static let forever = StreamTime(seconds: 1e6)
}
