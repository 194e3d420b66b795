import TextMatching

extension TextLine {
    /// The text with the gaps between words that its readings partly saw or that its letters leave, and without the
    /// partly seen gaps between letters that are close to each other; with the English word `I` where an `l` was read
    /// for it (``EnglishI``).
    ///
    /// On a textured background, quick readings often miss a gap, though they saw one with some probability and the
    /// letters are further apart than any in a word. In small print they see one after an r or a point where there is
    /// none.
    var textWithGaps: String {
        var (characters, starts, numbers) = ([Character](), Set<Int>(), Set<Int>())
        for word in words {
            let own = word.characters.map(\.character)
            starts.insert(characters.count)
            numbers.formUnion(own.indices.filter { NumberMark.goesOn($0, of: own) }.map { characters.count + $0 })
            characters += own
        }
        let readings = evidence.filter { $0.peaks.count == characters.count }
        let gaps = readings.map { WordGaps(of: characters, wordsBeginAt: starts, numbersGoOnAt: numbers, in: $0) }
        let begins = characters.indices.filter { index in
            let others = gaps.count { $0.changes.contains(index) }
            return index == 0 || starts.contains(index) != (2 * others > gaps.count)
        }
        let words = zip(begins, begins.dropFirst() + [characters.count]).map { $0..<$1 }
        let settled = EnglishI(of: characters, words: words).settled { place in
            readings.flatMap { reading in reading.cell(ofCharacter: place).flatMap(reading.candidates) }
                .reduce(-.infinity) { $1.scalar == 0x49 ? max($0, $1.logarithm) : $0 }
        }
        let result = words.map { settled[$0].joined() }.joined(separator: " ")
        return result.withDegreesSpelled
    }
}

extension String {
    /// The text with `°C` and `°F` for the single signs as which networks read them.
    var withDegreesSpelled: String {
        reduce(into: "") { text, character in
            switch character {
            case "℃": text += "°C"
            case "℉": text += "°F"
            default: text.append(character)
            }
        }
    }
}

/// Determines where the words of a line begin, from what a reader saw between two letters and from the distance between
/// them.
///
/// The distance between two letters of a word is predicted from their widths in Helvetica, which most sans-serif fonts
/// resemble; in a line with evenly spaced letters, as in a terminal, from the distance between most of them. A larger
/// distance is weighed against the probability of a gap by logistic regression (docs/decisions/captions.md).
struct WordGaps {
    /// The probability from which there is a gap if the widths of the letters do not tell: one in ten.
    private static let sure: Float = -2.302_585
    /// The value used where no gap was seen: a little less than the least that is kept.
    private static let nothing: Float = -8
    /// The weights of the regression: of a position between letters, of the logarithm of the probability, and of the
    /// distance in widths of a space.
    private static let weights: (Float, Float, Float) = (-1.7, 0.86, 6.7)
    /// The width of a space, in thousandths of an em.
    private static let space: Float = 278

    /// The least distance between two of the same letter in a reading, in steps.
    private static let leastOfDoubles: Float = 2.3
    /// The amount by which readings place a letter after its middle, in thousandths of an em.
    private static let delays: [Character: Float] = ["m": 60, "w": 60]

    /// The probability from which a gap counts, however close the letters are: nine in ten.
    private static let sureOfGap: Float = -0.105_361
    /// The least additional distance between letters at a gap, in widths of a space.
    private static let leastOfGaps: Float = 0.25

    /// The indices at which the reading lacks a gap that is there, or has one that is not.
    let changes: Set<Int>

    /// - Parameters:
    ///   - characters: the characters of the line, without gaps.
    ///   - starts: the indices at which its words begin.
    ///   - numbers: the indices of characters that continue a number. Displays leave room before a slim digit and after
    ///     a sign, where readers see a gap with some probability.
    ///   - evidence: the evidence of one reading, with as many peaks as there are characters.
    init(
        of characters: [Character], wordsBeginAt starts: Set<Int>, numbersGoOnAt numbers: Set<Int>,
        in evidence: ReadingEvidence
    ) {
        let pairs = characters.indices.dropFirst().map { Pair(before: $0, characters, evidence) }
        let spacing = Spacing(of: pairs.filter { !starts.contains($0.index) && $0.seen == Self.nothing })
        changes = Set(
            pairs.lazy.filter { pair in
                starts.contains(pair.index)
                    ? spacing?.isMistaken(pair) ?? false
                    : spacing?.isGap(pair)
                        ?? (pair.seen >= Self.sure && !numbers.contains(pair.index)
                            && !(spacing?.isMistaken(pair) ?? false))
            }.map(\.index))
    }

