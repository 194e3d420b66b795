import Dispatch
import Errors
public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting
import Threads

/// The live job in somebody else's pipeline: no frame waits for a reading, boxes are followed to it from the last one.
public final class LiveStage: FrameStage {
    /// What the stream's thread has.
    private struct Stream {
        var intake: FrameIntake
        var displayed: DisplayedBoxes
        var pixelAspect = 1.0
        var hasWarned = false
    }

    private let settings: StageSettings
    private let words: SearchedWords
    private let report: LiveReport
    private let measurements = LiveMeasurements()
    private let slot = LatestSlot<LiveFrame>()
    private let trail = LiveTrail()
    private let board = BoxBoard()
    private let sightings: SightingReport
    private let stream: Mutex<Stream>
    private let taken = Atomic<Int>(0)
    private let running = DispatchGroup()
    private let reading: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// - Parameter reader: makes the reader, off the stream's thread; where it fails, that is the end that is reported.
    public init(
        _ settings: StageSettings, _ matcher: Matcher, _ report: StageReport,
        reader: @escaping @Sendable () async throws -> any TextReader
    ) {
        self.settings = settings
        words = SearchedWords(matcher)
        self.report = LiveReport(report.event)
        let source = SourceState(SourceLife(policy: .none, stallTime: .seconds(3600)), self.report)
        sightings = SightingReport(self.report, measurements, isShown: settings.carriesBoxes, tellsBoxes: false)
        stream = Mutex(
            Stream(
                intake: FrameIntake(
                    slot, trail, source, measurements, words, region: settings.region, isShown: settings.carriesBoxes,
                    readInterval: settings.readInterval),
                displayed: DisplayedBoxes(timing: settings.timing, maximumAge: settings.maximumAge)))
        let findings = LiveFindings(words, trail, board, sightings, minimumScore: settings.minimumScore)
        let notices = PictureNotices()
        let closely = CloseReading(nil, notices, measurements, self.report)
        let judge = PictureJudge(trail, notices, self.report) { false }
        let frameSettings = FrameReader.Settings(region: settings.region, maximumAge: settings.maximumAge)
        let (slot, trail, measurements) = (slot, trail, measurements)
        begin(findings) {
            ReadingLoop(
                slot, FrameReader(frameSettings, try await reader(), closely, trail, source, measurements), findings,
                LatestText(), judge, nil
            ) {}
        }
    }

    /// Reads in a task of its own until the frames end.
    private func begin(_ findings: LiveFindings, _ loop: @escaping @Sendable () async throws -> ReadingLoop) {
        running.enter()
        let task = Task(executorPreference: BatchThreads.shared) { [running, words, report] in
            await withTaskGroup { group in
                group.addTask { for await _ in words.changes { await findings.searchAgain() } }
                do {
                    var loop = try await loop()
                    try await loop.run()
                } catch is CancellationError {
                } catch {
                    report.tell(.end(.failed(error)))
                }
                group.cancelAll()
            }
            running.leave()
        }
        reading.withLock { $0 = task }
    }

    public func take(_ sample: borrowing Sample) -> FrameTime {
        taken.add(1, ordering: .relaxed)
        let sample = sample.retained()
        return stream.withLock { stream in
            stream.pixelAspect = sample.info?.pixelAspect ?? 1
            let (time, small) = stream.intake.take(
                sample, 1, arrival: .now, isUntimed: sample.streamTime == nil)
            switch small {
            case .success(let (frame, geometry)):
                if settings.carriesBoxes { stream.displayed.see(frame, geometry) }
            case .failure(let error):
                guard let warning = FrameIntake.warning(of: error) else { break }
                if !stream.hasWarned { report.warn(warning) }
                stream.hasWarned = true
            }
            return time
        }
    }

    public func isReady(_ frame: FrameTime) -> Bool { true }

    public func boxes(on frame: FrameTime) -> [FollowedBox] {
        guard settings.carriesBoxes else { return [] }
        let (boxes, aspect) = stream.withLock { ($0.displayed.boxes(on: frame, board.take()), $0.pixelAspect) }
        measurements.showed(
            staleness: boxes.map { max(frame.start - $0.readAt, $0.readAt - frame.start) }.max())
        sightings.drew(boxes, at: frame.start) { $0.scaled(x: aspect, y: 1) }
        return boxes
    }

    public func finish() {
        stream.withLock { $0.intake.finish() }
        running.wait()
    }

    public func interrupt() {
        slot.close()
        reading.withLock { $0 }?.cancel()
        // A reading under way may take a second more, and needs none of these.
        trail.clear()
    }

    public func whenOver(_ body: @escaping @Sendable () -> Void) {
        running.notify(queue: .global(), execute: body)
    }

    public func search(for matcher: Matcher) -> Bool {
        words.replace(with: matcher)
        return true
    }

    public func frameWasLate() { settings.rightOfWay.claim() }

    public func statistics() -> LiveStatistics {
        _ = measurements.tick(received: taken.load(ordering: .relaxed), window: nil, skipped: slot.skipped)
        return measurements.totals(skipped: slot.skipped)
    }
}

extension LiveEnd {
    /// An end that nobody wanted.
    static func failed(_ error: any Error) -> LiveEnd {
        let failure =
            error as? FramegrepError
            ?? FramegrepError(.engineUnavailable, "The picture cannot be read any more: \(error).")
        return LiveEnd(reason: .error, sightings: 0, statistics: LiveStatistics(), time: .zero, failure: failure)
    }
}
