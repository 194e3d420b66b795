import CGStreamer
import Errors
import Glibc
public import TextSpotting
import Threads

/// A source that was examined: its kind, and how to get its frames.
public struct OpenedSource: Sendable {
    /// The way in which its bytes are read and its decoder is found.
    public enum Manner: Sendable {
        /// `uridecodebin` opens it.
        case uri
        /// A still picture that only gdk-pixbuf reads.
        case pixbuf
        /// A pipe that is open already and can be read only once.
        case pipe(PipeInput)
    }

    public let uri: SourceURI
    public let manner: Manner
    public let info: MediaInfo

    /// Whether it is one picture, so that times mean nothing.
    public let isStill: Bool

    /// The file's state before anything was read from it; nil for all other sources.
    public let file: SourceFile?

    /// See ``omission``.
    let hasMore: Bool

    /// Whether it can be read only once.
    public var isReadOnce: Bool { if case .pipe = manner { true } else { false } }

    /// Opens a source, reads its beginning and closes it again. Nothing is read if it can be read only once.
    ///
    /// - Parameters:
    ///   - timeout: how long the source may take to answer.
    ///   - patience: how long the writer of a pipe may take to begin; nil for no limit.
    /// - Throws: the errors of ``MediaProbe/examine(_:timeout:)``.
    public static func open(
        _ uri: SourceURI, timeout: Duration = .seconds(15), patience: Duration? = nil
    ) async throws -> OpenedSource {
        try MediaRuntime.initialize()
        try MediaProbe.checkFile(uri)
        if let pipe = try PipeInput(uri) {
            try await pipe.waitForData(atMost: patience)
            return OpenedSource(
                uri: uri, manner: .pipe(pipe), info: .unknown, isStill: false, file: nil, hasMore: false)
        }
        let file = uri.path.flatMap(SourceFile.init)
        let info: MediaInfo
        do { info = try await MediaProbe.examine(uri, timeout: timeout) } catch {
            throw file?.cause(of: error, named: uri.redacted) ?? error
        }
        let header = uri.path.flatMap { PictureHeader(fileAt: $0) }
        return OpenedSource(
            uri: uri, manner: manner(of: uri), info: info,
            isStill: info.isImage || header?.format.isOnePicture ?? false,
            file: file, hasMore: header?.hasMore ?? false)
    }

    /// Returns the header of a still picture in a file; nil for all other sources. Opens nothing but files.
    public static func pictureHeader(of uri: SourceURI) -> PictureHeader? {
        guard let path = uri.path, FileStatus(of: path)?.isFile == true else { return nil }
        return PictureHeader(fileAt: path)
    }

    /// Returns the rotation of a source's frames if it is not reported while they are decoded; nil for all other
    /// sources.
    public static func turning(of uri: SourceURI) -> PictureOrientation? { pictureHeader(of: uri)?.orientation }

    /// Returns the way in which a source is opened that can be opened repeatedly.
    public static func manner(of uri: SourceURI) -> Manner {
        guard pictureHeader(of: uri)?.format.decoding == .pixbuf else { return .uri }
        return .pixbuf
    }
}

/// Examines a source before it is used.
public enum MediaProbe {
    /// Opens a source, reads its beginning and closes it again, with GStreamer's discoverer on a separate thread.
    ///
    /// - Parameters:
    ///   - uri: a path, a device or a URI; see ``SourceURI``.
    ///   - timeout: how long the source may take to answer; at least a second.
    /// - Throws: `FramegrepError` that names the source and says why it cannot be searched: missing, empty, a folder,
    ///   not readable (`.sourceUnavailable`), no picture or video in it (`.sourceNotVideo`), cut short
    ///   (`.sourceDamaged`), no decoder (`.missingPlugin`). `CancellationError` when the task is cancelled; the source
    ///   may then still be open until the timeout.
    public static func examine(uri: String, timeout: Duration = .seconds(15)) async throws -> MediaInfo {
        try await examine(try SourceURI(uri), timeout: timeout)
    }

    /// Does the same for a source as a user named it; messages call it by that name.
    public static func examine(_ source: SourceURI, timeout: Duration = .seconds(15)) async throws -> MediaInfo {
        try MediaRuntime.initialize()
        try checkFile(source)
        let header = OpenedSource.pictureHeader(of: source)
        if let header, header.format.decoding != .found {
            return try await StillProbe(source: source, header: header).examine(within: timeout)
        }
        var info = try await discover(source, timeout)
        // The discoverer reports the orientation that decoders state, and that of JPEG files ignores it.
        info.orientation = header?.orientation?.name ?? info.orientation
        if let path = source.path, DeclaredLength.isMissing(in: path) { info.duration = nil }
        return info
    }

