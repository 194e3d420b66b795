/// One value for as long as it was there.
public struct ValueRow: Sendable, Hashable {
    public var start: StreamTime
    public var end: StreamTime
    /// The text as it was read: the value with its unit, or the whole text if it is not of the kind.
    public var text: String
    /// The number; nil for texts that are not a number, seconds for times.
    public var value: Double?
    public var unit: String?
    /// The confidence of the best reading, 0 to 1.
    public var score: Double
    /// Whether another value may have been there before it or during its time, because not every change of the place
    /// was read.
    public var isAfterSkip = false

    public init(
        start: StreamTime, end: StreamTime, text: String, value: Double? = nil, unit: String? = nil, score: Double
    ) {
        self.start = start
        self.end = end
        self.text = text
        self.value = value
        self.unit = unit
        self.score = score
    }
}

/// The values of a place over time: one row per value, in order; there is no row for a time without one.
public struct ValueTable: Sendable {
    public private(set) var rows: [ValueRow]

    /// Shorter gaps are ignored: a reading missed a value, or a colon blinks.
    static let shortGap = StreamTime(seconds: 0.21)

    public init(rows: [ValueRow]) { self.rows = rows }

    /// - Parameters:
    ///   - kind: the kind of value; nil for the one that fits the texts best. Texts of other kinds are left out.
    ///   - minimumScore: texts with less confidence than this are left out.
    public init(of place: ValueRegion, kind: ValueKind?, minimumScore: Double) {
        let spans = Self.spans(of: place, minimumScore: minimumScore)
        let likely = kind ?? Self.likelyKind(of: spans)
        guard let likely else {
            rows = Self.joined(spans.map { ValueRow(start: $0.start, end: $0.end, text: $0.text, score: $0.score) })
            return
        }
        let manner = ValueNotation(of: spans.map(\.text))
        let found = spans.map { ReadValue.all(likely, in: $0.text, manner: manner) }
        let index = Self.changing(found)
        let read = zip(spans, found).map { span, values -> (row: ValueRow, isValue: Bool) in
            let value = values.indices.contains(index) ? values[index] : values.last
            let row = ValueRow(
                start: span.start, end: span.end, text: value?.text ?? span.text, value: value?.number,
                unit: value?.unit,
                score: span.score)
            return (row, value != nil)
        }
        rows = Self.settled(Self.withoutBareUnits(read).filter { kind == nil || $0.isValue }.map(\.row))
    }

    /// Gives the time of a unit that was read alone for a moment to the value after it, whose number was missed.
    private static func withoutBareUnits(_ rows: [(row: ValueRow, isValue: Bool)]) -> [(row: ValueRow, isValue: Bool)] {
        var result: [(row: ValueRow, isValue: Bool)] = []
        for (var row, isValue) in rows {
            if isValue, let unit = result.last, !unit.isValue, unit.row.text == row.unit, unit.row.end == row.start,
                seconds(unit.row) < moment
            {
                row.start = unit.row.start
                result.removeLast()
            }
            result.append((row, isValue))
        }
        return result
    }

    /// Marks the rows at which a value may be missing.
    ///
    /// - Parameter times: the times of frames in which the place changed but was not read.
    public mutating func mark(skippedAt times: [StreamTime]) {
        for time in times {
            if let index = rows.firstIndex(where: { $0.end > time }) { rows[index].isAfterSkip = true }
        }
    }

    // MARK: One text at a time

    /// A stretch of time in which a place shows the same text.
    private struct Span {
        var start: StreamTime
        var end: StreamTime
        var text: String
        var score: Double
    }

    /// Returns the texts of the place, piece by piece: texts that are there together are read from left to right.
    private static func spans(of place: ValueRegion, minimumScore: Double) -> [Span] {
        let read = place.texts.filter { $0.score >= minimumScore && $0.end > $0.start }
        let texts = oneAtATime(withoutParts(read))
            .filter { $0.end > $0.start }.sorted { $0.start < $1.start }
        let moments = Set(texts.flatMap { [$0.start, $0.end] }).sorted()
        var spans: [Span] = []
        var first = 0
        for (start, end) in zip(moments, moments.dropFirst()) {
            while first < texts.count, texts[first].end <= start, texts[first].start < start { first += 1 }
            var pieces: [Sighting] = []
            for text in texts[first...] where text.end > start {
                if text.start > start { break }
                // The later text replaces the one before.
                pieces.removeAll { $0.peak.quad.bounds.covers(text.peak.quad.bounds) }
                pieces.append(text)
            }
            let said = pieces.sorted { isBefore($0.peak.quad.bounds, $1.peak.quad.bounds) }
                .map { (text: place.text(of: $0), score: $0.score) }.filter { !$0.text.isEmpty }
            guard !said.isEmpty else { continue }
            let text = said.map(\.text).joined(separator: " ")
            let score = said.map(\.score).min() ?? 0
            if let last = spans.last, last.end == start, last.text == text {
                spans[spans.count - 1].end = end
                spans[spans.count - 1].score = max(last.score, score)
            } else {
                spans.append(Span(start: start, end: end, text: text, score: score))
            }
        }
        return spans
    }