    /// Two adjacent letters.
    private struct Pair {
        /// The index of the second letter.
        let index: Int
        /// The distance between the middles of the letters, in steps of the reading.
        let distance: Float
        /// The distance within a word in Helvetica, in thousandths of an em; nil if the width of one of them is not
        /// listed.
        let expected: Float?
        /// The same including signs, whose widths are less reliable because fonts differ in them.
        let roughly: Float?
        /// Whether it is the same letter twice: a reading has a step without a letter between two of a kind, however
        /// slim they are.
        let isDouble: Bool
        /// The logarithm of the probability of a gap between the letters.
        let seen: Float

        init(before index: Int, _ characters: [Character], _ evidence: ReadingEvidence) {
            self.index = index
            let (from, to) = (evidence.peaks[index - 1], evidence.peaks[index])
            // The order is wrong only if the stored data is damaged.
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
            // A gap seen at a letter itself may be before it.
            let steps = isOrdered ? Int(from) + 1..<Int(to) + 1 : 0..<0
            seen = steps.reduce(WordGaps.nothing) { most, step in
                evidence.candidates(at: step).reduce(most) { $1.scalar == 0x20 ? max($0, $1.logarithm) : $0 }
            }
        }
    }

    /// The spacing of the letters of a line.
    private struct Spacing {
        /// The number of steps for each thousandth of an em.
        private let scale: Float
        /// The distance of evenly spaced letters, in steps; nil for others.
        private let even: Float?

        /// - Parameter pairs: the pairs between which no gap was seen. The result is nil if they are too few.
        init?(of pairs: [Pair]) {
            let known = pairs.compactMap { pair in pair.expected.map { (pair.distance, $0) } }
            guard known.count >= 4 else { return nil }
            // Most distances are whole steps, so only their mean is meaningful, without those that may be gaps.
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

        /// Returns how much further apart two letters are than within a word, in widths of a space.
        private func further(_ pair: Pair, than expected: Float) -> Float {
            if let even { return pair.distance / even - 1 }
            let usual = max(scale * expected, pair.isDouble ? WordGaps.leastOfDoubles : 0)
            return (pair.distance - usual) / (scale * space)
        }

        /// Returns nil if the distances do not tell.
        func isGap(_ pair: Pair) -> Bool? {
            pair.expected.map { weights.0 + weights.1 * pair.seen + weights.2 * further(pair, than: $0) >= 0 }
        }

        /// Returns whether a gap that the reading saw, but was not sure of, is not there.
        func isMistaken(_ pair: Pair) -> Bool {
            guard pair.seen > nothing, pair.seen < sureOfGap, let expected = pair.roughly else { return false }
            return further(pair, than: expected) < leastOfGaps
        }
    }

    /// The widths of Helvetica's letters and digits, in thousandths of an em (Adobe, Helvetica.afm of the Core 14
    /// fonts).
    private static let widths: [Character: Float] = {
        let letters: [(String, Float)] = [
            ("ijl", 222), ("ftI", 278), ("r", 333), ("cksvxyzJ", 500), ("abdeghnopqu0123456789L", 556), ("FTZ", 611),
            ("ABEKPSVXY", 667), ("wCDHNRU", 722), ("GOQ", 778), ("mM", 833), ("W", 944),
        ]
        return Dictionary(
            uniqueKeysWithValues: letters.flatMap { letters, width in letters.map { ($0, width) } })
    }()

    /// The widths of signs that occur within words, addresses, numbers and file names.
    private static let signs: [Character: Float] = [
        ".": 278, ",": 278, ":": 278, ";": 278, "/": 278, "!": 278, "-": 333, "(": 333, ")": 333, "_": 556, "\"": 355,
        "'": 191,
    ]
}
