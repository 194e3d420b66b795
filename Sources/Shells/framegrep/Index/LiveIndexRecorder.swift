import ArgumentParser
import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextIndex
import TextSpotting
import Threads

/// Adds the readings of a live job to the index (`live --remember`). Thread-safe.
///
/// Readings are written once a minute, when the source is lost, and at the end, so a crash loses at most a minute. The
/// index is only open during that, so that other programs may write to it; while one of them does, readings wait in
/// memory. If too many wait, further ones are left out and counted.
final class LiveIndexRecorder: EventSink {
    /// The time for which readings wait before they are written to the index.
    private static let interval = Duration.seconds(60)
    /// The interval without any text, when only the fact that there was none could be lost.
    private static let longInterval = StreamTime(seconds: 600)
    /// The largest number of parts waiting while others write to the index.
    private static let mostWaiting = 240
    /// The largest number of readings waiting to be processed: more are left out.
    private static let mostPending = 24
    /// The time to wait for other programs at the end.
    private static let patience = Duration.seconds(10)

    private struct State {
        var hour: LiveHour?
        /// Whether a write is scheduled.
        var isTimed = false
        var waiting: [(source: IndexedSource, part: RecordedPart)] = []
        /// The last problem reported, so that each is shown once.
        var said: String?
        /// The parts of the index that cannot be read, each of which is reported once.
        var damage = Set<String>()
        var saysTooMuch = false
        var isFinished = false
    }

    private let folder: IndexFolder
    private let name: String
    private let manner: String
    private let tell: @Sendable (String) -> Void
    /// The queue that processes readings.
    private let queue = SerialQueue("framegrep.memory")
    /// The queue that writes, which may take long if large segments are merged. All jobs of the program share it: their
    /// parts become due at the same time, and each would find the index locked by another.
    private static let writer = SerialQueue("framegrep.writer")
    private let state = Mutex(State())
    /// The number of readings in transit, and the number left out.
    private let counts = Mutex((pending: 0, lost: 0))

    /// - Parameters:
    ///   - name: the name of the source, without passwords.
    ///   - manner: see ``ReadingProfile``.
    ///   - tell: reports problems, from any thread.
    /// - Throws: ``FramegrepError`` if the index cannot be written to, unless only because another program is writing
    ///   to it.
    init(
        _ folder: IndexFolder, name: String, manner: String, _ tell: @escaping @Sendable (String) -> Void
    ) throws {
        (self.folder, self.name, self.manner, self.tell) = (folder, name, manner, tell)
        do { _ = try TextIndex.forWriting(folder) } catch let error as FramegrepError {
            guard TextIndex.isBusy(folder) else { throw error }
        }
    }

    var wishes: EventWishes { .results }

    /// Takes a result; returns at once.
    func take(_ finding: LiveResult) {
        switch finding {
        case .read(let finding, let arrival):
            let isTaken = counts.withLock { counts in
                let isFull = counts.pending >= Self.mostPending
                if isFull { counts.lost += 1 } else { counts.pending += 1 }
                return !isFull
            }
            guard isTaken else { return }
            queue.start { [self] in
                defer { counts.withLock { $0.pending -= 1 } }
                add(finding, arrival)
            }
        case .lost:
            // Never leave this out: an hour must not continue across it.
            queue.start { [self] in sealAndWrite(endsHour: true) }
        }
    }

    /// Writes everything read so far to the index now, because it is about to be searched. If that is not possible, the
    /// readings wait.
    func keepNow() async {
        await queue.run { [self] in seal(endsHour: false) }
        await Self.writer.run { [self] in write() }
    }

    /// Writes the rest to the index. Later readings are ignored.
    func finish() async {
        await queue.run { [self] in seal(endsHour: true) }
        await Self.writer.run { [self] in write() }
        let deadline = ContinuousClock.now + Self.patience
        while !state.withLock({ $0.waiting.isEmpty }), ContinuousClock.now < deadline, TextIndex.isBusy(folder) {
            try? await Task.sleep(for: .milliseconds(200))
            await Self.writer.run { [self] in write() }
        }
        let left = state.withLock { state in
            state.isFinished = true
            return state.waiting.reduce(0) { $0 + ($1.part.to - $1.part.from).seconds }
        }
        if left > 0 {
            tell("\(Int(left.rounded(.up))) s of what was read are not in the index, because it cannot be written to.")
        }
        let lost = counts.withLock { $0.lost }
        if lost > 0 { tell("\(lost) readings are not in the index, because they came faster than they could be kept.") }
    }

