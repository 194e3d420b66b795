public import Errors
import GStreamerMedia
public import TextMatching
public import TextSpotting
import Threads

/// Searches a running picture: the `live` job.
///
/// The picture never waits for recognition: the display thread passes every frame on with the boxes there are, the
/// reader takes the newest frame whenever it is free, and what it cannot keep up with is skipped and counted. A mediator:
/// the parts know only the ``LiveSession`` they share.
public struct LiveSpotter: Sendable {
    /// What is searched, and what its frames are passed on to.
    private enum Job: Sendable {
        /// One pipeline of the person's own, with `appsink name=frames` and perhaps `appsrc name=overlay`.
        case pipeline(String)
        /// A source that can be opened again, and a pipeline that begins with `appsrc name=overlay`; nil for no picture.
        case source(LiveSource, output: String?)
    }

    private let job: Job
    public let settings: LiveSettings
    let reader: any TextReader
    let words: SearchedWords
    let control = LiveControl()
    private let zoom: DigitalZoom?
    private let controls: SourceControls?

    /// Hosts a pipeline of the person's own. When its source is lost the job ends, because nobody knows which of its
    /// elements could be made anew.
    ///
    /// - Parameter description: with `appsink name=frames` and perhaps `appsrc name=overlay`.
    public init(description: String, settings: LiveSettings, reader: any TextReader, matcher: Matcher) {
        self.init(.pipeline(description), settings, reader, matcher, zoom: nil)
    }

    /// Searches a source that is opened again when it is lost, while the window and the recording go on.
    ///
    /// - Parameter output: begins with `appsrc name=overlay`; nil where nobody sees the picture.
    public init(
        source: LiveSource, output: String?, settings: LiveSettings, reader: any TextReader, matcher: Matcher
    ) {
        self.init(.source(source, output: output), settings, reader, matcher, zoom: DigitalZoom())
    }

    private init(_ job: Job, _ settings: LiveSettings, _ reader: any TextReader, _ matcher: Matcher, zoom: DigitalZoom?)
    {
        self.job = job
        self.settings = settings
        self.reader = reader
        self.zoom = zoom
        words = SearchedWords(matcher)
        controls = zoom.map { SourceControls(zoom: $0) }
    }

    /// Zoom, torch and the like; nil where the description is the person's own.
    public var camera: (any CameraControls)? { controls }

    /// Runs until the source ends, the person quits, ``stop()`` is called or the task is cancelled.
    ///
    /// Files being recorded are completed before it returns. `report` is called from several threads, one event at a
    /// time for each sighting; it must not block.
    /// - Throws: ``FramegrepError`` when the pipeline cannot be started.
    public func run(_ report: @escaping @Sendable (LiveEvent) -> Void) async throws -> LiveEnd {
        let policy =
            switch job {
            case .pipeline: LossPolicy.none
            case .source(let source, _): source.policy
            }
        let session = LiveSession(
            settings: settings, words: words, policy: policy, controls: controls, report: report)
        control.attach(session)
        defer { control.detach() }
        return try await withTaskCancellationHandler {
            switch job {
            case .pipeline(let description):
                let pipeline = try Pipeline(parsing: description)
                return try await stopping(pipeline) { try await host(pipeline, session) }
            case .source(let source, let output):
                let output = try output.map { try Pipeline(parsing: $0) }
                return try await stopping(output) { try await keep(source, output, session) }
            }
        } onCancel: {
            session.end(.signal)
        }
    }

    /// Searches for something else from now on, beginning with what was read last. May be called at any time, also before
    /// the job runs, from any thread.
    public func search(for matcher: Matcher) { words.replace(with: matcher) }

    /// What is searched for now.
    public var matcher: Matcher { words.matcher }

    /// Reports a warning among the job's events, from any thread; before the job runs there is nobody to tell.
    public func warn(_ warning: FramegrepError) { control.warn(warning) }

    /// Ends the job cleanly, as Ctrl-C does.
    public func stop() { control.stop() }

    /// Stops the pipeline after `body`, however that ends.
    private func stopping(_ pipeline: Pipeline?, _ body: () async throws -> LiveEnd) async throws -> LiveEnd {
        do {
            let end = try await body()
            await pipeline?.stop()
            return end
        } catch {
            await pipeline?.stop()
            throw error
        }
    }

    /// One pipeline is source and output.
    private func host(_ pipeline: Pipeline, _ session: LiveSession) async throws -> LiveEnd {
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        let overlay = pipeline.appSource(named: "overlay")
        _ = overlay?.configure(maxBuffers: 2, block: true, isLive: false)
        overlay?.reportPointer(to: pipeline.bus)
        RecordedPicture.settle(in: pipeline)
        // With a window, that sets a file's pace, through the queues in between; without one the clock has to.
        _ = try sink.configure(maxBuffers: 3, drop: false, sync: !pipeline.hasPacingSink)
        session.sayState()
        let isLive = try await pipeline.prepare() == .live
        let latency = latency(isLive: isLive, isShown: overlay != nil)
        if isLive { sink.becomeLive() }
        if latency > .zero { pipeline.setLatency(latency) }
        let frames = SourceFrames(shared: pipeline)
        frames.connect(sink, isLive: isLive)
        try await pipeline.play()
        let watch = Task { await noticeSilence(of: frames, session) }
        defer { watch.cancel() }
        return try await show(frames, pipeline, overlay, latency, session)
    }

