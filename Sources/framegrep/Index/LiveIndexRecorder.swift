import Engines
import Errors
import Foundation
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
        let isTaken = counts.withLock { counts in
            let isFull = counts.pending >= Self.mostPending
            if isFull { counts.lost += 1 } else { counts.pending += 1 }
            return !isFull
        }
        guard isTaken else { return }
        queue.start { [self] in
            defer { counts.withLock { $0.pending -= 1 } }
            switch finding {
            case .read(let finding, let arrival): add(finding, arrival)
            case .lost: sealAndWrite(endsHour: true)
            }
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
            defer { state.isTimed = true }
            return !state.isTimed
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
            defer { state.saysTooMuch = true }
            return !state.saysTooMuch
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
            try index.mergeSmall()
            state.withLock { $0.said = nil }
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
