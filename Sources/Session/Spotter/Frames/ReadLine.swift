import TextSpotting

/// A line of text that is over, and how it is related to others: whether they are readings of one text, or parts of it.
///
/// At one place there is one text at a time. What else was read there at the same time is the same text, as it faded in, was typed, or was
/// disturbed by what moves behind it. Values are the exception: texts in which a digit is another one are other texts.
struct ReadLine {
    var line: Sighting
    /// Its letters and digits, without marks, gaps and case.
    let letters: [Character]
    /// Its numbers, one behind the other, with their signs and the marks between their digits.
    private let numbers: String
    /// The numbers of the sightings that it is made of.
    private(set) var ids: Set<Int>

    /// It is not over, so that it may stand for longer than it has until now.
    private let goesOn: Bool

    init(_ line: Sighting, goesOn: Bool = false) {
        self.line = line
        self.goesOn = goesOn
        ids = [line.id]
        numbers = Self.numbers(in: line.line)
        letters = Array(line.line.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// `-12.5` is another number than `12.5` and `125`. Gaps say nothing, because readers miss them.
    private static func numbers(in text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).map(Array.init).map { word in
            String(word.indices.filter { word[$0].isNumber || NumberMark.isMark($0, of: word) }.map { word[$0] })
        }.joined()
    }

    /// A line that is gone for less is the same when it comes back, as everywhere.
    static let hold = SightingTimeline.Settings().hold

    /// One or two letters that a reader is not sure of: what a texture looks like to it.
    var isNoise: Bool {
        switch letters.count {
        case 0: line.score < 0.9
        case 1: line.score < 0.9
        case 2: line.score < 0.8
        default: false
        }
    }

    // MARK: Readings of one text

    /// Both are readings of one line: the text of one is all or a part of the other's, or nearly so, and both were seen where one line can
    /// have been.
    func isOne(with other: ReadLine) -> Bool {
        let (first, second) = line.start <= other.line.start ? (line, other.line) : (other.line, line)
        guard second.start < first.end + Self.hold, !isShownApart(from: other) else { return false }
        let (row, column) = Self.overlaps(line.peak.quad.bounds, other.line.peak.quad.bounds)
        let isSamePlace = row >= 0.6 && column >= 0.6 || isInPlace(of: other)
        // One behind the other they may have moved meanwhile: along a row, or in a column.
        let isPassing = min(first.end, second.end) <= second.start + Self.hold && max(row, column) >= 0.6
        guard isSamePlace || isPassing else { return false }
        guard !letters.isEmpty, !other.letters.isEmpty else { return line.line == other.line.line }
        // A number with a digit more is another number, not more of the same.
        let isSameText = letters == other.letters && (numbers == other.numbers || isDoubtful(beside: other))
        guard letters.contains(where: \.isLetter) || other.letters.contains(where: \.isLetter) else {
            return isSameText
        }
        if letters == other.letters { return isSameText }
        guard isSamePlace || row >= 0.6 else { return false }
        return holds(other) || other.holds(self) || isMisread(as: other)
    }

    /// Pictures show that one came in the place of the other as another text, or that another text came between them.
    ///
    /// A text that was there only for a moment may be a misreading, in which something that moves behind the letters seemed to take some away.
    private func isShownApart(from other: ReadLine) -> Bool {
        guard !isPassing, !other.isPassing else { return false }
        let (first, second) = line.start <= other.line.start ? (self, other) : (other, self)
        guard let before = first.line.course, let after = second.line.course else { return false }
        // Nothing stood between two readings of the same letters: a misreading of a moment was taken for another text.
        if letters == other.letters, second.line.start <= first.line.end { return false }
        let turn = before.replacedAt.map { max($0, first.line.end) }
        return turn.map { second.line.start >= $0 } ?? false || !after.replaced.isDisjoint(with: first.ids)
    }

    /// Both as one reading, which keeps what is known of either.
    func keeping(_ other: ReadLine) -> ReadLine {
        var whole = self
        whole.ids = Set([self, other].filter { !$0.isPassing }.flatMap(\.ids))
        whole.line.course?.replaced.formUnion(other.line.course?.replaced ?? [])
        let last = other.line.end > line.end ? other : self
        whole.line.course?.replacedAt = last.isPassing ? nil : last.line.course?.replacedAt
        return whole
    }

    private var isPassing: Bool { !goesOn && (line.end - line.start).seconds < Self.passing }

    /// The other reading says when the text was there too. A passing misreading does not: in the middle of a fade it has a fade of its own.
    func sharesTimes(with other: ReadLine) -> Bool {
        let isPassing = [line, other.line].contains { ($0.end - $0.start).seconds < Self.passing }
        return !isPassing || holds(other) || other.holds(self)
    }

    /// A different reading that lasts less than this many seconds is a misreading.
    private static let passing = 0.4

    private func holds(_ part: ReadLine) -> Bool { String(folded).contains(String(part.folded)) }

    /// I and l are told from each other by what stands around them only.
    private var folded: [Character] { letters.map { $0 == "i" ? "l" : $0 } }

    /// One of them is like the other, or like a part of it, but for a third of its letters, no digit is another one, and it was there at the
    /// same time, or was read badly, or for a moment only.
    private func isMisread(as other: ReadLine) -> Bool {
        let (short, long) = letters.count <= other.letters.count ? (self, other) : (other, self)
        guard short.letters.count >= 4, long.letters.count <= 500, short.hasHeight(of: long), !isOtherValue(than: other)
        else { return false }
        guard isDoubtful(beside: other) || share(in: other) >= 0.5 || other.share(in: self) >= 0.5 else { return false }
        let allowed = short.letters.count / (short.letters.count < 6 ? 4 : 3)
        return Self.distance(of: short.folded, within: long.folded) <= allowed
    }

    /// One of them was read badly, or for a moment only.
    private func isDoubtful(beside other: ReadLine) -> Bool {
        [line, other.line].contains { $0.score < 0.9 || ($0.end - $0.start).seconds < Self.passing }
    }

    /// Digits differ, and not because the reader missed some of them.
    private func isOtherValue(than other: ReadLine) -> Bool {
        let (a, b) = (letters.filter(\.isNumber), other.letters.filter(\.isNumber))
        let (few, many) = a.count <= b.count ? (a, b) : (b, a)
        guard few.count < many.count else { return a != b }
        var rest = few[...]
        for digit in many where digit == rest.first { rest = rest.dropFirst() }
        return !rest.isEmpty
    }

    /// How many letters of `part` must be inserted, deleted or replaced to find it somewhere in `whole` (P. Sellers, 1980).
    private static func distance(of part: [Character], within whole: [Character]) -> Int {
        var column = Array(0...part.count)
        var least = part.count
        for letter in whole {
            var diagonal = column[0]
            for (index, other) in part.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = column[index + 1]
                column[index + 1] = min(replaced, diagonal + 1, column[index] + 1)
            }
            least = min(least, column[part.count])
        }
        return least
    }

