/// Finds patterns of every kind in lines as engines read them.
///
/// Each kind has a search of its own; the matcher gives what they find its text and its place in the picture. Plain
/// patterns are found in spite of case, diacritics, wrongly split words and known misreadings (``TolerantSearch``).
///
/// A value; safe to use from several threads at once.
public struct Matcher: Sendable {
    public let patterns: [Pattern]
    /// For the patterns that tell case and for those that do not.
    private let searches: [(folding: TextFolding, tolerant: TolerantSearch)]

    public init(patterns: [Pattern]) {
        self.patterns = patterns
        searches = [false, true].compactMap { caseSensitive in
            let chosen = patterns.indices.filter { patterns[$0].options.caseSensitive == caseSensitive }
            guard !chosen.isEmpty else { return nil }
            let plain = chosen.map { (number: $0, pattern: patterns[$0].plain) }
            return (TextFolding(caseSensitive: caseSensitive), TolerantSearch(plain))
        }
    }

    /// Every place of `line` where a pattern stands, from left to right in reading order; places of one pattern do not
    /// overlap (the first in reading order counts, as in grep), places of different patterns may.
    public func matches(in line: TextLine) -> [Match] {
        var found: [Match] = []
        var text: String?
        for (folding, tolerant) in searches {
            let folded = FoldedLine(line, folding: folding)
            for span in tolerant.spans(in: folded) {
                let wholeText = text ?? line.text
                text = wholeText
                found.append(match(span, folded, line, wholeText))
            }
        }
        return found.sorted {
            ($0.characterRange.lowerBound, $0.patternIndex) < ($1.characterRange.lowerBound, $1.patternIndex)
        }
    }

    private func match(_ span: FoundSpan, _ folded: FoldedLine, _ line: TextLine, _ lineText: String) -> Match {
        let places = folded.places[span.places]
        let offsets = folded.places[span.places.lowerBound].offset..<folded.places[span.places.upperBound - 1].offset + 1
        var text = ""
        for (previous, place) in zip([places.first].compactMap { $0 } + places, places) {
            if place.word != previous.word { text.append(" ") }
            text.append(line.words[place.word].characters[place.character].character)
        }
        return Match(
            patternIndex: span.number, pattern: patterns[span.number].text, text: text, line: lineText,
            quad: span.quad ?? MatchedPart(places, of: line).quad, score: span.score, characterRange: offsets)
    }
}
