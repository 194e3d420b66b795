import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// Which parts of a recording are read at a time, and how much memory each may take.
struct PartPlan: Sendable {
    let grid: PartGrid
    /// The part with the first frame that is searched, and the one with the last.
    let first: Int
    let last: Int
    /// The number of readers at a time.
    let atATime: Int
    /// The number of parts that are read, or wait for their turn.
    var window: Int { 2 * atATime }
    /// The size of pictures and thumbnails of a part, in bytes, beyond which its reader waits for its turn.
    let memory: Int

    /// The largest number of frames that a decoder holds.
    private static let decodedFrames = 24
    /// The least memory for pictures and thumbnails of a part, in bytes.
    private static let leastMemory = FileSpotter.mostBytes

    /// Plans to read as many parts at a time as there are processors and memory for; nil if that is only one.
    ///
    /// - Parameters:
    ///   - times: the searched part of the recording.
    ///   - frameBytes: the size of a decoded frame.
    init?(_ grid: PartGrid, _ times: Range<StreamTime>, _ limits: SideBySide, frameBytes: Int) {
        self.grid = grid
        first = grid.part(at: times.lowerBound)
        last = grid.part(at: max(times.lowerBound, times.upperBound - StreamTime(nanoseconds: 1)))
        let decoder = Self.decodedFrames * frameBytes
        atATime = min(limits.parts, last - first + 1, limits.memory / (decoder + 2 * Self.leastMemory))
        guard atATime > 1 else { return nil }
        memory = (limits.memory - atATime * decoder) / (2 * atATime)
    }
}

/// Reads several parts of a recording at a time, and joins their readings in order.
///
/// When a reader reaches a part that another reader began with, the first frame of that part is compared as both of
/// them see it. If the two frames are equal in every respect, the other reader takes over. If they are not, if the
/// other reader could not be moved to the part, or if times before it depended on more than their own frames, the
/// reader that arrived reads the rest of the recording by itself. So the result is always that of one reader that reads
/// everything (docs/decisions/parts-side-by-side.md).
final class PartedSearch: Sendable {
    private struct State {
        /// The readers that were started and are still wanted, by the part that each began with.
        var readers: [Int: PartReader] = [:]
        var tasks: [Task<Void, Never>] = []
        /// The next part to be started.
        var next: Int
        var running = 0
        var isStopped = false
    }

    private let plan: PartPlan
    private let spotter: FileSpotter
    private let source: PartReader.Source
    private let state: Mutex<State>

    /// How many pictures of each part are read at a time.
    private static let pictures = 2
    /// The time before a part at which its reader starts to decode. After a seek the first frame seems to begin at the
    /// target, whenever it really began, and frames may be out of order by up to ``FrameClock/disorder``.
    private static let lead = StreamTime(seconds: 1)

    /// - Parameter source: plays from the beginning of the first part.
    init(_ plan: PartPlan, of spotter: FileSpotter, from source: PartReader.Source) {
        self.plan = plan
        self.spotter = spotter
        self.source = source
        state = Mutex(State(next: plan.first))
    }

    /// Runs to the end of the recording, until `join` returns true, or until its task is cancelled. After a
    /// cancellation, everything that was read without a gap is still joined.
    ///
    /// - Parameter join: takes the next reading; returns true when enough has been found.
    /// - Returns: the error that ended it, and the one that its source reported.
    func run(
        join: @escaping @Sendable (SightingJoiner.Reading) async -> Bool
    ) async -> (failure: (any Error)?, damage: FramegrepError?) {
        startMore()
        // Use a separate task, because finished readings are joined when this one is cancelled.
        let joining = Task {
            var reader = state.withLock { $0.readers[plan.first] }
            var failure: (any Error)?
            var damage: FramegrepError?
            parts: while let current = reader {
                defer {
                    failure = current.failure
                    damage = damage ?? current.damage
                }
                for await item in current.items {
                    let isEnough = await join(item.reading)
                    current.budget.give(item.bytes)
                    if isEnough { break parts }
                }
                guard !current.isInterrupted, current.failure == nil else { break }
                reader = current.successor
                if reader != nil { forget(current) }
            }
            let tasks = state.withLock { state in
                state.isStopped = true
                for reader in state.readers.values { reader.stop() }
                return state.tasks
            }
            for task in tasks { await task.value }
            return (failure, damage)
        }
        return await withTaskCancellationHandler {
            await joining.value
        } onCancel: {
            state.withLock { state in
                state.isStopped = true
                for reader in state.readers.values { reader.interrupt() }
            }
        }
    }

