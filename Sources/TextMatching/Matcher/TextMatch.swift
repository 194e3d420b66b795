/// A place in recognized text where a pattern stands.
public struct TextMatch: Hashable, Sendable {
    /// Characters of one word that belong to the match.
    public struct Part: Hashable, Sendable {
        /// Which of the texts that were searched.
        public var line: Int
        /// Which of its words.
        public var word: Int
        /// Which of the word's characters; not empty.
        public var characters: Range<Int>
    }

    /// Index of the pattern in ``Matcher/patterns``.
    public var patternIndex: Int
    /// The pattern as it was given.
    public var pattern: String
    /// The matched text as it was read, its words joined by single spaces.
    public var text: String
    /// 0 to 1: how sure it is that the pattern is there.
    public var score: Double
    /// The texts that were searched for it, as indices: one, or those that it runs over.
    public var lines: [Int]
    /// The place of ``text`` in ``lines``, counted in characters with one space between words and lines.
    public var characterRange: Range<Int>
    /// The characters that matched, in reading order; at least one part.
    public var parts: [Part]
    /// The lines mean what was asked for, whatever their words are.
    public var isByMeaning = false
}