    private static func discover(_ source: SourceURI, _ timeout: Duration) async throws -> MediaInfo {
        let outcome = OneShot<Result<MediaInfo, any Error>>()
        let seconds = max(1, Int(timeout.components.seconds))
        SerialQueue("framegrep.probe").start {
            outcome.resolve(
                Result {
                    let isFile = source.path.flatMap { FileStatus(of: $0)?.isFile } ?? false
                    let found = try RepeatedProbes.take(within: seconds, atFile: isFile) {
                        try discover(source, within: $0)
                    }
                    guard let found else {
                        throw FramegrepError(
                            .sourceUnavailable,
                            "'\(source.redacted)' did not answer within \(seconds) seconds. Check that it is reachable and try again."
                        )
                    }
                    return found
                })
        }
        return try await withTaskCancellationHandler {
            try await outcome.value().get()
        } onCancel: {
            outcome.resolve(.failure(CancellationError()))
        }
    }

    /// Finds errors that GStreamer would report without the reason, and still pictures that are too large to be decoded.
    static func checkFile(_ source: SourceURI) throws {
        guard let path = source.path else { return }
        let name = "'\(source.redacted)'"
        guard let status = FileStatus(of: path) else {
            let reason =
                switch errno {
                case EACCES: "a folder on the way to it may not be entered"
                case ENOTDIR: "a part of the path is a file, not a folder"
                case ELOOP: "its links lead in a circle"
                case ENOENT: "there is no such file"
                case let other: String(cString: strerror(other))
                }
            throw FramegrepError(.sourceUnavailable, "\(name) cannot be opened: \(reason). Check the name.")
        }
        if status.isFolder {
            throw FramegrepError(
                .sourceUnavailable, "\(name) is a folder. Name the files in it, or add -r to search them all.")
        }
        guard FileName.withCName(path, { access($0, R_OK) }) == 0 else {
            throw FramegrepError(
                .sourceUnavailable, "\(name) cannot be opened: permission denied. Check the file's permissions.")
        }
        guard status.isFile else { return }
        if status.size == 0 { throw FramegrepError(.sourceNotVideo, "\(name) is empty: it has no bytes at all.") }
        if let header = PictureHeader(fileAt: path) {
            let (width, height) = (header.width, header.height)
            guard PictureLimit.allows(width: width, height: height) else {
                throw PictureLimit.refusal(of: name, width: width, height: height)
            }
            if let refusal = PictureLimit.refusal(ofSidesOf: name, width: width, height: height) { throw refusal }
        }
        if !MovieIndex.isPresent(in: path) {
            throw FramegrepError(
                .sourceDamaged,
                "\(name) is cut short, or was never finished: it has no index ('moov'), so nothing in it can be played. "
                    + "Copy or record it again.")
        }
    }

    /// Whether a file is a fragmented MP4: its index is spread over the file.
    public static func isFragmented(_ path: String) -> Bool {
        FileStatus(of: path)?.isFile == true && MovieIndex.isFragmented(in: path)
    }

    /// Returns whether a file is certainly shorter than it declares: it was cut short, and GStreamer plays the rest
    /// without an error.
    ///
    /// It checks the lengths that MP4, QuickTime, Matroska, WebM and AVI files declare; false for everything else.
    public static func isCutShort(_ source: SourceURI) -> Bool {
        source.path.map(DeclaredLength.exceedsFile) ?? false
    }

    /// Returns whether a file contains several recordings, one after another, as when Matroska or WebM files were
    /// concatenated. GStreamer plays only the first of them and reports nothing.
    public static func isPlayedInPart(_ source: SourceURI) -> Bool {
        source.path.map(DeclaredLength.isFollowedByAnother) ?? false
    }

    /// Runs GStreamer's discoverer; nil if it gave no answer in time.
    private static func discover(_ source: SourceURI, within seconds: Int) throws -> MediaInfo? {
        let name = "'\(source.redacted)'"
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard let discoverer = gst_discoverer_new(GstClockTime(seconds) * 1_000_000_000, &error) else {
            throw FramegrepError(.pipelineFailed, "GStreamer cannot examine \(name): \(sentence(error?.text ?? ""))")
        }
        defer { g_object_unref(discoverer) }
        let setup = ProbeSetup(
            policy: try SourceGuard.policy(for: [source.text]) { _ in }, decoders: DecoderWatch(name: name),
            isOnePicture: OpenedSource.pictureHeader(of: source)?.format.isOnePicture ?? false)
        fgst_on_source_setup(discoverer, sourceSetUp, Unmanaged.passUnretained(setup).toOpaque())
        // Elements find the policy as long as there is a reference to it.
        defer { withExtendedLifetime(setup) {} }
        let found = gst_discoverer_discover_uri(discoverer, source.text, &error)
        if let refusal = setup.policy?.refusal ?? setup.decoders.refusal { throw refusal }
        guard let found else { throw failure(source, error) }
        let report = DiscovererReport(takingOwnershipOf: found)
        if let missing = report.missingVideoPlugin {
            throw FramegrepError(
                .missingPlugin, "\(name) cannot be read. " + FramegrepError.missing(plugin: missing).message)
        }
        switch report.result {
        case GST_DISCOVERER_TIMEOUT: return nil
        case GST_DISCOVERER_OK, GST_DISCOVERER_MISSING_PLUGINS: break
        default: throw failure(source, error)
        }
        if let info = report.mediaInfo { return info }
        if report.hasAudio {
            throw FramegrepError(
                .sourceNotVideo, "\(name) has sound but no picture, so there is no text to find in it.")
        }
        throw FramegrepError(.sourceNotVideo, "\(name) has no picture or video in it.")
    }

