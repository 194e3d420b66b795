import Foundation
import TextMatching
import TextSpotting

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
