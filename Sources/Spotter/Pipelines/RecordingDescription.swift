/// The last part of a pipeline: pictures encoded into a file that plays even when the program was killed while writing.
///
/// An MP4 is written in fragments of half a second, each complete in itself, and becomes an ordinary MP4 when it is
/// ended in good order; Matroska and WebM are written in clusters and get their index at the end. Nothing waits in memory
/// to be written.
enum RecordingDescription {
    /// `… ! encoder ! muxer ! filesink`, for the container that the file's name asks for: `.mkv`, `.webm`, else MP4.
    static func encoder(to path: String) -> String {
        let name = path.lowercased()
        let file = "filesink buffer-mode=unbuffered location=\(PipelineTemplate.escaped(path))"
        if name.hasSuffix(".webm") {
            return "videoconvert ! video/x-raw,format=I420 ! \(vp8) ! webmmux ! \(file)"
        }
        let muxer = name.hasSuffix(".mkv") ? "matroskamux" : fragmented
        return "videoconvert ! video/x-raw,format=I420 ! \(h264) ! h264parse ! \(muxer) ! \(file)"
    }

    /// In good quality (`quantizer`), fast enough to go along with a camera, a key frame every two seconds or so.
    private static let h264 = "x264enc speed-preset=veryfast tune=zerolatency quantizer=20 pass=qual key-int-max=60"
    // More threads wait for each other in loops: ten times the work on a busy machine.
    private static let vp8 =
        "vp8enc deadline=1 cpu-used=12 threads=1 end-usage=cq cq-level=12 target-bitrate=8000000 keyframe-max-dist=60"
    private static let fragmented = "mp4mux fragment-duration=500 fragment-mode=first-moov-then-finalise"
}
