import Dispatch
import Errors
public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting
import Threads

/// Reads each frame of a running picture in which anything changed, and determines what to hide on it: no frame passes
/// that was not read and does not look like one that was.
///
/// ``take(_:)``, ``isReady(_:)``, ``places(on:)`` and ``finish()`` belong to the stream and are called by one thread at
/// a time; the others are for any thread. Findings are reported from several threads, without their text, because logs
/// leak too.
public final class HidingStage: Sendable {
    /// State owned by the streaming thread.
    private struct Stream: ~Copyable {
        var selector: FrameSelector
        var clock = FrameClock()
        /// The considered frames, the number of requests that must be read before each passes, and its pixel aspect.
        var frames: [(time: FrameTime, needed: Int, pixelAspect: Double)] = []
        var pushed = 0
        var isOver = false
    }

    /// The progress of the reader.
    private struct Progress {
        var joined = 0
        private(set) var plan: RunningHidingPlan
        /// Results of readings that no frame has needed yet, and the number joined before each.
        private var waiting: [(step: Step, before: Int)] = []
        var known = Set<Int>()
        var isOver = false
        var arrivals: [ContinuousClock.Instant] = []
        var lastJoined = ContinuousClock.now
        /// The average time that the reader takes for one request, in seconds.
        var serviceTime: Double?

        enum Step {
            case event(FindEvent)
            case frame(SightingStep)
        }

        init(_ plan: RunningHidingPlan) { self.plan = plan }

        mutating func add(_ step: Step) { waiting.append((step, joined)) }

        /// Returns the places on a frame after exactly this many readings, so that they do not depend on how far the
        /// reader is.
        mutating func quads(in frame: FrameTime, after readings: Int) -> [Quad] {
            let needed = waiting.prefix { $0.before < readings }
            for (step, _) in needed {
                switch step {
                case .event(let event): plan.take(event)
                case .frame(let step): plan.take(step)
                }
            }
            waiting.removeFirst(needed.count)
            return plan.quads(in: frame)
        }
    }

    public let settings: RunningHidingSettings
    private let report: LiveReport
    private let whenRead: @Sendable () -> Void
    private let queue: BoundedQueue<ReadRequest>
    private let reasons: [String]
    private let measurements: LiveMeasurements
    private let stream: Mutex<Stream>
    private let progress: Mutex<Progress>
    private let refused = Atomic<Int>(0)
    private let taken = Atomic<Int>(0)
    /// Rings when a request was read, and at the end.
    private let bell = WakeEvent()
    private let running = DispatchGroup()
    private let reading: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// The largest number of waiting requests.
    private static let mostWaiting = 60

    /// - Parameter whenRead: called when frames may have become ready; must not block.
    public convenience init(
        _ settings: RunningHidingSettings, _ matcher: Matcher, reader: any TextReader,
        whenRead: @escaping @Sendable () -> Void = {}, report: @escaping @Sendable (LiveEvent) -> Void
    ) {
        self.init(
            settings, matcher, reader: reader, report: LiveReport(report), measurements: LiveMeasurements(),
            whenRead: whenRead)
    }

    /// - Parameter origin: the source's time of its beginning, which counts as 0.
    init(
        _ settings: RunningHidingSettings, _ matcher: Matcher, reader: any TextReader, report: LiveReport,
        measurements: LiveMeasurements, origin: StreamTime = .zero, whenRead: @escaping @Sendable () -> Void
    ) {
        let matcher = matcher.forHiding
        self.settings = settings
        self.report = report
        self.measurements = measurements
        self.whenRead = whenRead
        let planning = HidingPlanner.Settings(hiding: matcher, onlyWords: settings.hidesOnlyWords)
        reasons = planning.reasons
        queue = BoundedQueue(
            capacity: settings.refusesFrames ? Self.mostWaiting + 2 : reader.concurrency + 1)
        let search = settings.search
        stream = Mutex(
            Stream(
                selector: FrameSelector(settings: search, format: reader.pictureFormat),
                clock: FrameClock(origin: origin)))
        progress = Mutex(Progress(RunningHidingPlan(planning, matcher)))
        begin(search, reader, matcher)
    }

    private func begin(_ search: FindSettings, _ reader: any TextReader, _ matcher: Matcher) {
        var search = search
        search.see = { [weak self] step in self?.see(step) }
        running.enter()
        let task = Task(executorPreference: BatchThreads.shared) { [self, search] in
            let session = Session(
                reading: queue, reader, matcher, search,
                hasJoined: { [self] request, reading in
                    joined(wasRead: reading.tracks != nil, foundNews: !request.readsNothing)
                }, tell: hear)
            end(await session.run().failure)
        }
        reading.withLock { $0 = task }
    }

