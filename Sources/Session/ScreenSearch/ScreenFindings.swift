import TextMatching
import TextSpotting

/// The matches on the screen, and which of them are still there: values in, frames out.
struct ScreenFindings: Sendable {
    /// A match in the picture that was read.
    struct Finding: Sendable {
        var match: Match
        var picture: Picture
        /// The number of rows that the same pixels have moved down; nil if they are gone. Only vertical movement is
        /// considered, because that is how screens scroll.
        var shift: Int? = 0

        /// The current place of the match.
        var now: Match? { shift.map { match.moved(by: Point(0, Double($0))) } }
    }

    private(set) var findings: [Finding] = []
    /// The lines of the last complete reading.
    private(set) var lines: [TextLine] = []
    /// The chosen finding, if any, at its last place.
    private var chosen: Match?
    /// The picture of the last complete reading.
    private var read: Picture?
    private var matcher: Matcher
    private let minimumScore: Double

    init(_ matcher: Matcher, minimumScore: Double) {
        self.matcher = matcher
        self.minimumScore = minimumScore
    }

    /// The matches that are still there, in reading order. A match that scrolled onto another of the same word counts
    /// as one with it.
    var visible: [Match] {
        findings.reduce(into: []) { known, finding in
            guard let now = finding.now else { return }
            if finding.shift == 0 || !known.contains(where: { $0.isOne(with: now) }) { known.append(now) }
        }
    }

    /// Searches the latest reading for other words.
    mutating func search(for matcher: Matcher, in picture: Picture?) {
        self.matcher = matcher
        chosen = nil
        findings = read.map { read in matches(in: lines).map { Finding(match: $0, picture: read) } } ?? []
        if let picture { look(at: picture) }
    }

    /// Adds a line of a picture that is still being read.
    mutating func see(_ line: TextLine, in picture: Picture, now: Picture) {
        guard !matcher.manner.requiresAll else { return }
        for match in matches(in: [line]) {
            findings.removeAll {
                $0.match.patternIndex == match.patternIndex && $0.match.quad.isSamePlace(as: match.quad)
            }
            let place = ScrolledPlace(match.quad.bounds, of: picture)
            findings.append(Finding(match: match, picture: picture, shift: place?.shift(in: now)))
        }
    }

    mutating func take(_ lines: [TextLine], of picture: Picture, now: Picture) {
        self.lines = lines
        read = picture
        findings = matches(in: lines).map { Finding(match: $0, picture: picture) }
        look(at: now)
    }

    /// Updates the findings for the current picture: text that changed is gone, unless it was scrolled.
    mutating func look(at now: Picture) {
        let chosenOne = chosen.flatMap { chosen in
            findings.firstIndex { $0.now.map { $0.isOne(with: chosen) } ?? false }
        }
        let places = findings.map { ScrolledPlace($0.match.quad.bounds, of: $0.picture) }
        for index in findings.indices {
            let last = findings[index].shift ?? 0
            findings[index].shift = places[index].flatMap { $0.stands(in: now, at: last) ? last : nil }
        }
        let gone = findings.indices.filter { findings[$0].shift == nil }
        // Most findings scroll alike, so try known shifts first; a screen that became another is not searched
        // everywhere.
        var shifts = Set<Int>()
        for index in stride(from: 0, to: gone.count, by: max(1, gone.count / Self.mostSearched)).map({ gone[$0] }) {
            if let shift = places[index]?.shift(in: now) { shifts.insert(shift) }
        }
        for index in gone {
            findings[index].shift = shifts.sorted { (abs($0), $0) < (abs($1), $1) }.first { shift in
                places[index]?.stands(in: now, at: shift) ?? false
            }
        }
        if let chosenOne, let match = findings[chosenOne].now { chosen = match }
    }

    /// The largest number of missing findings that are searched everywhere.
    private static let mostSearched = 16

    /// Discards everything, because the picture is of another part.
    mutating func forget() { (findings, lines, read, chosen) = ([], [], nil, nil) }

