/// What a search found in one line, before ``Matcher`` gives it its text and its place in the picture.
struct FoundSpan: Sendable {
    /// The number under which the search knows the pattern.
    var number: Int
    /// Indices in ``FoldedLine/places``; not empty.
    var places: Range<Int>
    /// 0 to 1; see ``MatchScore``.
    var score: Double
    /// Where it stands, in pixels of the picture that was read, when the search knows better than the words' own
    /// characters do.
    var quad: Quad? = nil
    /// What ``score`` was made of, where that is measured.
    var features: MatchFeatures? = nil
}