    /// Leaves out texts that were read of a part of another: this one has them, and pictures show it for all of their
    /// time. A number with one more digit may be read in the box of the one before.
    private static func withoutParts(_ texts: [Sighting]) -> [Sighting] {
        let sorted = texts.sorted { ($0.start, $0.line.count) < ($1.start, $1.line.count) }
        return sorted.indices.filter { index in
            let part = sorted[index]
            let near = max(0, index - mostPieces)..<min(sorted.count, index + mostPieces)
            return !sorted[near].contains { whole in
                whole.start <= part.start && whole.end >= part.end && whole.line.count > part.line.count
                    && whole.line.contains(part.line) && whole.peak.quad.bounds.covers(part.peak.quad.bounds)
            }
        }.map { sorted[$0] }
    }

    /// Cuts texts that claim the same time at the same place to their own times.
    ///
    /// Following continues through pictures that look alike, but each text was certainly there when it was read best,
    /// and none of the others was. So starts before the best reading of the previous text are ignored, and so are ends
    /// after that of the next one.
    private static func oneAtATime(_ texts: [Sighting]) -> [Sighting] {
        var result = texts.sorted { ($0.peak.time.start, $0.start) < ($1.peak.time.start, $1.start) }
        for index in result.indices {
            let text = result[index]
            let bounds = text.peak.quad.bounds
            guard
                let previous = result[max(0, index - mostPieces)..<index].lastIndex(where: {
                    $0.peak.quad.bounds.covers(bounds)
                })
            else { continue }
            let before = result[previous]
            guard before.line != text.line else {
                result[index].start = max(text.start, before.start)
                continue
            }
            guard before.end > text.start, before.peak.time.start < text.peak.time.start else { continue }
            let (isBegun, isEnded) = (text.start > before.peak.time.start, before.end <= text.peak.time.start)
            let turn = isBegun ? text.start : isEnded ? before.end : text.peak.time.start
            result[previous].end = turn
            result[index].start = turn
        }
        return result
    }

    /// The largest number of texts side by side at one place.
    private static let mostPieces = 8

    /// Orders rows from top to bottom, and each from left to right.
    private static func isBefore(_ a: Rect, _ b: Rect) -> Bool {
        let isSameRow = abs(a.center.y - b.center.y) < 0.5 * max(a.height, b.height)
        return isSameRow ? a.minX < b.minX : a.center.y < b.center.y
    }

    // MARK: Which value

    /// Returns the kind that fits most of the time; nil if that is not a value.
    private static func likelyKind(of spans: [Span]) -> ValueKind? {
        var seconds: [ValueKind?: Double] = [:]
        for span in spans {
            seconds[ReadValue.likelyKind(of: span.text), default: 0] += (span.end - span.start).seconds
        }
        let valued = ValueKind.allCases.reduce(0) { $0 + (seconds[$1] ?? 0) }
        guard valued > 0, valued >= seconds[ValueKind?.none] ?? 0 else { return nil }
        // A clock with blinking colons, or a currency that is sometimes missed, is one all the time.
        return [ValueKind.time, .money].first { (seconds[$0] ?? 0) > 0.3 * valued }
            ?? ((seconds[.code] ?? 0) > (seconds[.number] ?? 0) ? .code : .number)
    }

