public import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

extension SkimPlan {
    /// How long a look through all of a recording may take, in which nothing is decoded: it is read as fast as the disk gives it.
    private static let patience = Duration.seconds(1800)

    /// Looks through a recording for its key frames, of which only the first is decoded.
    ///
    /// - Parameters:
    ///   - source: the recording.
    ///   - description: the pipeline that brings its frames, with `appsink name=frames`.
    /// - Throws: what `GStreamerMedia/Pipeline/prepare(timeout:)` throws; `CancellationError`.
    public static func of(_ source: OpenedSource, _ description: String) async throws -> SkimPlan {
        // What comes once is not looked through before it is read.
        guard !source.isReadOnce else { return .sampled }
        let pipeline = try Pipeline(parsing: description)
        let seen = Seen()
        pipeline.letPackets { seen.take($0) }
        do {
            let sink = try pipeline.appSink(named: Pipeline.framesName)
            try sink.configure(maxBuffers: 4, drop: false, sync: false)
            // The first frame comes when the stream is over, because its decoder waits for more.
            _ = try await pipeline.prepare(timeout: patience)
            try await pipeline.play()
            let isCancelled = CancellationFlag()
            try await withTaskCancellationHandler {
                try await DedicatedThread.run(named: "framegrep-scan") {
                    while !isCancelled.isCancelled, !seen.isEmpty, pipeline.bus.firstFailure == nil {
                        if case .endOfStream = sink.pull(timeout: .milliseconds(200)) { return }
                    }
                }
            } onCancel: {
                isCancelled.cancel()
            }
            try Task.checkCancellation()
        } catch {
            await pipeline.stop()
            throw error
        }
        let length = pipeline.duration
        await pipeline.stop()
        return seen.plan(length: length)
    }

    /// The key frames that came by. Thread-safe.
    private final class Seen: Sendable {
        private struct State {
            var keys: [StreamTime] = []
            var last = StreamTime.zero
            var count = 0
            var isTimed = true
        }

        private let state = Mutex(State())

        /// Takes note of an encoded picture; true for the first.
        func take(_ picture: EncodedPicture) -> Bool {
            state.withLock { state in
                defer { state.count += 1 }
                if let time = picture.time {
                    if picture.isKey { state.keys.append(time) }
                    state.last = max(state.last, time)
                } else if picture.isKey {
                    state.isTimed = false
                }
                return state.count == 0
            }
        }

        /// Nothing is encoded, or by no decoder that is known here.
        var isEmpty: Bool { state.withLock { $0.count == 0 } }

        func plan(length: StreamTime?) -> SkimPlan {
            state.withLock { state in
                guard state.isTimed, state.keys.count > 0 else { return .sampled }
                return SkimPlan(keys: state.keys, end: max(state.last, length ?? .zero))
            }
        }
    }
}
