import Cameras
public import Errors
public import GStreamerMedia
import Synchronization

/// The first half of a pipeline, from a source to frames ready to be searched: upright, progressive, decoded.
///
/// `find` and `live` build their descriptions here, and `--print-pipeline` shows them.
public enum SourceDescription {
    /// Elements that turn any decoded video upright and make it progressive; each passes frames through unchanged if
    /// there is nothing to do. One of the two fields is kept, so that the frame rate stays that of the file.
    static let normalization = normalization(turning: "auto")

    private static func normalization(turning direction: String) -> String {
        "\(conversion) ! deinterlace fields=top ! videoflip video-direction=\(direction)"
    }

    /// Returns these elements for a source, which may be a picture whose orientation is stated only in its header.
    private static func normalization(of uri: SourceURI) -> String {
        OpenedSource.turning(of: uri).map { normalization(turning: $0.direction) } ?? normalization
    }

    /// Converts formats that the following elements do not take: 4:2:2 and 4:1:1, alpha, planes of red, green and blue,
    /// and for interlaced pictures more than eight bits. Everything else passes through without a copy.
    static let conversion = "videoconvert dither=none ! capsfilter caps=\"\(taken)\""

    /// Caps for progressive video in any format, or interlaced in a format that `deinterlace` supports.
    private static let taken =
        "video/x-raw,interlace-mode=progressive;video/x-raw,format={AYUV,ARGB,ABGR,RGBA,BGRA,Y444,xRGB,xBGR,RGBx,BGRx,RGB,"
        + "BGR,YUY2,YVYU,UYVY,I420,YV12,NV12,NV21}"

    /// Returns the pipeline of a search: `source ! … ! appsink name=frames`.
    public static func search(_ uri: String) -> String {
        "\(decoding(uri)) ! \(normalization) ! appsink name=frames"
    }

    /// Returns the pipeline of a search of a source that has been inspected.
    public static func search(_ source: OpenedSource) -> String { search(source.uri, source.manner) }

    /// Returns the pipeline of a search of a source when you already know how to open it.
    public static func search(_ uri: SourceURI, _ manner: OpenedSource.Manner) -> String {
        "\(decoding(uri, manner)) ! \(normalization(of: uri)) ! appsink name=frames"
    }

    /// Returns the pipeline of a search as a user could run it, without opening anything.
    public static func shownSearch(_ uri: SourceURI) -> String { search(uri, OpenedSource.manner(of: uri)) }

    /// Returns the two pipelines that write an annotated copy as one description, as a user could pass it to `run`.
    public static func annotation(_ uri: String, to recording: Recording) -> String {
        "\(search(uri)) \(encoding(to: recording))"
    }

    /// Returns the source of the live job, which can be opened again on its own.
    ///
    /// - Parameter filter: the mode to request from a camera, as an element with its link; may be empty.
    public static func liveSource(_ uri: String, filter: String = "") -> String {
        "\(liveDecoding(uri, filter)) ! \(normalization) ! \(DigitalZoom.elements) ! appsink name=frames"
    }

    /// Returns the live source for a source that has been inspected.
    ///
    /// - Parameter sound: whether its sound is wanted too, and it has some.
    public static func liveSource(_ source: OpenedSource, sound: Bool = false) -> String {
        liveSource(source.uri, source.manner, sound: sound)
    }

    /// Returns the live source when you already know how to open it.
    public static func liveSource(
        _ uri: SourceURI, _ manner: OpenedSource.Manner, sound: Bool = false
    ) -> String {
        let decoding = if case .uri = manner { liveDecoding(uri.text, "") } else { decoding(uri, manner) }
        let name = sound ? " name=\(mediaName)" : ""
        let picture = "\(decoding)\(name) ! \(normalization(of: uri)) ! \(DigitalZoom.elements) ! appsink name=frames"
        return sound ? "\(picture) \(soundBranch)" : picture
    }

    /// Returns the source of the live job for a screen, whose pictures are used unchanged.
    ///
    /// - Parameter elements: the elements that capture them, and how often.
    public static func liveScreen(_ elements: String) -> String {
        "\(elements) ! \(conversion) ! \(DigitalZoom.elements) ! appsink name=frames"
    }

    /// The name of the elements through which the sound of a running picture leaves its source and enters its
    /// recording.
    static let soundName = "sound"
    private static let mediaName = "media"
    /// The format in which it is carried from one to the other; ``SoundSplice`` relies on it.
    static let soundCaps = "audio/x-raw,format=S16LE,layout=interleaved,rate=\(soundRate),channels=2"
    static let soundRate: Int64 = 48_000
    // The converter comes first, because it accepts only sound from the decoder.
    private static let soundBranch =
        "\(mediaName). ! audioconvert ! audioresample ! capsfilter caps=\"\(soundCaps)\" ! appsink name=\(soundName)"

    /// Returns the source of the live job for a server that sends an endless series of JPEG pictures.
    static func pictures(_ uri: String) -> String {
        """
        souphttpsrc location=\(PipelineTemplate.escaped(uri)) is-live=true do-timestamp=true \
        ! multipartdemux single-stream=true ! jpegdec ! \(DigitalZoom.elements) ! appsink name=frames
        """
    }

