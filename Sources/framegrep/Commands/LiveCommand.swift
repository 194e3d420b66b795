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

            In the window, h shows the keys.
            """)

    @OptionGroup var patterns: PatternOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: LiveOutputOptions
    @OptionGroup var window: WindowOptions
    @OptionGroup var notices: NoticeOptions

    @Option(help: ArgumentHelp("Frames a second to ask a camera for.", valueName: "rate"))
    var fps: Int?

    @Option(help: ArgumentHelp("Picture size to ask a camera for.", valueName: "WxH"))
    var size: String?

    @Argument(
        help: ArgumentHelp(
            "The pattern (unless -e or -f is given), then the source (default: the first camera).",
            valueName: "pattern> <source"))
    var arguments: [String] = []

    func run() async throws {
        let pattern = patterns.areGivenByOption ? nil : arguments.first
        let sources = Array(patterns.areGivenByOption ? arguments[...] : arguments.dropFirst())
        guard sources.count <= 1 else {
            throw FramegrepError(
                .badArgument,
                "live searches one source; \(sources.count) were given: \(sources.map(redacted).joined(separator: ", "))."
            )
        }
        let matcher = try patterns.matcher(positional: pattern)
        let uri = try SourceURI(try sources.first ?? Cameras.first())
        let camera = try CameraFormat(size: size, rate: fps)
        let description = SourceDescription.live(
            uri.text, camera: camera, window: !output.headless, recording: output.record)
        if output.printPipeline { return print(redacted(description)) }
        if uri.isCamera { try Cameras.check(String(uri.text.dropFirst("v4l2://".count))) }
        if uri.path != nil { _ = try await MediaProbe.examine(uri: uri.text) }
        throw try await LiveSearch(reading: reading, output: output, window: window, notices: notices, matcher: matcher)
            .run(description, sourceName: uri.redacted)
    }
}
