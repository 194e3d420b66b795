/// Finds patterns in lines as engines read them: in spite of case, diacritics, wrongly split words and look-alikes, but
/// never a word for one that merely resembles it.
///
/// Tolerance is for known misreadings only (``LookAlike``); no edit is free. White space is no obstacle inside a match,
/// with one exception: a gap that was not searched for is crossed only by matches that begin and end with whole words.
///
/// A match's score is `c * max(0, 1 - m / n)`: `c` the mean confidence of the matched characters, `m` the sum of what
/// misreadings (0.4 to 0.6 of a character each) and wrong gaps (0.1 each) cost, `n` the number of characters searched
/// for.
/// The formula is a first form, to be calibrated on recordings whose words are known.
///
/// A value; safe to use from several threads at once. Time grows with the length of the lines and the number of
/// candidates, not with the number of patterns.
public struct Matcher: Sendable {
    public let patterns: [Pattern]
    /// For the patterns that tell case and for those that do not.
    private let automata: [(folding: TextFolding, automaton: SkeletonAutomaton)]

    public init(patterns: [Pattern]) {
        self.patterns = patterns
        automata = [false, true].compactMap { caseSensitive in
            let chosen = patterns.indices.filter { patterns[$0].options.caseSensitive == caseSensitive }
            guard !chosen.isEmpty else { return nil }
            let skeletons = chosen.map { (number: $0, skeleton: Self.skeleton(patterns[$0].folded.units).scalars) }
            return (TextFolding(caseSensitive: caseSensitive), SkeletonAutomaton(skeletons))
        }
    }

    /// Every place of `line` where a pattern stands, from left to right in reading order; places of one pattern do not
    /// overlap (the first in reading order counts, as in grep), places of different patterns may.
    public func matches(in line: TextLine) -> [Match] {
        var found: [Match] = []
        var text: String?
        for (folding, automaton) in automata {
            let folded = FoldedLine(line, folding: folding)
            let (scalars, unitAt) = Self.skeleton(folded.units)
            var free: [Int: Int] = [:]
            automaton.places(in: scalars) { number, start in
                // -1: in the middle of a wide letter.
                let unit = Int(unitAt[start])
                guard unit >= 0, unit >= free[number] ?? 0,
                    let alignment = Alignment(patterns[number], over: folded, from: unit)
                else { return }
                free[number] = alignment.units.upperBound
                let wholeText = text ?? line.text
                text = wholeText
                found.append(match(number, alignment, folded, line, wholeText))
            }
        }
        return found.sorted {
            ($0.characterRange.lowerBound, $0.patternIndex) < ($1.characterRange.lowerBound, $1.patternIndex)
        }
    }

    /// The skeleton of `units`, and the unit at which each of its scalars begins (-1 inside a unit).
    private static func skeleton(_ units: [FoldedText.Unit]) -> (scalars: [UInt32], unitAt: [Int32]) {
        var scalars: [UInt32] = []
        var unitAt: [Int32] = []
        scalars.reserveCapacity(units.count)
        unitAt.reserveCapacity(units.count)
        for (index, unit) in units.enumerated() {
            let (first, second) = LookAlike.skeleton(unit.code)
            scalars.append(first)
            unitAt.append(Int32(index))
            if let second {
                scalars.append(second)
                unitAt.append(-1)
            }
        }
        return (scalars, unitAt)
    }

    private func match(
        _ number: Int, _ alignment: Alignment, _ folded: FoldedLine, _ line: TextLine, _ lineText: String
    ) -> Match {
        let pattern = patterns[number]
        let first = Int(folded.units[alignment.units.lowerBound].character)
        let last = Int(folded.units[alignment.units.upperBound - 1].character)
        let places = folded.places[first...last]
        let confidence = places.reduce(0) { $0 + $1.confidence } / Double(places.count)
        let kept = max(0, 1 - alignment.cost / Double(pattern.folded.units.count))
        let offsets = folded.places[first].offset..<folded.places[last].offset + 1
        var text = ""
        for (previous, place) in zip([places.first].compactMap { $0 } + places, places) {
            if place.word != previous.word { text.append(" ") }
            text.append(line.words[place.word].characters[place.character].character)
        }
        return Match(
            patternIndex: number, pattern: pattern.text, text: text, line: lineText,
            quad: MatchedPart(places, of: line).quad, score: confidence * kept, characterRange: offsets)
    }
}
