import Dispatch
import Errors
public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting
import Threads

/// The live job in somebody else's pipeline: no frame waits for a reading, boxes are followed to it from the last one.
public final class LiveStage: FrameStage {
    /// State owned by the streaming thread.
    private struct Stream {
        var receiver: FrameReceiver
        var displayed: DisplayedBoxes
        var pixelAspect = 1.0
        var hasWarned = false
    }

    private let settings: StageSettings
    private let session: LatestSession
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
        let session = LatestSession(
            SearchedWords(matcher), LiveReport(report.event), policy: .none, stallTime: .seconds(3600))
        self.session = session
        sightings = SightingReport(
            session.report, session.measurements, isShown: settings.carriesBoxes, tellsBoxes: false)
        stream = Mutex(
            Stream(
                receiver: session.receiver(
                    region: settings.region, isShown: settings.carriesBoxes, readInterval: settings.readInterval),
                displayed: DisplayedBoxes(timing: settings.timing, maximumAge: settings.maximumAge)))
        begin(reader)
    }

    /// Reads in a task of its own until the frames end.
    private func begin(_ reader: @escaping @Sendable () async throws -> any TextReader) {
        let findings = LiveResults(
            session.words, session.frameHistory, session.latestBoxes, sightings, minimumScore: settings.minimumScore)
        let frameSettings = FrameReader.Settings(region: settings.region, maximumAge: settings.maximumAge)
        running.enter()
        let task = Task(executorPreference: BatchThreads.shared) { [running, session] in
            await withTaskGroup { group in
                group.addTask { await session.searchAgain(in: findings) }
                do {
                    try await session.read(with: try await reader(), into: findings, frameSettings)
                } catch {
                    if !(error is CancellationError) { session.report.tell(.end(.failed(error))) }
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
            let (time, thumbnail) = stream.receiver.take(
                sample, 1, arrival: .now, isUntimed: sample.streamTime == nil)
            switch thumbnail {
            case .success(let (frame, geometry)):
                if settings.carriesBoxes { stream.displayed.see(frame, geometry) }
            case .failure(let error):
                guard let warning = FrameReceiver.warning(of: error) else { break }
                if !stream.hasWarned { session.report.warn(warning) }
                stream.hasWarned = true
            }
            return time
        }
    }

    public func isReady(_ frame: FrameTime) -> Bool { true }

    public func boxes(on frame: FrameTime) -> [FollowedBox] {
        guard settings.carriesBoxes else { return [] }
        let (boxes, aspect) = stream.withLock {
            ($0.displayed.boxes(on: frame, session.latestBoxes.take()), $0.pixelAspect)
        }
        session.measurements.showed(
            staleness: boxes.map { max(frame.start - $0.readAt, $0.readAt - frame.start) }.max())
        sightings.drew(boxes, at: frame.start) { $0.scaled(x: aspect, y: 1) }
        return boxes
    }

    public func finish() {
        stream.withLock { $0.receiver.finish() }
        running.wait()
    }

    public func interrupt() {
        session.slot.close()
        reading.withLock { $0 }?.cancel()
        // A reading under way may take a second more, and needs none of these.
        session.frameHistory.clear()
    }

    public func whenOver(_ body: @escaping @Sendable () -> Void) {
        running.notify(queue: .global(), execute: body)
    }

    public func search(for matcher: Matcher) -> Bool {
        session.words.replace(with: matcher)
        return true
    }

    public func frameWasLate() { settings.rightOfWay.claim() }

    public func statistics() -> LiveStatistics {
        _ = session.measurements.tick(
            received: taken.load(ordering: .relaxed), window: nil, skipped: session.slot.skipped)
        return session.measurements.totals(skipped: session.slot.skipped)
    }
}

extension LiveEnd {
    /// An end by an error.
    static func failed(_ error: any Error) -> LiveEnd {
        let failure =
            error as? FramegrepError
            ?? FramegrepError(.engineUnavailable, "The picture cannot be read any more: \(error).")
        return LiveEnd(reason: .error, sightings: 0, statistics: LiveStatistics(), time: .zero, failure: failure)
    }
}
