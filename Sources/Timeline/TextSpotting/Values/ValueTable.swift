/// One value for as long as it stood there.
public struct ValueRow: Sendable, Hashable {
    public var start: StreamTime
    public var end: StreamTime
    /// As it was read: the value with its unit, or all of the text where it is none of the kind.
    public var text: String
    /// Nil for texts that are no number; seconds for times.
    public var value: Double?
    public var unit: String?
    /// How sure the best reading is, 0 to 1.
    public var score: Double
    /// Another value may have stood there before it, or while it is said to stand there: not every change of the place was read.
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

/// The values of a place over time: one row a value, in order; there is no row for a time without one.
public struct ValueTable: Sendable {
    public private(set) var rows: [ValueRow]

    /// Shorter gaps are ignored: a reading missed a value, or a colon blinks.
    static let shortGap = StreamTime(seconds: 0.21)

    public init(rows: [ValueRow]) { self.rows = rows }

    /// - Parameters:
    ///   - kind: the kind of value; nil for the one that fits the texts best. Texts of other kinds are left out.
    ///   - minimumScore: texts less sure than this are left out.
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
        rows = Self.settled(
            zip(spans, found).compactMap { span, values in
                guard let value = values.indices.contains(index) ? values[index] : values.last else {
                    return kind == nil
                        ? ValueRow(start: span.start, end: span.end, text: span.text, score: span.score) : nil
                }
                return ValueRow(
                    start: span.start, end: span.end, text: value.text, value: value.number, unit: value.unit,
                    score: span.score)
            })
    }

    /// Marks the rows at which a value may be missing.
    ///
    /// - Parameter times: of frames in which the place changed and was not read.
    public mutating func mark(skippedAt times: [StreamTime]) {
        for time in times {
            if let index = rows.firstIndex(where: { $0.end > time }) { rows[index].isAfterSkip = true }
        }
    }

    // MARK: One text at a time

    /// A stretch of time in which a place says the same.
    private struct Span {
        var start: StreamTime
        var end: StreamTime
        var text: String
        var score: Double
    }

    /// The texts of the place, piece by piece: texts that are there together are read from left to right.
    private static func spans(of place: ValueRegion, minimumScore: Double) -> [Span] {
        let texts = oneAtATime(place.texts.filter { $0.score >= minimumScore && $0.end > $0.start })
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

    /// Cuts texts that claim the same time at the same place to their own times.
    ///
    /// Following goes on through pictures that look alike, but each text surely stood there when it was read best, and none of the others
    /// did. So beginnings before another text's best reading are ignored, and so are ends after the next one's.
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

    /// How many texts may stand side by side at one place.
    private static let mostPieces = 8

    /// Rows from top to bottom, in each from left to right.
    private static func isBefore(_ a: Rect, _ b: Rect) -> Bool {
        let isSameRow = abs(a.center.y - b.center.y) < 0.5 * max(a.height, b.height)
        return isSameRow ? a.minX < b.minX : a.center.y < b.center.y
    }

    // MARK: Which value

    /// The kind that fits most of the time; nil if that is no value.
    private static func likelyKind(of spans: [Span]) -> ValueKind? {
        var seconds: [ValueKind?: Double] = [:]
        for span in spans {
            seconds[ReadValue.likelyKind(of: span.text), default: 0] += (span.end - span.start).seconds
        }
        let valued = ValueKind.allCases.reduce(0) { $0 + (seconds[$1] ?? 0) }
        guard valued > 0, valued >= seconds[ValueKind?.none] ?? 0 else { return nil }
        // A clock whose colons blink, or a currency that is missed at times, is one all the time.
        return [ValueKind.time, .money].first { (seconds[$0] ?? 0) > 0.3 * valued }
            ?? ((seconds[.code] ?? 0) > (seconds[.number] ?? 0) ? .code : .number)
    }

    /// Of lines that hold several values, which of them it is that changes.
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

    /// Without what was read while one value became another, as the digits of a drum do: it is there for a moment between two values
    /// that stay, and does not lie between them.
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

    /// Without the values of a counter that otherwise only rises, or only falls, that go back or ahead between two that stay longer: a drum
    /// whose digit is read as another one while it rolls.
    private static func withoutSetbacks(_ rows: [ValueRow]) -> [ValueRow] {
        let values = rows.compactMap(\.value)
        guard values.count == rows.count, rows.count > fewestSteps else { return rows }
        func isSetback(_ index: Int) -> Bool {
            guard index > 0, index + 1 < rows.count else { return false }
            let (before, after) = (values[index - 1], values[index + 1])
            return before != after && !(min(before, after)...max(before, after)).contains(values[index])
                && seconds(rows[index]) < 0.5 * min(seconds(rows[index - 1]), seconds(rows[index + 1]))
        }
        let kept = rows.indices.filter { !isSetback($0) }
        let steps = zip(kept, kept.dropFirst()).map { values[$1] - values[$0] }
        let isCounter = steps.allSatisfy { $0 > 0 } || steps.allSatisfy { $0 < 0 }
        return isCounter && steps.count >= fewestSteps ? kept.map { rows[$0] } : rows
    }

    /// Fewer steps in one direction are chance.
    private static let fewestSteps = 4

    private static func seconds(_ row: ValueRow) -> Double { (row.end - row.start).seconds }

    /// Shorter rows, in seconds, may be a turn between two values.
    private static let moment = 0.17
    private static let longestTurn = 0.4
    /// So long, in seconds, a reader may overlook a point.
    private static let longestMisreading = 0.5

    /// The same value said again directly afterwards is one row.
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

    /// Two rows as one; nil if they say different things. Marks blink and are overlooked, digits are not; a point that makes another number
    /// is overlooked for a moment only, and one that moves never is.
    private static func same(_ first: ValueRow, _ second: ValueRow) -> ValueRow? {
        let (digits, others) = (Self.digits(first.text), Self.digits(second.text))
        let hasMoved = [first, second].allSatisfy { $0.text.contains { ".,".contains($0) } }
        let isOtherNumber =
            first.value != nil && second.value != nil && first.value != second.value
            && (hasMoved || min(seconds(first), seconds(second)) >= longestMisreading)
        let isSame =
            first.text == second.text
            || (!digits.isEmpty && digits == others && first.unit == second.unit && !isOtherNumber)
            || (first.value != nil && first.value == second.value)
        guard isSame else { return nil }
        // The one that says more; of two that say the same the surer.
        let (mine, theirs) = ((first.text.count, first.score), (second.text.count, second.score))
        var better = mine >= theirs ? first : second
        (better.start, better.end) = (first.start, second.end)
        better.score = max(first.score, second.score)
        return better
    }

    /// Without the marks between them, and with the letters of codes.
    private static func digits(_ text: String) -> String {
        guard text.contains(where: \.isNumber) else { return "" }
        return String(text.filter { $0.isLetter || $0.isNumber || $0 == "-" })
    }

    // MARK: Steps

    /// A row for each step of time, with the value at its beginning; one without text where nothing stood there.
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