    // MARK: On the queue

    private func add(_ finding: FrameResult, _ arrival: ContinuousClock.Instant) {
        if state.withLock({ $0.hour?.isOver ?? false }) { sealAndWrite(endsHour: true) }
        let starts = state.withLock { state in
            guard !state.isFinished else { return false }
            var hour = state.hour ?? LiveHour(name, manner: manner, finding, arrival: arrival)
            state.hour = nil
            hour.add(finding)
            state.hour = hour
            return state.isTimed.raise()
        }
        if starts { sealLater() }
    }

    private func sealLater() {
        queue.start(after: Self.interval) { [weak self] in
            guard let self else { return }
            let isDue = state.withLock { state in
                guard !state.isFinished, let hour = state.hour else {
                    state.isTimed = !state.isFinished && !state.waiting.isEmpty
                    return state.isTimed
                }
                return hour.hasLines || hour.length >= Self.longInterval || !state.waiting.isEmpty
            }
            if isDue { sealAndWrite(endsHour: false) }
            if state.withLock({ $0.isTimed }) { sealLater() }
        }
    }

    private func sealAndWrite(endsHour: Bool) {
        seal(endsHour: endsHour)
        Self.writer.start { [self] in write() }
    }

    private func seal(endsHour: Bool) {
        let isTooMuch = state.withLock { state in
            guard !state.isFinished, var hour = state.hour else { return false }
            state.hour = nil
            if let part = hour.takePart() { state.waiting.append((hour.source, part)) }
            if !endsHour { state.hour = hour }
            guard state.waiting.count > Self.mostWaiting else { return false }
            state.waiting.removeFirst()
            return state.saysTooMuch.raise()
        }
        if isTooMuch { tell("text that was read some hours ago no longer waits, and is not in the index.") }
    }

    // MARK: On the writer's queue

    /// Writes waiting parts, the oldest first; those that cannot be written stay.
    private func write() {
        guard state.withLock({ !$0.waiting.isEmpty }) else { return }
        do {
            let index = try TextIndex.forWriting(folder, meaning: MeaningInstallation.installed)
            while let (source, part) = state.withLock({ $0.waiting.first }) {
                _ = try index.add(part, of: source, inPlaceOf: nil)
                state.withLock { state in
                    state.waiting.removeAll { $0.source.id == source.id && $0.part.from == part.from }
                }
            }
            let problems = try index.mergeSmall().map(\.message)
            let new = state.withLock { state in
                state.said = nil
                let known = state.damage
                state.damage.formUnion(problems)
                return problems.filter { !known.contains($0) }
            }
            for message in new { tell(message) }
        } catch {
            let reason = (error as? FramegrepError)?.message ?? "\(error)"
            let isNew = state.withLock { state in
                defer { state.said = reason }
                return state.said != reason
            }
            if isNew { tell("new text waits to be put into the index. \(reason)") }
        }
    }
}

/// Collects up to about an hour of a live job's readings as a recording of the index: a value that takes readings.
///
/// Its times start at that moment, and its name contains the wall-clock time. It is limited to an hour so that old
/// material can be removed hour by hour, and so that a camera's clock, which is never quite right, cannot drift far
/// from ours.
struct LiveHour: Sendable {
    /// The length after which it takes no more readings.
    private static let longest = StreamTime(seconds: 3600)
    /// The interval at which an unchanged picture is recorded.
    private static let stillInterval = StreamTime(seconds: 1)

    /// The recording up to the last part that was taken.
    private(set) var source: IndexedSource
    private var recorder = LineRecorder(from: .zero)
    /// The job's time of the beginning.
    private let origin: StreamTime
    /// The number of frames, which are counted from 0 without gaps.
    private var frameCount = 0
    private var last: (lines: [Line], time: StreamTime)?
    /// A reading without news, and the frames up to it.
    private var waiting: (finding: FrameResult, frames: [FrameHistory.Frame])?

    private struct Line: Equatable {
        let track: Int
        let line: TextLine
    }

