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

        let session = Session(
            reading: supply.queue, reader, matcher, settings,
            hasJoined: { request, _ in
                supply.budget.give(request.budgeted)
                if let end = request.frames.last?.time.end { report(.progress(end, of: total)) }
            },
            stop: {
                outcome.stop()
                // What it has at that moment is joined all the same.
                supply.budget.lift()
            },
            tell: { if let event = FindEvent($0) { report(event) } })
        let (summary, failure) = await session.run()
        // Only then the thread ends; an error of its own comes before what follows from it.
        try await supplying
        if let failure { throw failure }
        return try judged(summary, pipeline.bus, outcome)
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

extension Session {
    /// One that loses nothing: the search of a recording.
    ///
    /// - Parameters:
    ///   - queue: the frames to be read.
    ///   - hasJoined: called after each reading.
    ///   - stop: called when no more frames are wanted.
    ///   - tell: called with each event, one after the other.
    init(
        reading queue: BoundedQueue<ReadRequest>, _ reader: any TextReader, _ matcher: Matcher,
        _ settings: FindSettings,
        hasJoined: @escaping @Sendable (ReadRequest, SightingJoiner.Reading) -> Void,
        stop: @escaping @Sendable () -> Void = {}, tell: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.init(
            buffer: .all(queue),
            recognizer: Recognizer(
                engine: reader, tracking: settings.trackingInEffect, seeing: settings.partialResult),
            joiner: SightingJoiner(SearchedWords(matcher), settings.joining, tell: tell),
            limit: 2 * reader.concurrency + 1, hasJoined: hasJoined, stop: stop)
    }
}

extension FindSettings {
    /// The policies that concern what is found.
    fileprivate var joining: SightingJoiner.Settings {
        var result = SightingJoiner.Settings()
        result.minimumScore = minimumScore
        result.maximumCount = maximumCount
        result.keepsBoxes = keepsBoxes
        result.timeline.keepsFades = keepsFades
        result.cutsLater = true
        result.tellsBeginnings = tellsBeginnings
        result.drawsFirst = false
        if reportsAllText {
            result.allText = TextResults.Settings(eachChange: reportsEachChange, isOrdered: ordersText)
        }
        result.tellsResults = reportsFindings
        result.slack = skim?.interval
        (result.textPlaces, result.see) = (textPlaces, see)
        return result
    }
}

extension FindEvent {
    /// Nil for what the search of a recording does not tell.
    init?(_ event: SessionEvent) {
        switch event {
        case .over(let sighting, _): self = .sighting(sighting)
        case .text(let line, _): self = .text(line)
        case .result(let result, _): self = .finding(result)
        case .began, .boxes, .textBegan, .lost: return nil
        }
    }
}
