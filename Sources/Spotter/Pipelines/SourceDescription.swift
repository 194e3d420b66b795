import GStreamerMedia
public import TextSpotting

/// The first half of a pipeline, from a source to frames ready to be searched: upright, progressive, decoded.
///
/// `find` and `live` build their descriptions here, and `--print-pipeline` shows them.
public enum SourceDescription {
    /// What turns any decoded video upright and progressive; each element passes frames through untouched where there
    /// is nothing to do. One of the two fields is kept, so that the frame rate stays that of the file.
    static let normalization = "deinterlace fields=top ! videoflip video-direction=auto"

    /// The pipeline of a search: `source ! … ! appsink name=frames`.
    public static func search(_ uri: String) -> String {
        "\(decoding(uri)) ! \(normalization) ! appsink name=frames"
    }

    /// The same with the annotated picture encoded to an MP4 file.
    public static func annotation(_ uri: String, to path: String) -> String {
        "\(search(uri)) \(encoding(to: path))"
    }

    /// The pipeline of the live job: the picture in a window, in a file, in both, or nowhere.
    public static func live(
        _ uri: String, camera: CameraFormat = CameraFormat(), window: Bool, recording path: String?
    ) -> String {
        let search = "\(decoding(uri, camera)) ! \(normalization) ! appsink name=frames"
        switch (window, path) {
        case (false, nil):
            return search
        case (true, nil):
            return "\(search) appsrc name=overlay ! \(windowSink)"
        case (false, let path?):
            return "\(search) \(encoding(to: path))"
        case (true, let path?):
            return """
                \(search) appsrc name=overlay ! tee name=shown \
                shown. ! queue ! \(windowSink) \
                shown. ! queue max-size-buffers=0 max-size-bytes=0 max-size-time=2000000000 ! \(encoder(to: path))
                """
        }
    }

    private static let windowSink = "videoconvertscale ! autovideosink"

    private static func decoding(_ uri: String, _ camera: CameraFormat = CameraFormat()) -> String {
        if uri.hasPrefix("v4l2://") {
            let device = PipelineTemplate.escaped(String(uri.dropFirst("v4l2://".count)))
            return "v4l2src device=\(device) ! \(camera.caps)decodebin"
        }
        return "uridecodebin uri=\(PipelineTemplate.escaped(uri))"
    }

    private static func encoding(to path: String) -> String { "appsrc name=overlay ! \(encoder(to: path))" }

    private static func encoder(to path: String) -> String { RecordingDescription.encoder(to: path) }
}
