public import Errors
public import GStreamerMedia
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
    private let file: SourceFile?

    /// - Parameter file: the source's file as it was when it was opened; nil if it is none, or nothing is to be said of its changes.
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
    /// Cancelling the task ends the search cleanly: what has been read by then is joined, sightings so far are reported, then
    /// it returns. An engine that fails ends it too, once the sightings so far are reported.
    /// - Parameters:
    ///   - report: must not block.
    ///   - keepPace: is waited for after each reading, so that a search is no faster than what it reports is taken.
    /// - Throws: `FramegrepError` when the source cannot be searched at all.
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
                        "\(sourceName) cannot be searched from a given time directly: it is read from its beginning.")))
        }
        return try await search(from: nil, report, keepPace) ?? FindSummary()
    }

    /// - Parameter start: where the source is to begin; nil for its own beginning.
    /// - Returns: nil if it cannot begin there, and has to be opened anew.
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
                // Requests that it has at that moment are joined all the same.
                supply.budget.lift()
            },
            tell: { if let event = FindEvent($0) { report(event) } })
        let (summary, failure) = await session.run()
        // Only then the thread ends; an error of its own comes before what follows from it.
        try await supplying
        if let failure { throw failure }
        return try judged(summary, pipeline.bus, outcome, report)
    }

    /// Supplies frames on a thread of their own; where the system gives none, nothing waits for what never comes.
    private static func run(_ supply: FrameSupply) async throws {
        do {
            try await DedicatedThread.run(named: "framegrep-feed") { try supply.run() }
        } catch {
            supply.queue.finish()
            throw error
        }
    }

    /// The summary with what became of the source.
    private func judged(
        _ summary: FindSummary, _ bus: Bus, _ outcome: SupplyOutcome, _ report: (FindEvent) -> Void
    ) throws -> FindSummary {
        let isEnough = settings.maximumCount.map { summary.sightings >= $0 } ?? false
        guard !Task.isCancelled, !isEnough else { return summary }
        var summary = summary
        if let change = file?.change() {
            guard change.isGrowth else {
                // Other errors follow from it.
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
    /// The policies that concern what is found.
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

/// An event of a running search, in order.
public enum FindEvent: Sendable {
    /// A sighting is over and will not change any more; quads are in pixels of the picture as displayed.
    case sighting(Sighting)
    /// A line of text was on screen, matched or not; only when all text was asked for. Its `pattern` is empty.
    case text(Sighting)
    /// The source turns out to be one picture, so that times mean nothing; before anything is found in it. Only of a source that could
    /// not be looked at before.
    case onePicture
    /// A frame was read; only when findings were asked for.
    case finding(FrameResult)
    /// How far the search is, in stream time.
    case progress(StreamTime, of: StreamTime?)
    /// Something is not as it should be, but the search goes on.
    case warning(FramegrepError)
}

/// Pulls the frames of a recording and hands on the steps that they complete. Blocks its thread, which is one of its own.
struct FrameSupply: Sendable {
    let sink: AppSink
    let queue: BoundedQueue<ReadRequest>
    let budget: ByteBudget
    let settings: FindSettings
    /// The picture format that the reader wants.
    let format: Picture.Format
    /// The source's time of its beginning; see ``StreamOrigin``.
    let origin: StreamTime
    let outcome: SupplyOutcome

    /// Runs until the source ends, breaks or stalls, or no more is wanted.
    ///
    /// - Throws: ``FramegrepError`` when a frame cannot be converted or the region is outside of it.
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
                // After an error some elements send no end of stream, once they have decoded what came before it.
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

    /// False once no more is wanted.
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

    /// The first failure is the cause; later ones follow from it.
    func fail(_ error: FramegrepError) { state.withLock { $0.failure = $0.failure ?? error } }
}

/// Settings of a search of a recording besides its patterns.
public struct FindSettings: Sendable {
    /// When frames are read.
    public var gate = ChangeGate.Settings()
    /// Which lines are read again, and how readings of one line are put together.
    public var tracking = TextTracker.Settings()
    public var reading: ReadingPlan
    /// Search from this time on; nil for the beginning.
    public var from: StreamTime?
    /// Whether the source may be asked to begin at ``from``; one that comes through a pipe is read up to there.
    public var canSeek = true
    /// Search up to this time; nil for the end.
    public var to: StreamTime?
    /// Stop as soon as so many sightings have begun, which are those that are reported; nil for all. Their ends are those
    /// known then, so a sighting that is not over ends with the last frame that was searched.
    public var maximumCount: Int?
    /// Keep the box of every frame of each sighting.
    public var keepsBoxes = false
    /// Sightings last from the first trace of a fade to the last, not from half to half.
    public var keepsFades = false
    /// Report every line that is read, besides the matches.
    public var reportsAllText = false
    /// Of a line that gets longer or shorter, as it is typed, report each state that was read, not only the best.
    public var reportsEachChange = false
    /// Report lines in the order in which they began, each once: several reports of one line are put together. They come
    /// later then.
    public var ordersText = false
    /// Is called with each step as it is joined, for showing sightings before they are over; with ``keepsBoxes`` each box is reported once,
    /// here or in the sighting that is over.
    var see: (@Sendable (SightingStep) -> Void)?
    /// Told of each line as soon as it is read, in pixels of the frame as stored, on any thread.
    var partialResult: (@Sendable (TextLine, FrameTime) -> Void)?
    /// Tell sightings when they begin too, and the boxes of each reading.
    var tellsBeginnings = false
    /// Collects where all text stands, for drawing labels later; nil if they are not drawn.
    public var textPlaces: TextRegions?
    /// Report what each reading found, besides the matches.
    public var reportsFindings = false
    /// Look at some pictures only; nil for all of them.
    public var skim: SkimPlan?
    /// How long the source may bring no picture while there is nothing to do, before that is an error.
    public var patience = Duration.seconds(30)

    /// How many times as long as the bound on age a line may go unread that is free of doubt and looks as it did.
    static let settledAges: Int64 = 12

    /// - Parameter reading: with the bound on age of the gate, where one was asked for.
    public init(_ reading: ReadingPlan = ReadingPlan()) {
        self.reading = reading
        gate.maximumAge = reading.maximumAge ?? gate.maximumAge
    }

    /// Pictures that are so far apart are read where they differ, however old the last reading is.
    ///
    /// - Parameter plan: which pictures are looked at.
    public mutating func skim(_ plan: SkimPlan) {
        skim = plan
        gate.maximumAge = reading.maximumAge ?? Self.skimmedAge
    }

    private static let skimmedAge = StreamTime(seconds: 60)

    /// The same as it goes with the gate: where every frame is read, so is every line of it, and each reading stands for
    /// itself.
    var trackingInEffect: TextTracker.Settings {
        var settings = tracking
        settings.maximumAge = gate.maximumAge
        // Finding lines again and comparing their pictures is cheap, reading a screen full of them is not.
        settings.settledAge = StreamTime(nanoseconds: Self.settledAges * gate.maximumAge.nanoseconds)
        return gate.policy == .everyFrame ? settings.readingAnew : settings
    }
}
