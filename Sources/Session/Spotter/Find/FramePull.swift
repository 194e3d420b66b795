import GStreamerMedia
import TextSpotting
import Threads

/// Pulls the frames of a playing pipeline on the calling thread, one after the other, until it ends or fails.
struct FramePull {
    private let pipeline: Pipeline
    private let sink: AppSink
    private let isCancelled: CancellationFlag
    private var watch: StallWatch
    /// Whether the last frame has been pulled.
    private(set) var isComplete = false
    /// Whether the source reported an error, perhaps before its last frame.
    var hasFailed: Bool { pipeline.bus.firstFailure != nil }

    /// Runs code that pulls frames on a thread of its own; cancelling the task ends the frames.
    ///
    /// - Parameters:
    ///   - pipeline: playing.
    ///   - patience: the time for which the source may supply no frame while the program is idle.
    static func run<Result: Sendable>(
        _ pipeline: Pipeline, at sink: AppSink, _ patience: Duration, threadNamed name: String,
        _ work: @escaping @Sendable (inout FramePull) throws -> Result
    ) async throws -> Result {
        let isCancelled = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await DedicatedThread.run(named: name) {
                var pull = FramePull(
                    pipeline: pipeline, sink: sink, isCancelled: isCancelled, watch: StallWatch(patience: patience))
                return try work(&pull)
            }
        } onCancel: {
            isCancelled.cancel()
        }
    }

    /// Plays a recording from its beginning.
    ///
    /// - Parameter work: also gets the source's own time of its beginning.
    /// - Throws: the errors of `Pipeline.prepare(timeout:)` and of `work`; `CancellationError`.
    static func play<Result: Sendable>(
        _ source: OpenedSource, patience: Duration = FindSettings().patience, threadNamed name: String,
        _ work: @escaping @Sendable (inout FramePull, StreamTime) throws -> Result
    ) async throws -> Result {
        let pipeline = try Pipeline(parsing: SourceDescription.search(source))
        let result = try await pipeline.stopping {
            let sink = try pipeline.appSink(named: Pipeline.framesName)
            _ = try sink.configure(maxBuffers: 4, drop: false, sync: false)
            _ = try await pipeline.prepare(timeout: patience)
            let origin = StreamStart(of: pipeline, at: sink).origin
            try await pipeline.play()
            return try await run(pipeline, at: sink, patience, threadNamed: name) { try work(&$0, origin) }
        }
        try Task.checkCancellation()
        return result
    }

    /// Waits for the next frame; nil if none follows.
    mutating func next() -> Sample? {
        while !isCancelled.isCancelled {
            switch sink.pull(timeout: .milliseconds(200)) {
            case .sample(let sample):
                watch.reset()
                return sample
            case .timedOut:
                if hasFailed || watch.stall(at: .now, work: ProcessWork.current) != nil {
                    return nil
                }
            case .endOfStream:
                isComplete = true
                return nil
            }
        }
        return nil
    }
}
