import Glibc

/// Finds plain patterns in doubtful readings: with letters misread, added and lost, as far as the reader's own doubt
/// makes it probable.
///
/// Candidates come from ``PieceIndex``, their costs from ``WeightedAlignment``, and a CTC network's evidence for them
/// from ``EvidenceAlignment``. A value; safe to use from several threads at once.
struct UncertainSearch: Sendable {
    private let numbers: [Int]
    private let patterns: [PlainPattern]
    private let pieces: PieceIndex

    /// The cost above which an alignment is not a match, whatever else is known.
    static let mostCost: Float = 13
    /// The same if there are so many patterns that some are near any word.
    static let mostCostOfMany: Float = 9
    /// The same if the evidence supports it.
    static let mostCostWithEvidence: Float = 30
    /// The log ratio below which the evidence rules a pattern out.
    static let leastRatio: Float = -14
    /// The largest number of table cells for one line, a limit for malicious input.
    static let mostCells = 2_000_000

    init(_ patterns: [(number: Int, pattern: PlainPattern)]) {
        numbers = patterns.map(\.number)
        self.patterns = patterns.map(\.pattern)
        pieces = PieceIndex(self.patterns)
    }

    /// Returns every place at which a pattern was misread; of overlapping places of one pattern, only the best.
    ///
    /// - Parameters:
    ///   - scalars: the line's skeleton, with the unit at which each begins.
    ///   - taken: the units at which a pattern was already found, by its number.
    ///   - least: the least score of a match.
    func spans(
        in line: FoldedLine, skeleton scalars: [UInt32], _ unitAt: [Int32], taken: [Int: [Range<Int>]], least: Double
    ) -> [FoundSpan] {
        guard !pieces.isEmpty, !line.units.isEmpty else { return [] }
        let doubt = LineDoubt(line)
        guard doubt.lowest < Self.mostCost else { return [] }
        var run = Run(
            line: line, doubt: doubt, least: least, asksEvidenceFirst: patterns.count <= Self.fewPatterns)
        let searchesAll = patterns.count <= Self.fewPatterns && doubt.lowest < Self.sure
        // The evidence of a doubtful line is asked in any case; asking it first spares the other work for most lines.
        if patterns.count == 1, searchesAll, !run.mayBeSeen(patterns[0]) { return [] }
        var found: [FoundSpan] = []
        let candidates = pieces.candidates(in: line, scalars, unitAt)
        let most =
            patterns.count > PieceIndex.fewPatterns
            ? Self.mostCostOfMany : line.evidence.isEmpty ? Self.mostCost : Self.mostCostWithEvidence
        var next = 0
        var index = searchesAll ? 0 : candidates.first.map { Int($0.pattern) } ?? patterns.count
        while index < patterns.count {
            let pattern = patterns[index]
            let known = taken[numbers[index]] ?? []
            while next < candidates.count, candidates[next].pattern == index {
                let diagonal = Int(candidates[next].diagonal)
                next += 1
                // The pattern was found there as read, so a costlier match is not kept beside it.
                guard !known.contains(where: { $0.lowerBound == diagonal }) else { continue }
                run.consider(pattern, from: diagonal, slack: pieces.edits[index], most: most)
            }
            if searchesAll, pattern.allowedEdits > 0 { run.considerEvidence(of: pattern, besides: known) }
            run.keep(without: known, numbers[index], in: &found)
            index = searchesAll ? index + 1 : next < candidates.count ? Int(candidates[next].pattern) : patterns.count
        }
        return found
    }

    /// The number of patterns above which none is searched for in a whole line's evidence.
    static let fewPatterns = 16
    /// The least evidence, as the natural logarithm of the ratio of probabilities, for a first or last letter that was
    /// not read: it must be about as good as for the letters that were.
    static let leastRatioOfEnds: Float = -1
    /// The cost of doubt from which a line is not searched for alternatives, if all of its characters have at least
    /// this.
    static let sure: Float = 4.5

    /// The work on one line.
    private struct Run {
        let line: FoldedLine
        let doubt: LineDoubt
        let least: Double
        /// Whether a pattern is looked for in the evidence of the whole line before it is aligned with a part of it.
        let asksEvidenceFirst: Bool
        private(set) var cells = 0
        private(set) var evidence: [EvidenceAlignment]?
        /// The best place of the pattern in each reading's evidence, found when it is first asked for; nil where the
        /// evidence rules the pattern out.
        private(set) var best: [(places: Range<Int>, ratio: Float)?]?
        private(set) var found: [(units: Range<Int>, span: FoundSpan)] = []

        private mutating func seen() -> [EvidenceAlignment] {
            if let evidence { return evidence }
            let made = EvidenceAlignment.all(of: line)
            evidence = made
            return made
        }