    /// Source and output are two pipelines, so that the source can be opened again.
    private func keep(_ source: LiveSource, _ output: Pipeline?, _ session: LiveSession) async throws -> LiveEnd {
        let overlay = output?.appSource(named: "overlay")
        _ = overlay?.configure(maxBuffers: 2, block: true, isLive: false)
        if let output {
            overlay?.reportPointer(to: output.bus)
            RecordedPicture.settle(in: output)
        }
        session.sayState()
        // The window comes first: without a display nothing else needs to be opened.
        if let output { _ = try await output.prepare() }
        let zoom = zoom ?? DigitalZoom()
        let frames = SourceFrames()
        let keeper = SourceKeeper(
            source: source, session: session, frames: frames, isPaced: !(output?.hasPacingSink ?? false), zoom: zoom)
        let opening = Task { try await keeper.begin() }
        session.whenStopping { opening.cancel() }
        do { try await opening.value } catch is CancellationError where session.isStopping {}
        // What is waited for is taken for a camera: nobody knows yet what it will be.
        let latency = latency(isLive: frames.isLive || source.policy.triesFirstOpening, isShown: overlay != nil)
        if latency > .zero { output?.setLatency(latency) }
        do {
            try await output?.play()
        } catch {
            session.end(.error)
            // Closes the source, which is open by now.
            await keeper.keep()
            throw error
        }
        let keeping = Task { await keeper.keep() }
        session.whenStopping { keeping.cancel() }
        let end: LiveEnd
        do {
            end = try await show(frames, output, overlay, latency, session)
        } catch {
            session.end(.error)
            await keeping.value
            throw error
        }
        await keeping.value
        return end
    }

    /// How much later than their time the output shows frames: the detour through the program, and what the boxes wait for.
    private func latency(isLive: Bool, isShown: Bool) -> StreamTime {
        let delay = isShown ? settings.overlay.delay : .zero
        return isLive || delay > .zero ? Self.displayLatency + delay : .zero
    }

    /// Notices that a source has gone silent.
    private func noticeSilence(of frames: SourceFrames, _ session: LiveSession) async {
        while (try? await Task.sleep(for: .milliseconds(200))) != nil {
            guard let silence = frames.silence else { continue }
            _ = session.sourceSilent(for: silence.silent, held: silence.held)
        }
    }

    /// Shows and reads the frames until the job is over.
    private func show(
        _ frames: SourceFrames, _ output: Pipeline?, _ overlay: AppSource?, _ latency: StreamTime,
        _ session: LiveSession
    ) async throws -> LiveEnd {
        async let display: Void = DedicatedThread.run(named: "framegrep-display") {
            var loop = DisplayLoop(
                session: session, frames: frames, output: output, source: overlay,
                keepsTimes: !(output?.hasWindow ?? false), latency: latency)
            loop.run()
        }
        let findings = LiveFindings(session: session, isShown: overlay != nil)
        // Also while nothing new is read: the picture may stand still, or the reader take its time.
        let searching = Task { for await _ in words.changes { await findings.searchAgain() } }
        defer { searching.cancel() }
        let reading = Task {
            var loop = ReadingLoop(session: session, reader: reader, findings: findings)
            do throws(FramegrepError) { try await loop.run() } catch { session.end(.error, failure: error) }
        }
        let statistics = Task { await Self.measure(output, frames, overlay != nil, session) }
        if let output {
            let keys = WindowControl(session: session, words: words)
            await keys.follow(output, expectsEnd: overlay != nil)
        }

        // Where a recording cannot be written any more, a frame may be stuck on its way into the pipeline.
        let rescue = Task {
            let hasFailed = !frames.isShared && output?.bus.firstFailure != nil
            let patience = hasFailed ? Duration.zero : session.endReason.reason == .error ? .seconds(2) : .seconds(12)
            if (try? await Task.sleep(for: patience)) != nil { await output?.stop() }
        }
        try await display
        rescue.cancel()
        statistics.cancel()
        await statistics.value
        // A reading that is under way may take seconds; a person who quits does not wait for it.
        if session.endReason.reason != .eos { reading.cancel() }
        await reading.value
        await session.snapshots.finish()
        return session.finish()
    }

    /// Frames make a detour through the program; the window waits so long for them, and what else plays with it.
    private static let displayLatency = StreamTime(seconds: 0.06)

    private static func measure(
        _ output: Pipeline?, _ frames: SourceFrames, _ hasWindow: Bool, _ session: LiveSession
    ) async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            session.tick(received: frames.received, window: hasWindow ? output?.sinkStatistics() : nil)
        }
    }
}
