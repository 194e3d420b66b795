import ArgumentParser
import Engines
import Errors
import Foundation
import Spotter
import TextIndex
import TextMatching

/// Reads recordings once, so that every later search of them takes no time, and maintains the index.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Read recordings once; later searches take milliseconds.",
        discussion: """
            framegrep index recordings/            a folder with all its subfolders
            framegrep index lobby.mp4 talk.mkv     reads what is new or has changed, and
                                                   continues where it was interrupted
            framegrep find EXIT                    searches everything in the index
            framegrep index --watch recordings/    keeps reading files that appear in the
                                                   folder, until Ctrl-C
            framegrep index recordings/ --retain 30d --budget 20GB
            framegrep index recordings/ --skim     key frames only; run it without --skim
                                                   later to read the rest
            framegrep index --meaning              prepares older recordings for search
                                                   by meaning
            framegrep index status                 what is in it, and what has changed
                                                   since

            docs/INDEX.md has more: how to back it up, its size, its format.
            """,
        subcommands: [
            IndexAddCommand.self, IndexStatusCommand.self, IndexSourcesCommand.self, IndexForgetCommand.self,
            IndexExpireCommand.self, IndexMergeCommand.self, IndexCheckCommand.self, IndexRepairCommand.self,
            IndexPlanCommand.self, IndexRunCommand.self, IndexDigestCommand.self,
        ],
        defaultSubcommand: IndexAddCommand.self, helpNames: .long)

    /// Adds the options of `index PATH...` to the help for `index`, because they belong to a subcommand that is seldom
    /// named.
    ///
    /// - Returns: nothing for other arguments.
    static func furtherHelp(askedBy arguments: [String]) -> String {
        guard [["index", "--help"], ["index", "-h"], ["help", "index"]].contains(arguments) else { return "" }
        let help = FramegrepCommand.helpMessage(for: IndexAddCommand.self)
        guard let begin = help.range(of: "ARGUMENTS:") else { return "" }
        return "\n\nOf 'framegrep index <input> ...', which is the same as 'framegrep index add':\n\n"
            + help[begin.lowerBound...]
    }
}