    @Sendable private func hear(_ event: SessionEvent) {
        guard let event = FindEvent(event) else { return }
        progress.withLock { $0.add(.event(event)) }
        if case .sighting(let sighting) = event { over(sighting) }
    }

    private func end(_ failure: (any Error)?) {
        progress.withLock { $0.isOver = true }
        if let failure, !(failure is CancellationError) { report.tell(.end(.failed(failure))) }
        bell.ring()
        whenRead()
        running.leave()
    }

    // MARK: The stream

    /// Takes the next frame; the returned index and time identify the frame from now on.
    ///
    /// - Returns: nil for a frame that must not pass: the reader is so far behind that it could not be read in time.
    /// - Throws: `FramegrepError` if the frame cannot be read, now or ever: it must not pass either.
    public func take(_ sample: borrowing Sample) throws -> FrameTime? {
        taken.add(1, ordering: .relaxed)
        guard let info = sample.info else {
            throw FramegrepError(.pipelineFailed, "A frame is not raw video, so nothing can be hidden in it.")
        }
        guard !settings.refusesFrames || hasTime else {
            refused.add(1, ordering: .relaxed)
            return nil
        }
        let sample = sample.retained()
        let (time, requests) = try stream.withLock { stream in
            let time = stream.clock.time(of: sample)
            return (time, try stream.selector.considerNow(sample.retained()))
        }
        let pushed = push(requests)
        stream.withLock { stream in
            stream.pushed += pushed
            // Frames that the reader no longer accepts are never read.
            let needed: Int = pushed < requests.count ? .max : stream.pushed
            stream.frames.append((time, needed, info.pixelAspect))
        }
        return time
    }

    /// Whether a frame that arrives now would be read in time.
    private var hasTime: Bool {
        let pushed = stream.withLock { $0.pushed }
        return progress.withLock { progress in
            let waiting = pushed - progress.joined
            guard waiting > 0, let each = progress.serviceTime else { return waiting < 2 }
            return waiting < Self.mostWaiting && Double(waiting + 1) * each <= (settings.delay - lookahead).seconds
        }
    }

    /// The amount of the stream after a frame that is read before it passes.
    private var lookahead: StreamTime { StreamTime(nanoseconds: settings.delay.nanoseconds / 2) }

    /// Hands requests to the reader, waiting while it is behind: no lock may be held meanwhile.
    ///
    /// - Returns: the number of requests accepted.
    private func push(_ requests: [ReadRequest]) -> Int {
        for (count, request) in requests.enumerated() {
            progress.withLock { $0.arrivals.append(.now) }
            guard queue.push(request) else { return count }
        }
        return requests.count
    }

    /// Returns whether a frame and the stream after it were read; if not, it must be held.
    ///
    /// - Parameter isStanding: whether no further frame is expected soon: those that were taken are enough.
    public func isReady(_ frame: FrameTime, isStanding: Bool = false) -> Bool {
        guard let needed = needed(for: frame, isStanding: isStanding) else { return false }
        return progress.withLock { $0.joined >= needed }
    }

    /// Returns whether enough frames after this one were taken: ``places(on:waits:)`` then only has to wait for the
    /// reader.
    public func isTaken(_ frame: FrameTime) -> Bool { needed(for: frame) != nil }

    /// Returns the number of requests that must be read before a frame passes; nil until that is known.
    private func needed(for frame: FrameTime, isStanding: Bool = false) -> Int? {
        stream.withLock { stream in
            let until = frame.start + lookahead
            return stream.frames.first { $0.time.start >= until }?.needed
                ?? (stream.isOver || isStanding ? stream.frames.last?.needed : nil)
        }
    }

    /// Returns the places to hide on a frame, in pixels of it as stored. Call it once for each frame, in order. Waits
    /// until the frame was read.
    ///
    /// - Parameter waits: whether to wait for the frames after it too, as far as they were taken; later readings do not
    ///   count.
    /// - Returns: nil if it was not read and never will be: it must not pass.
    public func places(on frame: FrameTime, waits: Bool = true) -> [Quad]? {
        let wanted = waits ? self.needed(for: frame) ?? 0 : 0
        let (known, isOver) = stream.withLock { stream in
            let known = stream.frames.first { $0.time.index == frame.index }
            stream.frames.removeAll { $0.time.index <= frame.index }
            return (known, stream.isOver)
        }
        guard let (_, needed, aspect) = known else { return nil }
        while progress.withLock({ !$0.isOver && $0.joined < max(needed, wanted) }) { bell.wait(atMost: .seconds(1)) }
        return progress.withLock { progress in
            guard progress.joined >= needed else { return nil }
            // At the end, and without waiting, everything known counts.
            let readings = waits && !isOver ? max(needed, wanted) : .max
            return progress.quads(in: frame, after: readings).map { $0.scaled(x: 1 / aspect, y: 1) }
        }
    }

