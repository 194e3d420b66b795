public import ArgumentParser
import Errors
import GStreamerMedia
import Spotter
public import TextSpotting

/// Options for the results of `find`: their destination and format.
struct FindOutputOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp("text, jsonl, csv, srt or vtt (default: text, with --subtitles srt).", valueName: "format"))
    var chosenFormat: SightingFormat?

    var format: SightingFormat { chosenFormat ?? .text }

    @Option(
        help: ArgumentHelp(
            "start: print the results of each input in the order in which they begin, when it has been searched (default: each as soon as it is over; srt and vtt by their starts).",
            valueName: "order"))
    var sort: SightingOrder?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write the results to a file.", valueName: "file"), completion: .file())
    var path: String?

    @Option(
        name: .customLong("boxes"),
        help: ArgumentHelp(
            "Write the place of each sighting in every frame as JSON lines; - is standard output.", valueName: "file"),
        completion: .file())
    var boxesPath: String?

    @Flag(name: [.customShort("c"), .customLong("count")], help: "Print only the number of sightings.")
    var countsOnly = false

    @Flag(
        name: [.customShort("l"), .customLong("files-with-matches")],
        help: "Print only the names of inputs with a sighting.")
    var namesOnly = false

    @Flag(
        name: [.customShort("L"), .customLong("files-without-match")],
        help: "Print only the names of inputs without a sighting.")
    var absentNamesOnly = false

    @Flag(
        name: [.customShort("H"), .customLong("with-filename")], help: "Print the name of the input with each count.")
    var showsNames = false

    @Flag(name: [.customShort("h"), .customLong("no-filename")], help: "Print no names of inputs before results.")
    var hidesNames = false

    @Flag(
        name: [.customShort("n"), .customLong("line-number")],
        help: ArgumentHelp("Print where: the times, which are printed anyway.", visibility: .hidden))
    var showsPlaces = false

    @Option(
        help: ArgumentHelp(
            "Write a copy of the recording with boxes around the sightings: .mp4, .mov, .mkv or .webm.",
            valueName: "file"),
        completion: .file())
    var saveVideo: String?

    @Option(
        help: ArgumentHelp("Write a picture of each sighting into a folder.", valueName: "folder"),
        completion: .directory)
    var saveFrames: String?

    @OptionGroup var clips: ClipOptions

    @Flag(help: "Print only the matched text, not its line.")
    var onlyMatching = false

    @Option(
        name: .customLong("print"),
        help: ArgumentHelp(
            "Print each sighting in this form: '{start} {text}'. Fields: source, id, pattern, text, line, start, end, start_seconds, "
                + "end_seconds, score, peak, x, y, width, height.", valueName: "template"))
    var template: String?

    @Flag(
        name: [.customLong("invert"), .customLong("invert-match")],
        help: "Print when none of the patterns was in view.")
    var inverts = false

    @Option(name: .customLong("color"), help: "Color the matches: auto (on a terminal), always or never.")
    var color = ColorChoice.auto

    /// Whether a single sighting is enough.
    var stopsAtFirst: Bool { namesOnly || absentNamesOnly }
    /// Whether files are written in addition to the results, so that all sightings are needed even if none is printed.
    var writesFiles: Bool { boxesPath != nil || saveVideo != nil || saveFrames != nil || clips.folder != nil }
    var needsBoxes: Bool { boxesPath != nil || saveVideo != nil || clips.folder != nil }

    func check(inputs: [String]) throws {
        if saveVideo != nil, inputs.count > 1 {
            throw FramegrepError(
                .badArgument, "--save-video writes one file, so it takes one input; \(inputs.count) were given.")
        }
        if [countsOnly, namesOnly, absentNamesOnly].filter({ $0 }).count > 1 {
            throw FramegrepError(.badArgument, "-c, -l and -L print different things; give one of them.")
        }
        if clips.context != nil, saveVideo == nil, clips.folder == nil {
            throw FramegrepError(
                .badArgument,
                "-A and -B are seconds around a sighting in what --save-video and --save-clips write; give one of those. grep's "
                    + "lines around a match are what --all-text prints, with --from and --to for a part of the time.")
        }
        if template != nil {
            guard format == .text, !onlyMatching, !countsOnly, !stopsAtFirst else {
                throw FramegrepError(
                    .badArgument,
                    "--print decides what is printed; leave out --format, --only-matching, -c, -l and -L.")
            }
        }
        if inverts, writesFiles {
            throw FramegrepError(
                .badArgument,
                "--invert is about when nothing was in view, so there is nothing to be drawn, cut or saved; leave out --boxes, "
                    + "--save-video, --save-frames and --save-clips.")
        }
        if showsNames, hidesNames {
            throw FramegrepError(.badArgument, "-H and -h contradict each other; give one of them.")
        }
    }

    /// Rejects a recording as the file of `-o`, for which grep's users may have meant another option.
    ///
    /// Call it after checking that ``path`` is neither an input nor another output, which have messages of their own.
    func checkIsNoRecording() throws {
        guard let path, MediaNames.isMedia(path), case .file? = FileIdentity(ofFileAt: path) else { return }
        throw FramegrepError(
            .badArgument,
            "\(path) is there, and has the name of a recording or a picture; results are text. \(GrepOptions.outputOption(path)) "
                + "--save-video writes a copy of the recording.")
    }

    /// Checks that the inputs can be read twice, because the video and the pictures are made in a second pass.
    func check(readOnce inputs: [String]) throws {
        let wishes = [("--save-video", saveVideo), ("--save-frames", saveFrames), ("--save-clips", clips.folder)]
        guard let option = wishes.first(where: { $0.1 != nil })?.0 else { return }
        for input in inputs {
            guard PipeInput.isReadOnce(try SourceURI(input)) else { continue }
            throw FramegrepError(
                .badArgument,
                "\(option) reads a recording a second time, and '\(redacted(input))' can be read only once; save it to a file, and "
                    + "name that.")
        }
    }
}

enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
}

/// The format of `find`'s results.
enum SightingFormat: String, ExpressibleByArgument, CaseIterable {
    case text, jsonl, csv, srt, vtt
}

/// The order in which the results of an input are printed.
enum SightingOrder: String, ExpressibleByArgument, CaseIterable {
    case start
}

/// The format in which `devices` lists cameras.
enum DeviceFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// The format of the answers of `explain`.
enum ExplanationFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// Options for clips of sightings, and for the part of the recording around each that is written.
struct ClipOptions: ParsableArguments {
    @Option(
        name: .customLong("save-clips"),
        help: ArgumentHelp("Write a clip of each sighting into a folder, without sound.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Option(
        name: [.customShort("A", allowingJoined: true), .customLong("after-context")],
        help: ArgumentHelp(
            "Add this much after each sighting, in --save-clips and --save-video (which then contains nothing else).",
            valueName: "time"))
    var after: DurationArgument?

    @Option(
        name: [.customShort("B", allowingJoined: true), .customLong("before-context")],
        help: ArgumentHelp("Add this much before each sighting.", valueName: "time"))
    var before: DurationArgument?

    /// The time around each sighting; nil unless requested.
    var context: SightingContext? {
        before == nil && after == nil
            ? nil : SightingContext(before: before?.time ?? .zero, after: after?.time ?? .zero)
    }
}

extension ValueKind: ExpressibleByArgument {}

/// The format of the table of `values`.
enum ValueFormat: String, ExpressibleByArgument, CaseIterable {
    case text, jsonl, csv
}

/// Options of `values` in addition to those for reading: the wanted values, and their form.
struct ValueOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The place after this word, in its line or on its row, or below it.", valueName: "word"))
    var near: String?

    @Option(help: "Which texts are values: number, time, money or code (default: what the texts look most like).")
    var kind: ValueKind?

    @Option(help: "text, jsonl or csv.")
    var format = ValueFormat.text

    @Option(
        help: ArgumentHelp(
            "Print a row for each step of time, with its value, instead of one for each value.", valueName: "time"))
    var every: DurationArgument?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write the table to a file.", valueName: "file"), completion: .file())
    var path: String?

    @Option(help: ArgumentHelp("Draw the numbers over time, as SVG.", valueName: "file"), completion: .file())
    var plot: String?

    /// The name of the value, if it needs one.
    var shownName: String { near ?? "value" }

    func validate() throws {
        if let near, near.allSatisfy(\.isWhitespace) {
            throw ValidationError("--near takes a word that is in the picture.")
        }
        if let every, every.time < StreamTime(seconds: 0.001) { throw ValidationError("--every must be at least 1ms.") }
        if plot != nil, kind == .code {
            throw ValidationError("--plot draws numbers, and codes are none; leave one out.")
        }
    }
}
