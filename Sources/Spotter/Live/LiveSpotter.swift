public import GStreamerMedia
public import TextSpotting

/// Searches a running picture: the `live` job.
///
/// The picture never waits for recognition: the display thread passes every frame on with the boxes there are, the
/// reader takes the newest frame whenever it is free, and what it cannot keep up with is skipped and counted. A mediator:
/// the parts know only the ``LiveSession`` they share.
public struct LiveSpotter: Sendable {
    /// The pipeline, with `appsink name=frames` and perhaps `appsrc name=overlay`.
    public let description: String
    public let settings: LiveSettings
    let reader: any TextReader
    let words: SearchedWords
    let control = LiveControl()

    public init(description: String, settings: LiveSettings, reader: any TextReader, matcher: Matcher) {
        self.description = description
        self.settings = settings
        self.reader = reader
        words = SearchedWords(matcher)
    }

    /// Runs until the source ends, the person quits, ``stop()`` is called or the task is cancelled.
    ///
    /// Files being recorded are completed before it returns. `report` is called from several threads, one event at a
    /// time for each sighting; it must not block.
    /// - Throws: ``FramegrepError`` when the pipeline cannot be started.
    public func run(_ report: @escaping @Sendable (LiveEvent) -> Void) async throws -> LiveEnd {
        let pipeline = try Pipeline(parsing: description)
        let session = LiveSession(settings: settings, words: words, report: report)
        control.attach(session)
        return try await withTaskCancellationHandler {
            do {
                let end = try await run(pipeline, session)
                await pipeline.stop()
                return end
            } catch {
                await pipeline.stop()
                throw error
            }
        } onCancel: {
            session.end(.signal)
        }
    }

    /// Ends the job cleanly, as Ctrl-C does.
    public func stop() { control.stop() }

    private func run(_ pipeline: Pipeline, _ session: LiveSession) async throws -> LiveEnd {
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        let overlay = pipeline.appSource(named: "overlay")
        _ = overlay?.configure(maxBuffers: 2, block: true, isLive: false)
        overlay?.reportPointer(to: pipeline.bus)
        // With a window, that sets a file's pace, through the queues in between; without one the clock has to.
        let isPaced = !pipeline.hasPacingSink
        _ = try sink.configure(maxBuffers: 3, drop: false, sync: isPaced)
        let isLive = try await pipeline.prepare() == .live
        if isLive {
            sink.becomeLive()
            pipeline.setLatency(Self.displayLatency)
        }
        try await pipeline.play()

        async let display: Void = DedicatedThread.run(named: "framegrep-display") {
            var loop = DisplayLoop(
                session: session, pipeline: pipeline, sink: sink, source: overlay, isLive: isLive,
                keepsTimes: !pipeline.hasWindow)
            loop.run()
        }
        let reading = Task {
            var loop = ReadingLoop(session: session, reader: reader, isShown: overlay != nil)
            do { try await loop.run() } catch let error as FramegrepError { session.end(.error, failure: error) }
        }
        let statistics = Task { await Self.measure(pipeline, sink, overlay != nil, session) }
        let keys = WindowControl(session: session, words: words)
        await keys.follow(pipeline, expectsEnd: overlay != nil)

        // After a failure, or where a recording cannot be written any more, a frame may be stuck on its way into the pipeline.
        let rescue = Task {
            let patience = session.endReason.reason == .error ? Duration.seconds(2) : .seconds(12)
            if (try? await Task.sleep(for: patience)) != nil { await pipeline.stop() }
        }
        try await display
        rescue.cancel()
        statistics.cancel()
        await statistics.value
        // A reading that is under way may take seconds; a person who quits does not wait for it.
        if session.endReason.reason != .eos { reading.cancel() }
        try? await reading.value
        await session.snapshots.finish()
        return session.finish()
    }

    /// A camera's frames make a detour through the program; the window waits so long for them.
    private static let displayLatency = StreamTime(seconds: 0.06)

    private static func measure(_ pipeline: Pipeline, _ sink: AppSink, _ hasWindow: Bool, _ session: LiveSession) async
    {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            session.tick(received: sink.receivedBuffers, window: hasWindow ? pipeline.sinkStatistics() : nil)
        }
    }
}
