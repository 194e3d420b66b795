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
