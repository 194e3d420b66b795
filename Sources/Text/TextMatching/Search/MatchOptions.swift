/// The options for comparing a ``Pattern`` with a reading.
public struct MatchOptions: Hashable, Sendable, Codable {
    /// Whether to distinguish capital from small letters, and letters with diacritics from those without.
    public var caseSensitive: Bool
    /// Whether a match must begin and end at the boundary of a word of the line, as with `grep -w`.
    public var wholeWords: Bool

    public init(caseSensitive: Bool = false, wholeWords: Bool = false) {
        self.caseSensitive = caseSensitive
        self.wholeWords = wholeWords
    }
}

/// A match in one line, before ``Matcher`` adds its text.
struct FoundSpan: Sendable {
    /// The number under which the search knows the pattern.
    var number: Int
    /// Indices in ``FoldedLine/letters``; not empty.
    var letters: Range<Int>
    /// 0 to 1; see ``MatchScore``.
    var score: Double
    /// The features of ``score``, while they are being measured.
    var features: MatchFeatures? = nil
}
