import Glibc

/// The score of a match: the probability, 0 to 1, that the pattern is there, comparable across all kinds of patterns
/// and readers.
///
/// For readers of a known kind it was fitted to rendered words with a known truth (``LearntScores``, docs/MATCHING.md):
/// a logistic function of a match's features if letters were misread, then a monotone map. For other readers,
/// confidences are treated as probabilities: `c * max(0, 1 - m / n)` with `c` the mean confidence of the matched
/// characters, `m` the cost of confusable letters (0.4 to 0.6 of a character each) and wrong gaps (0.1 each), and `n`
/// the number of characters searched for.
package enum MatchScore {
    /// The score below which matches are dropped.
    static let least = 0.05

    /// Returns the score of a match whose letters were all read as searched for, or are confusable letters.
    ///
    /// - Parameters:
    ///   - letters: the matched characters; not empty.
    ///   - cost: the cost of the alignment, in characters; 0 if everything was read as searched for.
    ///   - length: the number of characters searched for, at least 1.
    static func score(
        of letters: ArraySlice<RecognizedText.Letter>, cost: Double, length: Int, source: ReadingSource = .other
    ) -> Double {
        score(
            MatchFeatures(
                way: cost > 0 ? .alike : .same, confidence: MatchFeatures.confidence(of: letters), cost: cost,
                ratio: nil, length: length, edits: 0), source)
    }

    /// Returns the score of a match whose text was not known beforehand: of an expression or a kind of content.
    ///
    /// - Parameter letters: the matched characters; not empty.
    static func score(ofReading letters: ArraySlice<RecognizedText.Letter>, source: ReadingSource) -> Double {
        score(
            MatchFeatures(
                way: .read, confidence: MatchFeatures.confidence(of: letters), cost: 0, ratio: nil,
                length: letters.count, edits: 0), source)
    }

    static func score(_ features: MatchFeatures, _ source: ReadingSource) -> Double {
        // A network's weights and map assume that its evidence is available.
        let isLearnt = features.way != .uncertain || features.ratio != nil || source == .tesseract
        let source = isLearnt ? source : .other
        let raw = raw(features, weights: LearntScores.weights[source] ?? unknownWeights)
        guard let map = LearntScores.maps[source]?[features.way] else { return raw }
        return min(1, max(0, map(raw)))
    }

    /// The weights for readers that report only confidences.
    private static let unknownWeights = [3, -0.7, 0, -2, 0, 1, 0.1, 0, 0]

    /// Returns the number for which ``LearntScores`` has a map; it increases with the probability of the match.
    ///
    /// - Parameter weights: the weights of ``terms(_:)``.
    package static func raw(_ features: MatchFeatures, weights: [Double]) -> Double {
        switch features.way {
        case .same, .alike, .read:
            features.confidence * max(0, 1 - features.cost / Double(features.length))
        case .uncertain:
            1 / (1 + exp(-zip(weights, terms(features)).reduce(0) { $0 + $1.0 * $1.1 }))
        }
    }

    /// The terms of the logistic function.
    package static func terms(_ features: MatchFeatures) -> [Double] {
        let length = Double(features.length)
        let edits = Double(features.edits)
        return [
            1, features.cost, features.ratio ?? 0, edits / length, edits, log(max(0.01, features.confidence)),
            min(length, 12), Double(features.figures), min(edits, 3),
        ]
    }
}

/// The features from which a match's score is computed, fitted to readings with a known truth.
package struct MatchFeatures: Hashable, Sendable {
    /// The way in which the pattern was found.
    package enum Way: Hashable, Sendable, CaseIterable {
        /// Every letter was read as searched for.
        case same
        /// Equal except for commonly confused letters (``Confusable``) and wrong gaps.
        case alike
        /// Misread, where the reader was in doubt.
        case uncertain
        /// Found without a text to compare it with: by an expression or a kind of content.
        case read
    }

    package var way: Way
    /// The mean of the matched characters' confidences, 0 to 1.
    package var confidence: Double
    /// The cost of the alignment: in characters for confusable letters, a natural logarithm for doubted matches.
    package var cost: Double
    /// The natural logarithm of how much less probable the pattern is than the best reading, by the network's own output;
    /// nil if that is not known.
    package var ratio: Double?
    /// The number of units of the pattern.
    package var length: Int
    /// The number of letters misread, added or lost.
    package var edits: Int
    /// The number of letters among them that were read as figures.
    package var figures = 0

    static func confidence(of letters: ArraySlice<RecognizedText.Letter>) -> Double {
        letters.reduce(0) { $0 + $1.confidence } / Double(max(1, letters.count))
    }
}

/// A piecewise linear function through given points, constant beyond the first and the last.
struct PiecewiseLine: Sendable {
    /// Sorted by x; not empty.
    private let points: [(Double, Double)]

    init(_ points: [(Double, Double)]) { self.points = points }

    func callAsFunction(_ x: Double) -> Double {
        guard let first = points.first, x > first.0 else { return points.first?.1 ?? 0 }
        for index in 1..<max(1, points.count) where x < points[index].0 {
            let (a, b) = (points[index - 1], points[index])
            return a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0)
        }
        return points[points.count - 1].1
    }
}
