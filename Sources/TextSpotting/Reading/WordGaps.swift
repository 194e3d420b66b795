import TextMatching

extension TextLine {
    /// The text with the gaps between words that its readings half saw, or that its letters leave.
    ///
    /// Where letters stand on a restless ground, quick readers often pass over a gap, though they saw one with some probability, and though
    /// the letters stand further apart than any in a word.
    var textWithGaps: String {
        let characters = words.flatMap { $0.characters.map(\.character) }
        var start = 0
        let starts = Set(
            words.map { word in
                defer { start += word.characters.count }
                return start
            })
        let gaps = evidence.filter { $0.peaks.count == characters.count }
            .map { WordGaps(of: characters, wordsBeginAt: starts, in: $0) }
        var result = ""
        for (index, character) in characters.enumerated() {
            let isSeen = starts.contains(index) || 2 * gaps.count { $0.isGap(before: index) } > gaps.count
            if index > 0, isSeen { result.append(" ") }
            result.append(character)
        }
        return result
    }
}

/// Where the words of a line begin: by what a reader saw between two letters, and by how far apart they stand.
///
/// How far two letters stand apart in a word is told from their widths, as those of Helvetica are to each other, which most fonts without
/// serifs resemble; in a line whose letters stand evenly, as in a terminal, from the distance between most of them. What is further apart is
/// weighed against the probability of a gap by logistic regression (docs/decisions/captions.md).
struct WordGaps {
    /// From this probability of a gap on there is one, where the letters' widths do not tell: one in ten.
    private static let sure: Float = -2.302_585
    /// Where nothing was seen: a little less than the least that is kept.
    private static let nothing: Float = -8
    /// The regression's weights: of a place between letters, of the logarithm of the probability, and of the distance in widths of a space.
    private static let weights: (Float, Float, Float) = (-1.7, 0.86, 6.7)
    /// A space's width in thousandths of an em.
    private static let space: Float = 278

    /// How far apart a reading has two of the same letter at least, in steps.
    private static let leastOfDoubles: Float = 2.3
    /// By how much readings have a letter further on than its middle, in thousandths of an em.
    private static let delays: [Character: Float] = ["m": 60, "w": 60]

    /// The places before which there is a gap that the reading does not have.
    private let places: Set<Int>

    func isGap(before index: Int) -> Bool { places.contains(index) }

    /// - Parameters:
    ///   - characters: of the line, without gaps.
    ///   - starts: where its words begin.
    ///   - evidence: of one reading, with as many peaks as there are characters.
    init(of characters: [Character], wordsBeginAt starts: Set<Int>, in evidence: ReadingEvidence) {
        let pairs = characters.indices.dropFirst().filter { !starts.contains($0) }.map {
            Pair(before: $0, characters, evidence)
        }
        let spacing = Spacing(of: pairs.filter { $0.seen == Self.nothing })
        places = Set(pairs.lazy.filter { spacing?.isGap($0) ?? ($0.seen >= Self.sure) }.map(\.index))
    }

    /// Two letters beside each other.
    private struct Pair {
        /// Of the second one.
        let index: Int
        /// From the middle of one to the middle of the other, in steps of the reading.
        let distance: Float
        /// The same in a word in Helvetica, in thousandths of an em; nil where one of the letters has no width in the list.
        let expected: Float?
        /// The same letter twice: a reading has a step without a letter between two of a kind, however slim they are.
        let isDouble: Bool
        /// The logarithm of the probability of a gap between them.
        let seen: Float

        init(before index: Int, _ characters: [Character], _ evidence: ReadingEvidence) {
            self.index = index
            let (from, to) = (evidence.peaks[index - 1], evidence.peaks[index])
            // Not so where what was kept is damaged.
            let isOrdered = from >= 0 && from < to && to < Float(evidence.count)
            distance = isOrdered ? to - from : 0
            let (first, second) = (characters[index - 1], characters[index])
            let widths = [first, second].compactMap { WordGaps.widths[$0] }
            let delay = (WordGaps.delays[second] ?? 0) - (WordGaps.delays[first] ?? 0)
            expected = widths.count == 2 ? (widths[0] + widths[1]) / 2 + delay : nil
            isDouble = first == second
            // What was seen at a letter itself may lie before it.
            let steps = isOrdered ? Int(from) + 1..<Int(to) + 1 : 0..<0
            seen = steps.reduce(WordGaps.nothing) { most, step in
                evidence.candidates(at: step).reduce(most) { $1.scalar == 0x20 ? max($0, $1.logarithm) : $0 }
            }
        }
    }

    /// How far apart a line's letters stand.
    private struct Spacing {
        /// Steps for each thousandth of an em.
        private let scale: Float
        /// Of letters that stand evenly, in steps; nil of others.
        private let even: Float?

        /// - Parameter pairs: between which nobody saw a gap; nil where they are too few to tell.
        init?(of pairs: [Pair]) {
            let known = pairs.compactMap { pair in pair.expected.map { (pair.distance, $0) } }
            guard known.count >= 4 else { return nil }
            // Distances are whole steps mostly, so that only their mean tells; without those that may be gaps.
            func mean(_ lengths: [Float]) -> Float {
                let ratios = zip(known, lengths).map { $0.0 / $1 }
                let middle = ratios.sorted()[ratios.count / 2]
                let inside = ratios.indices.filter { ratios[$0] <= 1.6 * middle }
                return inside.reduce(0) { $0 + known[$1].0 } / inside.reduce(0) { $0 + lengths[$1] }
            }
            scale = mean(known.map(\.1))
            let distance = mean(known.map { _ in 1 })
            guard scale > 0, distance > 0 else { return nil }
            func deviation(_ length: ((Float, Float)) -> Float) -> Float {
                known.reduce(0) { $0 + abs($1.0 - length($1)) }
            }
            let scale = scale
            even = deviation { _ in distance } < deviation { scale * $0.1 } ? distance : nil
        }

        /// How much further apart two letters stand than in a word, in widths of a space; nil where that does not tell.
        private func further(_ pair: Pair) -> Float? {
            guard let expected = pair.expected else { return nil }
            if let even { return pair.distance / even - 1 }
            let usual = max(scale * expected, pair.isDouble ? WordGaps.leastOfDoubles : 0)
            return (pair.distance - usual) / (scale * space)
        }

        /// Nil where the distances do not tell.
        func isGap(_ pair: Pair) -> Bool? {
            further(pair).map { weights.0 + weights.1 * pair.seen + weights.2 * $0 >= 0 }
        }
    }

    /// Widths of Helvetica's letters and digits in thousandths of an em (Adobe, Helvetica.afm of the Core 14 fonts). Other signs have other
    /// widths in each font.
    private static let widths: [Character: Float] = {
        let letters: [(String, Float)] = [
            ("ijl", 222), ("ftI", 278), ("r", 333), ("cksvxyzJ", 500), ("abdeghnopqu0123456789L", 556), ("FTZ", 611),
            ("ABEKPSVXY", 667), ("wCDHNRU", 722), ("GOQ", 778), ("mM", 833), ("W", 944),
        ]
        return Dictionary(
            uniqueKeysWithValues: letters.flatMap { letters, width in letters.map { ($0, width) } })
    }()
}
