public import GStreamerMedia
public import TextSpotting

/// Has a recording begin at a given time, and makes sure that it does. To be used between ``Pipeline/prepare(timeout:)`` and
/// ``Pipeline/play()``, by one task.
public struct StreamStart: Sendable {
    /// Demuxers that err after a seek, without a word: the times of their pictures are others, or they never end.
    private static let misleading: Set<String> = ["avdemux_nut", "y4mdec"]
    /// How much earlier is begun where the first picture came too late. Program streams of MPEG begin with the key frame after the time,
    /// and their key frames are half a second to a few seconds apart.
    private static let usualLead = StreamTime(seconds: 10)

    /// The source's own time of its beginning, which players call 0.
    public let origin: StreamTime
    private let pipeline: Pipeline
    private let sink: AppSink
    private let lead: StreamTime

    /// - Parameters:
    ///   - pipeline: prepared, and not yet moved to another time.
    ///   - sink: where its frames come out.
    ///   - interval: how far apart the frames are, where only key frames are looked at.
    public init(of pipeline: Pipeline, at sink: AppSink, interval: StreamTime? = nil) {
        (self.pipeline, self.sink) = (pipeline, sink)
        origin = StreamOrigin.time(of: pipeline, at: sink)
        lead = max(Self.usualLead, interval.map { $0 + $0 } ?? .zero)
    }

    /// Whether a pipeline has a demuxer that errs after a seek.
    static func isMisled(_ pipeline: Pipeline) -> Bool { pipeline.hasElement(ofAnyKind: misleading) }

    /// Moves to a time, counted from the beginning: the frames that come then are all from it on, and perhaps some before it.
    ///
    /// - Returns: false if the source cannot begin there: it has to be opened anew then, and read from its beginning.
    func move(to time: StreamTime) async -> Bool {
        if time <= .zero { return true }
        // A try that failed has left an error, which would be taken for one of what is read.
        if let _ = await firstFrame(at: time) { return pipeline.bus.firstFailure == nil }
        // Program and transport streams do not know their length: what they say is an estimate, and often too short.
        guard let duration = pipeline.duration, !pipeline.hasElement(ofAnyKind: StreamOrigin.demuxers) else {
            return false
        }
        return time >= duration
    }

    /// Moves to a time, counted from the beginning.
    ///
    /// - Returns: the first frame that comes then, which begins at that time or before, or is the recording's first; nil if there is none.
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
