public import TextSpotting

/// Where the pictures of a recording's sightings go, and under which names.
public struct SightingPictures: Sendable, Hashable {
    /// Must exist.
    public let folder: String
    /// Sightings of one frame are drawn into one picture, which is named after the first.
    public var areTogether = false
    /// The recording's name in the names of the pictures.
    let source: String

    /// - Parameter source: the recording as a user named it, a path or a URI, without credentials.
    public init(folder: String, source: String) {
        self.folder = folder
        let name = Self.plain(Self.lastPart(of: source), limit: 100).drop { $0 == "-" }
        self.source = name.isEmpty ? "recording" : String(name)
    }

    /// `lobby-00.00.12.367-3-EXIT`: the recording, the time of the frame, the sighting's number and its pattern, so that
    /// pictures stand in order and those of other recordings or searches have other names.
    public func name(of sighting: Sighting) -> String {
        let milliseconds = max(0, (sighting.peak.time.start + StreamTime(nanoseconds: 500_000)).nanoseconds / 1_000_000)
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ".")
        let pattern = Self.plain(sighting.pattern, limit: 80)
        let name = "\(source)-\(clock).\(padded(rest, 3))-\(sighting.id)"
        return pattern.isEmpty ? name : "\(name)-\(pattern)"
    }

    /// Replaces characters other than letters and digits by dashes, so that no name can lead to another folder or hide
    /// a file.
    ///
    /// - Parameter limit: in bytes: a file system takes 255 for the whole name.
    private static func plain(_ text: some StringProtocol, limit: Int) -> String {
        var result = ""
        for character in text {
            let kept = character.isLetter || character.isNumber || character == "_" ? character : "-"
            guard result.utf8.count + kept.utf8.count <= limit else { break }
            result.append(kept)
        }
        return result
    }

    /// `lobby` of `clips/lobby.mp4` and of `http://host/lobby.mp4?size=1`.
    private static func lastPart(of source: String) -> Substring {
        var rest = source[...]
        if rest.contains("://"), let end = rest.firstIndex(where: { "?#".contains($0) }) { rest = rest[..<end] }
        let name = rest.split(separator: "/").last ?? "recording"
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        return stem.isEmpty ? name : stem
    }
}
