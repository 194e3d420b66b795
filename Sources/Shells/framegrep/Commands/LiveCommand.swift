import ArgumentParser
import Engines
import Errors
import Foundation
import GStreamerMedia
import Processes
import Spotter
import TextMatching

struct LiveCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Watch a camera, a stream or a recording, with a box on the word.",
        discussion: """
            framegrep live EXIT                        the first camera, in a window
            framegrep live EXIT /dev/video2
            framegrep live EXIT --device c920 --size 1920x1080 --zoom 2
            framegrep live EXIT rtsp://camera/stream --record seen.mp4
            framegrep live EXIT lobby.mp4 --headless --format jsonl
            framegrep live READY -q --headless --timeout 5m    wait at most five minutes:
                                                               status 0 if it is seen
            framegrep live -f words.txt                edit the file to change the words
            other-program | framegrep live --patterns-from - /dev/video0
            framegrep live --all-text /dev/video0      every line that is read, once
            framegrep live EXIT rtsp://camera/stream --remember    keep the text, for
                                                                   'framegrep find WORD'
            framegrep live EXIT --overlay exact        exact boxes, 0.35 s later
            framegrep live --config cameras.toml       several sources as a service
                                                       (docs/SERVICE.md)

            In the window, press h for the keys. docs/LIVE.md has more.
            """,
        helpNames: .long)

    @OptionGroup var request: LiveRequest
    @OptionGroup var service: ServiceOptions

    var isVerbose: Bool { request.options.reading.isVerbose }

    func run() async throws {
        if service.config != nil { throw try await Service.run(service, request) }
        try await request.run()
    }
}

/// `live` for the page: the same job without a window, which `framegrep serve` starts once for each camera.
///
/// Events and, while there is a viewer, frames go to standard output (``ViewerRecord``); commands come from standard
/// input (``ViewerCommand``), and the job ends with it. A process of its own, because decoders and engines are large C
/// libraries: one that crashes takes neither the page along nor the other cameras.
struct FeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed-page", abstract: "What the page's server starts for each camera.", shouldDisplay: false)

    func run() async throws {
        let lines = LineReader(STDIN_FILENO)
        // Not on the command line, which every user of the machine can see.
        guard case .line(let line)? = lines.next(), let job = try? JSONDecoder().decode(JobPlan.self, from: Data(line))
        else {
            throw FramegrepError(
                .badArgument, "This is what 'framegrep serve' starts for each camera; use 'framegrep live'.")
        }
        let words = job.arguments
        words.forEach(rememberSecrets(inArgument:))
        let live = try LiveCommand.parse(words).request
        try live.trust.enforce()
        live.options.reading.enforceLimits()
        let matcher = try live.options.matcher(of: live.options.patterns)
        guard live.arguments.count <= 1 else {
            throw FramegrepError(.badArgument, "One source is fed at a time.")
        }
        let (source, name, _) = try await live.liveSource(try live.source.name(orArgument: live.arguments.first))
        try live.checkMemory(of: name, isRecording: source.recording != nil)
        let memory = try live.options.remembering.memory(ofSource: name, live.options.reading)
        // Reported before the engine is loaded.
        if !source.policy.triesFirstOpening { _ = try await source.open() }
        let kept: [any EventSink] = memory.map { [$0] } ?? []
        throw try await kept.finishing {
            try await feed(source, named: name, as: live, matcher: matcher, memory: memory, lines: lines)
        }
    }

    private func feed(
        _ source: LiveSource, named name: String, as live: LiveRequest, matcher: Matcher,
        memory: LiveIndexRecorder?,
        lines: LineReader
    ) async throws -> ExitStatus {
        var settings = LiveSettings()
        let choice = ReaderChoice(live.options.reading.reader, matcher, givingWayTo: settings.rightOfWay) {
            StandardError.line("framegrep: \($0)")
        }
        let reader = try await choice.load(use: .live)
        let writer = ViewerRecordWriter(StandardOutput.descriptor)
        let feed = ViewerStream(writer)
        try settings.use(live.options.reading, live.options.output, sourceName: name)
        settings.viewer = feed
        let spotter = LiveSpotter(source: source, output: nil, settings: settings, reader: reader, matcher: matcher)
        writer.whenGone { spotter.stop() }
        let orders = ViewerCommands(lines: lines, spotter: spotter, feed: feed, writer: writer, memory: memory)
        try feed.start()
        try orders.start()
        let formatter = LiveEventFormatter(sourceName: name)
        let events = EventListener { writer.write(ViewerRecord(.event, head: formatter.line(for: $0, now: Date()))) }
        let sinks: [(any EventSink)?] = [events, memory]
        let end = try await spotter.run(sinks.compactMap { $0 })
        feed.stop()
        await writer.finish()
        if let failure = end.failure { throw failure }
        return .found
    }
}
