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
        do {
            let summary = try await search(pipeline, from: start, report, keepPace)
            await pipeline.stop()
            return summary
        } catch {
            await pipeline.stop()
            throw error
        }
    }

    private func search(
        _ pipeline: Pipeline, from start: StreamTime?, _ report: @escaping @Sendable (FindEvent) -> Void,
        _ keepPace: @escaping @Sendable () async -> Void
    ) async throws -> FindSummary? {
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        _ = try sink.configure(maxBuffers: 4, drop: false, sync: false)
        sink.takeFramesAsTheyLie()
        _ = try await pipeline.prepare(timeout: settings.patience)
        if !settings.canSeek, pipeline.bringsOnePicture { report(.onePicture) }
        let beginning = StreamStart(of: pipeline, at: sink, interval: settings.skim?.interval)
        let origin = beginning.origin
        if let start, !(await beginning.move(to: start)) { return nil }
        let total = settings.to ?? pipeline.duration.map { $0 - origin }
        try await pipeline.play()

        let outcome = SupplyOutcome()
        let supply = FrameSupply(
            sink: sink, queue: BoundedQueue(capacity: reader.concurrency + 1),
            budget: ByteBudget(limit: Self.mostBytes, fewest: reader.concurrency), settings: settings,
            format: reader.pictureFormat, origin: origin, outcome: outcome)
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
        return try judged(summary, pipeline.bus, outcome, report)
    }

    /// Supplies frames on a thread of their own; if the system cannot start one, waiters are released.
    private static func run(_ supply: FrameSupply) async throws {
        do {
            try await DedicatedThread.run(named: "framegrep-feed") { try supply.run() }
        } catch {
            supply.queue.finish()
            throw error
        }
    }

    /// Returns the summary, taking the final state of the source into account.
    private func judged(
        _ summary: FindSummary, _ bus: Bus, _ outcome: SupplyOutcome, _ report: (FindEvent) -> Void
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
        if let failure = outcome.failure ?? bus.firstFailure {
            guard summary.frames > 0 else { throw failure }
            summary.damage = failure
        } else if summary.frames == 0, settings.from == nil {
            throw FramegrepError(.sourceNotVideo, "\(sourceName) has no picture that could be decoded.")
        }
        return summary
    }

    /// The largest size of the pictures between the decoder and the joined readings, unless two steps need more: 64 MiB
    /// took up to 50 MiB more at the peak and no less time.
    private static let mostBytes = 24 << 20

    private static func watch(_ bus: Bus, _ outcome: SupplyOutcome) async {
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

/// Pulls the frames of a recording and passes on the steps that they complete. Blocks its thread, so it has one of its
/// own.
struct FrameSupply: Sendable {
    let sink: AppSink
    let queue: BoundedQueue<ReadRequest>
    let budget: ByteBudget
    let settings: FindSettings
    /// The picture format that the reader needs.
    let format: Picture.Format
    /// The source's time of its beginning; see ``StreamOrigin``.
    let origin: StreamTime
    let outcome: SupplyOutcome

    /// Runs until the source ends, breaks or stalls, or no more frames are wanted.
    ///
    /// - Throws: ``FramegrepError`` if a frame cannot be converted or the region is outside it.
    func run() throws {
        defer { queue.finish() }
        var feed = FrameSelector(settings: settings, format: format, origin: origin)
        var watch = StallWatch(patience: settings.patience)
        var broken = StallWatch.afterFailure
        pulling: while !outcome.isStopped {
            switch sink.pull(timeout: .milliseconds(200)) {
            case .sample(let sample):
                for step in try feed.consider(sample) where !push(step) { return }
                if feed.isBeyond { break pulling }
                watch.reset()
                broken.reset()
            case .timedOut:
                // After an error some elements never send the end of the stream, even when they have decoded everything
                // before it.
                if outcome.failure != nil, broken.look(at: .now, work: ProcessWork.current) { break pulling }
                if let stall = watch.stall(at: .now, work: ProcessWork.current) {
                    outcome.fail(stall)
                    break pulling
                }
            case .endOfStream:
                break pulling
            }
        }
        for step in try feed.finish() where !push(step) { return }
    }

    /// Returns false once no more steps are wanted.
    private func push(_ step: ReadRequest) -> Bool {
        var step = step
        step.budgeted = step.byteCount
        budget.take(step.budgeted)
        return queue.push(step)
    }
}

/// The messages between the supplying thread, the bus and the reading task. Thread-safe.
final class SupplyOutcome: Sendable {
    private struct State {
        var isStopped = false
        var failure: FramegrepError?
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }
    var failure: FramegrepError? { state.withLock { $0.failure } }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Records a failure. The first one is the cause; later ones follow from it.
    func fail(_ error: FramegrepError) { state.withLock { $0.failure = $0.failure ?? error } }
}

/// Settings of a search of a recording, apart from its patterns.
public struct FindSettings: Sendable {
    /// The settings for which frames are read.
    public var gate = ChangeGate.Settings()
    /// The settings for which lines are read again, and how readings of one line are combined.
    public var tracking = TextTracker.Settings()
    public var reading: ReadingPlan
    /// The time to search from; nil for the beginning.
    public var from: StreamTime?
    /// Whether the source may be asked to begin at ``from``; a source that comes through a pipe is read up to there.
    public var canSeek = true
    /// The time to search up to; nil for the end.
    public var to: StreamTime?
    /// The number of sightings after whose start the search stops; nil for all. Exactly these are reported, with the
    /// ends known by then: a sighting that is not over ends with the last frame that was searched.
    public var maximumCount: Int?
    /// Whether to keep the box of every frame of each sighting.
    public var keepsBoxes = false
    /// Whether sightings include fades, from the first trace to the last rather than from half to half.
    public var keepsFades = false
    /// Whether to report every line that is read, in addition to the matches.
    public var reportsAllText = false
    /// Whether to report each state of a line that gets longer or shorter, as it is typed, rather than only the best.
    public var reportsEachChange = false
    /// Whether to report lines in the order of their starts, each once, combining several reports of one line. They are
    /// reported later then.
    public var ordersText = false
    /// Called with each step as it is joined, for showing sightings before they are over. With ``keepsBoxes`` each box
    /// is reported once, here or in the finished sighting.
    var see: (@Sendable (SightingStep) -> Void)?
    /// Called with each line as soon as it is read, in pixels of the frame as stored, on any thread.
    var partialResult: (@Sendable (TextLine, FrameTime) -> Void)?
    /// Whether to report the start of sightings too, and the boxes of each reading.
    var tellsBeginnings = false
    /// Collects the places of all text, for drawing labels later; nil if none are drawn.
    public var textPlaces: TextRegions?
    /// Whether to report the findings of each reading, in addition to the matches.
    public var reportsFindings = false
    /// The plan for searching only some pictures; nil for all of them.
    public var skim: SkimPlan?
    /// The time for which the source may supply no picture while the program is idle, before that is an error.
    public var patience = Duration.seconds(30)

    /// The factor by which a line without doubtful letters that looks unchanged may go unread for longer than the bound
    /// on age.
    static let settledAges: Int64 = 12

    /// - Parameter reading: its bound on age, if given, is used for the gate.
    public init(_ reading: ReadingPlan = ReadingPlan()) {
        self.reading = reading
        gate.maximumAge = reading.maximumAge ?? gate.maximumAge
    }

    /// Adjusts the settings for pictures that are far apart: they are read where they differ, whatever the age of the
    /// last reading.
    ///
    /// - Parameter plan: determines which pictures are searched.
    public mutating func skim(_ plan: SkimPlan) {
        skim = plan
        gate.maximumAge = reading.maximumAge ?? Self.skimmedAge
    }

    private static let skimmedAge = StreamTime(seconds: 60)

    /// The tracking settings adjusted to the gate: if every frame is read, so is every line of it, and each reading
    /// stands for itself.
    var trackingInEffect: TextTracker.Settings {
        var settings = tracking
        settings.maximumAge = gate.maximumAge
        // Locating lines again and comparing their pictures is cheap; reading a full screen of them is not.
        settings.settledAge = StreamTime(nanoseconds: Self.settledAges * gate.maximumAge.nanoseconds)
        return gate.policy == .everyFrame ? settings.readingAnew : settings
    }
}
