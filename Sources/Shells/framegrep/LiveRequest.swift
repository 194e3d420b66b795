import ArgumentParser
import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting

/// All options of `live` that make one job, from the command line or from a table of `--config`.
struct LiveRequest: ParsableArguments {
    @OptionGroup var options: JobOptions
    @OptionGroup var source: SourceOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var voice: VoiceOptions

    @Argument(
        help: ArgumentHelp(
            "The pattern (unless -e, -f or --patterns-from is given), then the source (default: the first camera).",
            valueName: "pattern> <source"),
        completion: .file())
    var arguments: [String] = []

    /// Carries out the request; throws the exit status.
    func run() async throws {
        if !options.output.printPipeline { try trust.enforce() }
        options.reading.enforceLimits()
        var (patterns, given) = try patternsAndSource()
        try StandardInput.check(
            inputs: given.map { [$0] } ?? [], patternFiles: patterns.files,
            patternsCome: options.laterPatterns.areAwaited)
        try options.checkHiding(inOwnPipeline: false)
        try options.checkDependents(voice)
        let name = try source.name(orArgument: given)
        try checkLoss(ofSource: name)
        let matcher = try await matcher(of: &patterns)
        if options.output.printPipeline { return try await printPipeline(of: name) }
        throw try await job(patterns, matcher, source: name).run()
    }

    /// Returns the patterns, including the one that is given without an option, and the source's name.
    private func patternsAndSource() throws -> (patterns: PatternOptions, source: String?) {
        let areGiven =
            options.patterns.areGivenByOption || options.laterPatterns.areAwaited
            || voice.isAsked || options.text.isAsked && arguments.count <= 1
            || options.output.printPipeline && isOnlySource
        var patterns = options.patterns
        // Treat it as if it were given with -e, so that it stays when a file of patterns changes.
        if !areGiven { patterns.patterns += arguments.prefix(1) }
        let sources = Array(areGiven ? arguments[...] : arguments.dropFirst())
        guard sources.count <= 1 else {
            throw FramegrepError(
                .badArgument,
                "live searches one source; \(sources.count) were given: \(sources.map { redacted($0) }.joined(separator: ", ")). To watch several, list them in a file (--config)."
            )
        }
        return (patterns, sources.first)
    }

    /// Whether the only argument names an existing source; only relevant if no pattern is needed.
    private var isOnlySource: Bool {
        guard arguments.count == 1, let name = arguments.first else { return false }
        return name == StandardInput.name || name.contains("://") || FileName.withCName(name, { access($0, F_OK) }) == 0
    }

    private func printPipeline(of name: String?) async throws {
        let opened = try await liveSource(name)
        let recording = try options.output.record.map {
            Recording(path: $0, container: try RecordingContainer(ofFileNamed: $0))
        }
        let text = SourceDescription.liveOutput(
            window: !options.output.headless, recording: recording, tail: options.hiding.tail)
        // This connects to nothing, but examines a camera.
        let description =
            if let uri = opened.uri {
                SourceDescription.liveSource(uri, OpenedSource.manner(of: uri))
            } else { try await opened.live.open().description }
        try StandardOutput.print(redacted(description: [description, text].compactMap { $0 }.joined(separator: " ")))
    }

    /// Returns the matcher of the patterns. If there is no window that listens for the first word, this does.
    private func matcher(of patterns: inout PatternOptions) async throws -> Matcher {
        guard voice.isAsked else { return try options.matcher(of: patterns) }
        guard options.output.headless else { return try patterns.matcher(positional: nil, mayBeNone: true) }
        // Check this before the user is asked to speak.
        try OutputPlan.check(options.output.path, of: self)
        let question = VoiceQuestion(ear: voice.ear, isQuiet: options.reading.isQuiet)
        patterns.patterns.append(try await question.ask(among: { [] }))
        return try options.matcher(of: patterns)
    }

    /// One live job, checked and ready to run.
    struct Job {
        fileprivate let search: LiveSearch
        fileprivate let live: LiveSource
        fileprivate let sourceName: String

        /// Runs the job to its end; its readings are kept however it ends.
        func run() async throws -> ExitStatus {
            let kept: [any EventSink] = search.memory.map { [$0] } ?? []
            return try await kept.finishing { try await search.run(live, sourceName: sourceName) }
        }
    }

    /// Creates the job that the options describe.
    ///
    /// - Parameters:
    ///   - name: the name of the source; nil for the first camera.
    ///   - host: the program that runs other jobs too: the source has its name there, and is waited for even at the
    ///     start.
    /// - Throws: ``FramegrepError`` for a request that cannot work.
    func job(
        _ patterns: PatternOptions, _ matcher: Matcher, source name: String?, in host: LiveHost? = nil
    ) async throws -> Job {
        var (live, shownName, uri) = try await liveSource(name)
        if host != nil, live.policy != .none { live.policy.triesFirstOpening = true }
        var plan = try host?.plan ?? OutputPlan(of: self)
        if let uri, let path = uri.path { try plan.reads(recording: path, named: uri.given) }
        try options.checkHiding(inOwnPipeline: false)
        if let tail = options.hiding.tail {
            for path in try Pipeline(parsing: "appsrc ! \(tail)").filePaths.written { try plan.pipelineWrites(path) }
        }
        try checkMemory(of: shownName, isRecording: live.recording != nil)
        shownName = host?.name ?? shownName
        let outputs = try LiveOutputs(options.output, options.window, options.targets, plan: plan)
        let memory = try outputs.keeping {
            try options.remembering.memory(ofSource: shownName, options.reading, speaker: LiveHost.speaker(host))
        }
        let search = LiveSearch(
            options: options, outputs: outputs, matcher: matcher,
            patterns: patterns, memory: memory, host: host, voice: options.output.headless ? nil : voice)
        return Job(search: search, live: live, sourceName: shownName)
    }

