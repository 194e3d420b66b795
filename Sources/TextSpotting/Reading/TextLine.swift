public import TextMatching

/// A line of text as an engine read it in one picture.
public struct TextLine: Hashable, Sendable {
    /// Where the whole line stands, in pixels of the picture that was read.
    public var quad: Quad
    /// The line's words in reading order; never empty.
    public var words: [TextWord]
    /// How sure the engine is of the whole line, 0 to 1.
    public var confidence: Double
    /// The evidence of each reading of the line beyond ``words``, the best reading first; empty if engines do not give any. The peaks of
    /// each belong to the characters of ``words``, in order.
    public var evidence: [ReadingEvidence]
    /// The kind of its reader, which determines how confidences are weighed.
    public var source: ReadingSource

    public init(
        quad: Quad, words: [TextWord], confidence: Double, evidence: [ReadingEvidence] = [],
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
    public func moved(by offset: Point) -> TextLine { mapped { $0 + offset } }

    /// The same line with each corner of it and of its words where `transform` takes it.
    func mapped(_ transform: (Point) -> Point) -> TextLine {
        var line = self
        line.quad = quad.mapped(transform)
        for index in words.indices { line.words[index].quad = words[index].quad.mapped(transform) }
        return line
    }

    /// The part of the line that lies completely inside `rect`: all of it, or its words that do; nil if there are none.
    func inside(_ rect: Rect) -> TextLine? {
        // Places are a little larger than what stands there.
        let rect = rect.grown(by: 0.2 * quad.height)
        guard !rect.holds(quad.bounds) else { return self }
        let left = words.indices.filter { rect.holds(words[$0].quad.bounds) }
        guard let first = left.first, let last = left.last else { return nil }
        let isOnePiece = last - first + 1 == left.count
        var line = isOnePiece ? part(ofWords: first..<last + 1) : self
        if !isOnePiece {
            line.words = left.map { words[$0] }
            line.evidence = []
        }
        line.quad = Quad.spanning(line.words.map(\.quad), along: quad.direction) ?? quad
        return line
    }

    /// Some words of the line with their evidence; its quad stays that of the whole.
    ///
    /// - Precondition: there is a word in `range`.
    func part(ofWords range: Range<Int>) -> TextLine {
        func count(_ words: ArraySlice<TextWord>) -> Int { words.reduce(0) { $0 + $1.characters.count } }
        let first = count(words[..<range.lowerBound])
        let characters = first..<first + count(words[range])
        var line = self
        line.words = Array(words[range])
        line.evidence = evidence.compactMap { $0.part(ofCharacters: characters) }
        return line
    }
}

extension Rect {
    fileprivate func holds(_ other: Rect) -> Bool {
        other.minX >= minX && other.minY >= minY && other.maxX <= maxX && other.maxY <= maxY
    }
}