    /// Of two readings of one text this one says it better: there is more of it, unless it is much less sure; of as much, it is surer.
    func isBetter(than other: ReadLine) -> Bool {
        if letters == other.letters {
            // Readers miss gaps and do not make them up.
            return (gaps, line.score) > (other.gaps, other.line.score)
        }
        if letters.count == other.letters.count { return line.score > other.line.score }
        if line.line == other.line.line.withoutCursor { return lasts(longerThan: other) }
        if other.line.line == line.line.withoutCursor { return !other.lasts(longerThan: self) }
        let (short, long) = letters.count < other.letters.count ? (self, other) : (other, self)
        let isLongBetter = long.line.score > short.line.score - 0.05
        return isLongBetter == (letters.count > other.letters.count)
    }

    /// By more than twice the time.
    private func lasts(longerThan other: ReadLine) -> Bool {
        (line.end - line.start).seconds > 2 * (other.line.end - other.line.start).seconds
    }

    private var gaps: Int { line.line.count { $0.isWhitespace } }

    // MARK: Parts and misreadings

    /// It is nothing of its own: the other one stood in its place at its time, and it says less, or less surely.
    func isPart(of other: ReadLine) -> Bool {
        let share = share(in: other)
        guard share > 0, hasHeight(of: other) || line.peak.quad.height < other.line.peak.quad.height else {
            return false
        }
        let time = commonTime(with: other)
        let (mine, others) = (place(at: time), other.place(at: time))
        let covered = mine.intersection(others).area / max(1, mine.area)
        if covered >= 0.75, letters.count < other.letters.count {
            // Two numbers of which one begins as the other may stand there one after the other.
            if other.holds(self), share >= 0.6 || !isReadApart(from: other) { return true }
            if share >= 0.6, line.score < other.line.score { return true }
        }
        return isInPlace(of: other) && line.score < 0.75 && line.score + 0.2 < other.line.score
    }

    /// All readings of one of them were made before those of the other.
    private func isReadApart(from other: ReadLine) -> Bool {
        guard let mine = line.course?.readTimes, let others = other.line.course?.readTimes else { return false }
        return !mine.overlaps(others)
    }

    /// How much of its time the other one was there too.
    private func share(in other: ReadLine) -> Double {
        let common = min(line.end, other.line.end) - max(line.start, other.line.start)
        return max(0, common.seconds) / max(0.001, (line.end - line.start).seconds)
    }

    // MARK: Places

    private func hasHeight(of other: ReadLine, least: Double = 0.6) -> Bool {
        let (mine, others) = (line.peak.quad.height, other.line.peak.quad.height)
        return min(mine, others) > least * max(mine, others)
    }

