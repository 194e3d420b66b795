import Dispatch
import Errors
public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting
public import Threads

/// A search within another program's pipeline: it takes each frame in order, and provides the places of the searched
/// words when the frame is passed on.
///
/// ``take(_:)``, ``isReady(_:)``, ``boxes(on:)`` and ``finish()`` belong to the stream and are called by one thread at
/// a time; the others are for any thread. Events are reported from several threads.
public final class PushedSession: Sendable {
    /// Determines which frames wait to be read.
    public enum Buffer: Sendable {
        /// All frames worth reading, as in a search of a recording: the caller waits when the reader is behind. A frame
        /// that carries boxes waits for its own reading and earlier ones; otherwise only the reader's queue holds the
        /// stream up.
        case all(any TextReader)
        /// The newest frame, as in the live job: no frame waits, and boxes are followed to it from the last reading.
        /// The reader is created off the stream's thread; if that fails, the search ends with that error.
        case latest(@Sendable () async throws -> any TextReader)
    }

    /// State owned by the streaming thread.
    private struct Stream: ~Copyable {
        var receiver: FrameReceiver
        var displayed: DisplayedBoxes
        /// The format of the last frame.
        var info: VideoInfo?
        var hasWarned = false
        /// The state for streams in which all frames are considered.
        var recording: Recording?
        var isOver = false
    }

    /// The streaming thread's state in a stream of which nothing is lost.
    private struct Recording: ~Copyable {
        var selector: FrameSelector
        var clock = FrameClock()
        let part: SearchedPart
        /// For each considered frame, the number of steps that must be read before it is passed on.
        var steps: [Int: Int] = [:]
        var pushed = 0

        mutating func letGo() {
            selector.close()
            part.close()
        }
    }

    /// The progress of the reader of such a stream.
    private struct Progress {
        var joined = 0
        var isOver = false
    }

    private let settings: PushedSettings
    private let parts: LatestSession
    private let sightings: SightingReport
    /// The frames to be read, where all are; nil for the newest only.
    private let queue: BoundedQueue<ReadRequest>?
    private let stream: Mutex<Stream>
    private let taken = Atomic<Int>(0)
    private let progress = Mutex(Progress())
    /// Rings when a step was joined, and at the end.
    private let bell = WakeEvent()
    private let running = DispatchGroup()
    private let reading: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// - Parameter report: called with each event, from several threads; must not block. Lines of text are reported on
    ///   request.
    public init(
        _ settings: PushedSettings, _ matcher: Matcher, buffer: Buffer,
        report: @escaping @Sendable (LiveEvent) -> Void
    ) {
        self.settings = settings
        parts = LatestSession(SearchedWords(matcher), LiveReport(report), policy: .none, stallTime: .seconds(3600))
        var maximumAge = settings.reading.runningAge
        var recording: Recording?
        switch buffer {
        case .latest: queue = nil
        case .all(let reader):
            let search = settings.search
            maximumAge = search.gate.maximumAge
            queue = BoundedQueue(capacity: reader.concurrency + 1)
            recording = Recording(
                selector: FrameSelector(settings: search, format: reader.pictureFormat),
                part: SearchedPart(region: search.reading.region, size: .followed))
        }
        // If frames wait for their boxes, a sighting appears at its start.
        sightings = SightingReport(
            parts.report, parts.measurements, isShown: settings.carriesBoxes && queue == nil, tellsBoxes: false)
        stream = Mutex(
            Stream(
                receiver: FrameReceiver(
                    parts, region: settings.reading.region, isShown: settings.carriesBoxes,
                    readInterval: settings.readInterval),
                displayed: DisplayedBoxes(timing: settings.timing, maximumAge: maximumAge), recording: recording))
        begin(matcher, buffer)
    }

    /// Reads in a task of its own until the frames end.
    private func begin(_ matcher: Matcher, _ buffer: Buffer) {
        running.enter()
        let task = Task(executorPreference: queue == nil ? BatchThreads.shared : nil) { [self] in
            switch buffer {
            case .all(let reader): await readAll(matcher, with: reader)
            case .latest(let reader): await readLatest(with: reader)
            }
            progress.withLock { $0.isOver = true }
            bell.ring()
            running.leave()
        }
        reading.withLock { $0 = task }
    }

    // MARK: The stream

