/// The last part of a pipeline: pictures encoded into a file that plays even when the program was killed while writing.
///
/// An MP4 is written in fragments of half a second, each complete in itself, and becomes an ordinary MP4 when it is
/// ended in good order; Matroska and WebM are written in clusters and get their index at the end. Nothing waits in memory
/// to be written.
enum RecordingDescription {
    static let muxerName = "recording"

    /// `… ! encoder ! muxer ! filesink`, and the sound's way to the muxer, if there is any.
    static func encoder(to recording: Recording) -> String {
        let codec = recording.container == .webm ? vp8 : h264
        let name = recording.sound == nil ? "" : " name=\(muxerName)"
        let file = "filesink buffer-mode=unbuffered location=\(PipelineTemplate.escaped(recording.path))"
        let picture = "\(RecordedPicture.elements) ! \(codec) ! \(recording.container.muxer)\(name) ! \(file)"
        return [picture, recording.sound?.description(into: muxerName)].compactMap { $0 }.joined(separator: " ")
    }

    /// In good quality (`quantizer`), fast enough to go along with a camera, a key frame every two seconds or so.
    private static let h264 =
        "x264enc speed-preset=veryfast tune=zerolatency quantizer=20 pass=qual key-int-max=60 ! h264parse"
    // More threads wait for each other in loops: ten times the work on a busy machine.
    private static let vp8 =
        "vp8enc deadline=1 cpu-used=12 threads=1 end-usage=cq cq-level=12 target-bitrate=8000000 keyframe-max-dist=60"
}