    /// The middle of the time in which both were there, or of that between them.
    private func commonTime(with other: ReadLine) -> StreamTime {
        let (from, to) = (max(line.start, other.line.start), min(line.end, other.line.end))
        return StreamTime(nanoseconds: (from.nanoseconds + to.nanoseconds) / 2)
    }

    /// Where it was at a time: on straight ways from where it began by where it was at its best to where it ended. What is typed does not move.
    private func place(at time: StreamTime) -> Rect {
        let best = line.peak.quad.bounds
        guard let course = line.course else { return best }
        let (first, last) = (course.first.bounds, course.last.bounds)
        let isMoving = [course.first, course.last].contains {
            ($0.topLeft - line.peak.quad.topLeft).length > 0.5 * line.peak.quad.height
        }
        guard isMoving else { return best }
        let peak = line.peak.time.start
        let (from, to, begin, end) =
            time < peak ? (first, best, line.start, peak) : (best, last, peak, line.end)
        let share = end > begin ? min(1, max(0, (time - begin).seconds / (end - begin).seconds)) : 0
        return best.moved(
            by: Point(
                from.minX + (to.minX - from.minX) * share - best.minX,
                from.minY + (to.minY - from.minY) * share - best.minY))
    }

    private func isInPlace(of other: ReadLine) -> Bool {
        let (row, column) = overlaps(other)
        return row >= 0.6 && column >= 0.6
    }

    /// How much of the shorter side of the two lies in the other: up and down, and along the line.
    private func overlaps(_ other: ReadLine) -> (row: Double, column: Double) {
        let time = commonTime(with: other)
        return Self.overlaps(place(at: time), other.place(at: time))
    }

    private static func overlaps(_ a: Rect, _ b: Rect) -> (row: Double, column: Double) {
        func overlap(_ from: Double, _ to: Double, _ otherFrom: Double, _ otherTo: Double) -> Double {
            max(0, min(to, otherTo) - max(from, otherFrom)) / max(1, min(to - from, otherTo - otherFrom))
        }
        return (overlap(a.minY, a.maxY, b.minY, b.maxY), overlap(a.minX, a.maxX, b.minX, b.maxX))
    }

    /// The other line goes on, and its later readings may say something about this one.
    func mayDepend(on open: ReadLine) -> Bool {
        guard open.line.start <= line.end + Self.hold else { return false }
        let (row, column) = overlaps(open)
        return row >= 0.6 && (column >= 0.6 || isBeside(open))
    }

    // MARK: One text at a place

    /// Cuts the times of two texts that were read one after the other in one place, so that they share none.
    static func separate(_ a: inout ReadLine, _ b: inout ReadLine) {
        guard let x = a.line.course?.readTimes, let y = b.line.course?.readTimes else { return }
        if y.lowerBound < x.lowerBound { return separate(&b, &a) }
        guard x.upperBound < y.lowerBound, b.line.start < a.line.end, a.isInPlace(of: b), a.hasHeight(of: b) else {
            return
        }
        // Pictures say when the one went or the other came; what lies outside of the readings cannot be true.
        let turn =
            a.line.end > x.upperBound && a.line.end <= y.lowerBound
            ? a.line.end
            : b.line.start > x.upperBound && b.line.start <= y.lowerBound ? b.line.start : y.lowerBound
        a.line.end = turn
        b.line.start = turn
    }

    // MARK: Lines in two pieces

    /// Lines that came and went together, closer beside each other than words can be that do not belong together.
    private func isBeside(_ other: ReadLine) -> Bool {
        let time = commonTime(with: other)
        // Columns that run down are no pieces of one row.
        return [self, other].allSatisfy { abs($0.line.peak.quad.direction.x) > 0.7 }
            && place(at: time).isPieceOfLine(with: other.place(at: time))
    }

    /// Both as one line, where a detector took its two halves for two lines; nil where they are not.
    func joined(with other: ReadLine) -> ReadLine? {
        func isTogether(_ a: StreamTime, _ b: StreamTime) -> Bool { abs((a - b).seconds) <= 0.1 }
        guard !line.peak.quad.isColumn, !other.line.peak.quad.isColumn,
            isTogether(line.start, other.line.start), isTogether(line.end, other.line.end), isBeside(other)
        else { return nil }
        let time = commonTime(with: other)
        let isLeft = place(at: time).minX <= other.place(at: time).minX
        let (left, right) = isLeft ? (line, other.line) : (other.line, line)
        var whole = letters.count >= other.letters.count ? line : other.line
        whole.line = left.line + " " + right.line
        whole.text = whole.line
        (whole.start, whole.end) = (min(left.start, right.start), max(left.end, right.end))
        whole.id = min(left.id, right.id)
        whole.score = min(left.score, right.score)
        whole.peak.quad = Quad(
            topLeft: left.peak.quad.topLeft, topRight: right.peak.quad.topRight,
            bottomRight: right.peak.quad.bottomRight, bottomLeft: left.peak.quad.bottomLeft)
        return ReadLine(whole)
    }
}
