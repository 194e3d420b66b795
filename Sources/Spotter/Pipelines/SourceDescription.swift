public import GStreamerMedia
import TextSpotting

/// The first half of a pipeline, from a source to frames ready to be searched: upright, progressive, decoded.
///
/// `find` and `live` build their descriptions here, and `--print-pipeline` shows them.
public enum SourceDescription {
    /// Elements that turn any decoded video upright and progressive; each passes frames through untouched if there is
    /// nothing to do. One of the two fields is kept, so that the frame rate stays that of the file.
    static let normalization = "\(conversion) ! deinterlace fields=top ! videoflip video-direction=auto"

    /// For what the elements behind it do not take: 4:2:2 and 4:1:1, alpha, planes of red, green and blue, and for
    /// interlaced pictures more than eight bits. Everything else leaves it as it came, not copied.
    static let conversion = "videoconvert dither=none ! capsfilter caps=\"\(taken)\""

    /// Progressive, in whatever format, or in one that `deinterlace` knows fields of.
    private static let taken =
        "video/x-raw,interlace-mode=progressive;video/x-raw,format={AYUV,ARGB,ABGR,RGBA,BGRA,Y444,xRGB,xBGR,RGBx,BGRx,RGB,"
        + "BGR,YUY2,YVYU,UYVY,I420,YV12,NV12,NV21}"

    /// The pipeline of a search: `source ! … ! appsink name=frames`.
    public static func search(_ uri: String) -> String {
        "\(decoding(uri)) ! \(normalization) ! appsink name=frames"
    }

    /// The same for a source that was looked at.
    public static func search(_ source: OpenedSource) -> String { search(source.uri, source.manner) }

    /// The same for one that is opened in a manner that is known.
    public static func search(_ uri: SourceURI, _ manner: OpenedSource.Manner) -> String {
        "\(decoding(uri, manner)) ! \(normalization) ! appsink name=frames"
    }

    /// The pipeline of a search as a user could run it: nothing is opened for it.
    public static func shownSearch(_ uri: SourceURI) -> String { search(uri, OpenedSource.manner(of: uri)) }

    /// The two pipelines that write an annotated copy as one description: as a user could give it to `run`.
    public static func annotation(_ uri: String, to recording: Recording) -> String {
        "\(search(uri)) \(encoding(to: recording))"
    }

    /// The pipelines of the live job as one description, as a user could give it to `run`: the picture in a window, in a
    /// file, in both, or nowhere.
    public static func live(
        _ uri: String, camera: CameraFormat = CameraFormat(), window: Bool, recording: Recording?
    ) -> String {
        let output = liveOutput(window: window, recording: recording).map { " \($0)" } ?? ""
        return liveSource(uri, filter: camera.caps) + output
    }

    /// The source of the live job, which can be opened again by itself.
    ///
    /// - Parameter filter: the mode that a camera is asked for, as an element with its link; may be empty.
    public static func liveSource(_ uri: String, filter: String = "") -> String {
        "\(liveDecoding(uri, filter)) ! \(normalization) ! \(DigitalZoom.elements) ! appsink name=frames"
    }

    /// The same for a source that was looked at.
    ///
    /// - Parameter sound: its sound is wanted too, and it has some.
    public static func liveSource(_ source: OpenedSource, sound: Bool = false) -> String {
        liveSource(source.uri, source.manner, sound: sound)
    }

    /// The same for one that is opened in a manner that is known.
    public static func liveSource(
        _ uri: SourceURI, _ manner: OpenedSource.Manner, sound: Bool = false
    ) -> String {
        let decoding = if case .uri = manner { liveDecoding(uri.text, "") } else { decoding(uri, manner) }
        let name = sound ? " name=\(mediaName)" : ""
        let picture = "\(decoding)\(name) ! \(normalization) ! \(DigitalZoom.elements) ! appsink name=frames"
        return sound ? "\(picture) \(soundBranch)" : picture
    }

    /// The source of the live job for a screen, whose pictures come as they are.
    ///
    /// - Parameter elements: what takes them, and how often.
    public static func liveScreen(_ elements: String) -> String {
        "\(elements) ! \(conversion) ! \(DigitalZoom.elements) ! appsink name=frames"
    }

