import Dispatch
import Errors
public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting
import Threads

/// Reads each frame of a running picture in which anything changed, and says of each what is to be hidden on it: nothing goes on that was
/// not read, or looks as what was.
///
/// ``take(_:)``, ``isReady(_:)``, ``places(on:)`` and ``finish()`` are the stream's, called by one thread at a time; the others are for any
/// thread. What is found is reported from several threads, without its text: logs leak as well.
public final class HidingStage: Sendable {
    /// State owned by the streaming thread.
    private struct Stream: ~Copyable {
        var selector: FrameSelector
        var clock = FrameClock()
        /// The frames that were looked at, how many requests there must have been read before each goes on, and how wide a pixel of it is.
        var frames: [(time: FrameTime, needed: Int, pixelAspect: Double)] = []
        var pushed = 0
        var isOver = false
    }

    /// The progress of the reader.
    private struct Progress {
        var joined = 0
        private(set) var plan: RunningHidingPlan
        /// Results of readings that no frame has needed yet, and how many were joined before each.
        private var waiting: [(step: Step, before: Int)] = []
        var known = Set<Int>()
        var isOver = false
        var arrivals: [ContinuousClock.Instant] = []
        var lastJoined = ContinuousClock.now
        /// How long the reader takes for one request, on the average, in seconds.
        var serviceTime: Double?

        enum Step {
            case event(FindEvent)
            case frame(SightingStep)
        }

        init(_ plan: RunningHidingPlan) { self.plan = plan }

        mutating func add(_ step: Step) { waiting.append((step, joined)) }

        /// The places on a frame by so many readings and none after them, so that they do not depend on how far the reader is.
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

    /// More requests than this never wait.
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

    /// - Parameter origin: the source's time of its beginning, which is to be called 0.
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

    /// Takes the next frame; the number and time that it says stand for the frame from now on.
    ///
    /// - Returns: nil for a frame that must not go on: the reader is so far behind that it could not be read in time.
    /// - Throws: `FramegrepError` when the frame cannot be read, now or ever: it must not go on either.
    public func take(_ sample: borrowing Sample) throws -> FrameTime? {
        taken.add(1, ordering: .relaxed)
        guard let info = sample.info else {
            throw FramegrepError(.pipelineFailed, "A frame came that is no raw video, so nothing can be hidden in it.")
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
            // Frames that the reader no longer takes are never read.
            let needed: Int = pushed < requests.count ? .max : stream.pushed
            stream.frames.append((time, needed, info.pixelAspect))
        }
        return time
    }

    /// Whether a frame that comes now is read in time.
    private var hasTime: Bool {
        let pushed = stream.withLock { $0.pushed }
        return progress.withLock { progress in
            let waiting = pushed - progress.joined
            guard waiting > 0, let each = progress.serviceTime else { return waiting < 2 }
            return waiting < Self.mostWaiting && Double(waiting + 1) * each <= (settings.delay - lookahead).seconds
        }
    }

    /// So much of the stream behind a frame is read before it goes on.
    private var lookahead: StreamTime { StreamTime(nanoseconds: settings.delay.nanoseconds / 2) }

    /// Hands requests to the reader, waiting while it is behind: nothing may be locked meanwhile.
    ///
    /// - Returns: how many it took.
    private func push(_ requests: [ReadRequest]) -> Int {
        for (count, request) in requests.enumerated() {
            progress.withLock { $0.arrivals.append(.now) }
            guard queue.push(request) else { return count }
        }
        return requests.count
    }

    /// Whether a frame was read, and what follows it for a while: else it is to be held.
    ///
    /// - Parameter isStanding: nothing has followed it for long, and may not for longer.
    public func isReady(_ frame: FrameTime, isStanding: Bool = false) -> Bool {
        guard let needed = needed(for: frame, itselfOnly: isStanding) else { return false }
        return progress.withLock { $0.isOver || $0.joined >= needed }
    }

    /// Whether as much of what follows a frame was taken as is looked at before it goes on: ``places(on:waits:)`` only has to wait for the
    /// reader.
    public func isTaken(_ frame: FrameTime) -> Bool { needed(for: frame, itselfOnly: false) != nil }

    /// How many requests must have been read before a frame goes on; nil while that is not known.
    private func needed(for frame: FrameTime, itselfOnly: Bool) -> Int? {
        stream.withLock { stream in
            let until = frame.start + (stream.isOver || itselfOnly ? .zero : lookahead)
            return stream.frames.first { $0.time.start >= until }?.needed
        }
    }

    /// The places to hide on a frame, in pixels of it as stored; each frame once and in their order. Waits until it was read.
    ///
    /// - Parameter waits: also for what follows it, as far as that was taken; what was read later yet does not count.
    /// - Returns: nil where it was not read and never will be: it must not go on.
    public func places(on frame: FrameTime, waits: Bool = true) -> [Quad]? {
        let wanted = waits ? self.needed(for: frame, itselfOnly: false) ?? 0 : 0
        let (known, isOver) = stream.withLock { stream in
            let known = stream.frames.first { $0.time.index == frame.index }
            stream.frames.removeAll { $0.time.index <= frame.index }
            return (known, stream.isOver)
        }
        guard let (_, needed, aspect) = known else { return nil }
        while progress.withLock({ !$0.isOver && $0.joined < max(needed, wanted) }) { bell.wait(atMost: .seconds(1)) }
        return progress.withLock { progress in
            guard progress.joined >= needed else { return nil }
            // At the end, and for who does not wait, all that is known counts.
            let readings = waits && !isOver ? max(needed, wanted) : .max
            return progress.quads(in: frame, after: readings).map { $0.scaled(x: 1 / aspect, y: 1) }
        }
    }

    /// No frame follows: returns when all of them are read and everything is reported.
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

    /// Ends the search at once: a thread that waits in one of the functions above goes on, and no frame does that is not read by now.
    public func interrupt() {
        queue.close()
        reading.withLock { $0 }?.cancel()
    }

    /// Calls `body` when nothing of the search is left, on any thread. To be called after ``finish()`` or ``interrupt()``.
    public func whenOver(_ body: @escaping @Sendable () -> Void) {
        running.notify(queue: .global()) { [self] in
            stream.withLock { $0.selector.close() }
            body()
        }
    }

    /// How many frames were refused.
    public var refusedFrames: Int { refused.load(ordering: .relaxed) }

    /// How well it keeps up, measured since it was last asked.
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

    /// - Parameter foundNews: there was something to be read. How long it takes to read nothing says nothing about the next picture.
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
    /// The picture stands as it was read.
    fileprivate var readsNothing: Bool { changed?.isEmpty == true && displacement == .none }
}

extension RunningHidingSettings {
    /// The same for the search of a recording in which each frame that shows anything new is read.
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