    static let kindName = "kind"

    /// Returns a pipeline that reads the beginning of an HTTP server's response; then the element ``kindName`` knows
    /// its type.
    static func kind(_ uri: String) -> String {
        "souphttpsrc location=\(PipelineTemplate.escaped(uri)) ! typefind name=\(kindName) ! appsink name=frames"
    }

    /// Returns the pipeline that shows or records the frames of the live job; nil for none.
    ///
    /// - Parameter tail: further elements that the user wants to send the frames to.
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

    /// Returns the elements for a named destination of frames: a device that shows them to other programs as a camera,
    /// or elements given literally.
    public static func tail(_ name: String) -> String {
        guard name.hasPrefix("v4l2:") else { return name }
        let path = name.dropFirst("v4l2:".count)
        let device = PipelineTemplate.escaped(String(path.hasPrefix("//") ? path.dropFirst(2) : path))
        return "videoconvert ! v4l2sink device=\(device)"
    }

    /// Returns the same source with frames in a format in which places can be hidden.
    static func hiding(_ description: String) -> String {
        description.replacing("! appsink name=frames", with: "! \(plainFrames) ! appsink name=frames")
    }

    private static let plainFrames = "videoconvert dither=none ! video/x-raw,format=I420"

    /// Returns whether a source is reached over a network, so that it can be lost and come back.
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
        // The latency is 200 ms for packets that come late or in the wrong order, instead of two seconds. After 3
        // seconds without a packet over UDP, which firewalls block, TCP is tried; a server that does not answer over
        // TCP is given up after 5.
        return "\(decoding(uri)) source::latency=200 source::timeout=3000000 source::tcp-timeout=5000000"
    }

    /// Returns the elements that encode frames with their boxes into a file.
    static func encoding(to recording: Recording) -> String {
        "appsrc name=overlay ! \(RecordingDescription.encoder(to: recording, isCopy: true))"
    }
}

/// A video file to be written.
public struct Recording: Sendable {
    /// The path of the file; it need not end like the container's names.
    public var path: String
    public var container: RecordingContainer
    /// The sound that goes with the picture; nil for none.
    public var sound: SoundTrack?
    /// Whether it is a copy in which places are hidden: its other pixels are visually unchanged, and it contains
    /// nothing but pictures and sound.
    public var hidesPlaces = false
    /// The encoder of sound that the program supplies itself, like the pictures; nil for none.
    var soundEncoder: String?

    /// Adds the sound of a running picture.
    ///
    /// - Throws: `FramegrepError` (`missingPlugin`) if no encoder for it is installed.
    public mutating func takeSound() throws(FramegrepError) { soundEncoder = try SoundTrack.encoder(for: container) }

    public init(path: String, container: RecordingContainer, sound: SoundTrack? = nil) {
        self.path = path
        self.container = container
        self.sound = sound
    }
}

/// The last part of a pipeline: pictures encoded into a file that plays even if the program was killed while writing.
///
/// An MP4 is written in fragments of half a second, each complete in itself, and becomes an ordinary MP4 when it is
/// ended in an orderly way; Matroska and WebM are written in clusters and get their index at the end. Nothing is held
/// back in memory.
enum RecordingDescription {
    static let muxerName = "recording"

    /// Returns `… ! encoder ! muxer ! filesink`, and the path of the sound to the muxer, if there is any.
    ///
    /// - Parameter isCopy: whether it is a copy of a recording, whose bytes must be the same in every run.
    static func encoder(to recording: Recording, isCopy: Bool = false) -> String {
        let codec =
            recording.container == .webm
            ? (recording.hidesPlaces ? fineVP8 : vp8)
            : "\(h264) " + (recording.hidesPlaces ? fine : good) + (isCopy ? " " + repeatable : "")
        let carried = recording.soundEncoder.map {
            "appsrc name=\(SourceDescription.soundName) ! \(queue) ! audioconvert ! audioresample ! \($0) ! \(muxerName)."
        }
        let name = recording.sound == nil && carried == nil ? "" : " name=\(muxerName)"
        // The muxer takes pictures and sound in turn: each may be ahead of the other for a while.
        let wait = carried == nil ? "" : " ! \(queue)"
        let file = "filesink buffer-mode=unbuffered location=\(PipelineTemplate.escaped(recording.path))"
        let picture =
            "\(RecordedPicture.elements(for: recording.container)) ! \(codec)\(wait) ! \(recording.container.muxer)\(name) ! \(file)"
        return [picture, recording.sound?.description(into: muxerName), carried].compactMap { $0 }
            .joined(separator: " ")
    }

    private static let queue = "queue max-size-time=3000000000 max-size-bytes=0 max-size-buffers=0"

