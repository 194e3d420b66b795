public import Errors
import TextSpotting

/// The kinds of file that recordings are written as.
///
/// Not AVI: it keeps a frame rate but no times, so a recording whose frames come irregularly, as a camera's do, would run
/// out of step.
public enum RecordingContainer: String, Sendable, CaseIterable {
    /// H.264 in MP4.
    case mp4
    /// H.264 in QuickTime's own.
    case mov
    /// H.264 in Matroska.
    case mkv
    /// VP8 in WebM.
    case webm

    /// The kind that a file's name asks for by its ending.
    ///
    /// - Throws: `FramegrepError` (`badArgument`) that names the endings there are.
    public init(ofFileNamed name: String) throws(FramegrepError) {
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
                ? "its name does not say what kind of video it is to be"
                : ending == "avi"
                    ? "AVI keeps no times of frames, so they would not be shown when they should"
                    : "videos are not written as .\(ending)"
            throw FramegrepError(
                .badArgument, "\(name) cannot be written: \(reason). End the name in .mp4, .mov, .mkv or .webm.")
        }
    }

    /// The muxer, in the words of gst-launch: its files play however the program ends.
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
