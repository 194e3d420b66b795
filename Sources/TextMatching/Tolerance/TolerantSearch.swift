/// Finds plain patterns in folded lines in spite of wrongly split words and confusable letters, but never a word for one that
/// merely resembles it.
///
/// Tolerance is for known misreadings only (``Confusable``); no edit is free. White space is no obstacle inside a match,
/// with one exception: a gap that was not searched for is crossed only by matches that begin and end with whole words.
///
/// A value; safe to use from several threads at once. Time grows with the length of the lines and the number of
/// candidates, not with the number of patterns.
struct TolerantSearch: Sendable {
    private let patterns: [Int: PlainPattern]
    private let automaton: SkeletonAutomaton
    private let uncertain: UncertainSearch

    /// - Parameter patterns: by the number under which ``spans(in:)`` reports each. All are folded as the lines will be.
    init(_ patterns: [(number: Int, pattern: PlainPattern)]) {
        self.patterns = Dictionary(patterns.map { ($0.number, $0.pattern) }) { first, _ in first }
        automaton = SkeletonAutomaton(
            patterns.map { (number: $0.number, skeleton: Self.skeleton($0.pattern.folded.units).scalars) })
        uncertain = UncertainSearch(patterns)
    }

    /// Every place of the line where a pattern stands; places of one pattern do not overlap (the first in reading order
    /// counts, as in grep), places of different patterns may. In no particular order.
    ///
    /// - Parameter least: doubtful matches with a lower score are dropped.
    func spans(in folded: FoldedLine, least: Double = MatchScore.least) -> [FoundSpan] {
        var found: [FoundSpan] = []
        let (scalars, unitAt) = Self.skeleton(folded.units)
        var free: [Int: Int] = [:]
        var taken: [Int: [Range<Int>]] = [:]
        automaton.places(in: scalars) { number, start in
            // -1: in the middle of a wide letter.
            let unit = Int(unitAt[start])
            guard unit >= 0, unit >= free[number] ?? 0, let pattern = patterns[number],
                let alignment = Alignment(pattern, over: folded, from: unit)
            else { return }
            free[number] = alignment.units.upperBound
            taken[number, default: []].append(alignment.units)
            let letters = folded.letters(ofUnits: alignment.units)
            let features = MatchFeatures(
                way: alignment.cost > 0 ? .alike : .same,
                confidence: MatchFeatures.confidence(of: folded.letters[letters]), cost: alignment.cost, ratio: nil,
                length: pattern.folded.units.count, edits: 0)
            found.append(
                FoundSpan(
                    number: number, letters: letters, score: MatchScore.score(features, folded.source),
                    features: features))
        }
        let more = uncertain.spans(in: folded, skeleton: scalars, unitAt, taken: taken, least: least)
        return more.isEmpty ? found : found + more
    }

    /// The skeleton of `units`, and the unit at which each of its scalars begins (-1 inside a unit).
    static func skeleton(_ units: [FoldedText.Unit]) -> (scalars: [UInt32], unitAt: [Int32]) {
        var scalars: [UInt32] = []
        var unitAt: [Int32] = []
        scalars.reserveCapacity(units.count)
        unitAt.reserveCapacity(units.count)
        for (index, unit) in units.enumerated() {
            let (first, second) = Confusable.skeleton(unit.code)
            scalars.append(first)
            unitAt.append(Int32(index))
            if let second {
                scalars.append(second)
                unitAt.append(-1)
            }
        }
        return (scalars, unitAt)
    }
}