    // Neither uses `h264parse`, which gives frames without a rate (GIF, WebM of browsers) a length of a nanosecond: the
    // last one would be lost in MP4.
    /// A key frame every two seconds or so, fast enough to go along with a camera.
    private static let h264 = "x264enc speed-preset=veryfast tune=zerolatency key-int-max=60"
    /// In good quality (`quantizer`).
    private static let good = "pass=qual quantizer=20"
    /// Good enough that no difference is visible (above 45 dB), at a constant quantizer, so that no rate control
    /// reduces the quality.
    private static let fine = "pass=quant quantizer=12"
    /// By default each processor gets a thread, which writes its own slice of each picture, and the rate control keeps
    /// to two megabits per second (a bound that cameras need): within a busy picture, what a slice gets depends on how
    /// far the other threads have come.
    private static let repeatable = "threads=4 vbv-buf-capacity=0"
    private static let fineVP8 =
        "vp8enc deadline=1 cpu-used=8 threads=1 end-usage=cq cq-level=2 min-quantizer=0 max-quantizer=6 target-bitrate=200000000 "
        + "keyframe-max-dist=60"
    // More threads busy-wait for each other: ten times the work on a loaded machine.
    private static let vp8 =
        "vp8enc deadline=1 cpu-used=12 threads=1 end-usage=cq cq-level=12 target-bitrate=8000000 keyframe-max-dist=60"
}

/// Converts every recorded picture to the form of the first: a file keeps one size, rate and color space.
///
/// Later pictures of another size are scaled to the first one's, with borders if they have another shape. Encoders need
/// an even number of pixels each way and containers at least 16, so other sizes are padded with black pixels at the
/// right and bottom edges: the picture stays as sharp as it was, and findings keep their places.
enum RecordedPicture {
    private static let rateName = "recordedrate"
    private static let rangeName = "recordedrange"
    private static let formName = "recordedform"
    private static let marginName = "recordedmargin"
    private static let colorsName = "recordedcolors"

    /// Returns the elements to insert before an encoder; frames that need no change pass unchanged.
    static func elements(for container: RecordingContainer) -> String {
        // `videobox` discards the colorimetry of its pixels.
        """
        capssetter name=\(rateName) caps=video/x-raw ! \(container == .webm ? limiting : "")videoconvertscale add-borders=true \
        ! capsfilter name=\(formName) caps=video/x-raw,format=I420 ! videobox name=\(marginName) ! capssetter name=\(colorsName) caps=video/x-raw
        """
    }

    /// VP8 cannot signal full range (JPEG), as H.264 can. A conversion between two YUV formats of one matrix leaves the
    /// values unchanged, whatever their range (GStreamer 1.22); through RGB it does not.
    private static let limiting = "videoconvert ! capsfilter name=\(rangeName) caps=video/x-raw ! "

    /// Lets the first picture determine the form; call it before the pipeline is prepared. A pipeline without these
    /// elements is left alone.
    static func settle(in pipeline: Pipeline) {
        guard [rateName, formName, marginName, colorsName].allSatisfy(pipeline.hasElement) else { return }
        let isLimited = pipeline.hasElement(named: rangeName)
        let isSettled = Mutex(false)
        try? pipeline.watchFormat(comingToElementNamed: formName) { [weak pipeline] info in
            guard let pipeline,
                !isSettled.withLock({ isSettled in
                    defer { isSettled = true }
                    return isSettled
                })
            else { return }
            let rate = "\(info.frameRate.numerator)/\(info.frameRate.denominator)"
            let usesAll = info.colorimetry.hasPrefix("1:")
            let colors = colors(
                of: info, as: isLimited && usesAll ? "2:" + info.colorimetry.dropFirst(2) : info.colorimetry)
            try? pipeline.setProperty("caps", to: "video/x-raw,framerate=\(rate)", onElementNamed: rateName)
            if isLimited, usesAll {
                try? pipeline.setProperty("caps", to: "video/x-raw,format=BGRx", onElementNamed: rangeName)
            }
            try? pipeline.setProperty("caps", to: caps(info) + colors, onElementNamed: formName)
            try? pipeline.setProperty("right", to: String(-margin(info.width)), onElementNamed: marginName)
            try? pipeline.setProperty("bottom", to: String(-margin(info.height)), onElementNamed: marginName)
            try? pipeline.setProperty("caps", to: "video/x-raw" + colors, onElementNamed: colorsName)
        }
    }

    /// Returns the number of pixels that a side of this length lacks.
    static func margin(_ length: Int) -> Int { max(16, length + length % 2) - length }

    private static func caps(_ info: VideoInfo) -> String {
        let aspect = info.pixelAspectRatio
        return "video/x-raw,format=I420,width=\(info.width),height=\(info.height),"
            + "pixel-aspect-ratio=\(aspect.numerator)/\(aspect.denominator)"
    }

    /// Returns the colorimetry and the chroma siting, as fields of caps.
    private static func colors(of info: VideoInfo, as colorimetry: String) -> String {
        (colorimetry.isEmpty ? "" : ",colorimetry=(string)\(colorimetry)")
            + (info.chromaSite.isEmpty ? "" : ",chroma-site=(string)\(info.chromaSite)")
    }
}
