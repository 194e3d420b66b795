public import GStreamerMedia
public import TextSpotting

/// Makes a recording begin at a given time, and verifies that it does. Use it between ``Pipeline/prepare(timeout:)``
/// and ``Pipeline/play()``, from one task.
public struct StreamStart: Sendable {
    /// Demuxers that silently fail after a seek: their times are wrong, or they never end.
    private static let misleading: Set<String> = ["avdemux_nut", "y4mdec"]
    /// The time by which a second attempt begins earlier if the first picture came too late. MPEG program streams begin
    /// with the key frame after the time, and their key frames are half a second to a few seconds apart.
    private static let usualLead = StreamTime(seconds: 10)

    /// The source's own time of its beginning, which players show as 0.
    public let origin: StreamTime
    private let pipeline: Pipeline
    private let sink: AppSink
    private let lead: StreamTime

    /// - Parameters:
    ///   - pipeline: prepared, and not yet moved to another time.
    ///   - sink: the sink that its frames reach.
    ///   - interval: the interval between frames, if only key frames are considered.
    public init(of pipeline: Pipeline, at sink: AppSink, interval: StreamTime? = nil) {
        (self.pipeline, self.sink) = (pipeline, sink)
        origin = StreamOrigin.time(of: pipeline, at: sink)
        lead = max(Self.usualLead, interval.map { $0 + $0 } ?? .zero)
    }

    /// Returns whether a pipeline has a demuxer that fails after a seek.
    static func isMisled(_ pipeline: Pipeline) -> Bool { pipeline.hasElement(ofAnyKind: misleading) }

    /// Moves to a time, counted from the beginning: all frames from that time on follow, and perhaps some earlier ones.
    ///
    /// - Returns: false if the source cannot begin there: it must then be opened again, and read from its beginning.
    func move(to time: StreamTime) async -> Bool {
        if time <= .zero { return true }
        // A failed attempt has left an error, which must not be taken for one of the actual reading.
        if let _ = await firstFrame(at: time) { return pipeline.bus.firstFailure == nil }
        // Program and transport streams do not know their length: what they report is an estimate, and often too short.
        guard let duration = pipeline.duration, !pipeline.hasElement(ofAnyKind: StreamOrigin.demuxers) else {
            return false
        }
        return time >= duration
    }

    /// Moves to a time, counted from the beginning.
    ///
    /// - Returns: the first frame after the move, which begins at or before that time, or is the recording's first; nil
    ///   if there is none.
    public func firstFrame(at time: StreamTime) async -> Sample? {
        guard !Self.isMisled(pipeline) else { return nil }
        for earlier in [StreamTime.zero, lead, time] {
            let asked = max(.zero, time - earlier)
            // Near the end of a program stream nothing may be found at all.
            guard await pipeline.seek(to: asked + origin, accurate: true), let first = sink.firstSample() else {
                continue
            }
            let begin = first.streamTime.map { $0 - origin } ?? time
            if begin <= time || asked == .zero { return first }
        }
        return nil
    }
}
