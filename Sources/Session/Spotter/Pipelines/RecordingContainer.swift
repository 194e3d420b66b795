public import Errors
import GStreamerMedia
import Processes

/// The file formats for recordings.
///
/// AVI is not one of them: it stores a frame rate but no times, so a recording with irregular frames, as from a camera,
/// would drift.
public enum RecordingContainer: String, Sendable, CaseIterable {
    /// H.264 in MP4.
    case mp4
    /// H.264 in QuickTime's own.
    case mov
    /// H.264 in Matroska.
    case mkv
    /// VP8 in WebM.
    case webm

    /// Determines the format from the ending of a file name.
    ///
    /// - Throws: `FramegrepError` (`badArgument`) that lists the supported endings.
    public init(ofFileNamed name: String) throws(FramegrepError) {
        guard !name.isEmpty else {
            throw FramegrepError(.badArgument, "The name of a file to write is empty. Name a file.")
        }
        let last = name.split(separator: "/").last ?? ""
        let ending = last.lastIndex(of: ".").map { last[last.index(after: $0)...].lowercased() } ?? ""
        switch ending {
        case "mp4", "m4v": self = .mp4
        case "mov", "qt": self = .mov
        case "mkv": self = .mkv
        case "webm": self = .webm
        default:
            let reason =
                ending.isEmpty
                ? "its name does not say which format to write"
                : ending == "avi"
                    ? "AVI does not store the times of frames, so they would be shown at the wrong times"
                    : "videos are not written as .\(ending)"
            throw FramegrepError(
                .badArgument, "\(name) cannot be written: \(reason). End the name in .mp4, .mov, .mkv or .webm.")
        }
    }

    /// The muxer in gst-launch syntax: its files play however the program ends.
    var muxer: String {
        switch self {
        case .mp4: "mp4mux \(Self.fragments)"
        case .mov: "qtmux \(Self.fragments)"
        case .mkv: "matroskamux"
        case .webm: "webmmux"
        }
    }

    private static let fragments = "fragment-duration=500 fragment-mode=first-moov-then-finalise"
}

/// The sound of a recording on its way into a copy of it: unchanged if the copy's container takes it, otherwise encoded
/// again.
///
/// The copy's pipeline opens the recording a second time for it, so that sound is processed on threads of its own and
/// the muxer interleaves it with the pictures by its times. Of several tracks it is the first, the one that players
/// play.
public struct SoundTrack: Sendable, Hashable {
    /// A kind of sound that some containers take unchanged, and how a pipeline extracts it.
    private struct Codec {
        /// The name of GStreamer's caps for such sound, and the fields they contain.
        let name: String
        let fields: [String]
        /// The caps requested from the decoder instead of raw sound.
        let caps: String
        let parser: String
        let containers: Set<RecordingContainer>
        /// Whether titles and comments are stored in the stream itself.
        var hasWords = false

        func matches(_ format: String) -> Bool {
            format.hasPrefix("\(name),") && fields.allSatisfy(format.contains) || format == name
        }
    }

    // AAC in LATM, as some broadcasts use it, is missing: no parser converts it to the form for files.
    private static let codecs = [
        Codec(
            name: "audio/mpeg", fields: ["mpegversion=(int)4", "stream-format=(string)raw"],
            caps: "audio/mpeg,mpegversion=4", parser: "aacparse", containers: [.mp4, .mov, .mkv]),
        Codec(
            name: "audio/mpeg", fields: ["mpegversion=(int)4", "stream-format=(string)adts"],
            caps: "audio/mpeg,mpegversion=4", parser: "aacparse", containers: [.mp4, .mov, .mkv]),
        Codec(
            name: "audio/mpeg", fields: ["mpegversion=(int)1", "layer=(int)3"],
            caps: "audio/mpeg,mpegversion=1,layer=3", parser: "mpegaudioparse", containers: [.mp4, .mov, .mkv]),
        Codec(
            name: "audio/x-ac3", fields: [], caps: "audio/x-ac3", parser: "ac3parse", containers: [.mp4, .mov, .mkv]),
        Codec(
            name: "audio/x-flac", fields: [], caps: "audio/x-flac", parser: "flacparse", containers: [.mkv],
            hasWords: true),
        Codec(name: "audio/x-opus", fields: [], caps: "audio/x-opus", parser: "opusparse", containers: [.mkv, .webm]),
        Codec(
            name: "audio/x-vorbis", fields: [], caps: "audio/x-vorbis", parser: "vorbisparse",
            containers: [.mkv, .webm], hasWords: true),
    ]

    /// Returns the encoders of sound; the first that is installed is used.
    private static func encoders(for container: RecordingContainer) -> [String] {
        container == .webm
            ? ["opusenc", "vorbisenc"]
            : ["avenc_aac bitrate=192000", "fdkaacenc bitrate=192000", "voaacenc bitrate=192000"]
    }

    /// The bin that opens the recording: an error from inside it concerns only the sound.
    static let sourceName = "soundsource"
    /// The element after which the sound can be cut off.
    static let cutName = "sound"

    private let uri: String
    private let caps: String
    /// The elements between the recording and the queue, and between the queue and the muxer.
    private let before: String
    private let after: String
    /// Whether it goes into the copy unchanged; otherwise it is encoded again.
    public let isCopied: Bool

    /// - Parameters:
    ///   - uri: the URI of the recording, as GStreamer takes it.
    ///   - format: the format of its sound, as in `MediaInfo/audioFormat`.
    ///   - leavesWords: whether to leave out titles and comments stored in the stream itself; sound that has some is
    ///     then encoded again, without loss if the container takes FLAC.
    /// - Throws: `FramegrepError` (`missingPlugin`) if no encoder for it is installed.
    public init(
        of uri: String, format: String, into container: RecordingContainer, leavesWords: Bool = false
    ) throws(FramegrepError) {
        self.uri = uri
        if let codec = Self.codecs.first(where: { $0.containers.contains(container) && $0.matches(format) }),
            MediaRuntime.hasElement(codec.parser), !(leavesWords && codec.hasWords)
        {
            (caps, before, after, isCopied) = (codec.caps, codec.parser, "", true)
            return
        }
        isCopied = false
        if leavesWords, container == .mkv, MediaRuntime.hasElement("flacenc") {
            (caps, before, after) = ("audio/x-raw", "audioconvert", "flacenc")
            return
        }
        (caps, before, after) = ("audio/x-raw", "audioconvert ! audioresample", try Self.encoder(for: container))
    }

    /// Returns the gst-launch text that encodes sound for a container.
    ///
    /// - Throws: ``FramegrepError`` (`missingPlugin`) if no encoder for it is installed.
    static func encoder(for container: RecordingContainer) throws(FramegrepError) -> String {
        let encoders = encoders(for: container)
        if let encoder = encoders.first(where: { MediaRuntime.hasElement(String($0.prefix { $0 != " " })) }) {
            return encoder
        }
        let package = container == .webm ? "gstreamer1.0-plugins-base" : "gstreamer1.0-libav"
        throw FramegrepError(
            .missingPlugin,
            "The sound is left out: nothing is installed that encodes it for .\(container.rawValue). "
                + PortableArchive.advice("Install the Debian package \(package)."))
    }

    /// Returns the elements from the recording to an input of the muxer.
    func description(into muxer: String) -> String {
        """
        uridecodebin name=\(Self.sourceName) uri=\(PipelineTemplate.escaped(uri)) caps="\(caps)" \
        expose-all-streams=false ! \(before) ! queue name=\(Self.cutName) \(after.isEmpty ? "" : "! \(after) ")! \(muxer).
        """
    }
}
