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

/// Puts the readings of a live job into the index (`live --remember`). Thread-safe.
///
/// Readings go there once a minute, when the source is lost, and at the end; a crash loses a minute at most. The index is open only
/// meanwhile, so that others may write to it; while one of them does, readings wait in memory. When too many wait to be taken in, more are left
/// out, and counted.
final class LiveIndexRecorder: EventSink {
    /// How long readings wait before they reach the index.
    private static let interval = Duration.seconds(60)
    /// If no text is read, only the fact that there was none is lost.
    private static let longInterval = StreamTime(seconds: 600)
    /// How many parts wait while others write to the index.
    private static let mostWaiting = 240
    /// How many readings may wait to be taken in: more of them are left out.
    private static let mostPending = 24
    /// At the end, others are waited for this long.
    private static let patience = Duration.seconds(10)

    private struct State {
        var hour: LiveHour?
        /// A seal is due some time.
        var isTimed = false
        var waiting: [(source: IndexedSource, part: RecordedPart)] = []
        /// The last message about trouble, so that each is shown once.
        var said: String?
        /// Messages about parts of the index that cannot be read, each of which is shown once.
        var damage = Set<String>()
        var saysTooMuch = false
        var isFinished = false
    }

    private let folder: IndexFolder
    private let name: String
    private let manner: String
    private let tell: @Sendable (String) -> Void
    /// Takes readings in.
    private let queue = SerialQueue("framegrep.memory")
    /// Writes, which may take long where large segments are put together. One for all jobs of the program: their parts come due at the same
    /// time, and each would find the index taken by another.
    private static let writer = SerialQueue("framegrep.writer")
    private let state = Mutex(State())
    /// Readings on their way, and how many were left out.
    private let counts = Mutex((pending: 0, lost: 0))

    /// - Parameters:
    ///   - name: the source's, without passwords.
    ///   - manner: see ``ReadingProfile``.
    ///   - tell: reports problems, from any thread.
    /// - Throws: ``FramegrepError`` if the index cannot be written to, unless only because another program does so just now.
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
            // Never left out: an hour must not go on across it.
            queue.start { [self] in sealAndWrite(endsHour: true) }
        }
    }

    /// Puts everything read so far into the index now, because it is about to be searched. If it cannot be written, it waits.
    func keepNow() async {
        await queue.run { [self] in seal(endsHour: false) }
        await Self.writer.run { [self] in write() }
    }

    /// Puts the rest into the index. Later readings are ignored.
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
            tell("\(Int(left.rounded(.up))) s of what was read are not in the index, which cannot be written to.")
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
        if isTooMuch { tell("what was read some hours ago waits no more, and is not in the index.") }
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
            if isNew { tell("what is read waits to be put into the index. \(reason)") }
        }
    }
}

/// Collects up to about an hour of a live job's readings as a recording of the index: a value, fed with readings.
///
/// Its times begin at that moment, and the clock on the wall then is in its name. An hour, so that what is too old can go hour by
/// hour, and so that a camera's clock, which is never quite right, has no time to go far from ours.
struct LiveHour: Sendable {
    /// It takes readings up to here.
    private static let longest = StreamTime(seconds: 3600)
    /// A picture that stays as it was is noted so often.
    private static let stillInterval = StreamTime(seconds: 1)

    /// As it is up to the last part that was taken.
    private(set) var source: IndexedSource
    private var recorder = LineRecorder(from: .zero)
    /// The job's time that is the beginning here.
    private let origin: StreamTime
    /// Frames count from 0 here, without gaps.
    private var frameCount = 0
    private var last: (lines: [Line], time: StreamTime)?
    /// A reading that says nothing new, and the frames until then.
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

    /// It takes no more readings.
    var isOver: Bool { recorder.end >= Self.longest }
    /// Whether there are lines that were not taken yet.
    var hasLines: Bool { recorder.lineCount > 0 }
    /// How long that is.
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

    /// - Parameter frames: since the reading before.
    private mutating func note(_ finding: FrameResult, _ frames: [FrameHistory.Frame]) {
        let timed = spread(frames)
        let time = timed.last?.time ?? own(finding.time)
        frameCount += max(1, timed.count)
        recorder.add(
            FrameResult(time: time, geometry: finding.geometry, tracks: finding.tracks, frames: timed))
    }

    /// The frames with evenly spaced times: a camera's are nearly so, their exact times would take a hundred times the room, and they
    /// cannot be looked up anyway.
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

/// Whether what `live` and `run` read goes into the index.
struct RememberOptions: ParsableArguments {
    @Flag(help: "Add what is read to the index, with the time of day.")
    var remember = false

    @OptionGroup var index: IndexOptions

    func validate() throws {
        if index.path != nil, !remember {
            throw ValidationError("--index says where --remember puts what is read; give both, or none.")
        }
    }

    /// Where readings are kept; nil unless asked for.
    ///
    /// - Parameters:
    ///   - name: the source's, without passwords.
    ///   - speaker: what messages begin with.
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
