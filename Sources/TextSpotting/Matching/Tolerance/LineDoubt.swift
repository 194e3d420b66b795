import Glibc

/// What it costs to believe that a character of a line was misread: `log(p / (1 - p))`, `p` the probability that a
/// character read with its confidence is right, as learnt for the kind of reader (``LearntConfusions``).
struct LineDoubt {
    /// For each unit of the line, at least ``least``.
    let costs: [Float]
    /// The least of ``costs``.
    let lowest: Float

    static let least: Float = 0.3

    init(_ line: FoldedLine) {
        let accuracy = LearntConfusions.accuracy[line.source].map(PiecewiseLine.init)
        costs = line.units.map { unit in
            let confidence = line.places[Int(unit.character)].confidence
            let right = min(0.999_9, max(0.01, accuracy.map { $0(confidence) } ?? confidence))
            return max(Self.least, Float(log(right / (1 - right))))
        }
        lowest = costs.min() ?? .infinity
    }
}

/// A line of straight pieces through given points, level beyond the first and the last.
struct PiecewiseLine: Sendable {
    /// By rising x; not empty.
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
