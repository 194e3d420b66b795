import DequeModule
import Errors
import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting
import Threads

/// Searches one recording or still: the `find` job.
///
/// No frame is lost and nothing depends on the machine's speed: the decoder waits when the reader is behind, which frames
/// are read is decided from the pictures alone, and readings are joined in the order of frames. Use one instance for
/// one source; ``search(_:)`` may be called once.
public struct FileSpotter: Sendable {
    /// The pipeline that brings the frames, with `appsink name=frames`.
    public let description: String
    /// What messages call the source: never holds credentials.
    public let sourceName: String
    public let settings: FindSettings
    let reader: any TextReader
    let matcher: Matcher

    public init(
        description: String, sourceName: String, settings: FindSettings, reader: any TextReader, matcher: Matcher
    ) {
        self.description = description
        self.sourceName = sourceName
        self.settings = settings
        self.reader = reader
        self.matcher = matcher
    }

    /// Runs the search to its end, reporting each event as it becomes known.
    ///
    /// Cancelling the task ends the search cleanly: sightings so far are reported, then it returns.
    /// - Throws: ``FramegrepError`` when the source cannot be searched at all.
    public func search(_ report: @Sendable (FindEvent) -> Void) async throws -> FindSummary {
        let pipeline = try Pipeline(parsing: description)
        do {
            let summary = try await search(pipeline, report)
            await pipeline.stop()
            return summary
        } catch {
            await pipeline.stop()
            throw error
        }
    }

    private func search(_ pipeline: Pipeline, _ report: @Sendable (FindEvent) -> Void) async throws -> FindSummary {
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        _ = try sink.configure(maxBuffers: 4, drop: false, sync: false)
        _ = try await pipeline.prepare()
        let total = settings.to ?? pipeline.duration
        if let from = settings.from, settings.canSeek, !(await pipeline.seek(to: from, accurate: true)) {
            report(
                .warning(
                    FramegrepError(
                        .sourceDamaged,
                        "\(sourceName) cannot be searched from a given time directly: it is read from its beginning.")))
        }
        try await pipeline.play()

        let queue = BoundedQueue<FeedStep>(capacity: reader.concurrency + 1)
        let outcome = FeedOutcome()
        async let feeding: Void = DedicatedThread.run(named: "framegrep-feed") {
            [settings, format = reader.pictureFormat] in
            defer { queue.finish() }
            try Self.feed(from: sink, into: queue, settings: settings, format: format, outcome: outcome)
        }
        let watching = Task { await Self.watch(pipeline.bus, outcome) }
        defer { watching.cancel() }

        var joiner = SightingJoiner(settings: settings, matcher: matcher)
        do {
            try await withTaskCancellationHandler {
                try await read(queue, &joiner, of: total, report)
            } onCancel: {
                outcome.stop()
                queue.close()
            }
        } catch {
            outcome.stop()
            queue.close()
            try? await feeding
            if error is CancellationError { return joiner.finish(report) }
            throw error
        }
        outcome.stop()
        queue.close()
        try await feeding
        var summary = joiner.finish(report)
        summary.frames = outcome.frames
        if let failure = outcome.failure ?? pipeline.bus.firstFailure {
            guard summary.frames > 0 else { throw failure }
            summary.damage = failure
        } else if summary.frames == 0, !Task.isCancelled, settings.from == nil {
            throw FramegrepError(.sourceNotVideo, "\(sourceName) has no picture that could be decoded.")
        }
        return summary
    }

    /// Reads the pictures of the steps, as many at a time as the reader can, and joins the results in order.
    private func read(
        _ queue: BoundedQueue<FeedStep>, _ joiner: inout SightingJoiner, of total: StreamTime?,
        _ report: @Sendable (FindEvent) -> Void
    ) async throws {
        var readings = Deque<(step: FeedStep, tracker: Task<TextTracker, any Error>?)>()
        defer { for reading in readings { reading.tracker?.cancel() } }
        var latest: (geometry: FrameGeometry, tracker: Task<TextTracker, any Error>)?
        var isOver = false
        while true {
            if !isOver, readings.count < 2 * reader.concurrency + 1 {
                guard var step = await queue.next() else {
                    isOver = true
                    try Task.checkCancellation()
                    continue
                }
                let before = latest.flatMap { $0.geometry == step.geometry ? $0.tracker : nil }
                let tracker = begin(step, after: before)
                if let tracker {
                    latest = (step.geometry, tracker)
                    joiner.readings += 1
                }
                // The task has the picture; the step is kept for its frames only.
                step.picture = nil
                readings.append((step, tracker))
            } else if let (step, tracker) = readings.popFirst() {
                let isEnough = try await withTaskCancellationHandler {
                    joiner.join(step, try await tracker?.value, report)
                } onCancel: {
                    tracker?.cancel()
                }
                if let end = step.frames.last?.time.end { report(.progress(end, of: total)) }
                if isEnough { return }
            } else {
                return
            }
        }
    }

    /// Starts reading a step's picture, if it has one; what is known from the reading `before` is not read again.
    private func begin(_ step: FeedStep, after before: Task<TextTracker, any Error>?) -> Task<TextTracker, any Error>? {
        guard let picture = step.picture, let time = step.frames.last?.time else { return nil }
        let fresh = TextTracker(settings: settings.trackingInEffect)
        return Task { [reader] in
            let begun = ContinuousClock.now
            let tracker = try await reader.read(
                picture, at: time,
                after: PreviousReading(changed: before == nil ? nil : step.changed, displacement: step.displacement) {
                    try await before?.value ?? fresh
                })
            DebugLog.tell(of: tracker, at: time, after: .now - begun)
            return tracker
        }
    }

    /// Pulls frames until the source ends, breaks or nobody wants more; blocks its thread.
    private static func feed(
        from sink: AppSink, into queue: BoundedQueue<FeedStep>, settings: FindSettings, format: Picture.Format,
        outcome: FeedOutcome
    ) throws {
        var feed = FrameFeed(settings: settings, format: format)
        pulling: while !outcome.isStopped {
            switch sink.pull(timeout: .milliseconds(200)) {
            case .sample(let sample):
                if let to = settings.to, let time = sample.streamTime, time >= to { break pulling }
                for step in try feed.consider(sample) where !queue.push(step) { return }
                outcome.frames = feed.frameCount
            case .timedOut:
                // After an error some elements send no end of stream: what was decoded has been pulled by now.
                if outcome.failure != nil { break pulling }
            case .endOfStream:
                break pulling
            }
        }
        let rest = try feed.finish()
        outcome.frames = feed.frameCount
        for step in rest where !queue.push(step) { return }
    }

    private static func watch(_ bus: Bus, _ outcome: FeedOutcome) async {
        for await message in bus.messages {
            if case .error(let failure) = message { outcome.fail(failure.error) }
        }
    }
}

/// What the feeding thread, the bus and the reading task tell each other. Thread-safe.
private final class FeedOutcome: Sendable {
    private struct State {
        var isStopped = false
        var failure: FramegrepError?
        var frames = 0
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }
    var failure: FramegrepError? { state.withLock { $0.failure } }
    var frames: Int {
        get { state.withLock { $0.frames } }
        set { state.withLock { $0.frames = newValue } }
    }

    func stop() { state.withLock { $0.isStopped = true } }

    /// The first failure is the cause; later ones follow from it.
    func fail(_ error: FramegrepError) { state.withLock { $0.failure = $0.failure ?? error } }
}
