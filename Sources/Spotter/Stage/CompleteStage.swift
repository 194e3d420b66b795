import Dispatch
import Errors
public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting
import Threads

/// Searches a recording whose frames another program brings: every frame is looked at, those that matter are read in their order, and the
/// caller waits when the reader is behind. The results are those of ``FileSpotter``.
///
/// A frame that is to carry boxes waits for its own reading and those before it, else only the reader's queue holds the stream
/// up.
public final class CompleteStage: FrameStage {
    /// State owned by the streaming thread.
    private struct Stream: ~Copyable {
        var feed: FrameSelector
        var clock = FrameClock()
        var displayed: DisplayedBoxes
        let part: SearchedPart
        /// How many steps there must have been read before a frame goes on, for each frame that was looked at.
        var steps: [Int: Int] = [:]
        var pushed = 0
        var isOver = false
    }

    /// The progress of the reader.
    private struct Progress {
        var joined = 0
        var known = Set<Int>()
        var arrivals: [ContinuousClock.Instant] = []
        var isOver = false
        var summary = FindSummary()
    }

    private let settings: StageSettings
    private let report: LiveReport
    private let queue: BoundedQueue<ReadRequest>
    private let latestBoxes = LatestBoxes()
    private let measurements = LiveMeasurements()
    private let stream: Mutex<Stream>
    private let taken = Atomic<Int>(0)
    private let progress = Mutex(Progress())
    /// Rings when a step was joined, and at the end.
    private let bell = WakeEvent()
    private let running = DispatchGroup()
    private let reading: Mutex<Task<Void, Never>?> = Mutex(nil)

    public init(_ settings: StageSettings, _ matcher: Matcher, _ report: StageReport, reader: any TextReader) {
        self.settings = settings
        self.report = LiveReport(report.event)
        let search = settings.search
        queue = BoundedQueue(capacity: reader.concurrency + 1)
        stream = Mutex(
            Stream(
                feed: FrameSelector(settings: search, format: reader.pictureFormat),
                displayed: DisplayedBoxes(timing: settings.timing, maximumAge: search.gate.maximumAge),
                part: SearchedPart(search.region, size: .followed)))
        let spotter = FileSpotter(
            description: "", sourceName: "", settings: search, reader: reader, matcher: matcher)
        running.enter()
        let task = Task { [self] in
            let (summary, failure) = await spotter.read(queue, of: nil, stop: {}, joined: joined) { event in
                switch event {
                case .sighting(let sighting): self.over(sighting)
                case .text(let text): report.text(text)
                case .warning(let warning): self.report.warn(warning)
                case .progress, .onePicture, .finding: break
                }
            }
            progress.withLock { ($0.summary, $0.isOver) = (summary, true) }
            if let failure, !(failure is CancellationError) { self.report.tell(.end(.failed(failure))) }
            bell.ring()
            running.leave()
        }
        reading.withLock { $0 = task }
    }

    // MARK: The stream

    public func take(_ sample: borrowing Sample) throws -> FrameTime {
        taken.add(1, ordering: .relaxed)
        let sample = sample.retained()
        let (time, steps) = try stream.withLock { stream in
            let time = stream.clock.time(of: sample)
            measurements.frameArrived(at: time.start)
            if settings.carriesBoxes {
                let geometry = try stream.part.geometry(of: sample.info)
                let picture = try stream.part.thumbnail(of: sample, geometry)
                stream.displayed.see(FrameHistory.Frame(time: time, picture: picture), geometry)
            }
            return (time, try stream.feed.consider(sample.retained()))
        }
        let pushed = push(steps)
        stream.withLock { stream in
            stream.pushed += pushed
            // The feed looks at a frame when the next one says how long it lasts.
            if time.index > 0, settings.carriesBoxes { stream.steps[time.index - 1] = stream.pushed }
        }
        return time
    }