    /// Takes the next frame; the returned index and time identify the frame from now on.
    ///
    /// - Throws: `FramegrepError` if the frame cannot be read, now or ever.
    public func take(_ sample: borrowing Sample) throws -> FrameTime {
        taken.add(1, ordering: .relaxed)
        let sample = sample.retained()
        let (time, steps) = try stream.withLock { stream -> (FrameTime, [ReadRequest]) in
            guard let time = stream.recording?.clock.time(of: sample) else { return (takeLatest(sample, &stream), []) }
            parts.measurements.frameArrived(at: time.start)
            if settings.carriesBoxes, let part = stream.recording?.part {
                let geometry = try part.geometry(of: sample.info)
                let picture = try part.thumbnail(of: sample, geometry)
                stream.displayed.see(FrameHistory.Frame(time: time, picture: picture), geometry)
            }
            return (time, try stream.recording?.selector.consider(sample.retained()) ?? [])
        }
        guard queue != nil else { return time }
        let pushed = push(steps)
        stream.withLock { stream in
            let count = (stream.recording?.pushed ?? 0) + pushed
            stream.recording?.pushed = count
            // A frame is considered when the next one tells how long it lasts.
            if time.index > 0, settings.carriesBoxes { stream.recording?.steps[time.index - 1] = count }
        }
        return time
    }

    private func takeLatest(_ sample: borrowing Sample, _ stream: inout Stream) -> FrameTime {
        stream.info = sample.info
        let (time, thumbnail) = stream.receiver.take(
            sample, 1, arrival: .now, isUntimed: sample.streamTime == nil)
        switch thumbnail {
        case .success(let (frame, geometry)):
            if settings.carriesBoxes { stream.displayed.see(frame, geometry) }
        case .failure(let error):
            guard let warning = FrameReceiver.warning(of: error) else { break }
            if !stream.hasWarned { parts.report.warn(warning) }
            stream.hasWarned = true
        }
        return time
    }

    /// Hands steps to the reader, waiting while it is behind: no lock may be held meanwhile.
    ///
    /// - Returns: the number of steps accepted.
    private func push(_ steps: [ReadRequest]) -> Int {
        steps.prefix { queue?.push($0) ?? false }.count
    }

    /// Returns whether everything about a frame is known; if not, it must be held until a later one was taken.
    public func isReady(_ frame: FrameTime) -> Bool {
        queue == nil || !settings.carriesBoxes
            || stream.withLock { $0.recording?.steps[frame.index] != nil || $0.isOver }
    }

    /// Returns the boxes on a frame. Call it once for each frame, in order.
    public func boxes(on frame: FrameTime) -> [FollowedBox] {
        guard settings.carriesBoxes else { return [] }
        guard queue != nil else { return latestBoxes(on: frame) }
        let needed = stream.withLock { stream in
            stream.recording?.steps.removeValue(forKey: frame.index) ?? stream.recording?.pushed ?? 0
        }
        while progress.withLock({ !$0.isOver && $0.joined < needed }) { bell.wait(atMost: .seconds(1)) }
        return stream.withLock { $0.displayed.boxes(on: frame, parts.latestBoxes.take()) }
    }

    private func latestBoxes(on frame: FrameTime) -> [FollowedBox] {
        let (boxes, info) = stream.withLock {
            ($0.displayed.boxes(on: frame, parts.latestBoxes.take()), $0.info)
        }
        parts.measurements.showed(
            staleness: boxes.map { max(frame.start - $0.readAt, $0.readAt - frame.start) }.max())
        sightings.drew(boxes, at: frame.start) { info?.displayed($0) ?? $0 }
        return boxes
    }

    /// Announces that no frame follows; returns when all frames are read and everything is reported.
    public func finish() {
        do {
            let rest = try stream.withLock { stream -> [ReadRequest] in
                stream.receiver.finish()
                guard !stream.isOver else { return [] }
                stream.isOver = true
                return try stream.recording?.selector.finish() ?? []
            }
            let pushed = push(rest)
            stream.withLock { stream in stream.recording?.pushed += pushed }
        } catch {
            parts.report.tell(.end(.failed(error)))
        }
        queue?.finish()
        running.wait()
        letGo()
    }

    /// Releases the frames, which would otherwise be withheld from their pipeline as long as this object lives.
    private func letGo() {
        stream.withLock { stream in
            stream.receiver.finish()
            stream.recording?.letGo()
        }
    }

    /// Ends the search at once: a thread that waits in one of the functions above continues, unread frames stay unread,
    /// and known results are reported.
    public func interrupt() {
        queue?.close()
        parts.slot.close()
        reading.withLock { $0 }?.cancel()
        // A reading in progress may take a second more, and needs none of these.
        parts.frameHistory.clear()
    }

