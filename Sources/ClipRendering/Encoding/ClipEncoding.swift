public import Errors
import TextSpotting

/// A container with its codec, known by the file's extension.
public enum ClipEncoding: String, CaseIterable, Sendable {
    /// H.264 in MP4.
    case mp4
    /// H.264 in Matroska.
    case mkv
    /// VP8 in WebM.
    case webm
    /// Motion JPEG in AVI.
    case avi

    /// - Throws: `FramegrepError` (`badArgument`) naming the extensions that are known.
    public init(extension name: String) throws(FramegrepError) {
        guard let known = ClipEncoding(rawValue: name.lowercased()) else {
            let all = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw FramegrepError(.badArgument, "Clips cannot be encoded as “\(name)”. Choose one of \(all).")
        }
        self = known
    }

    /// From raw frames to a file's bytes, in the words of gst-launch.
    ///
    /// Quality is constant and good enough for small text; key frames come every 30 frames, so that seeking is short.
    func elements(for scene: ClipScene) -> String {
        switch self {
        case .mp4: "\(Self.h264(scene)) ! mp4mux"
        case .mkv: "\(Self.h264(scene)) ! matroskamux"
        case .webm:
            "vp8enc deadline=1 cpu-used=8 end-usage=cq cq-level=8 min-quantizer=2 max-quantizer=24 "
                + "target-bitrate=20000000 keyframe-max-dist=30 ! webmmux"
        case .avi: "jpegenc quality=92 ! avimux"
        }
    }

    /// Without x264's rate buffer, which would lower the quality of busy pictures, and by different amounts each time.
    private static func h264(_ scene: ClipScene) -> String {
        // Grain kept in full would take most of the file; 28 keeps what a camera's own encoder would.
        "x264enc pass=qual quantizer=\(scene.quantizer ?? (scene.noise > 0 ? 28 : 20)) vbv-buf-capacity=0 speed-preset=veryfast key-int-max=30 "
            + "bframes=\(max(0, scene.bFrames)) b-adapt=false"
    }
}
