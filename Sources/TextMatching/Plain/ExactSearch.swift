/// Finds texts that were read letter by letter as they are searched for, gaps included.
///
/// Folding decides which letters are equal; misreadings are not allowed for. In scripts written without gaps between words
/// (``FoldingTable/isUnspaced(_:)``) gaps carry no meaning and are not compared. A value; safe to use from several threads at once.
struct ExactSearch: Sendable {
    private let patterns: [Int: PlainPattern]
    private let automaton: SkeletonAutomaton

    /// - Parameter patterns: by the number under which ``spans(in:)`` reports each. All are folded as the lines will be.
    init(_ patterns: [(number: Int, pattern: PlainPattern)]) {
        self.patterns = Dictionary(patterns.map { ($0.number, $0.pattern) }) { first, _ in first }
        automaton = SkeletonAutomaton(
            patterns.map { (number: $0.number, skeleton: $0.pattern.folded.units.map(\.code)) })
    }

    /// Every place of the line where a pattern stands; places of one pattern do not overlap.
    func spans(in folded: FoldedLine) -> [FoundSpan] {
        guard !automaton.isEmpty else { return [] }
        var found: [FoundSpan] = []
        var free: [Int: Int] = [:]
        automaton.places(in: folded.units.map(\.code)) { number, start in
            guard start >= free[number] ?? 0, let pattern = patterns[number] else { return }
            let units = start..<start + pattern.folded.units.count
            guard Self.hasSameGaps(pattern, folded, units) else { return }
            if pattern.options.wholeWords {
                guard folded.isBoundary(units.lowerBound), folded.isBoundary(units.upperBound) else { return }
            }
            free[number] = units.upperBound
            let letters = folded.letters(ofUnits: units)
            found.append(
                FoundSpan(
                    number: number, letters: letters,
                    score: MatchScore.score(
                        of: folded.letters[letters], cost: 0, length: units.count, source: folded.source)))
        }
        return found
    }

    /// Gaps stand where they are searched for, and nowhere else.
    static func hasSameGaps(_ pattern: PlainPattern, _ folded: FoldedLine, _ units: Range<Int>) -> Bool {
        zip(pattern.folded.units, folded.units[units]).dropFirst().enumerated().allSatisfy { index, pair in
            pair.0.afterGap == pair.1.afterGap
                || FoldingTable.isUnspaced(pair.1.glyph)
                    && FoldingTable.isUnspaced(folded.units[units.lowerBound + index].glyph)
        }
    }
}
