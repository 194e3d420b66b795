import Glibc
import TextMatching

/// Determines how likely a line is in a script that the recognizer does not know, from the network's output for each
/// letter.
///
/// The network reads such letters as similar ones, and is often sure of them; but the probabilities that it gives to
/// other characters at the same place reveal the unfamiliar strokes. The logarithms of some eighty of them contain
/// everything its last layer knew. Two small layers look at each letter and its neighbors, and a last one at their
/// mean: a network of some 12,000 weights, trained on rendered lines for the fast recognizer (``LearntScripts``,
/// docs/decisions/other-scripts.md). It is deterministic: the same probabilities give the same odds.
struct ScriptNetwork: Sendable {
    /// The largest number of letters of a line, or of a word, that are used.
    static let mostLetters = 24
    /// The largest number of letters of a line that are kept, for its words.
    static let mostKept = 96
    /// The logarithm of the least probability; lower ones are raised to it.
    private static let least: Float = -30

    /// The features of one letter.
    struct Letter: Sendable {
        var values: [Float]
        /// The logarithm of the best probability.
        var best: Float
        /// The step at which it is surest, from the line's left edge; the middle of the first step is 0.5.
        var peak: Double
    }

    static let learnt = ScriptNetwork()

    private let classes = LearntScripts.classes
    private let first = Self.matrix(LearntScripts.first, LearntScripts.firstScales)
    private let second = Self.matrix(LearntScripts.second, LearntScripts.secondScales)
    private let last = Self.matrix(LearntScripts.last, LearntScripts.lastScales)

    /// The number of classes of the recognizer that this was trained for.
    static let classCount = 6_906

    /// The letters that the network saw, from left to right: the surest step of each run of one class.
    func letters(of posteriors: CTCPosteriors, steps: Int) -> [Letter] {
        var letters: [Letter] = []
        let best = (0..<min(steps, posteriors.steps)).map(posteriors.best(at:))
        var start = 0
        while start < best.count, letters.count < Self.mostKept {
            var (end, peak) = (start + 1, start)
            while end < best.count, best[end].index == best[start].index {
                if best[end].probability > best[peak].probability { peak = end }
                end += 1
            }
            if best[start].index != CharacterDictionary.blank {
                letters.append(letter(posteriors[peak], best[peak].probability, at: Double(peak) + 0.5))
            }
            start = end
        }
        return letters
    }

    private func letter(_ step: UnsafeBufferPointer<Float>, _ best: Float, at peak: Double) -> Letter {
        func logarithm(_ probability: Float) -> Float { max(Self.least, log(max(probability, .leastNormalMagnitude))) }
        var values = classes.enumerated().map { place, index in
            (logarithm(step[index]) - LearntScripts.means[place]) / LearntScripts.deviations[place]
        }
        values += [logarithm(best), logarithm(step[CharacterDictionary.blank]), 1]
        return Letter(values: values, best: logarithm(best), peak: peak)
    }

    /// The logarithm of the odds of each of the scripts, in the order of the table, against all that the recognizer knows.
    func odds(of letters: [Letter]) -> [Float] {
        guard !letters.isEmpty else { return [] }
        let letters = letters.prefix(Self.mostLetters)
        let width = LearntScripts.firstScales.count
        let nothing = [Float](repeating: 0, count: width)
        let seen = letters.map { Self.positive(Self.product($0.values, first, width)) }
        var sum = [Float](repeating: 0, count: LearntScripts.secondScales.count)
        for place in seen.indices {
            var around = place > 0 ? seen[place - 1] : nothing
            around += seen[place]
            around += place + 1 < seen.count ? seen[place + 1] : nothing
            around.append(1)
            for (column, value) in Self.positive(Self.product(around, second, sum.count)).enumerated() {
                sum[column] += value
            }
        }
        let count = Float(letters.count)
        let root = 0.3 / count.squareRoot()
        var features: [Float] = sum.map { $0 / count }
        for value in sum { features.append(value * root) }
        features.append(log(count))
        features.append(letters.reduce(Float(0)) { $0 + $1.best } / count)
        features.append(1)
        let logits = Self.product(features, last, LearntScripts.lastScales.count)
        return logits.dropFirst().map { $0 - logits[0] }
    }

    private static func positive(_ values: [Float]) -> [Float] { values.map { max(0, $0) } }

    /// A row of numbers times a matrix, row by row.
    private static func product(_ values: [Float], _ matrix: [Float], _ columns: Int) -> [Float] {
        var result = [Float](repeating: 0, count: columns)
        for (row, value) in values.enumerated() where value != 0 {
            for column in 0..<columns { result[column] += value * matrix[row * columns + column] }
        }
        return result
    }

    /// - Parameters:
    ///   - text: signed bytes in base64, row by row.
    ///   - scales: the weight of a unit of each column.
    private static func matrix(_ text: String, _ scales: [Float]) -> [Float] {
        var (bits, count): (UInt32, Int) = (0, 0)
        var values: [Float] = []
        for letter in text.utf8 {
            let value: UInt32
            switch letter {
            case 0x41...0x5A: value = UInt32(letter) - 0x41
            case 0x61...0x7A: value = UInt32(letter) - 0x61 + 26
            case 0x30...0x39: value = UInt32(letter) - 0x30 + 52
            case 0x2B: value = 62
            case 0x2F: value = 63
            default: continue
            }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            let byte = Int8(bitPattern: UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            values.append(Float(byte) * scales[values.count % scales.count])
        }
        return values
    }
}