    /// Announces that no frame follows; returns when all frames are read and everything is reported.
    public func finish() {
        do {
            let rest = try stream.withLock { stream -> [ReadRequest] in
                guard !stream.isOver else { return [] }
                stream.isOver = true
                return try stream.selector.finish()
            }
            let pushed = push(rest)
            stream.withLock { $0.pushed += pushed }
        } catch {
            report.tell(.end(.failed(error)))
        }
        queue.finish()
        running.wait()
        stream.withLock { $0.selector.close() }
    }

    /// Ends the search at once: a thread that waits in one of the functions above continues, and no frame passes that
    /// has not been read.
    public func interrupt() {
        queue.close()
        reading.withLock { $0 }?.cancel()
    }

    /// Calls `body` on any thread when the search has ended completely. Call this after ``finish()`` or
    /// ``interrupt()``.
    public func whenOver(_ body: @escaping @Sendable () -> Void) {
        running.notify(queue: .global()) { [self] in
            stream.withLock { $0.selector.close() }
            body()
        }
    }

    /// The number of refused frames.
    public var refusedFrames: Int { refused.load(ordering: .relaxed) }

    /// Returns how well the stage keeps up, measured since the previous call.
    public func statistics() -> LiveStatistics {
        _ = measurements.tick(received: taken.load(ordering: .relaxed), window: nil, skipped: 0)
        return measurements.totals(skipped: 0)
    }

    // MARK: The reader

    private func see(_ step: SightingStep) {
        let fresh = progress.withLock { progress in
            progress.add(.frame(step))
            return step.open.filter { progress.known.insert($0.id).inserted }
        }
        for sighting in fresh {
            report.tell(.appeared(withoutText(sighting), at: sighting.start, latency: .zero))
        }
    }

    /// - Parameter foundNews: whether there was something to read. The time for reading nothing says nothing about the
    ///   next picture.
    private func joined(wasRead: Bool, foundNews: Bool) {
        let took = progress.withLock { progress in
            let now = ContinuousClock.now
            let begun = max(progress.lastJoined, progress.arrivals.first ?? progress.lastJoined)
            let seconds = (now - begun).milliseconds / 1000
            progress.joined += 1
            if !progress.arrivals.isEmpty { progress.arrivals.removeFirst() }
            progress.lastJoined = now
            if foundNews {
                progress.serviceTime = progress.serviceTime.map { 0.8 * $0 + 0.2 * seconds } ?? seconds
            }
            return now - begun
        }
        if wasRead { measurements.read(in: took) }
        bell.ring()
        whenRead()
    }

    private func over(_ sighting: Sighting) {
        let shown = withoutText(sighting)
        if progress.withLock({ $0.known.insert(sighting.id).inserted }) {
            report.tell(.appeared(shown, at: sighting.start, latency: .zero))
        }
        progress.withLock { _ = $0.known.remove(sighting.id) }
        report.tell(.disappeared(shown, at: sighting.end))
    }

    private func withoutText(_ sighting: Sighting) -> Sighting {
        var sighting = sighting
        let reason = reasons.indices.contains(sighting.patternIndex) ? reasons[sighting.patternIndex] : "pattern"
        (sighting.pattern, sighting.text, sighting.line, sighting.boxes) = (reason, reason, reason, [])
        return sighting
    }
}

extension ReadRequest {
    /// Whether the picture is unchanged since it was read.
    fileprivate var readsNothing: Bool { changed?.isEmpty == true && displacement == .none }
}

extension RunningHidingSettings {
    /// The settings for searching a recording in which each frame with anything new is read.
    fileprivate var search: FindSettings {
        var result = FindSettings(reading)
        result.keepsBoxes = true
        result.keepsFades = true
        result.reportsFindings = true
        result.gate.minimumInterval = .zero
        result.gate.motionInterval = .zero
        result.gate.steadyInterval = .zero
        result.gate.settlingFrames = .max
        result.gate.followsMotion = true
        // A picture may stand still for days.
        result.gate.readsStillPictures = true
        result.gate.maximumAge = reading.runningAge
        return result
    }
}
