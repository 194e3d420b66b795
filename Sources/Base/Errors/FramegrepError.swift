/// An error as people and programs see it: a stable code and one full sentence.
///
/// The sentence says what failed, on what, why, and what to do about it. It is plain text: the code that shows it must
/// escape it for the place where it is shown, because it may quote file names and text from libraries.
public struct FramegrepError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Names the kind of failure for programs; the raw values are part of the output contract and never change.
    public enum Code: String, Sendable, CaseIterable {
        /// A file, device or URI that is not there or cannot be opened.
        case sourceUnavailable = "source-unavailable"
        /// Something that opens but is not a picture or a video, or has no picture in it.
        case sourceNotVideo = "source-not-video"
        /// The source broke off or is damaged.
        case sourceDamaged = "source-damaged"
        /// A GStreamer plugin that the source's format or the pipeline needs.
        case missingPlugin = "missing-plugin"
        /// A pipeline description that does not parse or breaks the contract of `frames` and `overlay`.
        case badPipeline = "bad-pipeline"
        /// A pattern that is empty or not a valid expression.
        case badPattern = "bad-pattern"
        /// An option with a value that makes no sense.
        case badArgument = "bad-argument"
        /// An engine, a model or a language that is missing, damaged or fails to load.
        case engineUnavailable = "engine-unavailable"
        /// No display to open a window on.
        case noDisplay = "no-display"
        /// An output that cannot be written.
        case outputFailed = "output-failed"
        /// Anything GStreamer reports while running that fits none of the above.
        case pipelineFailed = "pipeline-failed"
        /// A running picture in which nothing can be read because it is too dark.
        case pictureDark = "picture-dark"
        /// The same because it is out of focus, or the lens is dirty.
        case pictureBlurred = "picture-blurred"
        /// The same because it is smeared by motion.
        case pictureSmeared = "picture-smeared"
        /// The same because it moves too fast.
        case pictureMoving = "picture-moving"
        /// The picture had one of these problems, and is good again.
        case pictureClear = "picture-clear"
        /// A file of the index that is damaged.
        case indexDamaged = "index-damaged"
        /// A file of the index that was written by a newer program.
        case indexNewer = "index-newer"
        /// A file of the index that cannot be opened or read now (permissions, too many open files), with nothing known to be wrong in it.
        case indexUnreadable = "index-unreadable"
        /// A command of the user's that could not be run or failed.
        case commandFailed = "command-failed"
        /// Notices that do not reach a broker or a webhook, or reach it again.
        case noticeFailed = "notice-failed"
    }

    public let code: Code
    /// One sentence or a few, each ending in a full stop.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
