import Foundation
import TextMatching
import TextSpotting

/// The data files that the matcher is built with.
enum Generated {
    private static func sources(in readings: [StoredReading]) -> [ReadingSource] {
        ReadingSource.allCases.filter { source in readings.contains { $0.source == source } }
    }

    static func confusions(_ readings: [StoredReading], command: String) throws -> String {
        var learning = ConfusionLearning()
        for reading in readings { learning.add(reading) }
        let accuracy = sources(in: readings).map {
            "        .\($0): [\(points(learning.accuracy($0)))],"
        }
        return """
            // Made by \(command) of \(readings.count) readings; do not edit.
            // swift-format-ignore-file

            /// The engines' mistakes in rendered words; see ``ConfusionCosts`` and ``LineDoubt``.
            enum LearntConfusions {
                /// Triples of what was read, what was meant, and ten times the cost; ∅ is no letter.
                static let costs = #\"\"\"
            \(learning.costs)
                    \"\"\"#

                /// By confidence, how probable it is that a character is right.
                static let accuracy: [ReadingSource: [(Double, Double)]] = [
            \(accuracy.joined(separator: "\n"))
                ]
            }

            """
    }

    static func scores(_ readings: [StoredReading], command: String) throws -> String {
        let findings = try Searches(readings, least: 0).findings
        let weights = sources(in: readings).map { source in
            let fitted = ScoreFitting.weights(findings.filter { $0.source == source })
            return (source, fitted)
        }
        let maps = weights.map { source, fitted in
            let ways = MatchFeatures.Way.allCases.map { way in
                let samples: [(x: Double, right: Bool)] =
                    way == .read
                    ? ScoreFitting.readWords(readings.filter { $0.source == source })
                    : findings.filter { $0.source == source && $0.features.way == way }.map { finding in
                        (MatchScore.raw(finding.features, weights: fitted), finding.isRight)
                    }
                return "            .\(way): PiecewiseLine([\(points(Isotonic.points(samples, least: 40, most: 12)))]),"
            }
            return "        .\(source): [\n\(ways.joined(separator: "\n"))\n        ],"
        }
        let rows = weights.map { source, fitted in
            "        .\(source): [\(fitted.map { String(format: "%.4f", $0) }.joined(separator: ", "))],"
        }
        return """
            // Made by \(command) of \(readings.count) readings; do not edit.
            // swift-format-ignore-file

            /// The learnt weights that turn a match's features into a score; see ``MatchScore``.
            enum LearntScores {
                /// The weight of each of ``MatchScore/terms(_:)``.
                static let weights: [ReadingSource: [Double]] = [
            \(rows.joined(separator: "\n"))
                ]

                /// From ``MatchScore/raw(_:weights:)`` to how often such a match is right.
                static let maps: [ReadingSource: [MatchFeatures.Way: PiecewiseLine]] = [
            \(maps.joined(separator: "\n"))
                ]
            }

            """
    }

    private static func points(_ points: [(Double, Double)]) -> String {
        points.map { String(format: "(%.4f, %.4f)", $0.0, $0.1) }.joined(separator: ", ")
    }
}
