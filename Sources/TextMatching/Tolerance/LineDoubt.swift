import Glibc

/// The cost of assuming that a character of a line was misread: `log(p / (1 - p))`, `p` the probability that a
/// character read with its confidence is right, as learnt for the kind of reader (``LearntConfusions``).
struct LineDoubt {
    /// For each unit of the line, at least ``least``.
    let costs: [Float]
    /// The least of ``costs``.
    let lowest: Float

    static let least: Float = 0.3

    init(_ line: FoldedLine) {
        let accuracy = LearntConfusions.accuracy[line.source].map(PiecewiseLine.init)
        // Most letters of a line are as sure as the one before.
        var last: (confidence: Double, cost: Float)?
        costs = line.units.map { unit in
            let confidence = line.letters[Int(unit.character)].confidence
            if let last, last.confidence == confidence { return last.cost }
            let right = min(0.999_9, max(0.01, accuracy.map { $0(confidence) } ?? confidence))
            let cost = max(Self.least, Float(log(right / (1 - right))))
            last = (confidence, cost)
            return cost
        }
        lowest = costs.min() ?? .infinity
    }
}