    private static func failure(_ source: SourceURI, _ error: UnsafeMutablePointer<GError>?) -> FramegrepError {
        ReportedFailure(
            domain: error?.pointee.domain ?? 0, code: UInt32(bitPattern: error?.pointee.code ?? 0),
            text: redacted(error?.text ?? ""), debug: "", factory: "", subject: source.redacted, missingPlugin: nil
        ).asFramegrepError()
    }
}

/// Settings for the pipeline of one discoverer.
private final class ProbeSetup: Sendable {
    let policy: SourcePolicy?
    let decoders: DecoderWatch
    let isOnePicture: Bool

    init(policy: SourcePolicy?, decoders: DecoderWatch, isOnePicture: Bool) {
        self.policy = policy
        self.decoders = decoders
        self.isOnePicture = isOnePicture
    }
}

/// `GstDiscoverer::source-setup`, before the source is opened: passes the policy to the discoverer's whole pipeline,
/// and starts to watch its decoders.
private func sourceSetUp(
    _ discoverer: UnsafeMutablePointer<GstDiscoverer>?, _ source: UnsafeMutablePointer<GstElement>?,
    _ context: gpointer?
) {
    guard let source, let context else { return }
    let setup = Unmanaged<ProbeSetup>.fromOpaque(context).takeUnretainedValue()
    let pipeline = topElement(above: source)
    setup.decoders.watch(pipeline.pointer)
    if setup.isOnePicture, let pad = gst_element_get_static_pad(source, "src") {
        // If a picture states no duration, the discoverer queries it repeatedly, for a tenth of a second.
        fgst_has_no_duration(pad)
        gst_object_unref(pad)
    }
    guard let policy = setup.policy else { return }
    SourceGuard.hand(policy, to: source)
    SourceGuard.hand(policy, to: pipeline.pointer)
}

/// A description of a source, found by opening it and reading its beginning.
public struct MediaInfo: Hashable, Sendable {
    /// Nil if it is endless or unknown: cameras, stills.
    public fileprivate(set) var duration: StreamTime?
    /// The width of the first video stream, in pixels, before any rotation.
    public internal(set) var width = 0
    /// The height of the first video stream, in pixels, before any rotation.
    public internal(set) var height = 0
    /// Frames per second; 0/1 if the rate varies or is unknown.
    public internal(set) var frameRate = Ratio(0, 1)
    /// The width of a pixel over its height.
    public internal(set) var pixelAspectRatio = Ratio(1, 1)
    /// Whether it is one still picture.
    public internal(set) var isImage = false
    public internal(set) var isInterlaced = false
    public internal(set) var isSeekable = false
    /// Whether frames come at the source's own pace.
    public internal(set) var isLive = false
    /// GStreamer's words for the video's format, such as `H.264 (High Profile)`.
    public internal(set) var videoCodec = ""
    /// GStreamer's words for the container, such as `ISO MP4/M4A`; nil if there is none.
    public internal(set) var container: String?
    /// The rotation with which the picture is to be shown, in GStreamer's names, such as `rotate-90`; nil if the source
    /// does not say.
    public internal(set) var orientation: String?
    public internal(set) var hasVideo = true
    public internal(set) var hasAudio = false
    /// The format of the first sound stream in its container, as caps: `audio/mpeg, mpegversion=(int)4, ...`; nil
    /// without sound.
    public internal(set) var audioFormat: String?
    /// The time of recording that the source states, in seconds since 1970; in most containers it is the beginning. Nil
    /// if the source states none, or the default of a device whose clock was never set.
    public var creationTime: Double? = nil

    /// The size of the first video stream as people see it, in square pixels: upright if it is stored on its side.
    public var displayedSize: (width: Int, height: Int) {
        let isOnItsSide = ["90", "270"].contains { orientation?.hasSuffix($0) ?? false }
        let aspect = isOnItsSide ? 1 / pixelAspectRatio.pixelAspect : pixelAspectRatio.pixelAspect
        let stored = isOnItsSide ? (width: height, height: width) : (width: width, height: height)
        return (Int((Double(stored.width) * aspect).rounded()), stored.height)
    }

    /// The description of a source before any of it has been read.
    static let unknown = MediaInfo()

    /// Creates the description of a still picture from its header.
    static func still(_ header: PictureHeader) -> MediaInfo {
        MediaInfo(
            width: header.width, height: header.height, isImage: true, videoCodec: header.format.name,
            orientation: header.orientation?.name)
    }
}

extension OpenedSource {
    /// A full sentence for the user if only a part of it is read; nil if all of it is.
    public var omission: String? {
        guard hasMore else { return nil }
        return
            "\(uri.redacted) holds several pictures (an animation or pages), and only the first is read. Save the others as separate files, or save an animation as a GIF."
    }
}
