import Dispatch
import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// The first frame of a part. It shows whether a reader that was moved there sees the same frames as one that read up
/// to there.
struct PartBeginning: Sendable {
    let part: Int
    let time: FrameTime
    let geometry: FrameGeometry
    let thumbnail: Picture

    /// Returns whether both are the same frame of the recording. Each reader counts frames from where it began.
    func isSameFrame(as other: PartBeginning) -> Bool {
        part == other.part && time.start == other.time.start && time.duration == other.time.duration
            && geometry == other.geometry && thumbnail.bytes == other.thumbnail.bytes
    }
}

/// The parts that a selector reads, and its callbacks at their borders.
struct PartBorders: Sendable {
    let grid: PartGrid
    /// The first part to read; earlier frames are only decoded.
    var first = 0
    /// Called with the first frame of that part.
    var begun: @Sendable (PartBeginning) -> Void = { _ in }
    /// Called with the first frame of a later part, and whether all times until then depended only on their own frames;
    /// returns whether another reader takes over. May block.
    var isTaken: @Sendable (PartBeginning, _ isRegular: Bool) -> Bool = { _, _ in false }
}

/// Reads a recording from the beginning of one part to a border where another reader takes over, or to the end.
///
/// Its readings wait here for their turn. Buffering policy: the thread that supplies the frames waits when pictures and
/// thumbnails exceed ``budget``; nothing is dropped. Thread-safe.
final class PartReader: Sendable {
    /// A reading that waits for its turn.
    struct Item: Sendable {
        let reading: SightingJoiner.Reading
        /// The number of bytes to return to the budget once it is joined.
        let bytes: Int
    }

    /// A pipeline that is ready to supply the frames of the part.
    struct Source: Sendable {
        let pipeline: Pipeline
        let sink: AppSink
        let origin: StreamTime
    }

    private struct State {
        var beginning: PartBeginning?
        var hasBegun = false
        var successor: PartReader?
        var failure: (any Error)?
        var damage: FramegrepError?
        var isInterrupted = false
        var hasEnded = false
        var opening: Task<Source?, any Error>?
    }

    /// The first part that it reads.
    let part: Int
    /// Whether it reads from the beginning of the searched range, whichever part contains the first frame.
    private let isFirst: Bool
    /// Its readings, in order.
    let items: AsyncStream<Item>
    let budget: ByteBudget
    /// The estimated size in bytes of a visible line that waits: its picture, votes and evidence.
    private static let lineBytes = 8 << 10
    private let adding: AsyncStream<Item>.Continuation
    private let spotter: FileSpotter
    private let queue: BoundedQueue<ReadRequest>
    private let readings: OrderedReadings<ReadRequest, TextTracker>
    private let outcome = SupplyOutcome()
    private let begun = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isFirst: whether no other reader reads before it.
    ///   - pictures: the number of pictures that it reads at a time.
    ///   - memory: the size of pictures and thumbnails, in bytes, beyond which it waits for its turn.
    init(part: Int, isFirst: Bool, of spotter: FileSpotter, pictures: Int, memory: Int) {
        self.part = part
        self.isFirst = isFirst
        self.spotter = spotter
        queue = BoundedQueue(capacity: pictures + 1)
        readings = OrderedReadings(limit: 2 * pictures + 1)
        budget = ByteBudget(limit: memory, fewest: pictures)
        (items, adding) = AsyncStream.makeStream()
    }

    /// The reader that takes over after this one; nil if this one read to the end, or if that is not known yet.
    var successor: PartReader? { state.withLock { $0.successor } }
    /// The error that ended it; nil if it ended for another reason.
    var failure: (any Error)? { state.withLock { $0.failure } }
    /// The error that its source reported.
    var damage: FramegrepError? { state.withLock { $0.damage } }
    /// Whether readings may be missing at its end, because it was interrupted.
    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// Whether it received frames of its own part; always true for the first reader.
    var hasFrames: Bool { state.withLock { isFirst || $0.beginning != nil } }

    /// Waits for its first frame, blocking the calling thread; nil if it has none.
    func beginning() -> PartBeginning? {
        begun.wait()
        begun.signal()
        return state.withLock { $0.beginning }
    }

