import ArgumentParser
import TextSpotting

enum EventFormat: String, ExpressibleByArgument, CaseIterable {
    case jsonl
}

enum OverlayMode: String, ExpressibleByArgument, CaseIterable {
    case tracked, exact
}

/// What `live` and `run` show, write and report.
struct LiveOutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write the annotated picture to a file (MP4 or MKV).", valueName: "file"))
    var record: String?

    @Flag(help: "Open no window.")
    var headless = false

    @Option(help: "Print events, one JSON object a line: jsonl.")
    var events: EventFormat?

    @Flag(help: "With --events: also the boxes of every frame.")
    var boxes = false

    @Flag(help: "Print the figures of every second on standard error.")
    var stats = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write results or events to a file.", valueName: "file"))
    var path: String?

    @Flag(help: "Print the GStreamer pipeline that would run, and end.")
    var printPipeline = false
}
