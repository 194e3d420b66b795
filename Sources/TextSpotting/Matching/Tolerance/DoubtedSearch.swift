/// Finds plain patterns in what was read with doubt: letters misread, added and lost, as far as the reader's own doubt
/// makes it probable.
///
/// Candidates come from ``PieceIndex``, their costs from ``WeightedAlignment``, and what a CTC network saw of them from
/// ``EvidenceAlignment``. A value; safe to use from several threads at once.
struct DoubtedSearch: Sendable {
    private let numbers: [Int]
    private let patterns: [PlainPattern]
    private let pieces: PieceIndex

    /// An alignment that costs more is no match, whatever else is known.
    static let mostCost: Float = 22
    /// The same when there are so many patterns that some are near any word.
    static let mostCostOfMany: Float = 9
    /// The same where the evidence speaks for it.
    static let mostCostWithEvidence: Float = 45
    /// In a whole line's evidence a pattern is looked for no further than this.
    static let leastRatio: Float = -20
    /// Cells of tables for one line: a bound for hostile input.
    static let mostCells = 2_000_000

    init(_ patterns: [(number: Int, pattern: PlainPattern)]) {
        numbers = patterns.map(\.number)
        self.patterns = patterns.map(\.pattern)
        pieces = PieceIndex(self.patterns)
    }

    /// Every place that is not the pattern's as read; of those of one pattern that overlap, the best.
    ///
    /// - Parameters:
    ///   - scalars: the line's skeleton, with the unit at which each begins.
    ///   - taken: units where a pattern was found already, by its number.
    func spans(
        in line: FoldedLine, skeleton scalars: [UInt32], _ unitAt: [Int32], taken: [Int: [Range<Int>]]
    ) -> [FoundSpan] {
        guard !pieces.isEmpty, !line.units.isEmpty else { return [] }
        let doubt = LineDoubt(line)
        guard doubt.lowest < Self.mostCost else { return [] }
        var run = Run(line: line, doubt: doubt)
        var found: [FoundSpan] = []
        let candidates = pieces.candidates(in: line, scalars, unitAt)
        let most = patterns.count > PieceIndex.fewPatterns ? Self.mostCostOfMany : Self.mostCost
        var next = 0
        for (index, pattern) in patterns.enumerated() {
            let number = numbers[index]
            let slack = pieces.edits[index]
            while next < candidates.count, candidates[next].pattern == index {
                run.consider(pattern, from: Int(candidates[next].diagonal), slack: slack, most: most)
                next += 1
            }
            if patterns.count <= Self.fewPatterns, pattern.allowedEdits > 0, doubt.lowest < Self.sure {
                run.considerEvidence(of: pattern)
            }
            found += run.kept(without: taken[number] ?? [], number)
        }
        return found
    }

    /// With more patterns than this, none is looked for in a whole line's evidence.
    static let fewPatterns = 16
    /// A line all of whose characters are this sure is not looked at for what else its evidence may hold.
    static let sure: Float = 4.5

    /// The work on one line.
    private struct Run {
        let line: FoldedLine
        let doubt: LineDoubt
        private var cells = 0
        private var evidence: EvidenceAlignment??
        private var found: [(units: Range<Int>, span: FoundSpan)] = []

        init(line: FoldedLine, doubt: LineDoubt) {
            self.line = line
            self.doubt = doubt
        }

        private mutating func seen() -> EvidenceAlignment? {
            if let evidence { return evidence }
            let made = EvidenceAlignment(line)
            evidence = .some(made)
            return made
        }

        mutating func consider(_ pattern: PlainPattern, from diagonal: Int, slack: Int, most: Float) {
            let wanted = pattern.folded.units
            cells += wanted.count * (2 * slack + 3)
            guard cells <= DoubtedSearch.mostCells,
                let alignment = WeightedAlignment(
                    pattern, over: line, doubt, diagonal: diagonal, slack: slack, most: most),
                alignment.edits > 0, alignment.edits <= pattern.mostEdits,
                !found.contains(where: { $0.units == alignment.units })
            else { return }
            let places = line.places(ofUnits: alignment.units)
            cells += evidence == nil ? 0 : 8 * wanted.count * places.count
            let features = MatchFeatures(
                way: .doubted, confidence: MatchFeatures.confidence(of: line.places[places]),
                cost: Double(alignment.cost), ratio: seen().map { Double($0.ratio(of: wanted, about: places)) },
                length: wanted.count, edits: alignment.edits, figures: alignment.figures)
            let score = MatchScore.score(features, line.source)
            guard score >= MatchScore.least else { return }
            found.append((alignment.units, FoundSpan(number: 0, places: places, score: score, features: features)))
        }

        /// Looks where the evidence of the whole line is best for the pattern, however it was read.
        mutating func considerEvidence(of pattern: PlainPattern) {
            let wanted = pattern.folded.units
            guard let evidence = seen() else { return }
            cells += 8 * wanted.count * line.places.count
            guard cells <= DoubtedSearch.mostCells, let best = evidence.place(of: wanted),
                best.ratio > DoubtedSearch.leastRatio,
                let unit = line.units.firstIndex(where: { Int($0.character) >= best.places.lowerBound })
            else { return }
            consider(
                pattern, from: unit, slack: min(8, 1 + wanted.count / 2), most: DoubtedSearch.mostCostWithEvidence)
        }

        /// The best of those that overlap; none is left for the next pattern.
        mutating func kept(without taken: [Range<Int>], _ number: Int) -> [FoundSpan] {
            guard !found.isEmpty else { return [] }
            var kept = taken
            var spans: [FoundSpan] = []
            for (units, span) in found.sorted(by: { $0.span.score > $1.span.score })
            where !kept.contains(where: units.overlaps) {
                kept.append(units)
                spans.append(span)
                spans[spans.count - 1].number = number
            }
            found.removeAll(keepingCapacity: true)
            return spans
        }
    }
}