    /// Discards a reader whose readings are all joined.
    private func forget(_ before: PartReader) {
        state.withLock { $0.readers[before.part] = nil }
        startMore()
    }

    /// Starts further readers while the limits allow.
    private func startMore() {
        state.withLock { state in
            while !state.isStopped, state.running < plan.atATime, state.next <= plan.last,
                state.readers.count < plan.window
            {
                let reader = PartReader(
                    part: state.next, isFirst: state.next == plan.first, of: spotter, pictures: Self.pictures,
                    memory: plan.memory)
                state.readers[reader.part] = reader
                state.next += 1
                state.running += 1
                state.tasks.append(Task { await run(reader) })
            }
        }
    }

    private func run(_ reader: PartReader) async {
        await reader.run(
            opening: { [self] in try await open(at: reader.part) }, grid: plan.grid,
            isTaken: { [self] in isTaken($0, from: reader, isRegular: $1) })
        state.withLock { $0.running -= 1 }
        startMore()
    }

    /// Opens the recording once more, a little before a part; nil if it cannot begin there.
    private func open(at part: Int) async throws -> PartReader.Source? {
        guard part != plan.first else { return source }
        let pipeline = try Pipeline(parsing: spotter.description)
        do {
            pipeline.limitDecoders(toThreads: max(1, Processors.usable / plan.atATime))
            let sink = try await pipeline.preparedSink(within: spotter.settings.patience)
            let start = StreamStart(of: pipeline, at: sink)
            let time = max(.zero, plan.grid.beginning(of: part) - Self.lead)
            if start.origin == source.origin, await pipeline.seek(to: time + start.origin, accurate: true),
                pipeline.bus.firstFailure == nil
            {
                try await pipeline.play()
                return PartReader.Source(pipeline: pipeline, sink: sink, origin: start.origin)
            }
            await pipeline.stop()
            return nil
        } catch {
            // The previous reader will meet the same error, or continue without this one.
            DebugLog.info("part \(part) cannot be opened: \(error)")
            await pipeline.stop()
            return nil
        }
    }

    /// Decides which reader continues when one reaches a later part.
    ///
    /// - Returns: whether another reader takes over, so that this one ends.
    private func isTaken(_ beginning: PartBeginning, from reader: PartReader, isRegular: Bool) -> Bool {
        let (isWanted, other) = state.withLock { state in
            let isWanted = !state.isStopped && state.readers[reader.part] === reader && reader.hasFrames
            if isWanted, isRegular { state.next = max(state.next, beginning.part + 1) }
            return (isWanted, state.readers[beginning.part])
        }
        guard isWanted else { return true }
        guard isRegular else {
            goOnAlone(reader, beginning)
            return false
        }
        // No reader began with this part, so this one is the first to reach it.
        guard let other else { return false }
        guard other.beginning()?.isSameFrame(as: beginning) ?? false else {
            goOnAlone(reader, beginning)
            return false
        }
        // Another reader may have discarded one of them meanwhile.
        let wanted = state.withLock { state in
            let wanted = (reader: state.readers[reader.part] === reader, other: state.readers[other.part] === other)
            if wanted.reader, wanted.other { reader.handOver(to: other) }
            return wanted
        }
        guard wanted.reader, wanted.other else { return !wanted.reader }
        DebugLog.info("the reader of part \(beginning.part) goes on after that of part \(reader.part)")
        discard { $0 > reader.part && $0 < other.part }
        return true
    }

    private func goOnAlone(_ reader: PartReader, _ beginning: PartBeginning) {
        DebugLog.info("the reader of part \(reader.part) goes on alone with part \(beginning.part)")
        discard { $0 > reader.part }
        state.withLock { $0.next = .max }
    }

    private func discard(_ isUnwanted: (Int) -> Bool) {
        state.withLock { state in
            for part in state.readers.keys where isUnwanted(part) { state.readers.removeValue(forKey: part)?.stop() }
        }
    }
}
