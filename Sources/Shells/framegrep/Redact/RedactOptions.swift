public import ArgumentParser
import Errors
import GStreamerMedia
import Spotter
public import TextSpotting

extension HidingStyle: ExpressibleByArgument {}

/// The reading options of `redact`.
struct HidingReadingOptions: ParsableArguments {
    @OptionGroup var shared: EngineOptions

    @Option(
        name: .customLong("min-score"),
        help: ArgumentHelp(
            "Hide matches with this score or more, 0 to 1; lower than find's, because a bar too many costs less than a miss (default: 0.2).",
            valueName: "score"))
    var chosenScore: Double?

    private var minScore: Double { chosenScore ?? HidingSearch.minimumScore }

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Print nothing but errors; use the exit status.")
    var isQuiet = false

    @Flag(name: [.customShort("v"), .customLong("verbose")], help: "Print details: engine, statistics.")
    var isVerbose = false

    /// The settings of a search.
    var search: FindSettings {
        FindSettings(ReadingPlan(minimumScore: minScore, maximumAge: shared.maxAge?.time))
    }

    func validate() throws {
        guard minScore >= 0, minScore <= 1 else { throw ValidationError("--min-score must be between 0 and 1.") }
    }
}

/// The options for what `redact` hides besides its patterns, how, and the destination.
struct HidingOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The clean copy: .mp4, .mov, .mkv or .webm; .png or .jpg of a still; a folder with -r.", valueName: "out"),
        completion: .file())
    var path: String?

    @Option(
        name: .customLong("style"),
        help: ArgumentHelp(
            "black (default), pixelate or blur. Only black leaves nothing: of pixelated and blurred text the letters can be guessed by trying.",
            valueName: "style"))
    var chosenStyle: HidingStyle?

    var style: HidingStyle { chosenStyle ?? .black }

    @Flag(help: "Of :email and other kinds hide only the match, not the rest of its line.")
    var onlyWords = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Hide this part of the picture, whatever is there, in pixels or percent; may be given several times.",
            valueName: "x,y,w,h"))
    var region: [String] = []

    @Option(
        name: .customLong("from"), parsing: .unconditional,
        help: ArgumentHelp("Hide from this time: 90, 1:30, 1m30s, 50%, -10s (from the end).", valueName: "time"))
    var from: TimeArgument?

    @Option(
        name: .customLong("to"), parsing: .unconditional,
        help: ArgumentHelp("Hide up to this time; the copy is complete all the same.", valueName: "time"))
    var to: TimeArgument?

    @Flag(
        help:
            "Of :email, :plate and other kinds hide only what find finds; without this option also what is incomplete, cut off or partly covered."
    )
    var precise = false

    @Flag(
        help:
            "Read each frame that differs from the one before, so that no flash is missed; takes longer."
    )
    var everyFrame = false

    @Flag(help: "Write a copy, without its metadata, even if nothing was found.")
    var copyAnyway = false

    @Flag(
        help:
            "End with status 2, and write nothing, if something was seen that could not be read. Lines lower than 10 pixels are counted, but are no error."
    )
    var strict = false

    @Flag(help: "Also print the text. Without this option only places and times are printed, because logs leak too.")
    var show = false

    @Option(
        help: ArgumentHelp(
            "Write what would be hidden to a file, and hide nothing; - is standard output.", valueName: "file"),
        completion: .file())
    var plan: String?

    @Option(
        help: ArgumentHelp("Hide what such a plan says, and nothing else.", valueName: "file"), completion: .file())
    var apply: FileArgument?

    @Option(
        help: ArgumentHelp(
            "Write a page with pictures of each hidden thing, before and after, and of each place that could not be checked. It shows what was hidden: keep it as secret as the recording.",
            valueName: "file.html"), completion: .file())
    var report: String?

    @Flag(
        name: [.customShort("r"), .customLong("recursive")],
        help: "Redact a folder with all its subfolders; the copies keep their names in the folder of -o.")
    var recursive = false

    @OptionGroup var choice: FolderChoice

    /// Returns the plan to apply, and its name; nil to create one. Waits for a pipe.
    func planText() throws -> (text: String, name: String)? {
        guard let path = apply?.path else { return nil }
        do { return (try TextFile.text(of: path, limit: 256 << 20), path) } catch {
            guard case .unreadable(let reason) = error else {
                throw FramegrepError(.badArgument, "The plan \(path) is not UTF-8 text of at most 256 MiB.")
            }
            throw FramegrepError(
                .badArgument, "The plan \(path) cannot be read: \(reason). Check its name and permissions.")
        }
    }

    func validate() throws {
        try choice.validate(isRecursive: recursive)
        guard plan == nil || apply == nil else {
            throw ValidationError("--plan writes a plan and --apply follows one; give one of them.")
        }
        guard !recursive || (plan == nil && apply == nil) else {
            throw ValidationError("--plan and --apply are about one recording; leave -r out.")
        }
        guard apply == nil || (region.isEmpty && from == nil && to == nil) else {
            throw ValidationError("--apply hides what the plan says; write regions and times into that.")
        }
        guard apply == nil || !onlyWords else {
            throw ValidationError("--apply hides what the plan says; --only-words is for what makes one.")
        }
        guard report == nil || (!recursive && plan == nil) else {
            throw ValidationError("--report shows one recording and its copy; leave -r and --plan out.")
        }
        guard plan == nil || !copyAnyway else {
            throw ValidationError("--plan makes no copy; leave --copy-anyway out.")
        }
        guard plan == nil || chosenStyle == nil else {
            throw ValidationError("--plan hides nothing; give --style to what follows the plan (--apply).")
        }
        guard plan != nil || path != nil else {
            throw ValidationError("-o OUT is missing: the clean copy's name. An input is never changed.")
        }
        guard plan == nil || path == nil else {
            throw ValidationError("--plan hides nothing, so there is nothing to write to -o; leave one out.")
        }
        if case .fromStart(let start) = from, case .fromStart(let end) = to, start >= end {
            throw ValidationError("--from must be before --to.")
        }
    }
}
