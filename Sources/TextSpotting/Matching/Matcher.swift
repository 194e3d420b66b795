/// Finds patterns of every kind in lines as engines read them.
///
/// Each kind has a search of its own; the matcher gives what they find its text and its place in the picture. Plain
/// patterns are found in spite of case, diacritics, wrongly split words and known misreadings (``TolerantSearch``), exact
/// ones as they were read (``ExactSearch``); expressions are run over folded lines (``ExpressionRun``), kinds of content
/// have rules of their own (``ContentSearch``).
///
/// A value; safe to use from several threads at once. Work is bounded by the product of the lines' lengths and the
/// patterns' sizes, whatever both are.
public struct Matcher: Sendable {
    public let patterns: [Pattern]
    /// How they were meant, and how those are that take their place.
    public let manner: SearchManner
    let searches: [FoldedSearch]
    let contents: ContentSearch
    /// For the patterns that may run on from one line to the next; nil where none may.
    let running: RunningSearch?

    public init(patterns: [Pattern], manner: SearchManner = SearchManner()) {
        self.patterns = patterns
        self.manner = manner
        searches = FoldedSearch.all(of: patterns, patterns.indices)
        contents = ContentSearch(patterns)
        running = RunningSearch(patterns)
    }

    /// Every place of `line` where a pattern stands, from left to right in reading order; places of one pattern do not
    /// overlap (the first in reading order counts, as in grep), places of different patterns may.
    public func matches(in line: TextLine) -> [Match] {
        var found: [(span: FoundSpan, folded: FoldedLine)] = []
        for search in searches {
            let folded = FoldedLine(line, folding: search.folding)
            found += search.spans(in: folded).map { ($0, folded) }
        }
        if !contents.isEmpty {
            let folded = FoldedLine(line, folding: TextFolding(caseSensitive: true))
            found += contents.spans(in: folded).map { ($0, folded) }
        }
        guard !found.isEmpty else { return [] }
        let text = line.text
        return found.map { match($0.span, $0.folded, line, text) }.sorted(by: Self.isBefore)
    }

    static func isBefore(_ a: Match, _ b: Match) -> Bool {
        (a.characterRange.lowerBound, a.patternIndex) < (b.characterRange.lowerBound, b.patternIndex)
    }

    func match(_ span: FoundSpan, _ folded: FoldedLine, _ line: TextLine, _ lineText: String) -> Match {
        let places = folded.places[span.places]
        let offsets =
            folded.places[span.places.lowerBound].offset..<folded.places[span.places.upperBound - 1].offset + 1
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
