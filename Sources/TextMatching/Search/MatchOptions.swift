/// How strictly a ``Pattern`` is compared with a reading.
public struct MatchOptions: Hashable, Sendable {
    /// Tells capital from small letters and letters with diacritics from those without.
    public var caseSensitive: Bool
    /// A match begins and ends at the boundary of a word of the line, as with `grep -w`.
    public var wholeWords: Bool

    public init(caseSensitive: Bool = false, wholeWords: Bool = false) {
        self.caseSensitive = caseSensitive
        self.wholeWords = wholeWords
    }
}
