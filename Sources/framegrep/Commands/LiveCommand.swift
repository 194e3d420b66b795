import ArgumentParser
import Foundation
import GStreamerMedia
import Spotter
import TextSpotting

struct LiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Light up a word in a running picture: a camera, a stream, or a file at its own speed.",
        discussion: """
            framegrep live EXIT                        the first camera, in a window
            framegrep live EXIT /dev/video2
            framegrep live EXIT rtsp://camera/stream --record seen.mp4
            framegrep live EXIT lobby.mp4 --headless --events jsonl
            framegrep live -f words.txt                edit the file, and the search changes at once
            other-program | framegrep live --patterns-from - /dev/video0
            framegrep live EXIT --overlay exact        a third of a second late, each box on its own frame

            In the window: space freezes the picture, / types a new word, q quits.
            """)

    @OptionGroup var patterns: PatternOptions
    @OptionGroup var laterPatterns: LivePatternOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: LiveOutputOptions

    @Option(help: ArgumentHelp("Frames a second to ask a camera for.", valueName: "rate"))
    var fps: Int?

    @Option(help: ArgumentHelp("Picture size to ask a camera for.", valueName: "WxH"))
    var size: String?

    @Argument(
        help: ArgumentHelp(
            "The pattern (unless -e, -f or --patterns-from is given), then the source (default: the first camera).",
            valueName: "pattern> <source"))
    var arguments: [String] = []

    func run() async throws {
        let areGiven = patterns.areGivenByOption || laterPatterns.areAwaited
        var patterns = patterns
        // As if by -e: so that it stays when a file of patterns changes.
        if !areGiven { patterns.patterns += arguments.prefix(1) }
        let sources = Array(areGiven ? arguments[...] : arguments.dropFirst())
        guard sources.count <= 1 else {
            throw FramegrepError(
                .badArgument,
                "live searches one source; \(sources.count) were given: \(sources.map(redacted).joined(separator: ", "))."
            )
        }
        let matcher = try patterns.matcher(positional: nil, mayBeNone: laterPatterns.areAwaited)
        let uri = try SourceURI(try sources.first ?? Cameras.first())
        let camera = try CameraFormat(size: size, rate: fps)
        let description = SourceDescription.live(
            uri.text, camera: camera, window: !output.headless, recording: output.record)
        if output.printPipeline { return print(redacted(description)) }
        if uri.isCamera { try Cameras.check(String(uri.text.dropFirst("v4l2://".count))) }
        if uri.path != nil { _ = try await MediaProbe.examine(uri: uri.text) }
        throw try await LiveSearch(
            reading: reading, output: output, matcher: matcher, patterns: patterns, readsInput: laterPatterns.areAwaited
        )
        .run(description, sourceName: uri.redacted)
    }
}
