public import TextMatching

/// The ends of a line.
public struct LineEnds: OptionSet, Sendable {
    public let rawValue: Int

    public static let start = LineEnds(rawValue: 1)
    public static let end = LineEnds(rawValue: 2)

    public init(rawValue: Int) { self.rawValue = rawValue }
}

/// The matches in a line as it was read.
public struct LineFindings: Sendable {
    /// The indices of the patterns that were found.
    public var patterns: Set<Int>
    /// The ends of the line that a match reaches, where more of the searched text may follow.
    public var openEnds: LineEnds

    public init(patterns: Set<Int> = [], openEnds: LineEnds = []) {
        (self.patterns, self.openEnds) = (patterns, openEnds)
    }
}

extension Matcher {
    /// Returns the matches in a line with at least this score; nil if there are none.
    public func findings(in line: TextLine, from score: Double) -> LineFindings? {
        let found = matches(in: line).filter { $0.score >= score }
        return found.isEmpty
            ? nil
            : LineFindings(
                patterns: Set(found.map(\.patternIndex)),
                openEnds: found.reduce(LineEnds()) { $0.union(openEnds(of: $1)) })
    }

    /// Returns the ends of its line that a match reaches, where more of the searched text may follow; none for a match
    /// of a complete text.
    func openEnds(of match: Match) -> LineEnds {
        let pattern = patterns[match.patternIndex]
        let isWhole = pattern.isText && Self.letters(match.text).count >= Self.letters(pattern.text).count
        guard !isWhole else { return [] }
        let (range, length) = (match.characterRange, match.line.count)
        var ends: LineEnds = []
        if range.lowerBound <= Self.nearEnd { ends.insert(.start) }
        if range.upperBound >= length - Self.nearEnd { ends.insert(.end) }
        return ends
    }

    /// The number of characters that may be between a match and the end of its line: marks, a misread letter.
    private static let nearEnd = 2

    private static func letters(_ text: String) -> String {
        String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    }
}

/// Determines how far a line continues beyond the place that a detector found. Detectors end a line where its
/// background changes or its letters grow pale; recognizers, which know where the letters were up to there, read on.
struct LineExtent {
    private let recognizer: any LineRecognizer
    private let wanted: @Sendable (TextLine) -> LineFindings?

    /// The distance that is examined at a time, in heights of the line, and the number of times.
    private static let step = 4.0
    private static let most = 4
    /// The largest gap between a letter and the one before it, in heights of the line.
    private static let gap = 0.9
    /// A letter that extends less far beyond the place belongs to it, in heights of the line.
    private static let least = 0.25
    /// The least confidence of a letter.
    private static let sure = 0.6
    /// The largest width of a letter, in heights of the line.
    private static let width = 1.0
    /// The margin after the last letter, in heights of the line.
    private static let margin = 0.1

    init(_ recognizer: any LineRecognizer, _ wanted: @escaping @Sendable (TextLine) -> LineFindings?) {
        (self.recognizer, self.wanted) = (recognizer, wanted)
    }

    /// Returns the line with its continuation beyond these ends.
    func whole(_ line: TextLine, _ ends: LineEnds, in picture: Picture) async throws -> TextLine {
        var line = line
        for end in [LineEnds.end, .start] where ends.contains(end) {
            for _ in 0..<Self.most {
                guard let longer = try await longer(line, at: end, in: picture) else { break }
                line = longer
            }
        }
        return line
    }

    /// - Returns: nil if no letter follows.
    private func longer(_ line: TextLine, at end: LineEnds, in picture: Picture) async throws -> TextLine? {
        let height = line.quad.height
        let room = Self.room(beyond: line.quad, at: end, in: picture)
        guard height > 0, room > Self.least * height else { return nil }
        let long = line.quad.lengthened(by: min(room, Self.step * height), at: end)
        let share = line.quad.width / long.width
        let beyond = end == .end ? long.slice(from: share, to: 1) : long.slice(from: 0, to: 1 - share)
        var whole = try await recognizer.recognize([long], in: picture)
        var rest = try await recognizer.recognize([beyond], in: picture)
        if let part = ContrastPart(of: long, in: picture) {
            whole += try await recognizer.recognize([part.quad], in: part.picture).map { $0?.moved(by: part.offset) }
        }
        if let part = ContrastPart(of: beyond, in: picture) {
            rest += try await recognizer.recognize([part.quad], in: part.picture).map { $0?.moved(by: part.offset) }
        }
        // A texture may be read as a letter by chance, so two readings must agree on one.
        let reaches = (whole + rest).map { reading in
            reading.map { Self.reach(of: $0, beyond: line.quad, at: end, in: picture) } ?? 0
        }
        let reach = reaches.sorted(by: >)[1]
        guard reach > Self.least * height else { return nil }
        // The reading of the whole counts if the same is found in it and perhaps more; in a single word no more is
        // hidden than was read.
        let found = wanted(line)?.patterns ?? []
        var result =
            whole.compactMap { $0 }.first { reading in
                wanted(reading)?.patterns.isSuperset(of: found) ?? false
                    && reading.confidence > line.confidence - 0.1 && reading.text.count > line.text.count
            } ?? line
        result.quad = line.quad.lengthened(by: min(room, reach + Self.margin * height), at: end)
        return result
    }

