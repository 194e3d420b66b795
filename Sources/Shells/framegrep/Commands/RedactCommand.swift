import ArgumentParser
import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting

struct RedactCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "redact",
        abstract: "Make a copy in which everything that is found is hidden, and check it.",
        discussion: """
            framegrep redact 'Jane Doe' :email :phone screen.mp4 -o clean.mp4
            framegrep redact -f names.txt shot.png -o clean.png
            framegrep redact :plate --region 0,90%,100%,10% street.mkv -o clean.mkv
            framegrep redact :email -r recordings --include '*.mp4' -o clean
            framegrep redact :email screen.mp4 --plan boxes.jsonl
            framegrep redact screen.mp4 --apply boxes.jsonl -o clean.mp4
            framegrep redact :email screen.mp4 -o clean.mp4 --report report.html

            Prints when and where something is hidden, but not what. The copy is searched again, more thoroughly, and anything \
            that is still found is hidden too; if something is left in the end, nothing is written. The copy has only the picture \
            and the first sound: subtitles, chapters, titles, tags and attached pictures are left out.

            It cannot hide what it cannot read: handwriting, spoken words, and small or blurred letters that a person can still \
            make out. It says where it saw lines that it could not read; with --strict that is an error. Look at the copy \
            before you give it away, and read docs/REDACT.md.

            Exit status: 0 something was hidden, 1 nothing was found (no copy is written without --copy-anyway), 2 an error: \
            nothing is written.
            """, helpNames: .shortAndLong)

    @OptionGroup var patterns: PatternOptions
    @OptionGroup var hiding: HidingOptions
    @OptionGroup var reading: HidingReadingOptions
    @OptionGroup var trust: TrustOptions

    @Argument(
        help: ArgumentHelp(
            "Patterns, then the recording or still, or with -r the folder.", valueName: "pattern> ... <input"),
        completion: .file())
    var arguments: [String] = []

    var isVerbose: Bool { reading.isVerbose }

    func run() async throws {
        let (words, input) = try split()
        reading.shared.enforceLimits()
        let texts = try patterns.texts(positional: nil, mayBeNone: true) + words
        try check(texts)
        var manner = patterns.manner
        manner.leansToRecall = !hiding.precise
        let matcher = try manner.matcher(for: texts)
        // A pipe may take any time: a signal ends that wait as it ends any other program.
        let applied = try hiding.planText()
        let interrupts = Interrupts()
        var plan = try OutputPlan(of: self)
        let folder = try hiding.recursive ? RedactedFolder(input, hiding.choice, copiedTo: hiding.path ?? "") : nil
        defer { folder?.removeEmptyFolders() }
        let jobs = try folder.map { try $0.jobs(&plan, output) } ?? [job(input, &plan)]
        let written = try hiding.plan.flatMap { try plan.writes($0, by: "--plan") }
        try trust.enforce()
        var chosen = reading.shared.reader
        // Count the lines in scripts that are not read.
        chosen.readsAllText = true
        let choice = ReaderChoice(chosen, matcher) { StandardError.line("framegrep: \($0)") }
        let readers = texts.isEmpty ? nil : try await readers(choice)
        let redaction = RecordingRedaction(
            hiding: hiding, applied: applied, settings: reading.search, readers: readers, matcher: matcher,
            allowed: trust.allowed, isQuiet: reading.isQuiet, isVerbose: reading.isVerbose)
        throw try await Self.finish(redaction, interrupts) {
            if hiding.plan != nil { return try await redaction.writePlan(of: jobs[0], to: written) }
            return try await run(jobs, redaction, leftOut: folder?.leftOut)
        }
    }

    /// Does the work unless a signal ends it, which leaves nothing that is not finished.
    private static func finish(
        _ redaction: RecordingRedaction, _ interrupts: Interrupts,
        _ body: @escaping @Sendable () async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let work = Task { try await body() }
        interrupts.then { _ in
            work.cancel()
        } last: {
            redaction.discard()
            ProgressLine.wipe()
        }
        let result = await work.result
        if let signal = interrupts.signal {
            StandardError.line("framegrep: interrupted; unfinished files are not written.")
            throw Interruption(signal: signal)
        }
        return try result.get()
    }

    /// Redacts one recording after the other; a failure is reported, and the next one is started.
    ///
    /// - Parameter leftOut: the contents of a folder that have no copy; nil for a single recording.
    private func run(
        _ jobs: [RecordingRedaction.Job], _ redaction: RecordingRedaction, leftOut: RedactedFolder.LeftOut?
    ) async throws -> ExitStatus {
        var leftOut = leftOut
        var (hasHidden, hasFailed) = (false, leftOut?.isIncomplete ?? false)
        for job in jobs where !Task.isCancelled {
            do {
                if try await redaction.run(job) {
                    hasHidden = true
                } else if !hiding.copyAnyway {
                    leftOut?.nothingFound.append(job.uri.redacted)
                }
            } catch let error as FramegrepError {
                guard leftOut != nil else { throw error }
                if error.code == .sourceNotVideo {
                    leftOut?.noMedia.append(job.uri.redacted)
                    continue
                }
                StandardError.line("framegrep: \(error.message)", as: .error)
                hasFailed = true
            }
        }
        if !reading.isQuiet {
            for sentence in leftOut?.sentences ?? [] { StandardError.line("framegrep: \(sentence)") }
        }
        return hasFailed ? .error : hasHidden ? .found : .notFound
    }

    /// Returns the readers, while they are still being loaded.
    private func readers(_ choice: ReaderChoice) async throws -> RecordingRedaction.Readers {
        let name = ReaderName()
        let (search, again) = try await choice.beginForHiding { [isVerbose] reader in
            name.set(reader.name)
            if isVerbose { StandardError.line("framegrep: reading with \(reader.name)") }
        }
        let isOtherScript: @Sendable (TextLine) -> Bool = { line in
            ScriptEvidence(line.evidence.first?.otherScripts ?? [], of: line.text).strength >= Self.otherScript
        }
        return RecordingRedaction.Readers(
            readers: HidingSearch.Readers(search: search, again: again, isOtherScript: isOtherScript),
            still: choice.stillReader, name: name)
    }

    /// The evidence from which a single line is assumed to be in a script that the networks do not know.
    private static let otherScript = 1.5

    // MARK: Arguments

    /// Splits the arguments: the last one is the input, and those before it are patterns.
    private func split() throws -> (words: [String], input: String) {
        guard let input = arguments.last else {
            throw FramegrepError(
                .badArgument,
                "There is nothing to redact: give patterns and a recording or a still, as in 'framegrep redact :email screen.mp4 -o clean.mp4'."
            )
        }
        let words = Array(arguments.dropLast())
        // A recording that was taken for a pattern would silently not be redacted.
        for word in words where FileName.withCName(word, { access($0, F_OK) }) == 0 && word.contains(".") {
            throw FramegrepError(
                .badArgument,
                "\(word) is a file and would be taken for a pattern: redact takes one recording at a time, or a folder with -r. A pattern of that "
                    + "name is given by -e \(word).")
        }
        return (words, input)
    }

    private func check(_ texts: [String]) throws {
        if hiding.apply == nil, texts.isEmpty, hiding.region.isEmpty {
            throw FramegrepError(
                .badPattern,
                "There is no pattern: say what to hide, as in 'framegrep redact :email screen.mp4 -o clean.mp4', or a place with --region."
            )
        }
        guard reading.chosenScore == nil || !texts.isEmpty else {
            throw FramegrepError(
                .badArgument, "--min-score is about what a pattern finds, and there is no pattern; leave it out.")
        }
        for region in hiding.region { _ = try RegionOfInterest(parsing: region) }
    }

    private func job(_ input: String, _ plan: inout OutputPlan) throws -> RecordingRedaction.Job {
        let uri = try SourceURI(input)
        guard !FolderWalk.isFolder(input) else {
            throw FramegrepError(.badArgument, "\(input) is a folder; -r redacts what is in it.")
        }
        if let path = uri.path { try plan.reads(recording: path, named: input) }
        try SourceGuard.check(uri, allowing: trust.allowed)
        let report = try hiding.report.map { name in
            guard let file = try plan.writes(name, by: "--report") else {
                throw FramegrepError(.badArgument, "--report writes a file, because it shows what is hidden: name one.")
            }
            return file
        }
        return RecordingRedaction.Job(uri: uri, output: try hiding.path.map { try output($0, &plan) }, report: report)
    }

    private func output(_ name: String, _ plan: inout OutputPlan) throws -> OutputFile {
        guard let file = try plan.writes(name, by: "-o") else {
            throw FramegrepError(.badArgument, "The copy is a file, because it is searched again: name one with -o.")
        }
        if case .special = file.before {
            throw FramegrepError(
                .badArgument,
                "\(name) is a device or a pipe. The copy has to be searched again: name a file.")
        }
        return file
    }
}
