/// How sure a match is, 0 to 1: the same meaning for all kinds of patterns.
///
/// `c * max(0, 1 - m / n)`: `c` the mean confidence of the matched characters, `m` the sum of what misreadings (0.4 to
/// 0.6 of a character each) and wrong gaps (0.1 each) cost, `n` the number of characters searched for.
/// The formula is a first form, to be calibrated on recordings whose words are known.
enum MatchScore {
    /// - Parameters:
    ///   - places: the matched characters; not empty.
    ///   - cost: of the alignment, in characters; 0 where everything was read as it was searched for.
    ///   - length: characters searched for, at least 1.
    static func score(of places: ArraySlice<FoldedLine.Place>, cost: Double, length: Int) -> Double {
        let confidence = places.reduce(0) { $0 + $1.confidence } / Double(places.count)
        return confidence * max(0, 1 - cost / Double(length))
    }
}
