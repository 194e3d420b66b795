/// A line of text as an engine read it in one picture.
public struct TextLine: Hashable, Sendable {
    /// Where the whole line stands, in pixels of the picture that was read.
    public var quad: Quad
    /// The line's words in reading order; never empty.
    public var words: [TextWord]
    /// How sure the engine is of the whole line, 0 to 1.
    public var confidence: Double
    /// What the engine saw beyond ``words``, where it tells; its peaks belong to the characters of ``words``, in order.
    public var evidence: ReadingEvidence?
    /// What kind of reader read it, which says what its confidences are worth.
    public var source: ReadingSource

    public init(
        quad: Quad, words: [TextWord], confidence: Double, evidence: ReadingEvidence? = nil,
        source: ReadingSource = .other
    ) {
        self.quad = quad
        self.words = words
        self.confidence = confidence
        self.evidence = evidence
        self.source = source
    }

    /// The words joined by single spaces.
    public var text: String { words.map(\.text).joined(separator: " ") }

    /// The same line somewhere else.
    public func moved(by offset: Point) -> TextLine {
        var line = self
        line.quad = quad.moved(by: offset)
        for index in words.indices { line.words[index].quad = words[index].quad.moved(by: offset) }
        return line
    }

    /// What of the line stands wholly inside `rect`: all of it, or its words that do; nil where there are none.
    func inside(_ rect: Rect) -> TextLine? {
        // Places are a little larger than what stands there.
        let rect = rect.grown(by: 0.2 * quad.height)
        guard !rect.holds(quad.bounds) else { return self }
        let left = words.filter { rect.holds($0.quad.bounds) }
        guard !left.isEmpty else { return nil }
        var line = self
        line.words = left
        line.quad = Quad.spanning(left.map(\.quad), along: quad.direction) ?? quad
        return line
    }
}

extension Rect {
    fileprivate func holds(_ other: Rect) -> Bool {
        other.minX >= minX && other.minY >= minY && other.maxX <= maxX && other.maxY <= maxY
    }
}
