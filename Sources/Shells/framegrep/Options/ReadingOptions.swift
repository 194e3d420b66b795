public import ArgumentParser
public import Engines
import Errors
import Foundation
import GStreamerMedia
public import NeuralOCR
import Spotter
import TextMatching
import TextSpotting

extension ReaderChoice {
    /// Begins to load the reader of recordings; says its name when it is there.
    func begin(sayingName: Bool) async throws -> any TextReader {
        try await begin { reader in
            if sayingName { StandardError.line("framegrep: reading with \(reader.name)") }
        }
    }
}

extension EngineName: ExpressibleByArgument {}
extension LevelName: ExpressibleByArgument {}
extension NeuralDevice: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public var defaultValueDescription: String { name.lowercased() }
}

/// Options for the engine and its resources: shared by all commands that read.
struct EngineOptions: ParsableArguments {
    @Option(help: "Which engine reads: auto (neural when it is installed), tesseract or neural.")
    var engine = EngineName.auto

    @Option(
        name: .customLong("level"),
        help: ArgumentHelp(
            "How thoroughly the neural engine reads: fast or accurate (default: fast, and for stills both).",
            valueName: "level"))
    var chosenLevel: LevelName?

    @Option(
        help: ArgumentHelp(
            "The device on which the networks run: cpu, gpu, npu, auto, or OpenVINO's name for it.", valueName: "device"
        ))
    var compute = NeuralDevice.cpu

    @Option(
        help: ArgumentHelp(
            "Languages to read, by Tesseract's names (default: the locale's and English).", valueName: "eng+kor"),
        completion: Completions.languages)
    var language: String?

    @Option(
        help: ArgumentHelp(
            "How many threads may read, for all inputs together (default: all processors, but at most four for each input read at a time).",
            valueName: "count"))
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "Look for text again after this time, even if little changes (default: 2 live, 5 in recordings).",
            valueName: "time"))
    var maxAge: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Refuse larger pictures; a small file can hold one that fills all memory.", valueName: "megapixels"))
    var maxPicture = PictureLimit.ordinary

    var level: LevelName { chosenLevel ?? ReaderSettings().level }

    var reader: ReaderSettings {
        var settings = ReaderSettings()
        settings.engine = engine
        settings.level = level
        settings.readsStillsClosely = chosenLevel != .fast
        settings.device = compute
        settings.language = language
        settings.threads = threads
        return settings
    }

    /// Applies the limits from now on.
    func enforceLimits() { PictureLimit.set(megapixels: maxPicture) }

    func validate() throws {
        guard (1...1_000_000).contains(maxPicture) else {
            throw ValidationError("--max-picture must be between 1 and 1000000 megapixels.")
        }
        if let age = maxAge?.time.seconds, !(age >= 0.1 && age <= 3600) {
            throw ValidationError("--max-age must be between 0.1 and 3600 seconds.")
        }
        if let threads, !(1...256).contains(threads) {
            throw ValidationError("--threads must be between 1 and 256.")
        }
    }
}

/// Options for reading pictures: shared by `find`, `live` and `run`.
struct ReadingOptions: ParsableArguments {
    @OptionGroup var shared: EngineOptions

    @Option(help: ArgumentHelp("Search only this part of the picture, in pixels or percent.", valueName: "x,y,w,h"))
    var region: String?

    @Option(
        name: .customLong("min-score"),
        help: ArgumentHelp("Ignore matches with a lower score, 0 to 1 (default: 0.3).", valueName: "score"))
    var chosenScore: Double?

    var minScore: Double { chosenScore ?? Matcher.usualMinimumScore }

    @Flag(
        name: [.customShort("q"), .customLong("quiet")],
        help: "Print nothing, and stop at the first sighting; use the exit status.")
    var isQuiet = false

    @Flag(name: [.customShort("v"), .customLong("verbose")], help: "Print details: engine, pipeline, statistics.")
    var isVerbose = false

    var engine: EngineName { shared.engine }
    var level: LevelName { shared.level }
    var language: String? { shared.language }
    var maxAge: DurationArgument? { shared.maxAge }
    var maximumAge: StreamTime? { maxAge?.time }

    var reader: ReaderSettings { shared.reader }

    /// Returns the searched part of the pictures, and how it is searched.
    ///
    /// - Parameter score: the score below which matches are ignored, unless another is requested.
    /// - Throws: ``FramegrepError`` (`badArgument`) for an invalid region.
    func plan(minimumScore score: Double = Matcher.usualMinimumScore) throws -> ReadingPlan {
        ReadingPlan(
            region: try region.map(RegionOfInterest.init(parsing:)), minimumScore: chosenScore ?? score,
            maximumAge: maximumAge)
    }

    /// Applies the limits from now on.
    func enforceLimits() { shared.enforceLimits() }

    func validate() throws {
        guard minScore >= 0, minScore <= 1 else { throw ValidationError("--min-score must be between 0 and 1.") }
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) for options about matches, because all text is stored.
    func checkForIndex() throws(FramegrepError) {
        guard chosenScore == nil else {
            throw FramegrepError(
                .badArgument,
                "--min-score is about matches, and an index has all text, whatever is searched for later; give it to 'framegrep find'."
            )
        }
    }
}
