import GStreamerMedia
import OverlayDrawing
public import TextSpotting

/// Draws finished sightings into a copy of the recording, or into a picture of each.
///
/// A second pass over the source: only when the search is over is it known where a box begins and ends, so the copy is
/// exact to the frame, and the picture of a sighting is the very frame that was read.
public struct RecordingAnnotator: Sendable {
    /// The recording that was searched, as GStreamer takes it.
    public let uri: String
    /// The MP4 (or `.mkv`) file to write; nil for none.
    public let videoPath: String?
    /// The folder for pictures, which must exist; nil for none.
    public let frameFolder: String?

    public init(uri: String, videoPath: String?, frameFolder: String?) {
        self.uri = uri
        self.videoPath = videoPath
        self.frameFolder = frameFolder
    }

    /// Writes what was asked for, up to `end` of the recording.
    ///
    /// - Parameters:
    ///   - sightings: with their boxes, where a video is written; quads in pixels of the picture as displayed.
    ///   - progress: told how far it is, on another thread.
    /// - Throws: ``FramegrepError`` (`outputFailed`) when a file cannot be written; a video begun is completed first.
    public func write(
        _ sightings: [Sighting], until end: StreamTime, progress: @escaping @Sendable (StreamTime) -> Void
    ) async throws {
        let description = videoPath.map { SourceDescription.annotation(uri, to: $0) } ?? SourceDescription.search(uri)
        let pipeline = try Pipeline(parsing: description)
        do {
            try await run(pipeline, sightings, end, progress)
            await pipeline.stop()
        } catch {
            await pipeline.stop()
            throw error
        }
    }

    private func run(
        _ pipeline: Pipeline, _ sightings: [Sighting], _ end: StreamTime,
        _ progress: @escaping @Sendable (StreamTime) -> Void
    ) async throws {
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        let source = pipeline.appSource(named: "overlay")
        _ = try sink.configure(maxBuffers: 4, drop: false, sync: false)
        _ = source?.configure(maxBuffers: 4, block: true, isLive: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        let cancellation = CancellationFlag()
        let end = frameFolder != nil && videoPath == nil ? min(end, sightings.map(\.peak.time.end).max() ?? .zero) : end
        try await withTaskCancellationHandler {
            try await DedicatedThread.run(named: "framegrep-annotate") { [frameFolder] in
                var pass = AnnotationPass(sightings: sightings, frameFolder: frameFolder)
                defer { source?.endOfStream() }
                while !cancellation.isCancelled {
                    switch sink.pull(timeout: .milliseconds(200)) {
                    case .sample(let sample):
                        let time = try pass.annotate(sample, sendingTo: source)
                        progress(time.start)
                        guard time.end < end else { return }
                    case .timedOut:
                        if pipeline.bus.firstFailure != nil { return }
                    case .endOfStream:
                        return
                    }
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        if source != nil { try await complete(pipeline, sink) }
    }

    /// Waits until the muxer has written the file's end.
    private func complete(_ pipeline: Pipeline, _ sink: AppSink) async throws {
        pipeline.sendEndOfStream()
        let draining = CancellationFlag()
        async let drained: Void = DedicatedThread.run(named: "framegrep-drain") {
            while !draining.isCancelled {
                if case .endOfStream = sink.pull(timeout: .milliseconds(200)) { return }
            }
        }
        var failure: FramegrepError?
        waiting: for await message in pipeline.bus.messages {
            switch message {
            case .endOfStream: break waiting
            case .error(let report):
                failure = report.error
                break waiting
            default: continue
            }
        }
        draining.cancel()
        try await drained
        if let failure { throw failure }
    }
}