    /// Calls `body` on any thread when the search has ended completely. Call this after ``finish()`` or
    /// ``interrupt()``.
    public func whenOver(_ body: @escaping @Sendable () -> Void) {
        running.notify(queue: .global()) { [self] in
            letGo()
            body()
        }
    }

    /// Changes the search from now on, if that is possible without starting again: frames that were read with other
    /// patterns are not read again.
    ///
    /// - Returns: whether it was possible.
    public func search(for matcher: Matcher) -> Bool {
        guard queue == nil else { return false }
        parts.words.replace(with: matcher)
        return true
    }

    /// Records that a frame was shown late. Frames that wait for readings are late anyway.
    public func frameWasLate() {
        if queue == nil { settings.rightOfWay.claim() }
    }

    /// Returns how well it keeps up, measured since the previous call.
    public func statistics() -> LiveStatistics {
        let skipped = parts.slot.skipped
        _ = parts.measurements.tick(received: taken.load(ordering: .relaxed), window: nil, skipped: skipped)
        return parts.measurements.totals(skipped: skipped)
    }

    // MARK: The reader

    private func readAll(_ matcher: Matcher, with reader: any TextReader) async {
        guard let queue else { return }
        let session = Session(
            reading: queue, reader, matcher, settings.search,
            hasJoined: { [self] _, reading in
                if reading.isNews { parts.measurements.read(in: .now - reading.arrival) }
                progress.withLock { $0.joined += 1 }
                bell.ring()
            }, tell: tell)
        let (_, failure) = await session.run()
        fail(failure)
    }

    private func readLatest(with make: @Sendable () async throws -> any TextReader) async {
        var policies = SightingJoiner.Settings()
        policies.minimumScore = settings.reading.minimumScore
        let joiner = parts.joiner(policies, tell: tell)
        await withTaskGroup { group in
            group.addTask { [parts] in await parts.searchAgain(in: joiner) }
            do {
                let (_, failure) = await parts.reading(
                    with: try await make(), into: joiner, as: settings.reading
                ).run()
                fail(failure)
            } catch {
                fail(error)
            }
            group.cancelAll()
        }
    }

    private func fail(_ error: (any Error)?) {
        if let error, !(error is CancellationError) { parts.report.tell(.end(.failed(error))) }
    }

    @Sendable private func tell(_ event: SessionEvent) {
        switch event {
        case .began(let sighting, let arrival): sightings.appeared(sighting, arrival: arrival)
        case .over(let sighting, let isNew):
            guard queue != nil else { return sightings.disappeared(sighting) }
            // A sighting that was never open at the end of a step has appeared all the same.
            if isNew { parts.report.tell(.appeared(sighting, at: sighting.start, latency: .zero)) }
            parts.report.tell(.disappeared(sighting, at: sighting.end))
        case .boxes(let reading): parts.latestBoxes.post(reading)
        case .text(let line, let time): parts.report.tell(.text(line, at: time))
        case .result, .textBegan, .lost: break
        }
    }
}

/// How a ``PushedSession`` searches.
public struct PushedSettings: Sendable {
    public var reading = ReadingPlan()
    /// How long frames are held, and so which readings their boxes are based on.
    public var timing = OverlayTiming.tracked
    /// Whether boxes are wanted on the frames.
    public var carriesBoxes = true
    /// The least stream time between two readings.
    public var readInterval = StreamTime.zero
    /// Whether to report every line that is read, in addition to the matches; only if all frames are considered.
    public var reportsAllText = false
    /// Makes the reader give way.
    public var rightOfWay = RightOfWay()

    public init() {}

    /// The same for the search of a recording.
    fileprivate var search: FindSettings {
        var result = FindSettings(reading)
        result.reportsAllText = reportsAllText
        result.tellsBeginnings = true
        if readInterval > .zero {
            result.gate.minimumInterval = readInterval
            result.gate.motionInterval = max(result.gate.motionInterval, readInterval)
            result.gate.steadyInterval = max(result.gate.steadyInterval, readInterval)
        }
        return result
    }
}

extension LiveEnd {
    static func failed(_ error: any Error) -> LiveEnd {
        let failure =
            error as? FramegrepError
            ?? FramegrepError(.engineUnavailable, "The picture cannot be read any more: \(error).")
        return LiveEnd(reason: .error, sightings: 0, statistics: LiveStatistics(), time: .zero, failure: failure)
    }
}
