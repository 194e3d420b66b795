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

/// What a place says over time: one row a value, in order; where nothing stands there, there is no row.
public struct ValueTable: Sendable {
    public private(set) var rows: [ValueRow]

    /// Gaps that are shorter are none: a reading missed a value, or a colon blinks.
    static let shortGap = StreamTime(seconds: 0.21)

    public init(rows: [ValueRow]) { self.rows = rows }

    /// - Parameters:
    ///   - kind: what is a value; nil for what the texts look most like. Texts that are none of a kind that was asked for are left out.
    ///   - minimumScore: texts less sure than this are left out.
    public init(of place: ValuePlace, kind: ValueKind?, minimumScore: Double) {
        let spans = Self.spans(of: place, minimumScore: minimumScore)
        let likely = kind ?? Self.likelyKind(of: spans)
        guard let likely else {
            rows = Self.joined(spans.map { ValueRow(start: $0.start, end: $0.end, text: $0.text, score: $0.score) })
            return
        }
        let manner = ValueManner(of: spans.map(\.text))
        let found = spans.map { ReadValue.all(likely, in: $0.text, manner: manner) }
        let index = Self.changing(found)
        rows = Self.joined(
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

    // MARK: One text at a time

    /// A stretch of time in which a place says the same.
    private struct Span {
        var start: StreamTime
        var end: StreamTime
        var text: String
        var score: Double
    }

    /// What the place says, piece by piece: texts that stand there together are read from left to right.
    private static func spans(of place: ValuePlace, minimumScore: Double) -> [Span] {
        let texts = place.texts.filter { $0.score >= minimumScore && $0.end > $0.start }.sorted { $0.start < $1.start }
        let moments = Set(texts.flatMap { [$0.start, $0.end] }).sorted()
        var spans: [Span] = []
        var first = 0
        for (start, end) in zip(moments, moments.dropFirst()) {
            while first < texts.count, texts[first].end <= start, texts[first].start < start { first += 1 }
            var pieces: [Sighting] = []
            for text in texts[first...] where text.end > start {
                if text.start > start { break }
                // What came later took the place of what was there.
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

    /// Rows from top to bottom, in each from left to right.
    private static func isBefore(_ a: Rect, _ b: Rect) -> Bool {
        let isSameRow = abs(a.center.y - b.center.y) < 0.5 * max(a.height, b.height)
        return isSameRow ? a.minX < b.minX : a.center.y < b.center.y
    }

    // MARK: Which value

    /// What most of the time looks like; nil where that is no value.
    private static func likelyKind(of spans: [Span]) -> ValueKind? {
        var seconds: [ValueKind?: Double] = [:]
        for span in spans { seconds[ReadValue.likelyKind(of: span.text), default: 0] += (span.end - span.start).seconds }
        return ValueKind.allCases.max { (seconds[$0] ?? 0) < (seconds[$1] ?? 0) }.flatMap { kind in
            (seconds[kind] ?? 0) > 0 && (seconds[kind] ?? 0) >= (seconds[ValueKind?.none] ?? 0) ? kind : nil
        }
    }

    /// Of lines that hold several values, which of them it is that changes.
    private static func changing(_ found: [[ReadValue]]) -> Int {
        let counts = Dictionary(grouping: found.filter { !$0.isEmpty }, by: \.count)
        guard let (count, lines) = counts.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }), count > 1 else {
            return 0
        }
        let changes = (0..<count).map { index in zip(lines, lines.dropFirst()).count { $0[index].text != $1[index].text } }
        return changes.indices.max { (changes[$0], $1) < (changes[$1], $0) } ?? 0
    }

    // MARK: Rows

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

    /// Two rows as one; nil where they say different things. Marks blink and are overlooked, digits are not.
    private static func same(_ first: ValueRow, _ second: ValueRow) -> ValueRow? {
        let (digits, others) = (Self.digits(first.text), Self.digits(second.text))
        let isSame = first.text == second.text || (!digits.isEmpty && digits == others && first.unit == second.unit)
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