    /// Returns the address that the source's name stands for, after checking options that do not fit it; nil for a
    /// camera.
    private func address(_ name: String?) throws -> SourceURI? {
        // A bare word may name a camera, but a path does not.
        let uri = source.device == nil ? try name.map { try SourceURI($0) } : nil
        guard let uri, !uri.isCamera else { return uri }
        try source.checkForCameraOptions()
        try SourceGuard.check(uri, allowing: trust.allowed)
        return uri
    }

    /// Rejects options for other kinds of source. (In a service they may be given for all sources.)
    ///
    /// - Throws: ``FramegrepError``.
    private func checkLoss(ofSource name: String?) throws {
        if let name, source.device == nil, ScreenSource.isMeant(by: name) {
            return try source.checkLoss(isCamera: false, isNetwork: false)
        }
        let uri = source.device == nil ? try name.map { try SourceURI($0) } : nil
        let isCamera = uri?.isCamera ?? true
        try source.checkLoss(
            isCamera: isCamera, isNetwork: !isCamera && uri.map { SourceDescription.isNetwork($0.text) } == true)
    }

    /// Checks for mistakes in a source's address, whether the source is there or not.
    ///
    /// - Returns: nil for a camera.
    /// - Throws: ``FramegrepError``.
    func checkSource(_ name: String?) throws -> SourceURI? {
        guard source.device == nil, let uri = try name.map({ try SourceURI($0) }), !uri.isCamera else { return nil }
        try SourceGuard.check(uri, allowing: trust.allowed)
        guard !uri.isStandardInput else {
            throw FramegrepError(.badArgument, "Standard input (-) cannot be a source here; name a file or an address.")
        }
        return uri
    }

    /// Rejects `--remember` for a recording.
    ///
    /// - Throws: ``FramegrepError``.
    func checkMemory(of name: String, isRecording: Bool) throws(FramegrepError) {
        guard options.remembering.remember, isRecording else { return }
        throw FramegrepError(
            .badArgument,
            "\(name) is a recording, of which live reads only some frames; 'framegrep index' or 'find --remember' puts all of it into the index."
        )
    }

    /// Returns the source of this name (nil: the first camera), its name in results, and its URI if it is not a camera.
    func liveSource(_ name: String?) async throws -> (live: LiveSource, shownName: String, uri: SourceURI?) {
        let turns = try source.turns()
        if source.device == nil, let name, let screen = try ScreenSource(name) {
            try source.checkForCameraOptions()
            var live = screen.source
            live.turns = turns
            return (live, name, nil)
        }
        let uri = try address(name)
        if uri == nil || uri?.isCamera == true {
            let wanted = uri.map { String($0.text.dropFirst("v4l2://".count)) } ?? name
            var live = try source.camera(wanted).source
            live.turns = turns
            return (live, wanted ?? "camera", nil)
        }
        guard let uri else { throw FramegrepError(.sourceUnavailable, "There is no source.") }
        if let path = uri.path, FolderWalk.isFolder(path) {
            throw FramegrepError(
                .sourceUnavailable,
                "'\(uri.redacted)' is a folder, and live shows one source: name a file in it. 'framegrep find -r' searches all of them."
            )
        }
        // What is only printed is not opened.
        var live =
            options.output.printPipeline
            ? LiveSource(description: SourceDescription.liveSource(uri.text), policy: .none)
            : try await source.opened(uri, withSound: options.output.record != nil)
        live.turns = turns
        return (live, uri.redacted, uri)
    }
}

extension LiveSettings {
    /// Applies the options that concern how a source is read, for a window, a recording or the page.
    ///
    /// - Throws: ``FramegrepError`` for an invalid region.
    mutating func use(
        _ reading: ReadingOptions, _ output: LiveOutputOptions, sourceName: String
    ) throws {
        self.reading = try reading.plan()
        overlay = output.timing
        self.sourceName = sourceName
    }
}

/// The program around a job, if it runs several: shared parts, and the job's own among them.
struct LiveHost: Sendable {
    /// The name of the job in messages.
    let name: String
    /// The output that receives the results of all jobs.
    let results: ResultOutput
    /// The engines: networks are loaded once for all jobs.
    let engines: EngineCache
    /// The files that the program's other jobs read, which must not be overwritten.
    let plan: OutputPlan?
    /// Receives the program's commands to the job.
    let commands: LiveCommands
    /// Receives all of the job's events.
    let sink: any EventSink

    /// Returns the prefix of messages on standard error.
    static func speaker(_ host: LiveHost?) -> String { host.map { "framegrep: \($0.name)" } ?? "framegrep" }
}
