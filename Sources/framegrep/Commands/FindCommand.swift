import ArgumentParser
import Foundation
import GStreamerMedia
import Spotter
import TextSpotting

struct FindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Search recordings and stills: when was it on screen, and where?",
        discussion: """
            framegrep find EXIT lobby.mp4
            framegrep find -e 'GATE 12' -e DELAYED terminal.mkv --format jsonl
            framegrep find EXIT shots/*.png --save-frames found/
            framegrep find -E 'GATE [0-9]+' terminal.mkv
            framegrep find --all -e ERROR -e :time screen.mkv

            Prints one line a sighting: the file, from when to when, and the line of text, the match colored on a
            terminal. Case, accents and white space are ignored unless -s says otherwise.
            """)

    @OptionGroup var patterns: PatternOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: FindOutputOptions
    @OptionGroup var notices: NoticeOptions

    @Option(name: .customLong("from"), help: ArgumentHelp("Search from this time on.", valueName: "time"))
    var from: TimeArgument?

    @Option(name: .customLong("to"), help: ArgumentHelp("Search up to this time.", valueName: "time"))
    var to: TimeArgument?

    @Option(
        name: [.customShort("m"), .customLong("max-count")],
        help: ArgumentHelp("Stop after this many sightings in an input.", valueName: "count"))
    var maximumCount: Int?

    @Flag(help: "Report every line that is read, not only matches.")
    var allText = false

    @Flag(help: "Read every frame, changed or not: slow, the yardstick for the default.")
    var everyFrame = false

    @Flag(help: "Print the GStreamer pipeline that would run, and end.")
    var printPipeline = false

    @Argument(
        help: ArgumentHelp("The pattern (unless -e or -f is given), then files or URIs.", valueName: "pattern> <input"))
    var arguments: [String] = []

    func validate() throws {
        if let maximumCount, maximumCount < 1 { throw ValidationError("--max-count must be at least 1.") }
        if let from, let to, from.time >= to.time { throw ValidationError("--from must be before --to.") }
    }

    func run() async throws {
        let (pattern, inputs) = try split()
        let matcher = try patterns.matcher(positional: pattern)
        try output.check(inputs: inputs)
        var settings = FindSettings()
        settings.gate.readsEveryFrame = everyFrame
        settings.gate.maximumAge = reading.maximumAge ?? settings.gate.maximumAge
        settings.region = try reading.region.map(RegionOfInterest.init(parsing:))
        settings.from = from?.time
        settings.to = to?.time
        settings.minimumScore = reading.minScore
        settings.maximumCount = output.stopsAtFirst || (reading.isQuiet && !output.writesFiles) ? 1 : maximumCount
        settings.keepsBoxes = output.needsBoxes
        settings.reportsAllText = allText
        if printPipeline {
            for input in inputs { print(redacted(SourceDescription.search(try SourceURI(input).text))) }
            return
        }
        let reader = try await ReaderChoice(reading, matcher).begin { [isVerbose = reading.isVerbose] reader in
            if isVerbose { StandardError.line("framegrep: reading with \(reader.name)") }
        }
        let search = try RecordingSearch(
            settings: settings, output: output, notices: notices, isQuiet: reading.isQuiet,
            isVerbose: reading.isVerbose, reader: reader,
            matcher: matcher)
        throw try await search.run(inputs)
    }

    /// What of the positional arguments is the pattern and what the inputs.
    private func split() throws -> (pattern: String?, inputs: [String]) {
        let pattern = patterns.areGivenByOption ? nil : arguments.first
        let inputs = Array(patterns.areGivenByOption ? arguments[...] : arguments.dropFirst())
        guard pattern != nil || patterns.areGivenByOption else {
            throw FramegrepError(
                .badPattern, "There is no pattern to search for: give a word, as in 'framegrep EXIT lobby.mp4'.")
        }
        guard !inputs.isEmpty else {
            let hint =
                pattern.map { FileManager.default.fileExists(atPath: $0) ? " '\($0)' was taken for the pattern." : "" }
                ?? ""
            throw FramegrepError(
                .badArgument,
                "There is nothing to search in: give a recording or a still, as in 'framegrep EXIT lobby.mp4'.\(hint)")
        }
        return (pattern, inputs.flatMap(Self.expanded))
    }

    /// The files that a pattern such as `shots/*.png` stands for, where no shell has filled it in; sorted by name. What
    /// names a file, or none at all, stays as it is.
    private static func expanded(_ input: String) -> [String] {
        guard input.contains(where: { "*?[".contains($0) }), !input.contains("://"),
            !FileManager.default.fileExists(atPath: input)
        else { return [input] }
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(input, 0, nil, &found) == 0 else { return [input] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }
}