struct IndexAddCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Read what is new or has changed.", helpNames: .long)

    @OptionGroup var index: IndexOptions
    @OptionGroup var input: InputOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var expiry: ExpiryOptions
    @OptionGroup var trust: TrustOptions

    @Flag(
        help:
            "Keep reading files that appear in the folders, each when it has not changed for two seconds, until Ctrl-C."
    )
    var watch = false

    @Flag(
        help:
            "Read key frames only: many times as fast, but text that is there for less than their interval may be missed."
    )
    var skim = false

    @Flag(
        help:
            "Prepare recordings that are in the index for search by meaning, without reading them again."
    )
    var meaning = false

    @Argument(help: ArgumentHelp("Recordings, stills, folders or URIs.", valueName: "input"), completion: .file())
    var arguments: [String] = []

    var isVerbose: Bool { reading.isVerbose }

    func validate() throws {
        if meaning, watch {
            throw ValidationError("Recordings that --watch reads are prepared anyway; run --meaning by itself.")
        }
    }

    func run() async throws {
        if meaning {
            let status = try IndexMeanings(options: index, isQuiet: reading.isQuiet).run()
            if arguments.isEmpty, !input.nameInputs || status != .found { throw status }
        }
        try reading.checkForIndex()
        guard !arguments.isEmpty || input.nameInputs else {
            throw FramegrepError(
                .badArgument,
                "There is nothing to index: name recordings or a folder, as in 'framegrep index recordings'.")
        }
        let folders = arguments.filter(FolderWalk.isFolder)
        guard !watch || !folders.isEmpty else {
            throw FramegrepError(
                .badArgument,
                "--watch waits for files that appear in folders: name one, as in 'framegrep index --watch recordings'.")
        }
        // There is nothing to wait for in a folder that cannot be read.
        if watch { for folder in folders { try FolderWalk.check(folder) } }
        if arguments.contains(where: { $0.hasPrefix("screen:") }) { throw try await watchScreen() }
        reading.enforceLimits()
        // Naming a folder includes everything in it.
        var options = input
        options.recursive = options.recursive || !folders.isEmpty
        let found = try options.inputs(named: arguments)
        try trust.enforce()
        let folder = try index.folder()
        guard watch else {
            let store = try TextIndex.forWriting(folder, meaning: MeaningInstallation.installed)
            throw try await runs()(store).run(found)
        }
        // Open it only to check at once whether it is writable, and close it again so that other programs can write
        // meanwhile.
        _ = try TextIndex.forWriting(folder)
        let walk = input.choice.walk
        throw try await IndexWatch(folder: folder, roots: folders, walk: walk, isQuiet: reading.isQuiet, run: runs())
            .run(found.inputs)
    }

    /// Reads the user's screen into the index until Ctrl-C.
    private func watchScreen() async throws -> ExitStatus {
        guard arguments.count == 1, !watch, !skim else {
            throw FramegrepError(
                .badArgument, "A screen is indexed by itself, until Ctrl-C, as in 'framegrep index screen:'.")
        }
        let given = Arguments.given.drop { $0 != "index" }.dropFirst().filter { $0 != "add" }
        var request = try LiveRequest.parse(
            Array(given) + ["--headless", "--all-text", "--remember", "--output", "/dev/null"])
        request.options.reading = reading
        try await request.run()
        return .found
    }

    /// Loads the reader, and returns a function that creates a run with it for an index.
    private func runs() async throws -> @Sendable (TextIndex) -> IndexRun {
        var readerSettings = reading.reader
        readerSettings.inputs = input.jobs * input.parts(threads: readerSettings.threads).parts
        let choice = ReaderChoice(readerSettings, Matcher(patterns: [])) { StandardError.line("framegrep: \($0)") }
        let reader = try await choice.begin(sayingName: isVerbose)
        let (manner, stillReader) = (ReadingProfile(reading, everyFrame: false), choice.stillReader)
        return {
            [
                settings = try settings(), allowed = trust.allowed, isVerbose, isQuiet = reading.isQuiet,
                rule = expiry.rule, skim, jobs = input.jobs
            ] in
            IndexRun(
                job: RecordingIndexer.Job(
                    index: $0, settings: settings, manner: manner.text, stillManner: manner.stillText,
                    stillReader: stillReader, skims: skim, reader: reader,
                    allowed: allowed, isVerbose: isVerbose, isQuiet: isQuiet), expiry: rule, isQuiet: isQuiet,
                sideBySide: jobs)
        }
    }

    private func settings() throws -> FindSettings {
        var settings = FindSettings(try reading.plan())
        settings.reportsFindings = true
        settings.parts = input.parts(threads: reading.reader.threads)
        return settings
    }
}

/// Prepares the contents of an index for search by meaning (`index --meaning`).
struct IndexMeanings {
    let options: IndexOptions
    let isQuiet: Bool

    /// - Throws: ``FramegrepError`` if search by meaning is not set up or the index cannot be written;
    ///   ``Interruption``.
    func run() throws -> ExitStatus {
        // Report this before anything is opened.
        _ = try MeaningInstallation.encoder()
        _ = try options.openForSearching()
        let store = try TextIndex.forWriting(try options.folder(), meaning: MeaningInstallation.source)
        let interrupts = Interrupts()
        let made = try store.makeVectors(with: MeaningInstallation.source) {
            interrupts.signal != nil
        } progress: { done, total in
            guard !isQuiet, StandardError.isScreen else { return }
            ProgressLine.wipe()
            StandardError.write("by meaning: \(done) of \(total) lines")
        }
        if !isQuiet { ProgressLine.wipe() }
        for problem in made.problems { StandardError.line("framegrep: \(problem.message)") }
        let coverage = try store.vectorCoverage(MeaningInstallation.source)
        if !isQuiet {
            let (texts, all) = (Amount.of(made.texts, "line"), coverage.texts - coverage.missing)
            StandardError.line(
                "framegrep: \(texts) prepared; \(all) of \(coverage.texts) can be searched by meaning.")
        }
        if let signal = interrupts.signal {
            StandardError.line("framegrep: interrupted; the same command continues where it stopped.")
            throw Interruption(signal: signal)
        }
        return made.problems.isEmpty ? .found : .error
    }
}