    /// Returns, for lines that contain several values, the index of the one that changes.
    private static func changing(_ found: [[ReadValue]]) -> Int {
        let counts = Dictionary(grouping: found.filter { !$0.isEmpty }, by: \.count)
        guard let (count, lines) = counts.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }), count > 1
        else {
            return 0
        }
        let changes = (0..<count).map { index in
            zip(lines, lines.dropFirst()).count { $0[index].text != $1[index].text }
        }
        return changes.indices.max { (changes[$0], $1) < (changes[$1], $0) } ?? 0
    }

    // MARK: Rows

    /// Removes text that was read while one value turned into another, as on a drum counter: it is visible for a moment
    /// between two values that stay, and is not between them in value.
    private static func settled(_ rows: [ValueRow]) -> [ValueRow] {
        var result = withoutSetbacks(joined(rows))
        var first = 1
        while first + 1 < result.count {
            var last = first
            while last < result.count, seconds(result[last]) < moment { last += 1 }
            guard last > first, last < result.count else {
                first = max(first, last) + 1
                continue
            }
            let (before, after) = (result[first - 1], result[last])
            let isTurn =
                before.value != nil && before.value != after.value
                && (after.start - before.end).seconds < longestTurn
                && min(seconds(before), seconds(after)) > longestTurn
            let between = before.value.flatMap { low in after.value.map { min(low, $0)...max(low, $0) } }
            let kept = result[first..<last].filter { row in
                !isTurn || row.value.map { between?.contains($0) ?? true } ?? false
            }
            result.replaceSubrange(first..<last, with: kept)
            first += kept.count + 1
        }
        return joined(result)
    }

    /// Removes values that go back or ahead in a counter that otherwise only rises, or only falls. Such a value is either
    /// a digit misread while its drum rolls, and is there for less than half as long as both neighbors, or a neighbor
    /// with a stroke of the ground read as its sign for a moment; the neighbor then gets its time.
    private static func withoutSetbacks(_ rows: [ValueRow]) -> [ValueRow] {
        let values = rows.compactMap(\.value)
        guard values.count == rows.count, rows.count > fewestSteps else { return rows }
        func isSetback(_ index: Int) -> Bool {
            guard index > 0, index + 1 < rows.count else { return false }
            let (before, value, after) = (values[index - 1], values[index], values[index + 1])
            let isBrief = seconds(rows[index]) < 0.5 * min(seconds(rows[index - 1]), seconds(rows[index + 1]))
            let hasOtherSign =
                before * value < 0 && value * after < 0 && [before, after].contains(-value)
                && seconds(rows[index]) < longestMisreading
            return before != after && !(min(before, after)...max(before, after)).contains(value)
                && (isBrief || hasOtherSign)
        }
        let kept = rows.indices.filter { !isSetback($0) }
        let steps = zip(kept, kept.dropFirst()).map { values[$1] - values[$0] }
        let isCounter = steps.allSatisfy { $0 > 0 } || steps.allSatisfy { $0 < 0 }
        guard isCounter, steps.count >= fewestSteps else { return rows }
        var result = rows
        for index in rows.indices where isSetback(index) {
            let (before, row, after) = (rows[index - 1], rows[index], rows[index + 1])
            if values[index] == -values[index - 1], row.start - before.end < shortGap {
                result[index - 1].end = row.end
            }
            if values[index] == -values[index + 1], after.start - row.end < shortGap {
                result[index + 1].start = row.start
            }
        }
        return kept.map { result[$0] }
    }

    /// Fewer steps in one direction are chance.
    private static let fewestSteps = 4

    private static func seconds(_ row: ValueRow) -> Double { (row.end - row.start).seconds }

    /// The length, in seconds, below which a row may be a transition between two values.
    private static let moment = 0.17
    private static let longestTurn = 0.4
    /// The longest time, in seconds, for which a reader may miss a point.
    private static let longestMisreading = 0.5

    /// Merges rows with the same value that follow each other directly.
    private static func joined(_ rows: [ValueRow]) -> [ValueRow] {
        var result: [ValueRow] = []
        for row in rows {
            guard let last = result.last, row.start - last.end < shortGap, let same = same(last, row) else {
                result.append(row)
                continue
            }
            result[result.count - 1] = same
        }
        return result
    }

    /// Merges two rows; nil if they differ. Marks may blink or be missed, digits may not; a point that makes another
    /// number is missed only for a moment, and one that moves is always a change.
    private static func same(_ first: ValueRow, _ second: ValueRow) -> ValueRow? {
        let (digits, others) = (Self.digits(first.text), Self.digits(second.text))
        let hasMoved = [first, second].allSatisfy { $0.text.contains { ".,".contains($0) } }
        let isOtherNumber =
            first.value != nil && second.value != nil && first.value != second.value
            && (hasMoved || min(seconds(first), seconds(second)) >= longestMisreading)
            || hasMovedMark(first.text, second.text)
        let isSame =
            first.text == second.text
            || (!digits.isEmpty && digits == others && first.unit == second.unit && !isOtherNumber)
            || (first.value != nil && first.value == second.value)
        guard isSame else { return nil }
        // Prefer the one with more text; of two with the same text, the more confident.
        let (mine, theirs) = ((first.text.count, first.score), (second.text.count, second.score))
        var better = mine >= theirs ? first : second
        (better.start, better.end) = (first.start, second.end)
        better.score = max(first.score, second.score)
        return better
    }

    /// Returns whether the marks of versions, addresses and dates are between other digits.
    private static func hasMovedMark(_ first: String, _ second: String) -> Bool {
        let (isMark, isOther) = (marks(of: first), marks(of: second))
        return isMark.count == isOther.count && isMark != isOther
    }

    /// Returns for each character but gaps whether it is a mark.
    private static func marks(of text: String) -> [Bool] {
        text.filter { !$0.isWhitespace }.map { !$0.isLetter && !$0.isNumber }
    }

    /// Returns the digits without the marks between them, but with the letters of codes.
    private static func digits(_ text: String) -> String {
        guard text.contains(where: \.isNumber) else { return "" }
        return String(text.filter { $0.isLetter || $0.isNumber || $0 == "-" })
    }

    // MARK: Steps

    /// Returns a row for each time step with the value at its beginning; one without text if there is none.
    ///
    /// - Parameter step: more than zero.
    public func stepped(every step: StreamTime, from: StreamTime, to: StreamTime) -> [ValueRow] {
        var result: [ValueRow] = []
        var (time, index) = (from, 0)
        while step > .zero, time < to {
            while index < rows.count, rows[index].end <= time { index += 1 }
            let next = min(to, time + step)
            if index < rows.count, rows[index].start <= time {
                var row = rows[index]
                (row.start, row.end) = (time, next)
                result.append(row)
            } else {
                result.append(ValueRow(start: time, end: next, text: "", score: 0))
            }
            time = time + step
        }
        return result
    }
}
