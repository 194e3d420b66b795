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
    /// The source's name in messages: never holds credentials.
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
    /// Cancelling the task ends the search cleanly: what has been read by then is joined, sightings so far are reported, then
    /// it returns. An engine that fails ends it too, once the sightings so far are reported.
    /// - Throws: `FramegrepError` when the source cannot be searched at all.
    public func search(_ report: @escaping @Sendable (FindEvent) -> Void) async throws -> FindSummary {
        let pipeline = try Pipeline(parsing: description)
        if let plan = settings.skim {
            let follower = Mutex(SkimPlan.Follower(plan))
            pipeline.letPackets { picture in follower.withLock { $0.lets(picture) } }
        }
        do {
            let summary = try await search(pipeline, report)
            await pipeline.stop()
            return summary
        } catch {
            await pipeline.stop()
            throw error
        }
    }

    private func search(
        _ pipeline: Pipeline, _ report: @escaping @Sendable (FindEvent) -> Void
    ) async throws -> FindSummary {
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        _ = try sink.configure(maxBuffers: 4, drop: false, sync: false)
        _ = try await pipeline.prepare(timeout: settings.patience)
        if !settings.canSeek, pipeline.bringsOnePicture { report(.onePicture) }
        let origin = StreamOrigin.time(of: pipeline, at: sink)
        let total = settings.to ?? pipeline.duration.map { $0 - origin }
        if let from = settings.from, settings.canSeek, !(await pipeline.seek(to: from + origin, accurate: true)) {
            report(
                .warning(
                    FramegrepError(
                        .sourceDamaged,
                        "\(sourceName) cannot be searched from a given time directly: it is read from its beginning.")))
        }
        try await pipeline.play()

        let outcome = SupplyOutcome()
        let supply = FrameSupply(
            sink: sink, queue: BoundedQueue(capacity: reader.concurrency + 1),
            budget: ByteBudget(limit: Self.mostBytes, fewest: reader.concurrency), settings: settings,
            format: reader.pictureFormat, origin: origin, outcome: outcome)
        async let supplying: Void = DedicatedThread.run(named: "framegrep-feed") { try supply.run() }
        let watching = Task { await Self.watch(pipeline.bus, outcome) }
        defer { watching.cancel() }

        let (summary, failure) = await read(
            supply.queue, of: total,
            stop: {
                outcome.stop()
                // What it has at that moment is joined all the same.
                supply.budget.lift()
            },
            joined: { step, _, _ in supply.budget.give(step.budgeted) }, report)
        // Only then the thread ends; an error of its own comes before what follows from it.
        try await supplying
        if let failure { throw failure }
        return try judged(summary, pipeline.bus, outcome)
    }

    /// Reads the pictures of the steps, as many at a time as the reader can, and joins the results in order.
    ///
    /// - Parameters:
    ///   - stop: called when no more steps are wanted.
    ///   - joined: called after each step with what was read of it, and all that is known by then.
    /// - Returns: what was found before all ended, and why it ended where a reading failed.
    func read(
        _ queue: BoundedQueue<ReadRequest>, of total: StreamTime?, stop: @escaping @Sendable () -> Void,
        joined: @escaping @Sendable (ReadRequest, TextTracker?, SightingJoiner) -> Void = { _, _, _ in },
        _ report: @escaping @Sendable (FindEvent) -> Void
    ) async -> (FindSummary, failure: (any Error)?) {
        let readings = OrderedReadings<ReadRequest, TextTracker>(limit: 2 * reader.concurrency + 1)
        let recognizer = Recognizer(engine: reader, tracking: settings.trackingInEffect, seeing: settings.partialResult)
        // A task of its own, because what is read already is joined when this one is cancelled.
        let joining = Task { [self] in
            var joiner = SightingJoiner(settings: settings, matcher: matcher)
            var failure: (any Error)?
            do {
                try await readings.run(
                    next: { await queue.next() },
                    begin: { request in
                        let work = await recognizer.begin(request)
                        // The work has the picture; the request is kept for its frames only.
                        request.picture = nil
                        return work
                    }
                ) { step, tracker in
                    let isEnough = joiner.join(step, tracker, report)
                    joined(step, tracker, joiner)
                    if let end = step.frames.last?.time.end { report(.progress(end, of: total)) }
                    return isEnough
                }
            } catch {
                failure = error
            }
            stop()
            queue.close()
            return (joiner.finish(report), failure)
        }
        return await withTaskCancellationHandler {
            await joining.value
        } onCancel: {
            stop()
            readings.interrupt()
        }
    }

    /// The summary with what became of the source.
    private func judged(_ summary: FindSummary, _ bus: Bus, _ outcome: SupplyOutcome) throws -> FindSummary {
        guard !Task.isCancelled else { return summary }
        var summary = summary
        if let failure = outcome.failure ?? bus.firstFailure {
            guard summary.frames > 0 else { throw failure }
            summary.damage = failure
        } else if summary.frames == 0, settings.from == nil {
            throw FramegrepError(.sourceNotVideo, "\(sourceName) has no picture that could be decoded.")
        }
        return summary
    }

    /// Pictures on their way from the decoder to the readings that join them take no more, unless two steps do: 64 MiB took up to 50 MiB more
    /// at the peak and no less time.
    private static let mostBytes = 24 << 20

    private static func watch(_ bus: Bus, _ outcome: SupplyOutcome) async {
        for await message in bus.messages {
            if case .error(let failure) = message { outcome.fail(failure.error) }
        }
    }
}
