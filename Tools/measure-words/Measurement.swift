import Foundation
import TextMatching
import TextSpotting

/// How many words are found, and how many that are not there, as tables for docs/MATCHING.md.
enum Measurement {
    static func report(_ readings: [StoredReading]) throws -> String {
        try ReadingSource.allCases.compactMap { source in
            let ofSource = readings.filter { $0.source == source }
            return ofSource.isEmpty ? nil : try table(ofSource, "\(source)")
        }.joined(separator: "\n")
    }

    static func table(_ readings: [StoredReading], _ name: String) throws -> String {
        let findings = try Searches(readings).findings
        let words = Double(readings.count)
        let others = Double(readings.reduce(0) { $0 + $1.nearMisses.count })
        var rows = ["### \(name): \(readings.count) words, \(Int(others)) near misses", ""]
        rows += ["| compared | words found | near misses found |", "| --- | --- | --- |"]
        for (name, isFound) in [("letter by letter, folded", contains), ("Levenshtein distance of at most 1", isNear)] {
            let hits = readings.count { isFound($0.word, $0.textLine?.text ?? "") }
            let wrong = readings.reduce(0) { sum, reading in
                let text = reading.textLine?.text ?? ""
                return sum + reading.nearMisses.count { isFound($0[1], text) }
            }
            rows.append("| \(name) | \(percent(Double(hits) / words)) | \(percent(Double(wrong) / others)) |")
        }
        for least in [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95] {
            let (hits, wrong) = rates(findings, least)
            rows.append("| score ≥ \(least) | \(percent(hits / words)) | \(percent(wrong / others)) |")
        }
        rows += ["", "| kind of near miss | found at 0.5 |", "| --- | --- |"]
        for kind in Set(readings.flatMap { $0.nearMisses.map { $0[0] } }).sorted() {
            let all = readings.reduce(0) { $0 + $1.nearMisses.count { $0[0] == kind } }
            let found = Set(findings.filter { $0.kind == kind && $0.score >= 0.5 }.map(\.reading)).count
            rows.append("| \(kind) | \(percent(Double(found) / Double(all))) |")
        }
        rows += ["", "| score | hits | right |", "| --- | --- | --- |"]
        for tenth in 0..<10 {
            let inside = findings.filter { min(9, Int($0.score * 10)) == tenth }
            guard !inside.isEmpty else { continue }
            let right = Double(inside.count(where: \.isRight)) / Double(inside.count)
            let mean = inside.reduce(0) { $0 + $1.score } / Double(inside.count)
            rows.append("| \(String(format: "%.2f", mean)) | \(inside.count) | \(percent(right)) |")
        }
        return rows.joined(separator: "\n") + "\n"
    }

    /// Readings in which the word was found, and near misses that were.
    private static func rates(_ findings: [Searches.Finding], _ least: Double) -> (hits: Double, wrong: Double) {
        let found = findings.filter { $0.score >= least }
        let hits = Set(found.filter(\.isRight).map(\.reading)).count
        let wrong = Set(found.compactMap { finding in finding.kind.map { [String(finding.reading), $0] } }).count
        return (Double(hits), Double(wrong))
    }

    private static func percent(_ share: Double) -> String { String(format: "%.1f %%", 100 * share) }

    private static func contains(_ word: String, _ text: String) -> Bool {
        text.lowercased().contains(word.lowercased())
    }

    /// The word is within one edit of some part of the text (P. H. Sellers, 1980).
    private static func isNear(_ word: String, _ text: String) -> Bool {
        let word = Array(word.lowercased())
        var column = Array(0...word.count)
        var least = word.count
        for letter in text.lowercased() {
            var diagonal = column[0]
            for (row, wanted) in word.enumerated() {
                let replaced = diagonal + (wanted == letter ? 0 : 1)
                diagonal = column[row + 1]
                column[row + 1] = min(replaced, diagonal + 1, column[row] + 1)
            }
            least = min(least, column[word.count])
        }
        return least <= 1
    }
}

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

/// Fits what makes a score of a match's features.
enum ScoreFitting {
    /// Weights of a logistic function (Newton's method with a slight pull to zero) for doubted matches.
    static func weights(_ findings: [Searches.Finding]) -> [Double] {
        let rows = findings.filter { $0.features.way == .uncertain }.map {
            (terms: MatchScore.terms($0.features), right: $0.isRight ? 1.0 : 0.0)
        }
        guard let size = rows.first?.terms.count else { return [] }
        var weights = [Double](repeating: 0, count: size)
        for _ in 0..<40 {
            var gradient = weights.map { -0.01 * $0 }
            var curvature = (0..<size).map { i in (0..<size).map { $0 == i ? 0.01 : 0.0 } }
            for row in rows {
                let sum = zip(weights, row.terms).reduce(0) { $0 + $1.0 * $1.1 }
                let probability = 1 / (1 + exp(-sum))
                for i in 0..<size {
                    gradient[i] += (row.right - probability) * row.terms[i]
                    for j in 0..<size {
                        curvature[i][j] += probability * (1 - probability) * row.terms[i] * row.terms[j]
                    }
                }
            }
            let step = solve(curvature, gradient)
            for i in 0..<size { weights[i] += max(-2, min(2, step[i])) }
        }
        return weights
    }

    /// Gaussian elimination with pivots.
    private static func solve(_ matrix: [[Double]], _ values: [Double]) -> [Double] {
        var (a, b) = (matrix, values)
        let size = b.count
        for column in 0..<size {
            let pivot = (column..<size).max { abs(a[$0][column]) < abs(a[$1][column]) } ?? column
            a.swapAt(column, pivot)
            b.swapAt(column, pivot)
            for row in column + 1..<size where a[column][column] != 0 {
                let factor = a[row][column] / a[column][column]
                for other in column..<size { a[row][other] -= factor * a[column][other] }
                b[row] -= factor * b[column]
            }
        }
        for row in stride(from: size - 1, through: 0, by: -1) {
            for other in row + 1..<size { b[row] -= a[row][other] * b[other] }
            b[row] = a[row][row] == 0 ? 0 : b[row] / a[row][row]
        }
        return b
    }

    /// Each read word with its confidence, and whether that word stands in the line.
    static func readWords(_ readings: [StoredReading]) -> [(x: Double, right: Bool)] {
        readings.flatMap { reading -> [(x: Double, right: Bool)] in
            let truth = Set(reading.line.lowercased().split(separator: " ").map(String.init))
            return (reading.textLine?.words ?? []).map { word in
                let mean = word.characters.reduce(0) { $0 + $1.confidence } / Double(word.characters.count)
                return (mean, truth.contains(word.text.lowercased()))
            }
        }
    }
}
