import ArgumentParser
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting

struct LiveCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Light up a word in a running picture: a camera, a stream, or a file at its own speed.",
        discussion: """
            framegrep live EXIT                        the first camera, in a window
            framegrep live EXIT /dev/video2
            framegrep live EXIT --device c920 --size 1920x1080 --zoom 2
            framegrep live EXIT rtsp://camera/stream --record seen.mp4
            framegrep live EXIT lobby.mp4 --headless --format jsonl
            framegrep live READY -q --headless --timeout 5m    wait until it is seen: 0; 1 after five minutes
            framegrep live -f words.txt                edit the file, and the search changes at once
            other-program | framegrep live --patterns-from - /dev/video0
            framegrep live --all-text /dev/video0      every line that is read, once
            framegrep live EXIT rtsp://camera/stream --remember    'framegrep find WORD' says later when it was seen
            framegrep live EXIT --overlay exact        a third of a second late, each box on its own frame

            In the window, h shows the keys.
            """,
        helpNames: .long)

    @OptionGroup var patterns: PatternOptions
    @OptionGroup var laterPatterns: LivePatternOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: LiveOutputOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var text: TextOptions
    @OptionGroup var window: WindowOptions
    @OptionGroup var notices: NoticeOptions
    @OptionGroup var targets: NoticeTargetOptions

    @OptionGroup var remembering: RememberOptions
    @OptionGroup var source: SourceOptions
    @OptionGroup var trust: TrustOptions

    @Argument(
        help: ArgumentHelp(
            "The pattern (unless -e, -f or --patterns-from is given), then the source (default: the first camera).",
            valueName: "pattern> <source"),
        completion: .file())
    var arguments: [String] = []

    var isVerbose: Bool { reading.isVerbose }

    func run() async throws {
        if !output.printPipeline { try trust.enforce() }
        reading.enforceLimits()
        let areGiven =
            patterns.areGivenByOption || laterPatterns.areAwaited || text.isAsked && arguments.count <= 1
        var patterns = patterns
        // As if by -e: so that it stays when a file of patterns changes.
        if !areGiven { patterns.patterns += arguments.prefix(1) }
        let sources = Array(areGiven ? arguments[...] : arguments.dropFirst())
        guard sources.count <= 1 else {
            throw FramegrepError(
                .badArgument,
                "live searches one source; \(sources.count) were given: \(sources.map { redacted($0) }.joined(separator: ", "))."
            )
        }
        try StandardInput.check(
            inputs: sources, patternFiles: patterns.files, patternsCome: laterPatterns.areAwaited)
        let mayBeNone = laterPatterns.areAwaited || output.printPipeline || text.isAsked
        let matcher = try patterns.matcher(positional: nil, mayBeNone: mayBeNone)
        if matcher.patterns.isEmpty, !laterPatterns.areAwaited, !output.printPipeline {
            try output.checkWithoutPatterns(notices, targets, patterns)
        }
        let name = try source.name(orArgument: sources.first)
        let (live, shownName, uri) = try await liveSource(name)
        if output.printPipeline {
            let recording = try output.record.map {
                Recording(path: $0, container: try RecordingContainer(ofFileNamed: $0))
            }
            let text = SourceDescription.liveOutput(window: !output.headless, recording: recording)
            // Nothing is connected to for this; a camera is looked at.
            let description =
                if let uri {
                    SourceDescription.liveSource(uri, OpenedSource.manner(of: uri))
                } else { try await live.open().description }
            return try StandardOutput.print(
                redacted(description: [description, text].compactMap { $0 }.joined(separator: " ")))
        }
        var plan = OutputPlan()
        if let uri, let path = uri.path { try plan.reads(path, named: uri.given) }
        for file in patterns.files where file != StandardInput.name { try plan.reads(file, named: file) }
        if remembering.remember, live.search != nil {
            throw FramegrepError(
                .badArgument,
                "\(shownName) is a recording, of which live reads only some frames; 'framegrep index' or 'find --remember' puts all of it into the index."
            )
        }
        let memory = try remembering.memory(ofSource: shownName, reading)
        let search = LiveSearch(
            reading: reading, output: output, outputs: try LiveOutputs(output, plan: plan), window: window,
            limits: limits, text: text, notices: notices, targets: targets, matcher: matcher, patterns: patterns,
            readsInput: laterPatterns.areAwaited, memory: memory)
        throw try await LiveMemory.keeping(memory) { try await search.run(live, sourceName: shownName) }
    }

    /// The source of this name (nil: the first camera), the name under which results show it, and its URI if it is no camera.
    func liveSource(_ name: String?) async throws -> (LiveSource, String, SourceURI?) {
        let turns = try source.turns()
        // A bare word may name a camera, but a path does not.
        let uri = source.device == nil ? try name.map { try SourceURI($0) } : nil
        if uri == nil || uri?.isCamera == true {
            let wanted = uri.map { String($0.text.dropFirst("v4l2://".count)) } ?? name
            var live = CameraSource(wanted, try source.camera()).source
            live.turns = turns
            return (live, wanted ?? "camera", nil)
        }
        guard let uri else { throw FramegrepError(.sourceUnavailable, "There is no source.") }
        try source.checkForCameraOptions()
        try SourceGuard.check(uri, allowing: trust.allowed)
        var live: LiveSource
        if SourceDescription.isNetwork(uri.text) {
            let network = NetworkSource(uri.text, source.reconnect.limit)
            if output.record != nil, !output.printPipeline { await network.bringSound() }
            live = network.source
        } else if output.printPipeline {
            live = LiveSource(description: SourceDescription.liveSource(uri.text), policy: .none)
        } else {
            let opened = try await OpenedSource.open(uri)
            // Holds what is open already.
            let sound = output.record != nil && opened.info.audioFormat != nil
            live = LiveSource(policy: .none) {
                LiveSource.Opening(description: SourceDescription.liveSource(opened, sound: sound))
            }
            live.hasSound = sound
            if !opened.isReadOnce { live.search = SourceDescription.search(opened) }
        }
        live.turns = turns
        return (live, uri.redacted, uri)
    }
}
