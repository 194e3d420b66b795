import TextMatching
import TextSpotting

/// Finds on the screen, and which of them still stand there: values in, frames out.
struct ScreenFindings: Sendable {
    /// A match in the picture that was read.
    struct Finding: Sendable {
        var match: Match
        /// The picture that was read.
        var picture: Picture
        /// The pixels there are the same as when it was read.
        var isThere = true
    }

    private(set) var findings: [Finding] = []
    /// The lines of the last complete reading.
    private(set) var lines: [TextLine] = []
    /// Which finding is chosen, if any.
    private var chosen: Match?
    /// The picture of the last complete reading.
    private var read: Picture?
    private var matcher: Matcher
    private let minimumScore: Double

    init(_ matcher: Matcher, minimumScore: Double) {
        self.matcher = matcher
        self.minimumScore = minimumScore
    }

    /// Those that still stand there, in reading order.
    var visible: [Match] { findings.filter(\.isThere).map(\.match) }

    /// Searches the latest reading for other words.
    mutating func search(for matcher: Matcher, in picture: Picture?) {
        self.matcher = matcher
        chosen = nil
        findings = read.map { read in matches(in: lines).map { Finding(match: $0, picture: read) } } ?? []
        if let picture { look(at: picture) }
    }

    /// A line of a picture that is being read; the rest is not known yet.
    mutating func see(_ line: TextLine, in picture: Picture, now: Picture) {
        guard !matcher.manner.requiresAll else { return }
        for match in matches(in: [line]) {
            let place = match.quad.bounds
            findings.removeAll {
                $0.match.patternIndex == match.patternIndex && $0.match.quad.bounds.overlap(place) > 0.3
            }
            findings.append(
                Finding(match: match, picture: picture, isThere: Self.isSame(place, picture, now)))
        }
    }

    /// All lines of a picture.
    mutating func take(_ lines: [TextLine], of picture: Picture, now: Picture) {
        self.lines = lines
        read = picture
        findings = matches(in: lines).map { Finding(match: $0, picture: picture) }
        look(at: now)
    }

    /// The picture is this one now: what has changed there no longer stands.
    mutating func look(at now: Picture) {
        for index in findings.indices {
            let finding = findings[index]
            findings[index].isThere = Self.isSame(finding.match.quad.bounds, finding.picture, now)
        }
    }

    /// Nothing is known any more: the picture is of another part.
    mutating func forget() { (findings, lines, read, chosen) = ([], [], nil, nil) }

    private func matches(in lines: [TextLine]) -> [Match] {
        matcher.matches(in: lines).filter { $0.score >= minimumScore }
    }

    /// Whether two pictures have the same pixels at a place.
    static func isSame(_ place: Rect, _ a: Picture, _ b: Picture) -> Bool {
        guard a.width == b.width, a.height == b.height, a.format == b.format else { return false }
        if a.sharesBytes(with: b) { return true }
        let inside = place.intersection(a.bounds)
        let size = a.format.bytesPerPixel
        let (left, right) = (Int(inside.minX) * size, Int(inside.maxX.rounded(.up)) * size)
        guard right > left else { return true }
        for y in Int(inside.minY)..<max(Int(inside.minY), Int(inside.maxY.rounded(.up))) {
            let row = (y * a.bytesPerRow + left)..<(y * a.bytesPerRow + right)
            if a.bytes[row] != b.bytes[row] { return false }
        }
        return true
    }

    // MARK: Going round

    /// The chosen finding, if it still stands there.
    var chosenMatch: Match? { chosen.flatMap { chosen in visible.first { Self.isOne($0, chosen) } } }

    /// Which of the visible ones is chosen, counted from 1.
    var chosenNumber: Int? { chosen.flatMap { chosen in visible.firstIndex { Self.isOne($0, chosen) } }.map { $0 + 1 } }

    /// Goes to the next finding, or with -1 to the one before; from the last to the first.
    @discardableResult
    mutating func choose(_ step: Int) -> Match? {
        let visible = visible
        guard !visible.isEmpty else { return nil }
        let now = chosenNumber.map { $0 - 1 } ?? (step > 0 ? -1 : visible.count)
        chosen = visible[(now + step + visible.count) % visible.count]
        return chosen
    }

    private static func isOne(_ a: Match, _ b: Match) -> Bool {
        a.patternIndex == b.patternIndex && a.text == b.text && a.quad.bounds.overlap(b.quad.bounds) > 0.3
    }
}
