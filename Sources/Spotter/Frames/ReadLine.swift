import TextSpotting

/// A line of text that is over, and how it is related to others: whether they are readings of one text, or parts of it.
///
/// At one place there is one text at a time. What else was read there at the same time is the same text, as it faded in, was typed, or was
/// disturbed by what moves behind it. Values are the exception: texts in which a digit is another one are other texts.
struct ReadLine {
    var line: Sighting
    /// Its letters and digits, without marks, gaps and case.
    let letters: [Character]
    /// Its numbers, with their signs and the marks between their digits.
    private let numbers: String

    init(_ line: Sighting) {
        self.line = line
        numbers = Self.numbers(in: line.line)
        letters = Array(line.line.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// `-12.5` is another number than `12.5` and `125`.
    private static func numbers(in text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).map(Array.init).map { word in
            String(word.indices.filter { word[$0].isNumber || NumberMark.isMark($0, of: word) }.map { word[$0] })
        }.joined(separator: " ")
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
        guard second.start <= first.end + Self.hold else { return false }
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

    /// The other reading says when the text was there too. A passing misreading does not: in the middle of a fade it has a fade of its own.
    func sharesTimes(with other: ReadLine) -> Bool {
        let isPassing = [line, other.line].contains { ($0.end - $0.start).seconds < Self.passing }
        return !isPassing || holds(other) || other.holds(self)
    }

    /// What is read otherwise for less than this many seconds is a misreading.
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
        let (short, long) = letters.count < other.letters.count ? (self, other) : (other, self)
        let isLongBetter = long.line.score > short.line.score - 0.05
        return isLongBetter == (letters.count > other.letters.count)
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

    /// What will be known of the other one, which goes on, may say something about this one.
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
        let (mine, others) = (place(at: time), other.place(at: time))
        let (left, right) = mine.minX <= others.minX ? (mine, others) : (others, mine)
        let (gap, height) = (right.minX - left.maxX, max(left.height, right.height))
        // A word without tall letters is half as high.
        return hasHeight(of: other, least: 0.45) && gap < 0.6 * height && gap > -0.4 * height
    }

    /// Both as one line, where a detector took its two halves for two lines; nil where they are not.
    func joined(with other: ReadLine) -> ReadLine? {
        func isTogether(_ a: StreamTime, _ b: StreamTime) -> Bool { abs((a - b).seconds) <= 0.1 }
        guard isTogether(line.start, other.line.start), isTogether(line.end, other.line.end), isBeside(other),
            overlaps(other).row >= 0.7
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

/// Puts lines of text in the order in which they began, each of them once: together what is told of one line several times (it was lost and
/// found again, read in parts while it was typed, or otherwise while it faded), and leaves out what is nothing of its own.
///
/// ``ReadLine`` has the rules. A line is kept until nothing that began before it, or stands in its place, can still end; so what stands in the
/// picture from the beginning to the end keeps all that came after it. A value fed in the order of readings.
struct WholeLines {
    /// Each state of a line is wanted, and all that was read.
    let keepsStates: Bool
    private var kept: [ReadLine] = []
    /// What was seen of lines that go on, by their numbers: parts and other readings that are over.
    private var parts: [Int: ReadLine] = [:]

    /// So far back a line that is found now may have begun.
    private static let look = StreamTime(seconds: 5)

    init(keepsStates: Bool) { self.keepsStates = keepsStates }

    /// Takes lines that are over.
    ///
    /// - Parameters:
    ///   - open: what goes on.
    ///   - time: the last that was joined.
    /// - Returns: those that are ready to be told, in order.
    mutating func take(_ over: [Sighting], open: [Sighting], at time: StreamTime) -> [Sighting] {
        for line in over { keep(ReadLine(line)) }
        guard !kept.isEmpty else { return [] }
        let going = keepsStates ? [] : open.map(ReadLine.init)
        giveToOpen(going, at: time)
        let first = open.map { min($0.start, parts[$0.id]?.line.start ?? $0.start) }.min() ?? time
        return release { known in
            let line = known.line
            return line.start <= first && line.start + Self.look < time && line.end + ReadLine.hold < time
                && !going.contains { known.mayDepend(on: $0) }
        }
    }

    /// No more will come: the rest, in order.
    ///
    /// - Parameter isStill: it was one picture, of which everything counts that was read.
    mutating func finish(isStill: Bool = false) -> [Sighting] {
        parts = [:]
        return release(isStill: isStill) { _ in true }
    }

    private mutating func release(isStill: Bool = false, _ isReady: (ReadLine) -> Bool) -> [Sighting] {
        var ready = kept.filter(isReady)
        guard !ready.isEmpty else { return [] }
        kept.removeAll(where: isReady)
        if !keepsStates, !isStill {
            ready.removeAll(where: \.isNoise)
            Self.joinPieces(&ready)
        }
        return ready.map(\.line).sorted {
            ($0.start, $0.peak.quad.bounds.minY, $0.id) < ($1.start, $1.peak.quad.bounds.minY, $1.id)
        }
    }

    /// Keeps a line; as one with those that it is a part of, or that are parts of it.
    private mutating func keep(_ line: ReadLine) {
        var new = line
        if let part = parts.removeValue(forKey: line.line.id) { new = Self.together(new, part) }
        guard !keepsStates else { return kept.append(new) }
        while let index = kept.firstIndex(where: { $0.isOne(with: new) }) {
            let other = kept.remove(at: index)
            new = Self.together(new, other)
        }
        if kept.contains(where: { new.isPart(of: $0) }) { return }
        kept.removeAll { $0.isPart(of: new) }
        for index in kept.indices { ReadLine.separate(&kept[index], &new) }
        kept.append(new)
    }

    /// Two readings of one text as one, from the first letter of either to the last.
    private static func together(_ a: ReadLine, _ b: ReadLine) -> ReadLine {
        var better = b.isBetter(than: a) ? b : a
        guard a.sharesTimes(with: b) else { return better }
        (better.line.start, better.line.end) = (min(a.line.start, b.line.start), max(a.line.end, b.line.end))
        if let x = a.line.course, let y = b.line.course {
            let times =
                min(
                    x.readTimes.lowerBound, y.readTimes.lowerBound)...max(
                    x.readTimes.upperBound, y.readTimes.upperBound)
            better.line.course = Sighting.Course(
                readTimes: times, first: a.line.start <= b.line.start ? x.first : y.first,
                last: a.line.end >= b.line.end ? x.last : y.last)
        }
        return better
    }

    /// A part that is over of a line that goes on is told with it.
    ///
    /// What was over long ago has been compared with all that was open then; it is once more when those end.
    private mutating func giveToOpen(_ open: [ReadLine], at time: StreamTime) {
        kept.removeAll { part in
            guard part.line.end + Self.look > time,
                let whole = open.first(where: { part.isOne(with: $0) && !part.isBetter(than: $0) })
            else {
                return false
            }
            parts[whole.line.id] = parts[whole.line.id].map { Self.together($0, part) } ?? part
            return true
        }
    }

    /// Lines that a detector took for two, beside each other.
    private static func joinPieces(_ lines: inout [ReadLine]) {
        var index = 0
        while index < lines.count {
            if let other = lines.indices.first(where: { $0 > index && lines[index].joined(with: lines[$0]) != nil }),
                let whole = lines[index].joined(with: lines[other])
            {
                lines[index] = whole
                lines.remove(at: other)
            } else {
                index += 1
            }
        }
    }
}
