import TextSpotting

/// A line of text that is over, and its relation to others: whether they are readings of one text, or parts of it.
///
/// There is one text at a place at any time. Anything else read there at the same time is the same text as it faded in,
/// was typed, or was disturbed by movement behind it. Values are the exception: texts that differ in a digit are
/// different texts.
struct ReadLine {
    var line: Sighting
    /// The letters and digits, without marks, gaps and case.
    let letters: [Character]
    /// The numbers, one after the other, with their signs and the marks between their digits.
    private let numbers: String
    /// The identifiers of the sightings that it consists of.
    private(set) var ids: Set<Int>

    /// Whether it is not over yet, so that it may last longer.
    private let goesOn: Bool

    init(_ line: Sighting, goesOn: Bool = false) {
        self.line = line
        self.goesOn = goesOn
        ids = [line.id]
        numbers = Self.numbers(in: line.line)
        letters = Array(line.line.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// The punctuation and other signs. A caption that gains a `!` is another caption if pictures show that it changed.
    private var marks: String { line.line.filter { !$0.isLetter && !$0.isNumber && !$0.isWhitespace } }

    /// The letters without the digits.
    private var words: [Character] { letters.filter { !$0.isNumber } }

    /// Returns the numbers in a text. `-12.5` is another number than `12.5` and `125`. Gaps are ignored, because
    /// readers miss them.
    private static func numbers(in text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).map(Array.init).map { word in
            String(word.indices.filter { word[$0].isNumber || NumberMark.isMark($0, of: word) }.map { word[$0] })
        }.joined()
    }

    /// A line that disappears for less than this is the same when it comes back, as everywhere.
    static let hold = SightingTimeline.Settings().hold

    /// The logarithm of the odds for a script that the reader does not know, from which a line is hardly a texture.
    /// Textures have reached 8, and words of two Hangul letters have 7 to 30.
    private static let foreign: Float = 9

    /// Whether the line is one or two doubtful letters, as a texture is read.
    var isNoise: Bool {
        switch letters.count {
        case 0: line.score < 0.9
        case 1: line.score < 0.9
        case 2: line.score < 0.8
        default: false
        }
    }

    /// Whether it is a fragment that may belong to a word in a script unknown to the reader.
    var isForeign: Bool { isNoise && line.otherScripts.contains { $0 >= Self.foreign } }

    // MARK: Readings of one text

    /// Returns whether both are readings of one line: the text of one is all or a part of the other's, or nearly so,
    /// and both were seen where one line can have been.
    func isOne(with other: ReadLine) -> Bool {
        let (first, second) = line.start <= other.line.start ? (line, other.line) : (other.line, line)
        if isPiece(of: other) || other.isPiece(of: self) { return true }
        guard second.start < first.end + Self.hold, !isShownApart(from: other) else { return false }
        let (row, column) = Self.overlaps(line.peak.quad.bounds, other.line.peak.quad.bounds)
        // Lines that roll up pass through one place at different times.
        let isTogether = second.start < min(first.end, second.end)
        let isSamePlace = !isTogether && row >= 0.6 && column >= 0.6 || isInPlace(of: other)
        // Lines seen one after the other may have moved meanwhile: along a row, or in a column.
        let isPassing = min(first.end, second.end) <= second.start + Self.hold && max(row, column) >= 0.6
        guard isSamePlace || isPassing else { return false }
        guard !letters.isEmpty, !other.letters.isEmpty else { return line.line == other.line.line }
        // A number with one more digit is another number, not more of the same.
        let isSameText =
            letters == other.letters
            && (numbers == other.numbers || !hasMovedPoint(from: other) && isDoubtful(beside: other))
        guard letters.contains(where: \.isLetter) || other.letters.contains(where: \.isLetter) else {
            return isSameText
        }
        if letters == other.letters { return isSameText }
        guard isSamePlace || row >= 0.6 else { return false }
        return holds(other) || other.holds(self) || isMisread(as: other) || isMisreadLetter(of: other)
            || other.isMisreadLetter(of: self)
    }

    /// Returns whether it has the other's letters and digits with a point between others of them: readers miss points,
    /// but move none.
    private func hasMovedPoint(from other: ReadLine) -> Bool {
        letters == other.letters && numbers.count == other.numbers.count
            && zip(numbers, other.numbers).contains { $0.isNumber != $1.isNumber }
    }

    /// Returns whether another number was there between both: one with its point elsewhere, or one that pictures show to
    /// have replaced the first.
    func isDivided(from other: ReadLine, by between: ReadLine) -> Bool {
        let (first, second) = line.start <= other.line.start ? (self, other) : (other, self)
        let isOther =
            between.hasMovedPoint(from: self)
            || between.numbers != first.numbers && between.words == first.words
                && !(between.line.course?.replaced.isDisjoint(with: first.ids) ?? true)
        return isOther && between.isInPlace(of: self) && between.line.start >= first.line.end
            && between.line.end <= second.line.start
    }

    /// Returns whether it is a letter of the other line that was read alone, before the rest was typed, as a digit or
    /// another letter that looks alike: pictures show it in the line while the line was there.
    private func isMisreadLetter(of other: ReadLine) -> Bool {
        guard line.line.count == 1, let alike = ["lI1", "Oo0"].first(where: { $0.contains(line.line) }),
            other.line.line.contains(where: { $0.isLetter && alike.contains($0) })
        else { return false }
        return share(in: other) >= 0.5 && isInPlace(of: other)
    }

    /// Returns whether pictures show that one replaced the other as another text, or that another text came between
    /// them.
    ///
    /// A text that was there only for a moment may be a misreading caused by something moving behind the letters, unless
    /// it is another number.
    private func isShownApart(from other: ReadLine) -> Bool {
        guard numbers != other.numbers || !isMomentary(beside: other) && !other.isMomentary(beside: self) else {
            return false
        }
        let (first, second) = line.start <= other.line.start ? (self, other) : (other, self)
        guard let before = first.line.course, let after = second.line.course else { return false }
        let isReplaced = !after.replaced.isDisjoint(with: first.ids)
        // Nothing came between two readings of the same letters: a momentary misreading was taken for another text.
        if letters == other.letters, numbers == other.numbers, second.line.start <= first.line.end,
            !(isReplaced && marks != other.marks)
        {
            return false
        }
        let turn = before.replacedAt.map { max($0, first.line.end) }
        return turn.map { second.line.start >= $0 } ?? false || isReplaced
    }

    /// Returns whether it may be a misreading of the other line, or what was typed of it. Words that it shares with it, that
    /// were read well for some frames and that stood elsewhere are neither: a centered line moves when it grows.
    private func isMomentary(beside other: ReadLine) -> Bool {
        let (mine, others) = (line.peak.quad.bounds, other.line.peak.quad.bounds)
        let hasMoved = abs(mine.minX - others.minX) > 0.3 * mine.height
        return isPassing
            && !((line.end - line.start).seconds >= Self.moment && line.score >= 0.9 && hasMoved && other.holds(self))
    }

    /// Returns both as one reading, which keeps what is known of either.
    func keeping(_ other: ReadLine) -> ReadLine {
        var whole = self
        whole.ids = Set([self, other].filter { !$0.isPassing }.flatMap(\.ids))
        whole.line.course?.replaced.formUnion(other.line.course?.replaced ?? [])
        let last = other.line.end > line.end ? other : self
        whole.line.course?.replacedAt = last.isPassing ? nil : last.line.course?.replacedAt
        return whole
    }

    private var isPassing: Bool { !goesOn && (line.end - line.start).seconds < Self.passing }

    /// Returns whether the times of the other reading belong to the text too. Those of a passing misreading do not: in
    /// the middle of a fade it has a fade of its own. Nor do those of a doubtful letter or two, as the ground is read.
    func sharesTimes(with other: ReadLine) -> Bool {
        guard !isNoise, !other.isNoise else { return false }
        let isPassing = [line, other.line].contains { ($0.end - $0.start).seconds < Self.passing }
        return !isPassing || holds(other) || other.holds(self)
    }

    /// A different reading that lasts less than this many seconds is a misreading.
    private static let passing = 0.4
    /// A part of a line that is read for this many seconds was there alone.
    private static let moment = 0.2

    private func holds(_ part: ReadLine) -> Bool { String(folded).contains(String(part.folded)) }

    /// The letters with I and l made equal, because only their context distinguishes them.
    var folded: [Character] { letters.map { $0 == "i" ? "l" : $0 } }

    /// Returns whether one of them resembles the other or a part of it in all but a third of its letters, differs in no
    /// digit, and was there at the same time, or was read badly, or only for a moment.
    private func isMisread(as other: ReadLine) -> Bool {
        let (short, long) = letters.count <= other.letters.count ? (self, other) : (other, self)
        guard short.letters.count >= 4, long.letters.count <= 500, short.hasHeight(of: long), !isOtherValue(than: other)
        else { return false }
        guard isDoubtful(beside: other) || share(in: other) >= 0.5 || other.share(in: self) >= 0.5 else { return false }
        let allowed = short.letters.count / (short.letters.count < 6 ? 4 : 3)
        return Self.distance(of: short.folded, within: long.folded) <= allowed
    }

    /// Returns whether one of them was read badly, or only for a moment.
    private func isDoubtful(beside other: ReadLine) -> Bool {
        [line, other.line].contains { $0.score < 0.9 || ($0.end - $0.start).seconds < Self.passing }
    }

    /// Returns whether digits differ, other than by digits that the reader missed.
    private func isOtherValue(than other: ReadLine) -> Bool {
        let (a, b) = (letters.filter(\.isNumber), other.letters.filter(\.isNumber))
        let (few, many) = a.count <= b.count ? (a, b) : (b, a)
        guard few.count < many.count else { return a != b }
        var rest = few[...]
        for digit in many where digit == rest.first { rest = rest.dropFirst() }
        return !rest.isEmpty
    }

    /// Returns how many letters of `part` must be inserted, deleted or replaced to find it somewhere in `whole` (P.
    /// Sellers, 1980).
    static func distance(of part: [Character], within whole: [Character]) -> Int {
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

    /// Returns whether this is the better of two readings of one text: the longer one, unless it is much less
    /// confident; of equal length, the more confident.
    func isBetter(than other: ReadLine) -> Bool {
        if line.line == other.line.line.withoutCursor { return lasts(longerThan: other) }
        if other.line.line == line.line.withoutCursor { return !other.lasts(longerThan: self) }
        if letters == other.letters {
            // Readers miss gaps and do not invent them.
            return (gaps, line.score) > (other.gaps, other.line.score)
        }
        if letters.count == other.letters.count { return line.score > other.line.score }
        let (short, long) = letters.count < other.letters.count ? (self, other) : (other, self)
        let isLongBetter = long.line.score > short.line.score - 0.05
        return isLongBetter == (letters.count > other.letters.count)
    }

    /// Returns whether this lasts more than twice as long.
    private func lasts(longerThan other: ReadLine) -> Bool {
        (line.end - line.start).seconds > 2 * (other.line.end - other.line.start).seconds
    }

    private var gaps: Int { line.line.count { $0.isWhitespace } }

    // MARK: Parts and misreadings

    /// Returns whether it is not a line of its own: the other one was at its place at its time, and this one has less
    /// text or less confidence.
    func isPart(of other: ReadLine) -> Bool {
        let share = share(in: other)
        guard share > 0, hasHeight(of: other) || line.peak.quad.height < other.line.peak.quad.height else {
            return false
        }
        let time = commonTime(with: other)
        let (mine, others) = (place(at: time), other.place(at: time))
        let covered = mine.intersection(others).area / max(1, mine.area)
        if covered >= 0.75, letters.count < other.letters.count {
            // Two numbers of which one begins like the other may have been there one after the other.
            if other.holds(self), share >= 0.6 || !isReadApart(from: other) { return true }
            if share >= 0.6, line.score < other.line.score, line.score < 0.9 || resembles(other) { return true }
        }
        return isInPlace(of: other) && line.score < 0.75 && line.score + 0.2 < other.line.score
    }

    /// Returns whether its letters are those of a part of the other line, but for half of them: of short texts, any long
    /// line has half.
    private func resembles(_ other: ReadLine) -> Bool {
        other.letters.count > 500
            || Self.distance(of: folded, within: other.folded) <= letters.count / (letters.count < 6 ? 4 : 2)
    }

    /// Returns whether all readings of one were made before those of the other.
    private func isReadApart(from other: ReadLine) -> Bool {
        guard let mine = line.course?.readTimes, let others = other.line.course?.readTimes else { return false }
        return !mine.overlaps(others)
    }

    /// Returns the share of its time in which the other one was there too.
    private func share(in other: ReadLine) -> Double {
        let common = min(line.end, other.line.end) - max(line.start, other.line.start)
        return max(0, common.seconds) / max(0.001, (line.end - line.start).seconds)
    }

    // MARK: Places

    func hasHeight(of other: ReadLine, least: Double = 0.6) -> Bool {
        let (mine, others) = (line.peak.quad.height, other.line.peak.quad.height)
        return min(mine, others) > least * max(mine, others)
    }

    /// Returns the middle of the time in which both were there, or of the time between them.
    private func commonTime(with other: ReadLine) -> StreamTime {
        let (from, to) = (max(line.start, other.line.start), min(line.end, other.line.end))
        return StreamTime(nanoseconds: (from.nanoseconds + to.nanoseconds) / 2)
    }

    private func place(at time: StreamTime) -> Rect { line.place(at: time).bounds }

    private func isInPlace(of other: ReadLine) -> Bool {
        let (row, column) = overlaps(other)
        return row >= 0.6 && column >= 0.6
    }

    /// Returns how much of the shorter side of the two lies in the other, vertically and along the line.
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

    /// Returns whether the other line continues, so that its later readings may affect this one.
    func mayDepend(on open: ReadLine) -> Bool {
        let isPassingBy = isPassingBy || open.isPassingBy
        guard open.line.start <= line.end + (isPassingBy ? Self.pieceGap : Self.hold) else { return false }
        let (row, column) = overlaps(open)
        return row >= 0.6 && (column >= 0.6 || isPassingBy || isBeside(open))
    }

    // MARK: One text at a place

    /// Cuts the times of two texts that were read one after the other at one place, so that they do not overlap.
    static func separate(_ a: inout ReadLine, _ b: inout ReadLine) {
        guard let x = a.line.course?.readTimes, let y = b.line.course?.readTimes else { return }
        if y.lowerBound < x.lowerBound { return separate(&b, &a) }
        guard x.upperBound < y.lowerBound, b.line.start < a.line.end, a.isInPlace(of: b), a.hasHeight(of: b) else {
            return
        }
        // Pictures show when one disappeared or the other appeared; times outside the readings cannot be right.
        let turn =
            a.line.end > x.upperBound && a.line.end <= y.lowerBound
            ? a.line.end
            : b.line.start > x.upperBound && b.line.start <= y.lowerBound ? b.line.start : y.lowerBound
        a.line.end = turn
        b.line.start = turn
    }

    // MARK: Lines in two pieces

    /// Returns whether the lines appeared and disappeared together, closer to each other than unrelated words can be.
    private func isBeside(_ other: ReadLine) -> Bool {
        let time = commonTime(with: other)
        // Vertical columns are not pieces of one row.
        return [self, other].allSatisfy { abs($0.line.peak.quad.direction.x) > 0.7 }
            && place(at: time).isPieceOfLine(with: other.place(at: time))
    }

    /// Returns both as one line if a detector took its halves for two lines; nil if not.
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