    func handOver(to successor: PartReader) { state.withLock { $0.successor = successor } }

    /// Reads until another reader takes over, the recording ends, or it is stopped.
    ///
    /// - Parameters:
    ///  - open: returns the source; nil if it cannot begin at this part.
    ///  - isTaken: see ``PartBorders``.
    func run(
        opening open: @escaping @Sendable () async throws -> Source?, grid: PartGrid,
        isTaken: @escaping @Sendable (PartBeginning, Bool) -> Bool
    ) async {
        do {
            if let source = try await source(opening: open) {
                let borders = PartBorders(grid: grid, first: part, begun: begin, isTaken: isTaken)
                do { try await read(source, borders) } catch { fail(error) }
                let damage = outcome.failure ?? source.pipeline.bus.firstFailure
                state.withLock { $0.damage = damage }
                await source.pipeline.stop()
            }
        } catch {
            fail(error)
        }
        state.withLock { $0.hasEnded = true }
        begin(nil)
        adding.finish()
    }

    /// Opens the source; gives up when the reader is stopped, or after ``FindSettings/patience``.
    private func source(opening open: @escaping @Sendable () async throws -> Source?) async throws -> Source? {
        let opening = state.withLock { state -> Task<Source?, any Error>? in
            guard !outcome.isStopped else { return nil }
            let task = Task { try await open() }
            state.opening = task
            return task
        }
        guard let opening else { return nil }
        let limit = Task { [patience = spotter.settings.patience] in
            try await Task.sleep(for: patience)
            opening.cancel()
        }
        defer { limit.cancel() }
        return try await opening.value
    }

    /// Stops reading, because the readings are no longer wanted.
    func stop() {
        halt(awaitingSteps: false)
        queue.close()
    }

    /// Stops reading early, and keeps what has been read by then.
    func interrupt() { halt(awaitingSteps: true) }

    private func halt(awaitingSteps: Bool) {
        outcome.stop()
        let opening = state.withLock { state in
            if !state.hasEnded { state.isInterrupted = true }
            return state.opening
        }
        opening?.cancel()
        budget.lift()
        readings.interrupt(awaitsSteps: awaitingSteps)
    }

    private func fail(_ error: any Error) { state.withLock { $0.failure = error } }

    private func begin(_ beginning: PartBeginning?) {
        var beginning = beginning
        if let other = beginning, other.part != part {
            // One frame lasts throughout the part, so none begins in it.
            beginning = nil
            if !isFirst { outcome.stop() }
        }
        let isFirst = state.withLock { state in
            guard !state.hasBegun else { return false }
            (state.hasBegun, state.beginning) = (true, beginning)
            return true
        }
        if isFirst { begun.signal() }
    }

    /// - Throws: the error of the supply, or else of a reading.
    private func read(_ source: Source, _ borders: PartBorders) async throws {
        let supply = FrameSupply(
            sink: source.sink, queue: queue, budget: budget, settings: spotter.settings,
            format: spotter.reader.pictureFormat, origin: source.origin, outcome: outcome, borders: borders)
        async let supplying: Void = FileSpotter.run(supply)
        let watching = Task { [outcome] in await FileSpotter.watch(source.pipeline.bus, outcome) }
        defer { watching.cancel() }
        var failure: (any Error)?
        do { try await read() } catch { failure = error }
        outcome.stop()
        budget.lift()
        queue.close()
        try await supplying
        if let failure { throw failure }
    }

    private func read() async throws {
        let recognizer = Recognizer(
            engine: spotter.reader, tracking: spotter.settings.trackingInEffect,
            seeing: spotter.settings.partialResult)
        try await readings.run(
            next: { [queue] in await queue.next() },
            begin: { request in
                defer { request.picture = nil }
                return await recognizer.begin(request)
            },
            join: { request, tracker in
                let reading = SightingJoiner.Reading(request, tracker)
                let bytes =
                    FrameHistory.distinctBytes(of: reading.frames) + Self.lineBytes * (reading.inView?.count ?? 0)
                budget.giveBack(request.budgeted - bytes)
                adding.yield(Item(reading: reading, bytes: bytes))
                return false
            })
    }
}
