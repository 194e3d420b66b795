/// A line of text as an engine read it in one picture.
public struct TextLine: Hashable, Sendable {
    /// Where the whole line stands, in pixels of the picture that was read.
    public var quad: Quad
    /// The line's words in reading order; never empty.
    public var words: [TextWord]
    /// How sure the engine is of the whole line, 0 to 1.
    public var confidence: Double

    public init(quad: Quad, words: [TextWord], confidence: Double) {
        self.quad = quad
        self.words = words
        self.confidence = confidence
    }

    /// The words joined by single spaces.
    public var text: String { words.map(\.text).joined(separator: " ") }
}