    private func matches(in lines: [TextLine]) -> [Match] {
        matcher.matches(in: lines).filter { $0.score >= minimumScore }
    }

    // MARK: Going round

    var chosenMatch: Match? { chosen.flatMap { chosen in visible.first { $0.isOne(with: chosen) } } }

    /// The number of the chosen finding among the visible ones, counted from 1.
    var chosenNumber: Int? { chosen.flatMap { chosen in visible.firstIndex { $0.isOne(with: chosen) } }.map { $0 + 1 } }

    /// Moves to the next finding, or with -1 to the previous one; the first follows the last.
    @discardableResult
    mutating func choose(_ step: Int) -> Match? {
        let visible = visible
        guard !visible.isEmpty else { return nil }
        let now = chosenNumber.map { $0 - 1 } ?? (step > 0 ? -1 : visible.count)
        chosen = visible[(now + step + visible.count) % visible.count]
        return chosen
    }
}

/// A place of a picture that is searched in later ones: exactly the same pixels, in the same columns.
struct ScrolledPlace {
    private let picture: Picture
    private let rows: Range<Int>
    /// The offset of the first byte of the place in a row, and the number of bytes.
    private let first: Int
    private let count: Int

    /// Returns nil for a place outside the picture.
    init?(_ place: Rect, of picture: Picture) {
        let inside = place.intersection(picture.bounds)
        let size = picture.format.bytesPerPixel
        let (left, right) = (Int(inside.minX) * size, Int(inside.maxX.rounded(.up)) * size)
        rows = Int(inside.minY)..<max(Int(inside.minY), Int(inside.maxY.rounded(.up)))
        guard right > left, !rows.isEmpty else { return nil }
        (self.picture, first, count) = (picture, left, right - left)
    }

    /// Returns whether the same pixels are in another picture, `shift` rows further down.
    func stands(in now: Picture, at shift: Int) -> Bool {
        guard isLike(now) else { return false }
        if shift == 0, picture.sharesBytes(with: now) { return true }
        return comparing(now) { holds in reach.contains(shift) && rows.allSatisfy { holds($0, shift) } }
    }

    /// Returns how many rows further down the same pixels are in another picture, preferring the nearest; nil if they
    /// are not there, or if the place has no letters and so matches everywhere.
    func shift(in now: Picture) -> Int? {
        if stands(in: now, at: 0) { return 0 }
        guard isLike(now), hasLetters else { return nil }
        return comparing(now) { holds in
            func isThere(_ shift: Int) -> Bool {
                reach.contains(shift) && holds(middle, shift) && rows.allSatisfy { holds($0, shift) }
            }
            for distance in 1...picture.height {
                if isThere(-distance) { return -distance }
                if isThere(distance) { return distance }
            }
            return nil
        }
    }

    private func isLike(_ other: Picture) -> Bool {
        picture.width == other.width && picture.height == other.height && picture.format == other.format
    }

    private var reach: ClosedRange<Int> { -rows.lowerBound...picture.height - rows.upperBound }

    /// A row through the letters, which is usually unique.
    private var middle: Int { (rows.lowerBound + rows.upperBound) / 2 }

    private var hasLetters: Bool {
        let row = picture.bytes[(middle * picture.bytesPerRow + first)...].prefix(count)
        return zip(row, row.dropFirst(picture.format.bytesPerPixel)).contains { $0 != $1 }
    }

    /// Calls `body` with a function that compares a row of the place with the corresponding row of the other picture.
    private func comparing<Value>(_ now: Picture, _ body: ((Int, Int) -> Bool) -> Value) -> Value {
        picture.bytes.withUnsafeBytes { old in
            now.bytes.withUnsafeBytes { new in
                body { row, shift in
                    let (a, b) = (row * picture.bytesPerRow + first, (row + shift) * now.bytesPerRow + first)
                    return old[a..<a + count].elementsEqual(new[b..<b + count])
                }
            }
        }
    }
}
