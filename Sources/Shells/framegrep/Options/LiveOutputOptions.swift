import ArgumentParser
import Errors
import Foundation
import Spotter
import TextIndex
import TextSpotting

/// The older name of `--format jsonl`.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
    case jsonl
}

enum OverlayMode: String, ExpressibleByArgument, CaseIterable {
    case tracked, exact
}

/// Options for the output of `live` and `run`.
struct LiveOutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write the annotated picture to a file: .mp4, .mov, .mkv or .webm.", valueName: "file"),
        completion: .file())
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Write a picture of each sighting into a folder when it appears: the frame in which it was read.",
            valueName: "folder"),
        completion: .directory)
    var saveFrames: String?

    @Flag(help: "Open no window.")
    var headless = false

    @Option(
        name: .customLong("format"),
        help:
            "text, csv, srt or vtt: each sighting when it is over; jsonl: what happens as it happens, one event a line."
    )
    var askedFormat: SightingFormat?

    @Option(help: "The same as --format jsonl.")
    var events: EventFormat?

    @Flag(
        name: [.customShort("c"), .customLong("count")], help: "Print only how many sightings there were, at the end.")
    var countsOnly = false

    @Flag(
        name: [.customShort("H"), .customLong("with-filename")],
        help: ArgumentHelp("Print the name of the source before results, as is done anyway.", visibility: .hidden))
    var showsNames = false

    @Flag(
        name: [.customShort("h"), .customLong("no-filename")], help: "Print no name of the source before results.")
    var hidesNames = false

    @Flag(
        name: [.customShort("n"), .customLong("line-number")],
        help: ArgumentHelp("Print where: the times, which are printed anyway.", visibility: .hidden))
    var showsPlaces = false

    @Flag(help: "With --format jsonl: also the boxes of every frame.")
    var boxes = false

    @Option(
        help: ArgumentHelp(
            """
            tracked: the picture is shown at once, its boxes followed to it from an earlier reading; exact: it is shown \
            later, with boxes read on that very frame or on both sides of it. (default: exact with --record and --headless, \
            else tracked)
            """))
    var overlay: OverlayMode?

    @Option(
        name: .customLong("overlay-delay"),
        help: ArgumentHelp("How much later --overlay exact shows the picture (default: 350ms).", valueName: "time"))
    var chosenDelay: DurationArgument?

    var overlayDelay: DurationArgument { chosenDelay ?? DurationArgument(seconds: OverlayTiming.defaultDelay.seconds) }

    @Flag(help: "Report figures every second: as events with --format jsonl, else on standard error.")
    var stats = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write results or events to a file.", valueName: "file"), completion: .file())
    var path: String?

    @Flag(help: "Print the GStreamer pipeline that would run, and exit.")
    var printPipeline = false

    /// - Throws: ``FramegrepError`` for options that need sightings, if no pattern is given and none can arrive.
    func checkWithoutPatterns(
        _ notices: NoticeOptions, _ targets: NoticeTargetOptions, _ patterns: PatternOptions
    ) throws {
        let wishes = [
            ("--all", patterns.all), ("--boxes", boxes), ("--save-frames", saveFrames != nil),
            ("--exec", notices.exec != nil), ("--bell", notices.bell),
            ("--mqtt", targets.mqtt != nil && !targets.mqttPatterns), ("--webhook", !targets.webhook.isEmpty),
        ]
        guard let (option, _) = wishes.first(where: \.1) else { return }
        throw FramegrepError(
            .badPattern, "\(option) is about what a pattern finds, and there is no pattern; give one with -e.")
    }

    var format: SightingFormat { askedFormat ?? (events == nil ? .text : .jsonl) }

    /// A recording without a window may be late, so it is exact by default.
    var timing: OverlayTiming {
        switch overlay ?? (record != nil && headless ? .exact : .tracked) {
        case .tracked: .tracked
        case .exact: .exact(delay: overlayDelay.time)
        }
    }

    func validate() throws {
        guard !showsNames || !hidesNames else {
            throw ValidationError("-H and -h contradict each other; give one of them.")
        }
        guard overlayDelay.time.seconds > 0, overlayDelay.time.seconds <= 5 else {
            throw ValidationError("--overlay-delay must be more than 0 and at most 5 seconds.")
        }
        if let askedFormat, askedFormat != .jsonl, events != nil {
            throw ValidationError(
                "--events jsonl is --format jsonl, which contradicts --format \(askedFormat.rawValue).")
        }
    }
}

/// Options for pictures and searches that the window of `live` and `run` may save.
struct WindowOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder in which the key s saves the picture (default: the current one).", valueName: "folder"),
        completion: .directory)
    var snapshots: String?

    @Flag(help: "Neither offer nor keep the searches typed in the window.")
    var noHistory = false

    /// Returns the folder for pictures, which is created if it is missing.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if it cannot be created.
    func snapshotFolder() throws -> String {
        guard let snapshots else { return "." }
        if let reason = NewFolder.make(snapshots, mode: 0o777) {
            throw FramegrepError(.outputFailed, "The folder \(snapshots) cannot be made: \(reason).")
        }
        return snapshots
    }

    /// The searches made before; nothing is kept with `--no-history`.
    var history: SearchHistory {
        SearchHistory(
            path: noHistory ? nil : SearchHistory.defaultPath(in: ProcessInfo.processInfo.environment))
    }
}

/// Options for hiding the findings of `live` and `run`.
struct LiveHidingOptions: ParsableArguments {
    @Flag(
        help: """
            Hide what is found instead of marking it: every frame waits for its reading (--overlay-delay), and frames that cannot be \
            read in time are left out and counted. Results then have no text.
            """)
    var redact = false

    @Option(
        help: ArgumentHelp(
            "How --redact hides: black, pixelate or blur. Only black leaves nothing to be guessed from.",
            valueName: "style"))
    var redactStyle: HidingStyle?

    @Flag(help: "With --redact: of :email and other kinds hide only the match, not the rest of its line.")
    var redactOnlyWords = false

    @Option(
        help: ArgumentHelp(
            """
            With --redact, send the frames to a place as well: v4l2:/dev/video9 for a camera of other programs (v4l2loopback), or the end of a \
            GStreamer pipeline, such as 'x264enc ! rtspclientsink location=…'.
            """, valueName: "place"))
    var to: String?

    /// The additional elements that frames go to; nil for none.
    var tail: String? { to.map(SourceDescription.tail) }

    /// Returns the settings for hiding findings; nil if they are marked instead.
    func settings(_ reading: ReadingOptions, _ output: LiveOutputOptions) throws -> RunningHidingSettings? {
        guard redact else { return nil }
        var settings = RunningHidingSettings()
        // Hiding uses a lower score than finding, unless the user sets one.
        settings.reading = try reading.plan(minimumScore: settings.reading.minimumScore)
        settings.hidesOnlyWords = redactOnlyWords
        settings.style = redactStyle ?? settings.style
        settings.delay = output.overlayDelay.time
        return settings
    }

    func validate() throws {
        guard redact || (redactStyle == nil && !redactOnlyWords && to == nil) else {
            throw ValidationError("--redact-style, --redact-only-words and --to are about --redact; add that.")
        }
    }
}
