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
