/// The last part of a pipeline: pictures encoded into a file that plays even when the program was killed while writing.
///
/// An MP4 is written in fragments of half a second, each complete in itself, and becomes an ordinary MP4 when it is
/// ended in good order; Matroska and WebM are written in clusters and get their index at the end. Nothing waits in memory
/// to be written.
enum RecordingDescription {
    static let muxerName = "recording"

    /// `… ! encoder ! muxer ! filesink`, and the sound's way to the muxer, if there is any.
    static func encoder(to recording: Recording) -> String {
        let codec =
            recording.container == .webm
            ? (recording.hidesPlaces ? fineVP8 : vp8) : (recording.hidesPlaces ? fineH264 : h264)
        let carried = recording.soundEncoder.map {
            "appsrc name=\(SourceDescription.soundName) ! \(queue) ! audioconvert ! audioresample ! \($0) ! \(muxerName)."
        }
        let name = recording.sound == nil && carried == nil ? "" : " name=\(muxerName)"
        // The muxer takes pictures and sound in turn: each may be ahead of the other for a while.
        let wait = carried == nil ? "" : " ! \(queue)"
        let file = "filesink buffer-mode=unbuffered location=\(PipelineTemplate.escaped(recording.path))"
        let picture = "\(RecordedPicture.elements) ! \(codec)\(wait) ! \(recording.container.muxer)\(name) ! \(file)"
        return [picture, recording.sound?.description(into: muxerName), carried].compactMap { $0 }
            .joined(separator: " ")
    }

    private static let queue = "queue max-size-time=3000000000 max-size-bytes=0 max-size-buffers=0"

    /// In good quality (`quantizer`), fast enough to go along with a camera, a key frame every two seconds or so.
    private static let h264 =
        "x264enc speed-preset=veryfast tune=zerolatency quantizer=20 pass=qual key-int-max=60 ! h264parse"
    /// So good that nobody sees a difference (above 45 dB), at a constant quantizer, so that no rate's buffer makes it worse.
    private static let fineH264 =
        "x264enc speed-preset=veryfast tune=zerolatency quantizer=12 pass=quant vbv-buf-capacity=0 key-int-max=60 ! h264parse"
    private static let fineVP8 =
        "vp8enc deadline=1 cpu-used=8 threads=1 end-usage=cq cq-level=2 min-quantizer=0 max-quantizer=6 target-bitrate=200000000 "
        + "keyframe-max-dist=60"
    // More threads wait for each other in loops: ten times the work on a busy machine.
    private static let vp8 =
        "vp8enc deadline=1 cpu-used=12 threads=1 end-usage=cq cq-level=12 target-bitrate=8000000 keyframe-max-dist=60"
}