        private mutating func best(of pattern: PlainPattern) -> [(places: Range<Int>, ratio: Float)?] {
            if let best { return best }
            var made: [(places: Range<Int>, ratio: Float)?] = []
            for evidence in seen() {
                cells += 8 * pattern.folded.units.count * line.letters.count
                guard cells <= UncertainSearch.mostCells else { break }
                // A ratio that is the least is still enough.
                made.append(evidence.place(of: pattern.folded.units, above: UncertainSearch.leastRatio.nextDown))
            }
            best = made
            return made
        }

        /// Returns whether the evidence may have the pattern somewhere: no part of the line has a better place than the
        /// best one of all, so that most patterns need not be aligned.
        mutating func mayBeSeen(_ pattern: PlainPattern) -> Bool {
            guard asksEvidenceFirst, !seen().isEmpty else { return true }
            let best = best(of: pattern)
            return best.count < seen().count || best.contains { $0 != nil }
        }

        mutating func consider(_ pattern: PlainPattern, from diagonal: Int, slack: Int, most: Float) {
            let wanted = pattern.folded.units
            cells += wanted.count * (2 * slack + 3)
            guard cells <= UncertainSearch.mostCells, slack > 1 || isNear(pattern, from: diagonal), mayBeSeen(pattern),
                let alignment = WeightedAlignment(
                    pattern, over: line, doubt, diagonal: diagonal, slack: slack, most: most),
                alignment.edits > 0, alignment.edits <= pattern.mostEdits,
                !found.contains(where: { $0.units == alignment.units })
            else { return }
            let letters = line.letters(ofUnits: alignment.units)
            cells += 8 * wanted.count * letters.count * (evidence?.count ?? 0)
            let ratio = EvidenceAlignment.ratio(of: wanted, about: letters, by: seen())
            guard ratio ?? 0 >= UncertainSearch.leastRatio, ratio != nil || isBelievable(alignment, of: pattern) else {
                return
            }
            // A word that is cut off or covered looks like one that lost its last letter.
            guard !alignment.losesEnd || ratio ?? -.infinity >= UncertainSearch.leastRatioOfEnds else { return }
            let features = MatchFeatures(
                way: .uncertain, confidence: MatchFeatures.confidence(of: line.letters[letters]),
                cost: Double(alignment.cost), ratio: ratio.map(Double.init),
                length: wanted.count, edits: alignment.edits, figures: alignment.figures)
            let score = MatchScore.score(features, line.source)
            guard score >= least else { return }
            found.append((alignment.units, FoundSpan(number: 0, letters: letters, score: score, features: features)))
        }

        /// Returns whether an alignment is believable. Without evidence for the letters that were not read, only few
        /// mistakes are accepted, because engines are also in doubt about things that are not text.
        private func isBelievable(_ alignment: WeightedAlignment, of pattern: PlainPattern) -> Bool {
            alignment.cost <= UncertainSearch.mostCost && alignment.edits <= pattern.editsWithoutEvidence
        }

        /// Returns whether there can be at most one mistake, which is quick to check: a beginning and an end of the
        /// pattern then match and make up nearly all of it.
        private func isNear(_ pattern: PlainPattern, from diagonal: Int) -> Bool {
            let wanted = pattern.folded.units
            let read = line.units
            var longest = (begin: 0, end: 0)
            for shift in -1...1 {
                var start = diagonal + shift
                var length = 0
                while length < wanted.count, start >= 0, start < read.count, read[start].code == wanted[length].code {
                    start += 1
                    length += 1
                }
                longest.begin = max(longest.begin, length)
                var end = diagonal + shift + wanted.count - 1
                length = 0
                while length < wanted.count, end >= 0, end < read.count,
                    read[end].code == wanted[wanted.count - 1 - length].code
                {
                    end -= 1
                    length += 1
                }
                longest.end = max(longest.end, length)
            }
            return longest.begin + longest.end >= wanted.count - 3
        }

        /// Finds the place at which the evidence of the whole line is best for the pattern, whatever was read there.
        ///
        /// - Parameter known: the units at which it was found as read.
        mutating func considerEvidence(of pattern: PlainPattern, besides known: [Range<Int>]) {
            let slack = min(8, 1 + pattern.folded.units.count / 2)
            for best in best(of: pattern) {
                guard let best, best.ratio > UncertainSearch.leastRatio, !best.places.isEmpty,
                    let unit = line.units.firstIndex(where: { Int($0.character) >= best.places.lowerBound }),
                    !known.contains(where: { $0.lowerBound == unit })
                else { continue }
                consider(pattern, from: unit, slack: slack, most: UncertainSearch.mostCostWithEvidence)
            }
        }

        /// Adds the best of overlapping matches to `spans`, and clears the list for the next pattern.
        mutating func keep(without taken: [Range<Int>], _ number: Int, in spans: inout [FoundSpan]) {
            best = nil
            guard !found.isEmpty else { return }
            var kept = taken
            for (units, var span) in found.sorted(by: { $0.span.score > $1.span.score })
            where !kept.contains(where: units.overlaps) {
                kept.append(units)
                span.number = number
                spans.append(span)
            }
            found.removeAll(keepingCapacity: true)
        }
    }
}

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
        // Most letters of a line have the same confidence as the one before.
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
