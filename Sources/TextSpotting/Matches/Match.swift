/// A place in one read line where a pattern stands.
public struct Match: Hashable, Sendable {
    /// Index of the pattern in the matcher's list of patterns.
    public var patternIndex: Int
    /// The pattern as it was given.
    public var pattern: String
    /// The matched text as the engine read it (its words joined by single spaces).
    public var text: String
    /// The whole line as the engine read it.
    public var line: String
    /// Where ``text`` stands, not the whole line; pixels of the picture that was read.
    public var quad: Quad
    /// 0 to 1: how sure the engine is of the matched characters, less what misread characters cost.
    public var score: Double
    /// The place of ``text`` in ``line``, counted in the engine's characters with one space between words.
    public var characterRange: Range<Int>
    /// The pattern may stand for several texts, so that another text is another finding: an expression, a kind of content.
    public var isOneOfMany = false
    /// The lines mean what was asked for, whatever their words are.
    public var isByMeaning = false
    /// For a whole line taken as a match: the track it is of, and how much is behind it.
    var track: LineEvidence?

    public init(
        patternIndex: Int, pattern: String, text: String, line: String, quad: Quad, score: Double,
        characterRange: Range<Int>
    ) {
        self.patternIndex = patternIndex
        self.pattern = pattern
        self.text = text
        self.line = line
        self.quad = quad
        self.score = score
        self.characterRange = characterRange
    }

    /// The same match in a picture of which the read one is a part, cut out at `offset`.
    public func moved(by offset: Point) -> Match {
        var result = self
        result.quad = quad.moved(by: offset)
        return result
    }
}

/// How much is behind a whole line taken as a match.
struct LineEvidence: Hashable, Sendable {
    /// Of the line's track.
    var id: Int
    var growths: Int
    /// Which of the line's states it is, where each is a finding of its own; 0 where all are one.
    var state = 0
    /// Characters in the line.
    var length: Int
    var readings: Int
}
