public import Errors
public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting
import Threads

/// Searches one recording or still: the `find` job.
///
/// No frame is lost and nothing depends on the speed of the machine: the decoder waits when the reader is behind, the
/// choice of frames to read depends only on the pictures, and readings are joined in the order of frames. Use one
/// instance for one source; ``search(_:)`` may be called once.
public struct FileSpotter: Sendable {
    /// The pipeline that supplies the frames, with `appsink name=frames`.
    public let description: String
    /// The name of the source in messages; never contains credentials.
    public let sourceName: String
    public let settings: FindSettings
    let reader: any TextReader
    let matcher: Matcher
    private let file: SourceFile?

    /// - Parameter file: the source's file in the state in which it was opened; nil if the source is not a file, or its
    ///   changes must not be reported.
    public init(
        description: String, sourceName: String, settings: FindSettings, reader: any TextReader, matcher: Matcher,
        file: SourceFile? = nil
    ) {
        self.file = file
        self.description = description
        self.sourceName = sourceName
        self.settings = settings
        self.reader = reader
        self.matcher = matcher
    }

    /// Runs the search to its end, reporting each event as it becomes known.
    ///
    /// Cancelling the task ends the search cleanly: it joins what has been read, reports the sightings so far, and
    /// returns. If an engine fails, the search also ends after reporting the sightings so far.
    /// - Parameters:
    ///   - report: must not block.
    ///   - keepPace: awaited after each reading, so that the search is no faster than its output is consumed.
    /// - Throws: `FramegrepError` if the source cannot be searched at all.
    public func search(
        _ report: @escaping @Sendable (FindEvent) -> Void,
        keepingPace keepPace: @escaping @Sendable () async -> Void = {}
    ) async throws -> FindSummary {
        if let from = settings.from, settings.canSeek {
            if let summary = try await search(from: from, report, keepPace) { return summary }
            try Task.checkCancellation()
            report(
                .warning(
                    FramegrepError(
                        .sourceDamaged,
                        "\(sourceName) does not support seeking, so it is read from its beginning.")))
        }
        return try await search(from: nil, report, keepPace) ?? FindSummary()
    }

    /// - Parameter start: the time at which the source must begin; nil for its own beginning.
    /// - Returns: nil if it cannot begin there, and must be opened again.
    private func search(
        from start: StreamTime?, _ report: @escaping @Sendable (FindEvent) -> Void,
        _ keepPace: @escaping @Sendable () async -> Void
    ) async throws -> FindSummary? {
        let pipeline = try Pipeline(parsing: description)
        if let plan = settings.skim {
            let follower = Mutex(SkimPlan.Follower(plan))
            pipeline.letPackets { picture in follower.withLock { $0.lets(picture) } }
        }
        return try await pipeline.stopping { try await search(pipeline, from: start, report, keepPace) }
    }

    private func search(
        _ pipeline: Pipeline, from start: StreamTime?, _ report: @escaping @Sendable (FindEvent) -> Void,
        _ keepPace: @escaping @Sendable () async -> Void
    ) async throws -> FindSummary? {
        let sink = try await pipeline.preparedSink(within: settings.patience)
        if !settings.canSeek, pipeline.bringsOnePicture { report(.onePicture) }
        let beginning = StreamStart(of: pipeline, at: sink, interval: settings.skim?.interval)
        let origin = beginning.origin
        if let start, !(await beginning.move(to: start)) { return nil }
        let total = settings.to ?? pipeline.duration.map { $0 - origin }
        let grid = grid(of: pipeline)
        let plan = grid.flatMap { self.plan($0, pipeline, sink, origin) }
        try await pipeline.play()
        if let plan {
            let source = PartReader.Source(pipeline: pipeline, sink: sink, origin: origin)
            return try await search(PartedSearch(plan, of: self, from: source), of: total, report, keepPace)
        }
        let borders = grid.map { PartBorders(grid: $0) }
        return try await search(pipeline, sink, origin, borders, of: total, report, keepPace)
    }

    /// Searches everything in order.
    private func search(
        _ pipeline: Pipeline, _ sink: AppSink, _ origin: StreamTime, _ borders: PartBorders?, of total: StreamTime?,
        _ report: @escaping @Sendable (FindEvent) -> Void, _ keepPace: @escaping @Sendable () async -> Void
    ) async throws -> FindSummary {
        let outcome = SupplyOutcome()
        let supply = FrameSupply(
            sink: sink, queue: BoundedQueue(capacity: reader.concurrency + 1),
            budget: ByteBudget(limit: Self.mostBytes, fewest: reader.concurrency), settings: settings,
            format: reader.pictureFormat, origin: origin, outcome: outcome,
            borders: borders)
        async let supplying: Void = Self.run(supply)
        let watching = Task { await Self.watch(pipeline.bus, outcome) }
        defer { watching.cancel() }

        let session = Session(
            reading: supply.queue, reader, matcher, settings,
            hasJoined: { request, _ in
                supply.budget.give(request.budgeted)
                if let end = request.frames.last?.time.end { report(.progress(end, of: total)) }
                await keepPace()
            },
            stop: {
                outcome.stop()
                // Requests that are queued at that moment are still joined.
                supply.budget.lift()
            },
            tell: { if let event = FindEvent($0) { report(event) } })
        let (summary, failure) = await session.run()
        // The thread ends only after this; its own error takes precedence over those that follow from it.
        try await supplying
        if let failure { throw failure }
        return try judged(summary, outcome.failure ?? pipeline.bus.firstFailure, report)
    }

