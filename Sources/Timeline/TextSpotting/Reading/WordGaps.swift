import TextMatching

extension TextLine {
    /// The text with the gaps between words that its readings half saw, or that its letters leave; without those that they half saw where
    /// letters stand close.
    ///
    /// Where letters stand on a restless ground, quick readers often pass over a gap, though they saw one with some probability, and though
    /// the letters stand further apart than any in a word. In small print they see one behind an r or a point that is none.
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
            let others = gaps.count { $0.changes.contains(index) }
            if index > 0, starts.contains(index) != (2 * others > gaps.count) { result.append(" ") }
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

    /// Where a reading is surer of a gap than this, nine in ten, there is one, however close the letters stand.
    private static let sureOfGap: Float = -0.105_361
    /// By how many widths of a space letters stand further apart at a gap, at least.
    private static let leastOfGaps: Float = 0.25

    /// The places before which there is a gap that the reading does not have, or none where it has one.
    let changes: Set<Int>

    /// - Parameters:
    ///   - characters: of the line, without gaps.
    ///   - starts: where its words begin.
    ///   - evidence: of one reading, with as many peaks as there are characters.
    init(of characters: [Character], wordsBeginAt starts: Set<Int>, in evidence: ReadingEvidence) {
        let pairs = characters.indices.dropFirst().map { Pair(before: $0, characters, evidence) }
        let spacing = Spacing(of: pairs.filter { !starts.contains($0.index) && $0.seen == Self.nothing })
        changes = Set(
            pairs.lazy.filter { pair in
                starts.contains(pair.index)
                    ? spacing?.isMistaken(pair) ?? false : spacing?.isGap(pair) ?? (pair.seen >= Self.sure)
            }.map(\.index))
    }

    /// Two letters beside each other.
    private struct Pair {
        /// Of the second one.
        let index: Int
        /// From the middle of one to the middle of the other, in steps of the reading.
        let distance: Float
        /// The same in a word in Helvetica, in thousandths of an em; nil where one of them is no letter with a width in the list.
        let expected: Float?
        /// The same with signs, whose widths tell less: other fonts have others.
        let roughly: Float?
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
            let delay = (WordGaps.delays[second] ?? 0) - (WordGaps.delays[first] ?? 0)
            func expected(_ width: (Character) -> Float?) -> Float? {
                guard let from = width(first), let to = width(second) else { return nil }
                return (from + to) / 2 + delay
            }
            self.expected = expected { WordGaps.widths[$0] }
            roughly = expected { WordGaps.widths[$0] ?? WordGaps.signs[$0] }
            isDouble = first == second
            // A gap seen at a letter itself may lie before it.
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

        /// - Parameter pairs: between which no gap was seen; nil if they are too few to tell.
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

        /// How much further apart two letters stand than in a word, in widths of a space.
        private func further(_ pair: Pair, than expected: Float) -> Float {
            if let even { return pair.distance / even - 1 }
            let usual = max(scale * expected, pair.isDouble ? WordGaps.leastOfDoubles : 0)
            return (pair.distance - usual) / (scale * space)
        }

        /// Nil where the distances do not tell.
        func isGap(_ pair: Pair) -> Bool? {
            pair.expected.map { weights.0 + weights.1 * pair.seen + weights.2 * further(pair, than: $0) >= 0 }
        }

        /// Whether a gap that the reading saw, and was not sure of, is none.
        func isMistaken(_ pair: Pair) -> Bool {
            guard pair.seen > nothing, pair.seen < sureOfGap, let expected = pair.roughly else { return false }
            return further(pair, than: expected) < leastOfGaps
        }
    }

    /// Widths of Helvetica's letters and digits in thousandths of an em (Adobe, Helvetica.afm of the Core 14 fonts).
    private static let widths: [Character: Float] = {
        let letters: [(String, Float)] = [
            ("ijl", 222), ("ftI", 278), ("r", 333), ("cksvxyzJ", 500), ("abdeghnopqu0123456789L", 556), ("FTZ", 611),
            ("ABEKPSVXY", 667), ("wCDHNRU", 722), ("GOQ", 778), ("mM", 833), ("W", 944),
        ]
        return Dictionary(
            uniqueKeysWithValues: letters.flatMap { letters, width in letters.map { ($0, width) } })
    }()

    /// The same of signs that stand within words, addresses, numbers and names of files.
    private static let signs: [Character: Float] = [
        ".": 278, ",": 278, ":": 278, ";": 278, "/": 278, "!": 278, "-": 333, "(": 333, ")": 333, "_": 556, "\"": 355,
        "'": 191,
    ]
}