    /// Hands steps to the reader, waiting while it is behind: nothing may be locked meanwhile.
    ///
    /// - Returns: how many it took.
    private func push(_ steps: [ReadRequest]) -> Int {
        for (count, step) in steps.enumerated() {
            progress.withLock { $0.arrivals.append(.now) }
            guard queue.push(step) else { return count }
        }
        return steps.count
    }

    public func isReady(_ frame: FrameTime) -> Bool {
        stream.withLock { !settings.carriesBoxes || $0.steps[frame.index] != nil || $0.isOver }
    }

    public func boxes(on frame: FrameTime) -> [FollowedBox] {
        guard settings.carriesBoxes else { return [] }
        let needed = stream.withLock { stream in stream.steps.removeValue(forKey: frame.index) ?? stream.pushed }
        while progress.withLock({ !$0.isOver && $0.joined < needed }) { bell.wait(atMost: .seconds(1)) }
        return stream.withLock { $0.displayed.boxes(on: frame, latestBoxes.take()) }
    }

    public func finish() {
        do {
            let rest = try stream.withLock { stream -> [ReadRequest] in
                guard !stream.isOver else { return [] }
                stream.isOver = true
                return try stream.feed.finish()
            }
            let pushed = push(rest)
            stream.withLock { $0.pushed += pushed }
        } catch {
            report.tell(.end(.failed(error)))
        }
        queue.finish()
        running.wait()
    }

    public func interrupt() {
        queue.close()
        reading.withLock { $0 }?.cancel()
    }

    public func whenOver(_ body: @escaping @Sendable () -> Void) {
        running.notify(queue: .global(), execute: body)
    }

    /// Frames that were read with other patterns are not read again.
    public func search(for matcher: Matcher) -> Bool { false }

    /// Late callers wait.
    public func frameWasLate() {}

    // MARK: The reader

    /// A step was joined: its new sightings have appeared, and its boxes are known.
    private func joined(_ step: ReadRequest, _ tracker: TextTracker?, _ joiner: SightingJoiner) {
        guard let time = step.frames.last?.time else { return noteJoined() }
        let open = joiner.open
        let (fresh, arrival) = progress.withLock { progress in
            (open.filter { progress.known.insert($0.id).inserted }, progress.arrivals.first ?? .now)
        }
        for sighting in fresh {
            let waited = Duration.nanoseconds(max(0, (time.start - sighting.start).nanoseconds))
            report.tell(.appeared(sighting, at: sighting.start, latency: .now - (arrival - waited)))
        }
        if tracker != nil {
            measurements.read(in: .now - arrival)
            latestBoxes.post(
                LatestBoxes.Reading(found: joiner.confirmed, time: time, picture: nil, isNewSearch: false))
        }
        noteJoined()
    }

    private func noteJoined() {
        progress.withLock { progress in
            progress.joined += 1
            if !progress.arrivals.isEmpty { progress.arrivals.removeFirst() }
        }
        bell.ring()
    }

    /// One that was never open at the end of a step has appeared all the same.
    private func over(_ sighting: Sighting) {
        if progress.withLock({ $0.known.insert(sighting.id).inserted }) {
            report.tell(.appeared(sighting, at: sighting.start, latency: .zero))
        }
        report.tell(.disappeared(sighting, at: sighting.end))
    }

    public func statistics() -> LiveStatistics {
        _ = measurements.tick(received: taken.load(ordering: .relaxed), window: nil, skipped: 0)
        return measurements.totals(skipped: 0)
    }
}

extension StageSettings {
    /// The same for the search of a recording.
    fileprivate var search: FindSettings {
        var result = FindSettings()
        result.region = region
        result.minimumScore = minimumScore
        result.reportsAllText = reportsAllText
        if readInterval > .zero {
            result.gate.minimumInterval = readInterval
            result.gate.motionInterval = max(result.gate.motionInterval, readInterval)
            result.gate.steadyInterval = max(result.gate.steadyInterval, readInterval)
        }
        return result
    }
}
