import GStreamerMedia
import TextSpotting

/// Has a recording begin at a given time, and makes sure that it does.
struct StreamStart {
    /// Demuxers that err after a seek, without a word: the times of their pictures are others, or they never end.
    private static let misleading: Set<String> = ["avdemux_nut", "y4mdec"]
    /// How much earlier is begun where the first picture came too late. Program streams of MPEG begin with the key frame after the time,
    /// and their key frames are half a second to a few seconds apart.
    private static let usualLead = StreamTime(seconds: 10)

    private let pipeline: Pipeline
    private let sink: AppSink
    private let origin: StreamTime
    private let lead: StreamTime

    /// - Parameters:
    ///   - pipeline: prepared, and not played yet.
    ///   - sink: where its frames come out.
    ///   - origin: the source's time of its beginning; see ``StreamOrigin``.
    ///   - interval: how far apart the frames are, where only key frames are looked at.
    init(of pipeline: Pipeline, at sink: AppSink, origin: StreamTime, interval: StreamTime? = nil) {
        (self.pipeline, self.sink, self.origin) = (pipeline, sink, origin)
        lead = max(Self.usualLead, interval.map { $0 + $0 } ?? .zero)
    }

    /// The first frame is then that of this time, or an earlier one; nothing in between is left out.
    ///
    /// - Returns: false if the source cannot begin there: it has to be opened anew then, and read from its beginning.
    func move(to time: StreamTime) async -> Bool {
        guard time > .zero else { return true }
        guard !pipeline.hasElement(ofAnyKind: Self.misleading) else { return false }
        for earlier in [StreamTime.zero, lead] {
            let asked = max(.zero, time - earlier)
            guard await pipeline.seek(to: asked + origin, accurate: true) else { return false }
            guard let first = sink.firstSample() else { return isBehindTheEnd(time) }
            // The frame that is shown at that time may be said to begin there, or when it does.
            guard let begin = first.streamTime.map({ $0 - origin }), begin > time else { return true }
            if begin - time <= first.duration ?? .zero, earlier == .zero { return true }
            if asked == .zero { return true }
        }
        return false
    }

    /// Program and transport streams do not know their length: what they say is an estimate, and often too short.
    private func isBehindTheEnd(_ time: StreamTime) -> Bool {
        guard let duration = pipeline.duration, !pipeline.hasElement(ofAnyKind: StreamOrigin.demuxers) else {
            return false
        }
        return time >= duration
    }
}
