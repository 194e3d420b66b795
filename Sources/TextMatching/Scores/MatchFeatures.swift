/// The features from which a match's score is computed, fitted to readings with a known truth.
package struct MatchFeatures: Hashable, Sendable {
    /// How the pattern was found.
    package enum Way: Hashable, Sendable, CaseIterable {
        /// Letter by letter as it is searched for.
        case same
        /// Equal except for commonly confused letters (``Confusable``) and wrong gaps.
        case alike
        /// Misread, as far as the reader was in doubt.
        case uncertain
        /// Read as it stands there, without a text that it is compared with: by an expression or a kind of content.
        case read
    }

    package var way: Way
    /// The mean of the matched characters' confidences, 0 to 1.
    package var confidence: Double
    /// Of the alignment: in characters where it is of confusable letters, a natural logarithm where it is doubted.
    package var cost: Double
    /// The natural logarithm of how much less probable the pattern is than the best reading, by the network's own output;
    /// nil if that is not known.
    package var ratio: Double?
    /// Units of the pattern.
    package var length: Int
    /// Letters misread, added or lost.
    package var edits: Int
    /// How many of them are letters that were read as figures.
    package var figures: Int

    package init(
        way: Way, confidence: Double, cost: Double, ratio: Double?, length: Int, edits: Int, figures: Int = 0
    ) {
        self.way = way
        self.confidence = confidence
        self.cost = cost
        self.ratio = ratio
        self.length = length
        self.edits = edits
        self.figures = figures
    }

    static func confidence(of letters: ArraySlice<RecognizedText.Letter>) -> Double {
        letters.reduce(0) { $0 + $1.confidence } / Double(max(1, letters.count))
    }
}
