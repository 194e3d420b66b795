import GStreamerMedia
import TextSpotting

/// The source's time at which players begin with 0.
///
/// The times of an MPEG stream are those of a clock that runs since long before; GStreamer counts from the first reading of
/// that clock in the stream, which is sent ahead of the first picture by as much as a receiver is to buffer: 0.7 s where
/// FFmpeg wrote it. Players count from the first picture. Every other container says itself when its first picture is shown,
/// which may be late on purpose (an edit list).
enum StreamOrigin {
    /// Demuxers that count so: MPEG transport streams, those of HLS included, and program streams.
    private static let demuxers: Set<String> = ["tsdemux", "mpegpsdemux"]

    /// - Parameters:
    ///   - pipeline: prepared, and not yet moved to another time.
    ///   - sink: where its frames come out.
    static func time(of pipeline: Pipeline, at sink: AppSink) -> StreamTime {
        guard pipeline.hasElement(ofAnyKind: demuxers) else { return .zero }
        return sink.firstSample()?.streamTime ?? .zero
    }
}
