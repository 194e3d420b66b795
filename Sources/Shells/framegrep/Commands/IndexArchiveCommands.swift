import ArgumentParser
import Errors
import Foundation
import GStreamerMedia
import TextIndex
import TextSpotting

struct IndexPlanCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Split an archive into units that many machines can read.",
        discussion: """
            framegrep index plan /archive --unit 30m > units.jsonl     one line a unit
            framegrep index run units.jsonl --unit 7 --out shards
                reads one, on any machine
            framegrep index merge /index shards
                merges all results

            The units depend only on the recordings, their lengths and --unit. docs/SCALE.md has examples for Slurm, Ray and \
            GNU parallel.
            """, helpNames: .long)

    @Option(help: ArgumentHelp("How long a unit is.", valueName: "time"))
    var unit = DurationArgument(seconds: 1800)

    @OptionGroup var input: InputOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var trust: TrustOptions

    @Argument(help: ArgumentHelp("Recordings, stills, folders or URIs.", valueName: "input"), completion: .file())
    var arguments: [String] = []

    var isVerbose: Bool { reading.isVerbose }

    /// The shortest useful unit, in seconds: in a shorter one its start and its border cost more than 5 %
    /// (docs/SCALE.md).
    private static let shortest = 300.0

    func validate() throws {
        guard unit.time.seconds >= 1 else { throw ValidationError("--unit must be at least 1 second.") }
    }

    func run() async throws {
        guard !arguments.isEmpty || input.nameInputs else {
            throw FramegrepError(
                .badArgument,
                "There is nothing to plan: name recordings or a folder, as in 'framegrep index plan archive'.")
        }
        try reading.checkForIndex()
        reading.enforceLimits()
        var options = input
        options.recursive = options.recursive || arguments.contains(where: FolderWalk.isFolder)
        let found = try options.inputs(named: arguments)
        try trust.enforce()
        let planner = ArchivePlanner(
            reading: try ArchiveUnit.Reading(reading, grid: unit.time.seconds),
            manner: ReadingProfile(reading, everyFrame: false).text, allowed: trust.allowed, isVerbose: isVerbose)
        let work = Task { try await planner.units(of: found.inputs, sideBySide: input.jobs) }
        let interrupts = Interrupts { _ in work.cancel() }
        let result = await work.result
        if let signal = interrupts.signal { throw Interruption(signal: signal) }
        let (units, seconds, unplanned) = try result.get()
        let failed = unplanned + found.unreadable
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for unit in units { try StandardOutput.print(String(decoding: encoder.encode(unit), as: UTF8.self)) }
        if !reading.isQuiet {
            let problems = failed > 0 ? " Left out with an error: \(failed)." : ""
            let recordings = Amount.of(Set(units.map(\.input)).count, "recording")
            StandardError.line(
                "framegrep: \(Amount.of(units.count, "unit")) of \(recordings) (\(CoverageReport.hours(seconds))).\(problems)"
            )
            if unit.time.seconds < Self.shortest, units.count > 1 {
                StandardError.line(
                    "framegrep: Units as short as that cost more than a twentieth of the reading; --unit 5m and more do not."
                )
            }
        }
        throw failed > 0 ? ExitStatus.error : .found
    }
}

struct IndexRunCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Read units of a plan.",
        usage: "framegrep index run [<options>] --out <folder> <units>",
        discussion: """
            framegrep index run units.jsonl --unit 7 --out shards
                number 7 (the first is 0)
            framegrep index run units.jsonl --unit 0-99 --out shards
                a hundred of them, one after the other
            framegrep index run units.jsonl --out shards               all of them

            A result appears when it is complete, and is not read again then. So you can kill and repeat the same command at \
            any time, here or elsewhere. Exit status: 0 all results that you asked for are there, 2 some are missing, \
            130 after Ctrl-C.
            """, helpNames: .long)

    @Option(help: ArgumentHelp("Which units (default: all).", valueName: "number"))
    var unit: UnitRange?

    @Option(
        name: .customLong("out"), help: ArgumentHelp("The folder of the results.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp(
            "How many threads may read (default: all processors, but at most four).",
            valueName: "count"))
    var threads: Int?

    @Option(help: ArgumentHelp("Decode no larger pictures.", valueName: "megapixels"))
    var maxPicture = PictureLimit.ordinary

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Print only errors.")
    var isQuiet = false

    @Flag(name: [.customShort("v"), .customLong("verbose")], help: "Say what is done.")
    var isVerbose = false

    @OptionGroup var trust: TrustOptions

    @Argument(help: ArgumentHelp("What 'index plan' wrote.", valueName: "units"), completion: .file())
    var plan: FileArgument

    func validate() throws {
        if let threads, !(1...256).contains(threads) { throw ValidationError("--threads must be between 1 and 256.") }
        guard (1...1_000_000).contains(maxPicture) else {
            throw ValidationError("--max-picture must be between 1 and 1000000 megapixels.")
        }
    }

    func run() async throws {
        PictureLimit.set(megapixels: maxPicture)
        try OutputPlan(of: self).writes(intoFolder: folder, by: "--out")
        let list = try UnitList(path: plan.path)
        try StorageCredentials.checkServers(of: list.inputs)
        let numbers = unit?.numbers ?? 0...list.count - 1
        // Report a wrong number before anything is read, and before a list of that length is created.
        _ = try list.unit(numbers.upperBound)
        try trust.enforce()
        throw try await UnitRun(
            list: list, numbers: Array(numbers), units: UnitReader(folder: folder, allowed: trust.allowed),
            threads: threads,
            isQuiet: isQuiet, isVerbose: isVerbose
        ).run()
    }
}

struct IndexDigestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "digest",
        abstract: "Print a checksum of everything that was read, to compare indexes.",
        discussion: """
            It is the same for the same recordings read with the same options (and the same units, if any), on any machines, in any \
            order, however the index was put together.
            """, helpNames: .long)

    @OptionGroup var index: IndexOptions

    @Flag(help: "One line for each recording before it.")
    var each = false

    func run() throws {
        let digest = try index.openForSearching().digest()
        if each {
            for (name, digest) in digest.recordings { try StandardOutput.print("\(digest)  \(Visible.text(name))") }
        }
        try StandardOutput.print(digest.whole)
    }
}