    /// Searches several parts at a time.
    private func search(
        _ parts: PartedSearch, of total: StreamTime?, _ report: @escaping @Sendable (FindEvent) -> Void,
        _ keepPace: @escaping @Sendable () async -> Void
    ) async throws -> FindSummary {
        let joiner = SightingJoiner(SearchedWords(matcher), settings.joining) {
            if let event = FindEvent($0) { report(event) }
        }
        let (failure, damage) = await parts.run { reading in
            let isEnough = await joiner.join(reading)
            if let end = reading.frames.last?.time.end { report(.progress(end, of: total)) }
            await keepPace()
            return isEnough
        }
        let summary = await joiner.finish()
        if let failure { throw failure }
        return try judged(summary, damage, report)
    }

    /// Returns the plan for reading several parts at a time; nil to read one after the other.
    ///
    /// Only files are opened more than once, and only if their container is known from tests to give the same frames
    /// after a seek.
    private func plan(_ grid: PartGrid, _ pipeline: Pipeline, _ sink: AppSink, _ origin: StreamTime) -> PartPlan? {
        guard let limits = settings.parts, limits.parts > 1, file != nil, settings.canSeek,
            let length = pipeline.duration(statedByAnyKind: PartGrid.exactDemuxers),
            let info = sink.firstSample()?.info
        else { return nil }
        let (from, to) = (settings.from ?? .zero, min(settings.to ?? length, length - origin))
        guard from < to else { return nil }
        return PartPlan(grid, from..<to, limits, frameBytes: info.width * info.height * 3 / 2)
    }

    /// Returns the parts that the recording is read in; nil to read it as a whole.
    private func grid(of pipeline: Pipeline) -> PartGrid? {
        guard settings.parts != nil, settings.skim == nil else { return nil }
        return PartGrid(stating: pipeline.duration(statedByAnyKind: PartGrid.exactDemuxers))
    }

    /// Supplies frames on a thread of their own; if the system cannot start one, waiters are released.
    static func run(_ supply: FrameSupply) async throws {
        do {
            try await DedicatedThread.run(named: "framegrep-feed") { try supply.run() }
        } catch {
            supply.queue.finish()
            throw error
        }
    }

    /// Returns the summary, taking the final state of the source into account.
    ///
    /// - Parameter failure: the error that the source reported.
    private func judged(
        _ summary: FindSummary, _ failure: FramegrepError?, _ report: (FindEvent) -> Void
    ) throws -> FindSummary {
        let isEnough = settings.maximumCount.map { summary.sightings >= $0 } ?? false
        guard !Task.isCancelled, !isEnough else { return summary }
        var summary = summary
        if let change = file?.change() {
            guard change.isGrowth else {
                // Other errors follow from this one.
                let error = FramegrepError(.sourceDamaged, change.sentence)
                guard summary.frames > 0 else { throw FramegrepError(error.code, "\(sourceName): \(error.message)") }
                (summary.damage, summary.hasChanged) = (error, true)
                return summary
            }
            report(.warning(FramegrepError(.sourceDamaged, "\(sourceName): \(change.sentence)")))
        }
        if let failure {
            guard summary.frames > 0 else { throw failure }
            summary.damage = failure
        } else if summary.frames == 0, settings.from == nil {
            throw FramegrepError(.sourceNotVideo, "\(sourceName) has no picture that could be decoded.")
        }
        return summary
    }

    /// The largest size of the pictures between the decoder and the joined readings, unless two steps need more: 64 MiB
    /// took up to 50 MiB more at the peak and no less time.
    static let mostBytes = 24 << 20

    static func watch(_ bus: Bus, _ outcome: SupplyOutcome) async {
        for await message in bus.messages {
            if case .error(let failure) = message { outcome.fail(failure.error) }
        }
    }
}

extension Session {
    /// Creates a joiner that loses nothing, for searching a recording.
    ///
    /// - Parameters:
    ///   - queue: the frames to be read.
    ///   - hasJoined: called after each reading.
    ///   - stop: called when no more frames are wanted.
    ///   - tell: called with each event, one after the other.
    init(
        reading queue: BoundedQueue<ReadRequest>, _ reader: any TextReader, _ matcher: Matcher,
        _ settings: FindSettings,
        hasJoined: @escaping @Sendable (ReadRequest, SightingJoiner.Reading) async -> Void,
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
    /// The settings that concern findings.
    fileprivate var joining: SightingJoiner.Settings {
        var result = SightingJoiner.Settings()
        result.minimumScore = reading.minimumScore
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
    /// Returns nil for events that the search of a recording does not report.
    init?(_ event: SessionEvent) {
        switch event {
        case .over(let sighting, _): self = .sighting(sighting)
        case .text(let line, _): self = .text(line)
        case .result(let result, _): self = .finding(result)
        case .began, .boxes, .textBegan, .lost: return nil
        }
    }
}

/// An event of a running search, in order.
public enum FindEvent: Sendable {
    /// A sighting is over and final; its quads are in pixels of the picture as displayed.
    case sighting(Sighting)
    /// A line of text was on screen, matched or not; reported only on request. Its `pattern` is empty.
    case text(Sighting)
    /// The source turned out to be a single picture, so times mean nothing; reported before any finding, and only for
    /// sources that could not be inspected before.
    case onePicture
    /// A frame was read; reported only on request.
    case finding(FrameResult)
    /// The progress of the search, in stream time.
    case progress(StreamTime, of: StreamTime?)
    /// Something is wrong, but the search continues.
    case warning(FramegrepError)
}
