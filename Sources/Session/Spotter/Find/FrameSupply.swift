import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// Pulls the frames of a recording and passes on the steps that they complete. Blocks its thread, so it has one of its
/// own.
struct FrameSupply: Sendable {
    let sink: AppSink
    let queue: BoundedQueue<ReadRequest>
    let budget: ByteBudget
    let settings: FindSettings
    /// The picture format that the reader needs.
    let format: Picture.Format
    /// The source's time of its beginning; see ``StreamOrigin``.
    let origin: StreamTime
    let outcome: SupplyOutcome
    /// The parts that the recording is read in; nil to read it as a whole.
    let borders: PartBorders?

    /// Runs until the source ends, breaks or stalls, or no more frames are wanted.
    ///
    /// - Throws: ``FramegrepError`` if a frame cannot be converted or the region is outside it.
    func run() throws {
        defer { queue.finish() }
        var feed = FrameSelector(settings: settings, format: format, origin: origin, borders: borders)
        var watch = StallWatch(patience: settings.patience)
        var broken = StallWatch.afterFailure
        pulling: while !outcome.isStopped {
            switch sink.pull(timeout: .milliseconds(200)) {
            case .sample(let sample):
                for step in try feed.consider(sample) where !push(step) { return }
                if feed.isBeyond { break pulling }
                watch.reset()
                broken.reset()
            case .timedOut:
                // After an error some elements never send the end of the stream, even when they have decoded everything
                // before it.
                if outcome.failure != nil, broken.look(at: .now, work: ProcessWork.current) { break pulling }
                if let stall = watch.stall(at: .now, work: ProcessWork.current) {
                    outcome.fail(stall)
                    break pulling
                }
            case .endOfStream:
                break pulling
            }
        }
        for step in try feed.finish() where !push(step) { return }
    }

    /// Returns false once no more steps are wanted.
    private func push(_ step: ReadRequest) -> Bool {
        var step = step
        step.budgeted = step.byteCount
        budget.take(step.budgeted)
        return queue.push(step)
    }
}

/// The messages between the supplying thread, the bus and the reading task. Thread-safe.
final class SupplyOutcome: Sendable {
    private struct State {
        var isStopped = false
        var failure: FramegrepError?
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }
    var failure: FramegrepError? { state.withLock { $0.failure } }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Records a failure. The first one is the cause; later ones follow from it.
    func fail(_ error: FramegrepError) { state.withLock { $0.failure = $0.failure ?? error } }
}
