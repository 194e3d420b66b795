/// What a search found in one line, before ``Matcher`` gives it its text.
struct FoundSpan: Sendable {
    /// The number under which the search knows the pattern.
    var number: Int
    /// Indices in ``FoldedLine/letters``; not empty.
    var letters: Range<Int>
    /// 0 to 1; see ``MatchScore``.
    var score: Double
    /// What ``score`` was made of, where that is measured.
    var features: MatchFeatures? = nil
}
