import TextMatching
import TextSpotting

/// The results of searching each line for its word and for the near misses of it.
struct Searches {
    struct Finding {
        var source: ReadingSource
        var features: MatchFeatures
        var score: Double
        var isRight: Bool
        /// Index of the reading it is of, and what was done to the word to make this one; nil for the word itself.
        var reading: Int
        var kind: String?
    }

    var findings: [Finding] = []

    /// - Parameter least: what is doubtful and scores less is left out; 0 for fitting.
    init(_ readings: [StoredReading], least: Double = 0.05) throws {
        for (index, reading) in readings.enumerated() {
            guard let line = reading.textLine else { continue }
            let texts = [reading.word] + reading.nearMisses.map { $0[1] }
            let matcher = Matcher(patterns: try texts.map { try Pattern(text: $0) })
            for (match, features) in matcher.measuredMatches(in: line, least: least) {
                let bounds = match.quad.bounds
                let shared = min(bounds.maxX, reading.ink[1]) - max(bounds.minX, reading.ink[0])
                let isThere = shared > 0.4 * (reading.ink[1] - reading.ink[0])
                findings.append(
                    Finding(
                        source: reading.source, features: features, score: match.score,
                        isRight: match.patternIndex == 0 && isThere, reading: index,
                        kind: match.patternIndex == 0 ? nil : reading.nearMisses[match.patternIndex - 1][0]))
            }
        }
    }
}