    /// The elements through which the sound of a running picture leaves its source, and enters its recording.
    static let soundName = "sound"
    private static let mediaName = "media"
    /// As it is carried from the one to the other; ``SoundSplice`` counts on it.
    static let soundCaps = "audio/x-raw,format=S16LE,layout=interleaved,rate=\(soundRate),channels=2"
    static let soundRate: Int64 = 48_000
    // The converter stands first, because it takes nothing but sound from the decoder.
    private static let soundBranch =
        "\(mediaName). ! audioconvert ! audioresample ! capsfilter caps=\"\(soundCaps)\" ! appsink name=\(soundName)"

    /// The source of the live job for a server that sends one JPEG picture after the other, without end.
    static func pictures(_ uri: String) -> String {
        """
        souphttpsrc location=\(PipelineTemplate.escaped(uri)) is-live=true do-timestamp=true \
        ! multipartdemux single-stream=true ! jpegdec ! \(DigitalZoom.elements) ! appsink name=frames
        """
    }

    static let kindName = "kind"

    /// Reads the beginning of an HTTP server's answer; then the element ``kindName`` knows its type.
    static func kind(_ uri: String) -> String {
        "souphttpsrc location=\(PipelineTemplate.escaped(uri)) ! typefind name=\(kindName) ! appsink name=frames"
    }

    /// The pipeline that shows or records the frames of the live job; nil for none.
    ///
    /// - Parameter tail: elements that a person wants the frames to go to, too.
    public static func liveOutput(window: Bool, recording: Recording?, tail: String? = nil) -> String? {
        let recorder = recording.map { RecordingDescription.encoder(to: $0) }
        let others = [recorder, tail].compactMap(\.self)
        guard window || !others.isEmpty else { return nil }
        if !window, others.count == 1 { return "appsrc name=overlay ! \(others[0])" }
        guard !others.isEmpty else { return "appsrc name=overlay ! \(windowSink)" }
        let queue = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=2000000000"
        let branches =
            (window ? ["shown. ! queue ! \(windowSink)"] : []) + others.map { "shown. ! \(queue) ! \($0)" }
        return (["appsrc name=overlay ! tee name=shown"] + branches).joined(separator: " ")
    }

    /// The elements behind the name of a place that frames go to: a device that shows them to other programs as a camera's, or elements as
    /// they stand.
    public static func tail(_ name: String) -> String {
        guard name.hasPrefix("v4l2:") else { return name }
        let path = name.dropFirst("v4l2:".count)
        let device = PipelineTemplate.escaped(String(path.hasPrefix("//") ? path.dropFirst(2) : path))
        return "videoconvert ! v4l2sink device=\(device)"
    }

    /// The same source with frames in a format that places can be hidden in.
    static func hiding(_ description: String) -> String {
        description.replacing("! appsink name=frames", with: "! \(plainFrames) ! appsink name=frames")
    }

    private static let plainFrames = "videoconvert dither=none ! video/x-raw,format=I420"

    /// Whether a source is reached over a network, so that it can be lost and come back.
    public static func isNetwork(_ uri: String) -> Bool {
        !["file", "v4l2", "testbin", "data", "fd"].contains { uri.lowercased().hasPrefix("\($0):") }
    }

    private static let windowSink = "videoconvertscale ! autovideosink"

    private static func decoding(_ uri: String) -> String { "uridecodebin uri=\(PipelineTemplate.escaped(uri))" }

    private static func decoding(_ uri: SourceURI, _ manner: OpenedSource.Manner) -> String {
        switch manner {
        case .uri where uri.isStandardInput: return "fdsrc fd=0 ! decodebin"
        case .uri: return decoding(uri.text)
        case .pixbuf: return PixbufDecoding.elements(uri.text)
        case .pipe(let pipe): return "fdsrc fd=\(pipe.descriptor) ! decodebin"
        }
    }

    private static func liveDecoding(_ uri: String, _ filter: String) -> String {
        if uri.hasPrefix("v4l2://") {
            let device = PipelineTemplate.escaped(String(uri.dropFirst("v4l2://".count)))
            return "v4l2src device=\(device) ! \(filter)decodebin"
        }
        guard uri.lowercased().hasPrefix("rtsp") else { return decoding(uri) }
        // 200 ms for packets that come late or in the wrong order, instead of two seconds; after 3 seconds without a packet
        // over UDP, which firewalls stop, TCP is tried; a server that does not answer over TCP is given up after 5.
        return "\(decoding(uri)) source::latency=200 source::timeout=3000000 source::tcp-timeout=5000000"
    }

    /// Frames with their boxes, encoded into a file.
    static func encoding(to recording: Recording) -> String {
        "appsrc name=overlay ! \(RecordingDescription.encoder(to: recording))"
    }
}
