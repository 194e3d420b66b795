import Glibc
import TextSpotting

/// From the characters of a line and where they are strongest to words with places.
enum LineLayout {
    /// A word and the part of the line it covers, in fractions of the line's width.
    struct Word: Hashable {
        var start: Double
        var end: Double
        /// Where its first and last character are strongest.
        var firstPeak: Double
        var lastPeak: Double
        var characters: [CharacterSpan]
        var confidence: Double
    }

    /// Splits at spaces. A character reaches from midway to the peak before it to midway to the peak after it, the
    /// line's first from its left edge and its last to its right edge.
    ///
    /// - Parameter steps: the width of the line in the unit of the peaks.
    static func words(_ readings: [CTCDecoder.Letter], steps: Double) -> [Word] {
        var words: [Word] = []
        var first = 0
        while first < readings.count {
            guard !readings[first].character.isWhitespace else {
                first += 1
                continue
            }
            var end = first + 1
            while end < readings.count, !readings[end].character.isWhitespace { end += 1 }
            words.append(word(first..<end, of: readings, steps: steps))
            first = end
        }
        return words
    }

    private static func word(_ range: Range<Int>, of readings: [CTCDecoder.Letter], steps: Double) -> Word {
        let inner = range.dropFirst().map { (readings[$0 - 1].peak + readings[$0].peak) / 2 }
        let edges =
            [edge(before: range.lowerBound, readings, steps)] + inner + [
                edge(after: range.upperBound - 1, readings, steps)
            ]
        let start = edges[0]
        let length = max(edges[edges.count - 1] - start, .leastNonzeroMagnitude)
        let characters = range.enumerated().map { offset, index in
            CharacterSpan(
                character: readings[index].character, start: (edges[offset] - start) / length,
                end: (edges[offset + 1] - start) / length, confidence: readings[index].confidence)
        }
        return Word(
            start: start / steps, end: (start + length) / steps, firstPeak: readings[range.lowerBound].peak / steps,
            lastPeak: readings[range.upperBound - 1].peak / steps, characters: characters,
            confidence: geometricMean(characters.map(\.confidence)))
    }

    private static func edge(before index: Int, _ readings: [CTCDecoder.Letter], _ steps: Double) -> Double {
        index == 0 ? 0 : (readings[index - 1].peak + readings[index].peak) / 2
    }

    private static func edge(after index: Int, _ readings: [CTCDecoder.Letter], _ steps: Double) -> Double {
        index == readings.count - 1 ? steps : (readings[index].peak + readings[index + 1].peak) / 2
    }

    /// One doubtful character makes a word doubtful, a long word no more than a short one.
    static func geometricMean(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        return exp(values.reduce(0) { $0 + log(max($1, .leastNormalMagnitude)) } / Double(values.count))
    }
}
