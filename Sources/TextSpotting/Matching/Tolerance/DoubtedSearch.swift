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
        var evidence: EvidenceAlignment??
        var found: [FoundSpan] = []
        var ofPattern: [(units: Range<Int>, span: FoundSpan)] = []
        var pattern: Int32 = -1
        var cells = 0
        func keep() {
            var kept: [Range<Int>] = []
            for (units, span) in ofPattern.sorted(by: { $0.span.score > $1.span.score })
            where !kept.contains(where: units.overlaps) {
                kept.append(units)
                found.append(span)
            }
            ofPattern.removeAll(keepingCapacity: true)
        }
        for candidate in pieces.candidates(in: line, scalars, unitAt) {
            if candidate.pattern != pattern { keep() }
            pattern = candidate.pattern
            let wanted = patterns[Int(pattern)]
            let number = numbers[Int(pattern)]
            let slack = pieces.edits[Int(pattern)]
            cells += wanted.folded.units.count * (2 * slack + 3)
            guard cells <= Self.mostCells else { break }
            guard
                let alignment = WeightedAlignment(
                    wanted, over: line, doubt, diagonal: Int(candidate.diagonal), slack: slack, most: Self.mostCost),
                alignment.edits > 0, alignment.edits <= wanted.allowedEdits,
                !(taken[number]?.contains(where: alignment.units.overlaps) ?? false)
            else { continue }
            let places = line.places(ofUnits: alignment.units)
            let seen = evidence ?? EvidenceAlignment(line)
            evidence = .some(seen)
            if seen != nil { cells += 8 * wanted.folded.units.count * places.count }
            let features = MatchFeatures(
                way: .doubted, confidence: MatchFeatures.confidence(of: line.places[places]),
                cost: Double(alignment.cost), ratio: (seen?.ratio(of: wanted.folded.units, about: places)).map(Double.init),
                length: wanted.folded.units.count, edits: alignment.edits)
            ofPattern.append(
                (
                    alignment.units,
                    FoundSpan(
                        number: number, places: places, score: MatchScore.score(features, line.source),
                        features: features)
                ))
        }
        keep()
        return found.filter { $0.score >= MatchScore.least }
    }
}
