public import GStreamerMedia
public import TextSpotting

/// Finds where a recording begins and ends from its first and its last frame, because the length stated in a file may
/// be wrong: a recorder that was stopped leaves the planned length, and some containers only estimate theirs.
public enum RecordingEnd {
    /// The length of the end of the recording that is decoded.
    private static let tail = StreamTime(seconds: 3)

    /// Returns the end of the last frame, counted from the beginning of the recording; nil if it cannot be determined.
    ///
    /// If the stated length is right, only the last seconds are decoded. If it is too long, the end is found by
    /// bisection; if the source cannot seek, all of it is decoded.
    ///
    /// - Parameters:
    ///   - source: a source that can be read again.
    ///   - length: the length stated in the recording.
    ///   - patience: the time for which the source may supply no frame while the program is idle.
    /// - Throws: the errors of `GStreamerMedia/Pipeline/prepare(timeout:)`; `CancellationError`.
    public static func seen(
        in source: OpenedSource, stating length: StreamTime, patience: Duration = FindSettings().patience
    ) async throws -> StreamTime? {
        let description = SourceDescription.search(source)
        func end(from start: StreamTime) async throws -> StreamTime? {
            let pipeline = try Pipeline(parsing: description)
            let found = try await pipeline.stopping { try await Self.end(of: pipeline, from: start, patience) }
            try Task.checkCancellation()
            return found
        }
        let near = max(.zero, length - tail)
        // A source that fails after a seek is read from its beginning.
        if near > .zero, let found = try await end(from: near) { return found }
        return try await end(from: .zero)
    }

    /// Returns the time of the first frame on the source's clock; nil if the source does not state it. Recordings need
    /// not begin at 0.
    ///
    /// - Throws: the errors of `GStreamerMedia/Pipeline/prepare(timeout:)`.
    public static func beginning(
        of source: OpenedSource, patience: Duration = FindSettings().patience
    ) async throws -> StreamTime? {
        let pipeline = try Pipeline(parsing: SourceDescription.search(source))
        return try await pipeline.stopping {
            let sink = try await pipeline.preparedSink(maxBuffers: 1, within: patience)
            // A program or transport stream counts from its first frame.
            return pipeline.hasElement(ofAnyKind: StreamOrigin.demuxers) ? .zero : sink.firstSample()?.streamTime
        }
    }

    private static func end(
        of pipeline: Pipeline, from start: StreamTime, _ patience: Duration
    ) async throws -> StreamTime? {
        let sink = try await pipeline.preparedSink(within: patience)
        let origin = StreamStart(of: pipeline, at: sink).origin
        guard await moves(pipeline, sink, near: start, origin) else { return nil }
        try await pipeline.play()
        return try await FramePull.run(pipeline, at: sink, patience, threadNamed: "framegrep-end") { frames in
            lastEnd(of: &frames).map { $0 - origin }
        }
    }

    /// Moves to a time with a frame, at most some seconds before the last one.
    private static func moves(
        _ pipeline: Pipeline, _ sink: AppSink, near start: StreamTime, _ origin: StreamTime
    ) async -> Bool {
        guard start > .zero else { return true }
        guard !StreamStart.isMisled(pipeline) else { return false }
        func hasFrame(at time: StreamTime) async -> Bool? {
            guard await pipeline.seek(to: time + origin, accurate: true), pipeline.bus.firstFailure == nil else {
                return nil
            }
            return sink.firstSample() != nil
        }
        var (shown, empty, place) = (StreamTime.zero, start + tail, start)
        while true {
            guard let isShown = await hasFrame(at: place) else { return false }
            if isShown { shown = place } else { empty = place }
            guard empty - shown > tail, !Task.isCancelled else { break }
            place = StreamTime(nanoseconds: (shown.nanoseconds + empty.nanoseconds) / 2)
        }
        return place == shown ? true : await hasFrame(at: shown) ?? false
    }

    /// Blocks until the stream is over; nil if it fails.
    private static func lastEnd(of frames: inout FramePull) -> StreamTime? {
        var (last, end): (StreamTime?, StreamTime?)
        while let sample = frames.next() {
            guard let begin = sample.streamTime else { continue }
            // A frame without a duration lasts as long as the one before it.
            let duration = sample.duration ?? last.map { max(.zero, begin - $0) } ?? .zero
            end = max(end ?? .zero, begin + duration)
            last = begin
        }
        return frames.isComplete ? end : nil
    }
}
