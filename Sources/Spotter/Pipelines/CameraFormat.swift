import Cameras
import Errors
import TextSpotting

/// The picture size and rate to ask a camera for.
public struct CameraFormat: Sendable, Hashable {
    private let width: Int?
    private let height: Int?
    private let rate: Int?

    /// Whatever the camera likes best.
    public init() {
        (width, height, rate) = (nil, nil, nil)
    }

    /// - Parameters:
    ///   - size: such as `1280x720`; nil for any.
    ///   - rate: frames a second; nil for any.
    /// - Throws: `FramegrepError` (`badArgument`) for an invalid size.
    public init(size: String?, rate: Int?) throws {
        let parts = size?.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        if let parts {
            guard parts.count == 2, let width = parts[0], let height = parts[1], (1...32768).contains(width),
                (1...32768).contains(height)
            else { throw FramegrepError(.badArgument, "The size '\(size ?? "")' is not of the form 1280x720.") }
            (self.width, self.height) = (width, height)
        } else {
            (width, height) = (nil, nil)
        }
        if let rate, !(1...1000).contains(rate) {
            throw FramegrepError(.badArgument, "A camera cannot be asked for \(rate) frames a second; 30 is usual.")
        }
        self.rate = rate
    }

    /// The request to choose a camera's mode by.
    var request: ModeRequest {
        ModeRequest(size: width.flatMap { width in height.map { (width, $0) } }, rate: rate)
    }

    /// A caps filter with its link, for raw video and the compressed forms that cameras send; empty for any format.
    var caps: String {
        var fields = ""
        if let width, let height { fields += ",width=\(width),height=\(height)" }
        if let rate { fields += ",framerate=\(rate)/1" }
        guard !fields.isEmpty else { return "" }
        return "capsfilter caps=\""
            + ["video/x-raw", "image/jpeg", "video/x-h264"].map { $0 + fields }.joined(separator: ";") + "\" ! "
    }
}