    /// Returns how far the picture extends beyond an end.
    private static func room(beyond quad: Quad, at end: LineEnds, in picture: Picture) -> Double {
        let way = quad.direction * (end == .end ? 1 : -1)
        let point = quad.center + way * (quad.width / 2)
        func left(_ value: Double, _ way: Double, _ size: Int) -> Double {
            abs(way) < 1e-6 ? .infinity : ((way > 0 ? Double(size) : 0) - value) / way
        }
        return max(0, min(left(point.x, way.x, picture.width), left(point.y, way.y, picture.height)))
    }

    /// Returns how far letters continue without a gap beyond a place, in pixels.
    private static func reach(of line: TextLine, beyond quad: Quad, at end: LineEnds, in picture: Picture) -> Double {
        let height = quad.height
        let way = quad.direction * (end == .end ? 1 : -1)
        let from = quad.center + way * (quad.width / 2)
        func distance(_ point: Point) -> Double { (point.x - from.x) * way.x + (point.y - from.y) * way.y }
        let letters = line.words.flatMap { word in
            word.characters.filter { $0.confidence >= sure && ($0.character.isLetter || $0.character.isNumber) }.map {
                span in
                let place = word.quad.slice(from: span.start, to: span.end)
                let sides = [distance(place.topLeft), distance(place.topRight)]
                return (near: min(sides[0], sides[1]), far: max(sides[0], sides[1]))
            }
        }
        var reached = 0.0
        for letter in letters.sorted(by: { $0.near < $1.near }) where letter.near > -least * height {
            guard letter.near < reached + gap * height else { break }
            // The first and the last letter of a reading extend to the end of the examined part.
            let far = min(letter.far, max(0, letter.near) + width * height)
            guard far > reached else { continue }
            // An edge of the background looks like a 1 or an l, but continues above and below.
            let (a, b) = (from + way * max(reached, letter.near), from + way * far)
            let down = Point(-way.y, way.x) * (0.75 * height)
            let place = Quad(topLeft: a - down, topRight: b - down, bottomRight: b + down, bottomLeft: a + down)
            guard picture.variation(along: place) >= leastVariation else { continue }
            reached = far
        }
        return reached
    }

    /// The number of levels by which a letter differs from the area above or below it.
    private static let leastVariation = 10
}

extension Picture {
    /// Returns the largest difference in levels, apart from noise, from the top to the bottom of one column of a place.
    fileprivate func variation(along place: Quad) -> Int {
        let (columns, rows) = (max(1, Int(place.width)), max(2, Int(place.height)))
        let step = format.bytesPerPixel
        var most = 0
        for column in 0..<columns {
            let share = (Double(column) + 0.5) / Double(columns)
            let top = place.topLeft.interpolated(to: place.topRight, at: share)
            let bottom = place.bottomLeft.interpolated(to: place.bottomRight, at: share)
            for channel in 0..<step {
                var levels: [UInt8] = []
                for row in 0..<rows {
                    let point = top.interpolated(to: bottom, at: (Double(row) + 0.5) / Double(rows))
                    guard point.x >= 0, point.y >= 0, point.x < Double(width), point.y < Double(height) else {
                        continue
                    }
                    levels.append(bytes[(Int(point.y) * width + Int(point.x)) * step + channel])
                }
                levels.sort()
                let noise = levels.count / 12
                if levels.count > 2 * noise {
                    most = max(most, Int(levels[levels.count - 1 - noise]) - Int(levels[noise]))
                }
            }
        }
        return most
    }
}

extension Quad {
    /// Returns the quad extended by `distance` pixels at an end of its text.
    fileprivate func lengthened(by distance: Double, at end: LineEnds) -> Quad {
        let more = direction * distance
        return end == .end
            ? Quad(topLeft: topLeft, topRight: topRight + more, bottomRight: bottomRight + more, bottomLeft: bottomLeft)
            : Quad(topLeft: topLeft - more, topRight: topRight, bottomRight: bottomRight, bottomLeft: bottomLeft - more)
    }

    /// Returns whether a line at this place may be the rest of one at another: in the same row, of the same height, and
    /// directly after it.
    ///
    /// - Parameter gap: the largest distance between them, in heights.
    public func continues(_ other: Quad, gap: Double = 0.6) -> Bool {
        let (along, height) = (other.direction, max(self.height, other.height))
        guard height > 0, min(self.height, other.height) > 0.55 * height,
            along.x * direction.x + along.y * direction.y > 0.97
        else { return false }
        func place(_ point: Point) -> (along: Double, across: Double) {
            let offset = point - other.center
            return (offset.x * along.x + offset.y * along.y, offset.y * along.x - offset.x * along.y)
        }
        let (begin, end) = (
            place(topLeft.interpolated(to: bottomLeft, at: 0.5)), place(topRight.interpolated(to: bottomRight, at: 0.5))
        )
        let edge = other.width / 2
        return abs(begin.across) < 0.35 * height && begin.along < edge + gap * height && begin.along > -edge
            && end.along > edge + 0.3 * height
    }
}
