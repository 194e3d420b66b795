import Foundation
import TextMatching
import TextSpotting

/// Counts what was read for what, line by line, and makes costs of it.
struct ConfusionLearning {
    /// Read and meant, as they stand in the table.
    private var counts: [String: [String: Double]] = [:]
    /// How often a letter was read wrongly, and how often it stood there.
    private var errors: [String: Double] = [:]
    private var meant: [String: Double] = [:]
    private var lost: [String: Double] = [:]
    /// Two letters beside each other that were read, one of them wrongly.
    private var pairErrors: [String: Double] = [:]
    private var confidences: [ReadingSource: [(x: Double, right: Bool)]] = [:]

    static let nothing = "∅"

    /// Lays the reading over the truth at the least number of mistakes; two letters for one count 1.3.
    mutating func add(_ reading: StoredReading) {
        guard let line = reading.textLine else { return }
        let truth = reading.line.lowercased().unicodeScalars.filter { $0 != " " }.map(String.init)
        let spans = line.words.flatMap(\.characters)
        let read = spans.map { String($0.character) }
        let low = read.map { $0.lowercased() }
        var table = [[(cost: Double, t: Int, r: Int)]](
            repeating: Array(repeating: (0, 0, 0), count: read.count + 1), count: truth.count + 1)
        for t in 0...truth.count {
            for r in 0...read.count where t + r > 0 {
                var best = (cost: Double.infinity, t: 0, r: 0)
                for (dt, dr, cost) in [(1, 1, 1.0), (1, 0, 1.0), (0, 1, 1.0), (2, 1, 1.3), (1, 2, 1.3)]
                where t >= dt && r >= dr {
                    let same = dt == 1 && dr == 1 && truth[t - 1] == low[r - 1]
                    let sum = table[t - dt][r - dr].cost + (same ? 0 : cost)
                    if sum < best.cost { best = (sum, dt, dr) }
                }
                table[t][r] = best
            }
        }
        var (t, r) = (truth.count, read.count)
        guard table[t][r].cost <= 0.4 * Double(t) else { return }
        while t + r > 0 {
            let step = table[t][r]
            let wanted = truth[(t - step.t)..<t]
            let found = read[(r - step.r)..<r]
            let same = step.t == 1 && step.r == 1 && wanted.first == low[r - 1]
            defer { (t, r) = (t - step.t, r - step.r) }
            for letter in wanted { meant[letter, default: 0] += 1 }
            for span in spans[(r - step.r)..<r] {
                confidences[reading.source, default: []].append((span.confidence, same))
            }
            if !same { addMistake(Array(wanted), found, in: read) }
        }
    }

    /// Letters of the truth were read as others.
    ///
    /// - Parameter found: what was read for them, of all that was read.
    private mutating func addMistake(_ wanted: [String], _ found: ArraySlice<String>, in read: [String]) {
        for letter in found { errors[letter, default: 0] += 1 }
        if found.isEmpty { lost[wanted.joined(), default: 0] += 1 }
        let key = found.isEmpty ? Self.nothing : found.joined()
        counts[key, default: [:]][wanted.isEmpty ? Self.nothing : wanted.joined(), default: 0] += 1
        let (first, end) = (found.startIndex, found.endIndex)
        if found.count == 1, first > 0 { pairErrors[read[first - 1] + read[first], default: 0] += 1 }
        if found.count == 1, end < read.count { pairErrors[read[end - 1] + read[end], default: 0] += 1 }
        if found.count == 2 { pairErrors[found.joined(), default: 0] += 1 }
    }

    /// Triples of read, meant and ten times the cost, eight in a row.
    var costs: String {
        let allErrors = errors.values.reduce(0, +) + lost.values.reduce(0, +)
        let rate = allErrors / max(1, meant.values.reduce(0, +))
        var triples: [String] = []
        for (found, row) in counts.sorted(by: { $0.key < $1.key }) {
            for (wanted, count) in row.sorted(by: { $0.key < $1.key }) where count >= 2 {
                guard (found + wanted).unicodeScalars.allSatisfy({ $0.value < 128 || $0 == "∅" }) else { continue }
                let probability: Double
                if found == Self.nothing {
                    guard wanted.count == 1 else { continue }
                    probability = count / max(1, meant[wanted] ?? 1) / rate
                } else if found.count == 2 {
                    guard wanted.count == 1, wanted != Self.nothing else { continue }
                    probability = count / ((pairErrors[found] ?? 0) + 1)
                } else {
                    probability = count / ((errors[found] ?? 0) + 2)
                }
                triples.append("\(found) \(wanted) \(Int((-10 * log(min(0.95, probability))).rounded()))")
            }
        }
        return stride(from: 0, to: triples.count, by: 12).map { start in
            "        " + triples[start..<min(triples.count, start + 12)].joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// How probable a character is right by its confidence, as points of a rising line.
    func accuracy(_ source: ReadingSource) -> [(Double, Double)] {
        Isotonic.points(confidences[source] ?? [], least: 150, most: 14)
    }
}

/// A rising step function fitted to outcomes (pool adjacent violators, M. Ayer et al. 1955), as points of a line.
enum Isotonic {
    /// - Parameters:
    ///   - least: outcomes that make one point.
    ///   - most: how many points are kept; neighbors that differ least are joined.
    static func points(_ samples: [(x: Double, right: Bool)], least: Int, most: Int) -> [(Double, Double)] {
        struct Block {
            var x = 0.0
            var right = 0.0
            var count = 0.0
            var share: Double { (right + 0.5) / (count + 1) }
            mutating func add(_ other: Block) {
                x += other.x
                right += other.right
                count += other.count
            }
        }
        var blocks: [Block] = []
        var current = Block()
        for sample in samples.sorted(by: { $0.x < $1.x }) {
            current.add(Block(x: sample.x, right: sample.right ? 1 : 0, count: 1))
            guard current.count >= Double(least) else { continue }
            blocks.append(current)
            current = Block()
        }
        if current.count > 0 {
            if blocks.isEmpty { blocks.append(current) } else { blocks[blocks.count - 1].add(current) }
        }
        var merged: [Block] = []
        for block in blocks {
            merged.append(block)
            while merged.count > 1, merged[merged.count - 2].share >= merged[merged.count - 1].share {
                let last = merged.removeLast()
                merged[merged.count - 1].add(last)
            }
        }
        while merged.count > most {
            let closest = (1..<merged.count).min {
                merged[$0].share - merged[$0 - 1].share < merged[$1].share - merged[$1 - 1].share
            }
            guard let closest else { break }
            merged[closest - 1].add(merged.remove(at: closest))
        }
        return merged.map { ($0.x / $0.count, $0.share) }
    }
}

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
