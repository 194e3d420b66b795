import TextSpotting

extension ReadLine {
    /// The longest time between a piece of a moving line and the rest of it, in seconds.
    static let pieceGap = StreamTime(seconds: 1)
    /// The longest time for which a piece of a typed line stands, in seconds.
    private static let longestTyped = 0.7
    /// The number of letters at the cut end that may be misread.
    private static let cutLetters = 2
    /// The largest distance of an end of a piece from where the line has it, in heights of the line, and as a share of
    /// the way between both.
    private static let slack = (heights: 1.0, way: 0.1)
    /// The same for a line that stands still.
    private static let stillSlack = 0.3

    /// Whether it moves along its row, as far as its places tell.
    var isPassingBy: Bool { abs(speed) * duration >= 0.5 * line.peak.quad.height }

    private var duration: Double { (line.end - line.start).seconds }

    /// Returns whether this is what was read of the other line while the rest was beyond an edge of the picture or of
    /// the band in which it moves, or was not yet typed.
    func isPiece(of whole: ReadLine) -> Bool {
        guard letters.count <= whole.letters.count, !letters.isEmpty, hasHeight(of: whole),
            abs(line.peak.quad.direction.x) > 0.9, isInRow(of: whole),
            max(whole.line.start - line.end, line.start - whole.line.end) <= Self.pieceGap
        else { return false }
        return whole.isPassingBy ? isCut(from: whole) : isTyped(before: whole)
    }

    private func isInRow(of whole: ReadLine) -> Bool {
        let (a, b) = (line.peak.quad.bounds, whole.line.peak.quad.bounds)
        return min(a.maxY, b.maxY) - max(a.minY, b.minY) >= 0.6 * min(a.height, b.height)
    }

    /// Returns whether one of its ends is where the other line had or will have it, and its letters are those beside
    /// that end.
    private func isCut(from whole: ReadLine) -> Bool {
        let (piece, best) = (line.peak.quad.bounds, whole.line.peak.quad.bounds)
        let way = whole.speed * (line.peak.time.start - whole.line.peak.time.start).seconds
        let slack = Self.slack.heights * best.height + Self.slack.way * abs(way)
        return abs(best.minX + way - piece.minX) <= slack && begins(whole)
            || abs(best.maxX + way - piece.maxX) <= slack && ends(whole)
    }

    /// Returns whether it is the beginning of a line that is being typed, with the cursor as its last letter.
    private func isTyped(before whole: ReadLine) -> Bool {
        let (piece, best) = (line.peak.quad.bounds, whole.line.peak.quad.bounds)
        guard duration < Self.longestTyped, line.start < whole.line.end, whole.line.start - line.end <= Self.hold,
            abs(best.minX - piece.minX) <= Self.stillSlack * best.height, let last = line.line.last,
            "lI|".contains(last), letters.count > 1, letters.count < whole.letters.count
        else { return false }
        return whole.folded.starts(with: folded.dropLast(last == "|" ? 0 : 1))
    }

    private func begins(_ whole: ReadLine) -> Bool { Self.resemble(folded, beginningOf: whole.folded) }

    private func ends(_ whole: ReadLine) -> Bool {
        Self.resemble(folded.reversed(), beginningOf: whole.folded.reversed())
    }

    /// Returns whether letters are the first ones of others, apart from those at the cut.
    private static func resemble(_ piece: [Character], beginningOf whole: [Character]) -> Bool {
        let sure = Array(piece.dropLast(min(cutLetters, piece.count - 1)))
        // A single letter is cut itself.
        guard piece.count > 1 else { return true }
        return distance(of: sure, within: Array(whole.prefix(sure.count + 1))) <= sure.count / 4
    }

    /// The speed along the row, in pixels a second: that of the end which is not cut at an edge meanwhile, which moves
    /// further. 0 if an end stands still or both move apart, as when a line is typed.
    private var speed: Double {
        guard let course = line.course, duration > 0 else { return 0 }
        let least = Self.stillSlack * line.peak.quad.height
        let places = [course.first.bounds, line.peak.quad.bounds, course.last.bounds]
        let steps = zip(places, places.dropFirst()).map { (left: $1.minX - $0.minX, right: $1.maxX - $0.maxX) }
        let isOneWay = steps.allSatisfy { $0.left * $0.right >= 0 || min(abs($0.left), abs($0.right)) < least }
        guard isOneWay, steps.contains(where: { abs($0.left) >= least }),
            steps.contains(where: { abs($0.right) >= least })
        else { return 0 }
        let (left, right) = (steps[0].left + steps[1].right, steps[0].right + steps[1].left)
        return (left < 0 && abs(left) > right ? left : max(right, 0)) / duration
    }
}
