/// Finds patterns of every kind in text as engines read it.
///
/// ```swift
/// let matcher = Matcher(patterns: [try Pattern(text: "EXIT"), try Pattern(typed: ":phone", as: .plain)])
/// for match in matcher.matches(in: RecognizedText("to the EX1T, call 030 123456")) {
///     print(match.text, match.score)
/// }
/// ```
///
/// Each kind has a search of its own (``MeaningSearch`` for what is asked for by its meaning); the matcher adds the matched text. Plain patterns are found in spite of case,
/// diacritics, wrongly split words and known misreadings (``TolerantSearch``), exact ones as they were read
/// (``ExactSearch``); expressions are run over folded lines (``ExpressionRun``), kinds of content have rules of their own
/// (``ContentSearch``).
///
/// A value; safe to use from several threads at once. Work is bounded by the product of the lines' lengths and the
/// patterns' sizes, whatever both are.
public struct Matcher: Sendable {
    /// Matches less sure than this are ignored by default, in every job, option and property.
    public static let usualMinimumScore = 0.3

    public let patterns: [Pattern]
    /// How they were meant, and how those are that take their place.
    public let manner: SearchMode
    let searches: [FoldedSearch]
    let contents: ContentSearch
    /// For the patterns that may run on from one line to the next; nil if none may.
    let running: RunningSearch?
    /// For the patterns that are searched for by their meaning; nil where there are none.
    package let meanings: MeaningSearch?

    /// Patterns that are searched for by their meaning are found only by matchers that ``SearchMode/matcher(for:)`` makes.
    public init(patterns: [Pattern], manner: SearchMode = SearchMode()) {
        self.init(patterns: patterns, manner: manner, meanings: nil)
    }

    /// The same that finds words only; the patterns keep their numbers.
    package var withoutMeanings: Matcher {
        meanings == nil ? self : Matcher(patterns: patterns, manner: manner)
    }

    init(patterns: [Pattern], manner: SearchMode, meanings: MeaningSearch?) {
        self.meanings = meanings
        self.patterns = patterns
        self.manner = manner
        searches = FoldedSearch.all(of: patterns, patterns.indices)
        contents = ContentSearch(
            patterns.enumerated().compactMap { number, pattern in
                guard case .content(let kind) = pattern.form else { return nil }
                return (number, kind)
            })
        running = RunningSearch(patterns)
    }

    /// Every place of `line` where a pattern stands, from left to right in reading order; places of one pattern do not
    /// overlap (the first in reading order counts, as in grep), places of different patterns may. What a line means is not looked at: the
    /// lines beside it are wanted for that.
    public func matches(in line: RecognizedText) -> [TextMatch] {
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
        return found.map { match($0.span, $0.folded) }.sorted(by: Self.isBefore)
    }

    private static func isBefore(_ a: TextMatch, _ b: TextMatch) -> Bool {
        (a.characterRange.lowerBound, a.patternIndex) < (b.characterRange.lowerBound, b.patternIndex)
    }

    func match(_ span: FoundSpan, _ folded: FoldedLine) -> TextMatch {
        let letters = folded.letters[span.letters]
        let offsets =
            folded.letters[span.letters.lowerBound].offset..<folded.letters[span.letters.upperBound - 1].offset + 1
        var text = ""
        var parts: [TextMatch.Part] = []
        for letter in letters {
            if let last = parts.last, last.word == letter.word {
                parts[parts.count - 1].characters = last.characters.lowerBound..<letter.index + 1
            } else {
                if !parts.isEmpty { text.append(" ") }
                parts.append(
                    TextMatch.Part(line: 0, word: letter.word, characters: letter.index..<letter.index + 1))
            }
            text.append(letter.character)
        }
        return TextMatch(
            patternIndex: span.number, pattern: patterns[span.number].text, text: text, score: span.score, lines: [0],
            characterRange: offsets, parts: parts)
    }
}
