import CGStreamer
import Errors
import Glibc
import TextSpotting
import Threads

/// Examines a source before it is used.
public enum MediaProbe {
    /// Opens a source, reads its beginning and closes it again, with GStreamer's discoverer on a thread of its own.
    ///
    /// - Parameters:
    ///   - uri: a path, a device or a URI; see ``SourceURI``.
    ///   - timeout: how long the source may take to answer; at least a second.
    /// - Throws: `FramegrepError` that names the source and says why it cannot be searched: missing, empty, a folder, not
    ///   readable (`.sourceUnavailable`), no picture or video in it (`.sourceNotVideo`), cut short (`.sourceDamaged`), no
    ///   decoder (`.missingPlugin`). `CancellationError` when the task is cancelled; the source may then still be open until
    ///   the timeout.
    public static func examine(uri: String, timeout: Duration = .seconds(15)) async throws -> MediaInfo {
        try await examine(try SourceURI(uri), timeout: timeout)
    }

    /// The same for a source as a user named it, which messages then call by that name.
    public static func examine(_ source: SourceURI, timeout: Duration = .seconds(15)) async throws -> MediaInfo {
        try MediaRuntime.initialize()
        try checkFile(source)
        if let path = source.path, isRegularFile(path), let header = PictureHeader(fileAt: path),
            header.format.decoding != .found
        {
            return try await StillProbe(source: source, header: header).examine(within: timeout)
        }
        let outcome = OneShot<Result<MediaInfo, any Error>>()
        let seconds = max(1, Int(timeout.components.seconds))
        SerialQueue("framegrep.probe").start {
            outcome.resolve(
                Result {
                    let isFile = source.path.map(isRegularFile) ?? false
                    let found = try RepeatedProbes.take(within: seconds, atFile: isFile) {
                        try discover(source, within: $0)
                    }
                    guard let found else {
                        throw FramegrepError(
                            .sourceUnavailable,
                            "“\(source.redacted)” did not answer within \(seconds) seconds. Check that it is reachable and try again."
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
        let name = "“\(source.redacted)”"
        var status = stat()
        guard FileName.withCName(path, { stat($0, &status) }) == 0 else {
            let reason = errno == EACCES ? "a folder on the way to it may not be entered" : "there is no such file"
            throw FramegrepError(.sourceUnavailable, "\(name) cannot be opened: \(reason). Check the name.")
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw FramegrepError(
                .sourceUnavailable, "\(name) is a folder. Name the files in it, or add -r to search them all.")
        }
        guard FileName.withCName(path, { access($0, R_OK) }) == 0 else {
            throw FramegrepError(
                .sourceUnavailable, "\(name) cannot be opened: permission denied. Check the file's permissions.")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        if status.st_size == 0 { throw FramegrepError(.sourceNotVideo, "\(name) is empty: it has no bytes at all.") }
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
                "\(name) is cut short, or was never finished: it has no index (“moov”), so nothing in it can be played. "
                    + "Copy or record it again.")
        }
    }

    /// A file that is a still picture by its first bytes.
    private static func isOnePicture(_ source: SourceURI) -> Bool {
        guard let path = source.path, isRegularFile(path) else { return false }
        return PictureHeader(fileAt: path)?.format.isOnePicture ?? false
    }

    /// Whether a file is an MP4 whose index is spread over fragments.
    public static func isFragmented(_ path: String) -> Bool { isRegularFile(path) && MovieIndex.isFragmented(in: path) }

    static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return FileName.withCName(path) { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a file is certainly shorter than it says itself: it was cut short, and GStreamer plays the rest without a word.
    ///
    /// Looks at the lengths that MP4, QuickTime, Matroska, WebM and AVI files declare; false for everything else.
    public static func isCutShort(_ source: SourceURI) -> Bool {
        source.path.map(DeclaredLength.exceedsFile) ?? false
    }

    /// Whether a file holds one recording behind another of which GStreamer plays the first without a word, as Matroska and
    /// WebM files do that were put together as files.
    public static func isPlayedInPart(_ source: SourceURI) -> Bool {
        source.path.map(DeclaredLength.isFollowedByAnother) ?? false
    }

    /// Runs GStreamer's discoverer; nil if it gave no answer in time.
    private static func discover(_ source: SourceURI, within seconds: Int) throws -> MediaInfo? {
        let name = "“\(source.redacted)”"
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard let discoverer = gst_discoverer_new(GstClockTime(seconds) * 1_000_000_000, &error) else {
            throw FramegrepError(.pipelineFailed, "GStreamer cannot examine \(name): \(sentence(error?.text ?? ""))")
        }
        defer { g_object_unref(discoverer) }
        let setup = ProbeSetup(
            policy: try SourceGuard.policy(for: [source.text]) { _ in }, decoders: DecoderWatch(name: name),
            isOnePicture: isOnePicture(source))
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

/// `GstDiscoverer::source-setup`, before the source is opened: hands the policy to all of the discoverer's pipeline, and has its
/// decoders watched.
private func sourceSetUp(
    _ discoverer: UnsafeMutablePointer<GstDiscoverer>?, _ source: UnsafeMutablePointer<GstElement>?,
    _ context: gpointer?
) {
    guard let source, let context else { return }
    let setup = Unmanaged<ProbeSetup>.fromOpaque(context).takeUnretainedValue()
    let pipeline = topElement(above: source)
    setup.decoders.watch(pipeline.pointer)
    if setup.isOnePicture, let pad = gst_element_get_static_pad(source, "src") {
        // Of a picture that tells no duration the discoverer asks again and again, for a tenth of a second.
        fgst_has_no_duration(pad)
        gst_object_unref(pad)
    }
    guard let policy = setup.policy else { return }
    SourceGuard.hand(policy, to: source)
    SourceGuard.hand(policy, to: pipeline.pointer)
}