    /// - Parameters:
    ///   - finding: the first reading.
    ///   - arrival: when its frame came.
    init(_ name: String, manner: String, _ finding: FrameResult, arrival: ContinuousClock.Instant) {
        origin = finding.frames.first.map { min($0.time.start, finding.time.start) } ?? finding.time.start
        let age = (ContinuousClock.now - arrival).inSeconds + (finding.time.start - origin).seconds
        let name = LiveName(source: name, start: Date(timeIntervalSinceNow: -age))
        source = IndexedSource(
            id: .drawn(), name: name.text, manner: LiveName.manner(manner), stamp: nil, digest: nil, state: .complete,
            wallStart: name.start, isLive: true)
    }

    /// Whether it takes no more readings.
    var isOver: Bool { recorder.end >= Self.longest }
    /// Whether there are lines that were not taken yet.
    var hasLines: Bool { recorder.lineCount > 0 }
    /// The length of the part that was not taken yet.
    var length: StreamTime { recorder.end - source.end }

    /// Takes the next reading.
    mutating func add(_ finding: FrameResult) {
        let lines = finding.tracks.map { Line(track: $0.id, line: $0.line) }
        if let last, last.lines == lines, finding.time.start - last.time < Self.stillInterval {
            waiting = (finding, (waiting?.frames ?? []) + finding.frames)
            return
        }
        noteWaiting()
        note(finding, finding.frames)
        last = (lines, finding.time.start)
    }

    /// Returns everything read since the last call; nil if nothing was.
    mutating func takePart() -> RecordedPart? {
        noteWaiting()
        guard recorder.end > source.end else { return nil }
        let part = recorder.takePart()
        source.end = part.to
        source.added = Date()
        frameCount = 0
        return part
    }

    private mutating func noteWaiting() {
        if let waiting { note(waiting.finding, waiting.frames) }
        waiting = nil
    }

    /// - Parameter frames: the frames since the previous reading.
    private mutating func note(_ finding: FrameResult, _ frames: [FrameHistory.Frame]) {
        let timed = spread(frames)
        let time = timed.last?.time ?? own(finding.time)
        frameCount += max(1, timed.count)
        recorder.add(
            FrameResult(time: time, geometry: finding.geometry, tracks: finding.tracks, frames: timed))
    }

    /// Returns the frames with evenly spaced times: those of a camera nearly are, their exact times would take a
    /// hundred times the space, and they cannot be looked up anyway.
    private func spread(_ frames: [FrameHistory.Frame]) -> [FrameHistory.Frame] {
        guard let first = frames.first, let last = frames.last else { return [] }
        let start = max(first.time.start - origin, recorder.end).nanoseconds
        let step = max(1, ((last.time.end - origin).nanoseconds - start) / Int64(frames.count))
        return frames.enumerated().map { number, frame in
            FrameHistory.Frame(
                time: FrameTime(
                    index: frameCount + number, start: StreamTime(nanoseconds: start + Int64(number) * step),
                    duration: StreamTime(nanoseconds: step)), picture: frame.picture)
        }
    }

    private func own(_ time: FrameTime) -> FrameTime {
        FrameTime(index: frameCount, start: max(time.start - origin, recorder.end), duration: time.duration)
    }
}

/// The option to add the readings of `live` and `run` to the index.
struct RememberOptions: ParsableArguments {
    @Flag(help: "Add what is read to the index, with the time of day.")
    var remember = false

    @OptionGroup var index: IndexOptions

    func validate() throws {
        if index.path != nil, !remember {
            throw ValidationError("--index names the index that --remember writes to; give both, or neither.")
        }
    }

    /// Returns the recorder of readings; nil unless requested.
    ///
    /// - Parameters:
    ///   - name: the name of the source, without passwords.
    ///   - speaker: the prefix of messages.
    /// - Throws: ``FramegrepError`` if the index cannot be written to.
    func memory(
        ofSource name: String, _ reading: ReadingOptions, speaker: String = "framegrep"
    ) throws -> LiveIndexRecorder? {
        guard remember else { return nil }
        return try LiveIndexRecorder(
            try index.folder(), name: redacted(name), manner: ReadingProfile(reading, everyFrame: false).text
        ) { StandardError.line("\(speaker): \($0)") }
    }
}
