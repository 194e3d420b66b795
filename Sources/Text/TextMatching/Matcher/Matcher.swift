import Errors

/// Finds patterns of every kind in text as engines read it.
///
/// ```swift
/// let matcher = Matcher(patterns: [try Pattern(text: "EXIT"), try Pattern(typed: ":phone", as: .plain)])
/// for match in matcher.matches(in: RecognizedText("to the EX1T, call 030 123456")) {
///     print(match.text, match.score)
/// }
/// ```
///
/// Each kind has its own search (``MeaningSearch`` for questions by meaning); the matcher adds the matched text. Plain
/// patterns are found regardless of case, diacritics, wrongly split words and known misreadings (``TolerantSearch``),
/// exact ones as they were read (``ExactSearch``); expressions are run over folded lines (``ExpressionRun``), kinds of
/// content have their own rules (``ContentSearch``).
///
/// A value; safe to use from several threads at once. Work is bounded by the product of the lines' lengths and the
/// patterns' sizes, in all cases.
public struct Matcher: Sendable {
    /// The score below which matches are ignored by default, in every job, option and property.
    public static let usualMinimumScore = 0.3

    public let patterns: [Pattern]
    /// The mode in which patterns are searched for, including those that replace them later.
    public let manner: SearchMode
    let searches: [FoldedSearch]
    let contents: ContentSearch
    /// The search for patterns that may continue on the next line; nil if none may.
    let running: RunningSearch?
    /// The searches for the expressions alone, if these may continue on the next line too.
    private let expressions: [FoldedSearch]
    /// The search for patterns by meaning; nil if there are none.
    package let meanings: MeaningSearch?

    /// Creates a matcher. Patterns by meaning are found only by matchers created by ``SearchMode/matcher(for:)``.
    public init(patterns: [Pattern], manner: SearchMode = SearchMode()) {
        self.init(patterns: patterns, manner: manner, meanings: nil)
    }

    /// A name for each pattern that does not reveal its text, for hiding: a kind such as `:email`, else its number.
    package var namesWithoutText: [String] {
        patterns.enumerated().map { $1.isContentKind ? $1.text : "pattern \($0 + 1)" }
    }

    /// The same matcher for hiding (``SearchMode/leansToRecall``).
    package var forHiding: Matcher {
        var manner = manner
        manner.leansToRecall = true
        return Matcher(patterns: patterns, manner: manner, meanings: meanings)
    }

    /// The same matcher without patterns by meaning; the patterns keep their numbers.
    package var withoutMeanings: Matcher {
        meanings == nil ? self : Matcher(patterns: patterns, manner: manner)
    }

    init(patterns: [Pattern], manner: SearchMode, meanings: MeaningSearch?) {
        self.meanings = meanings
        self.patterns = patterns
        self.manner = manner
        searches = FoldedSearch.all(of: patterns, patterns.indices, isForHiding: manner.leansToRecall)
        contents = ContentSearch(
            patterns.enumerated().compactMap { number, pattern in
                guard case .content(let kind) = pattern.form else { return nil }
                return (number, kind)
            }, isForHiding: manner.leansToRecall)
        running = RunningSearch(patterns, breakingAnywhere: manner.leansToRecall)
        let mayRunOn = patterns.indices.filter { number in
            guard manner.leansToRecall, case .expression = patterns[number].form else { return false }
            return true
        }
        expressions = FoldedSearch.all(of: patterns, mayRunOn, isForHiding: manner.leansToRecall)
    }

    /// Returns all matches in `line`, in reading order. Matches of one pattern do not overlap (the first in reading
    /// order counts, as in grep), but matches of different patterns may. Patterns by meaning are left out, because they
    /// need the lines around it.
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
        if manner.leansToRecall, line.isSetWide {
            // A plate may have a raised point, and an address has none.
            for text in [line, line.withLowPoints] {
                found += wideSpans(in: text, besides: Set(found.map(\.span.number)))
            }
        }
        guard !found.isEmpty else { return [] }
        return found.map { match($0.span, $0.folded) }.sorted(by: Self.isBefore)
    }

    /// Finds matches in a line with all its gaps ignored.
    private func wideSpans(in line: RecognizedText, besides known: Set<Int>) -> [(span: FoundSpan, folded: FoldedLine)]
    {
        func folded(_ folding: TextFolding) -> FoldedLine {
            FoldedLine(line, folding: folding, goingOn: Set(1..<line.words.count), keepingHyphens: true)
        }
        let whole = folded(TextFolding(caseSensitive: true))
        let found =
            contents.complete.spans(in: whole).map { ($0, whole) }
            + searches.flatMap { search in
                let line = folded(search.folding)
                return search.spans(in: line).map { ($0, line) }
            }
        return found.filter { !known.contains($0.0.number) }
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
                if !parts.isEmpty, !folded.isUnspaced(before: letter.word) { text.append(" ") }
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

/// A match of a pattern in recognized text.
public struct TextMatch: Hashable, Sendable {
    /// Characters of one word that belong to the match.
    public struct Part: Hashable, Sendable {
        /// The index of the searched text.
        public var line: Int
        /// The index of the word in it.
        public var word: Int
        /// The range of the word's characters; not empty.
        public var characters: Range<Int>
    }

    /// The index of the pattern in ``Matcher/patterns``.
    public var patternIndex: Int
    /// The pattern as it was given.
    public var pattern: String
    /// The matched text as it was read, its words joined by single spaces.
    public var text: String
    /// The probability, 0 to 1, that the pattern is there.
    public var score: Double
    /// The texts that contain it, as indices: one, or those that it extends over.
    public var lines: [Int]
    /// The place of ``text`` in ``lines``, counted in characters with one space between words and lines.
    public var characterRange: Range<Int>
    /// The characters that matched, in reading order; at least one part.
    public var parts: [Part]
    /// Whether the lines match a question by their meaning, whatever their words are.
    public var isByMeaning = false
}

extension Matcher {
    /// Returns all matches in the lines of one picture or page, within a line or continuing on the next.
    ///
    /// Matches within a line come first, in the order of lines, then those over several lines, with the text of all of
    /// them. Lines that match by meaning come last, as whole lines, the surest first.
    /// - Parameters:
    ///   - blocks: the order in which lines continue in one another; called only if a pattern may continue on the next
    ///     line.
    ///   - meaningAllowance: the number of characters of new lines that go through the meaning model, at least one
    ///     line; the others wait for the next reading. Nil for no limit.
    public func matches(
        in lines: [RecognizedText], blocks: @autoclosure () -> TextBlocks, meaningAllowance: Int? = nil
    ) -> [TextMatch] {
        let found = wordMatches(in: lines, blocks: blocks)
        guard let meanings else { return found }
        return found + meanings.matches(in: lines, of: patterns, blocks: blocks, allowance: meaningAllowance)
    }

    private func wordMatches(in lines: [RecognizedText], blocks: () -> TextBlocks) -> [TextMatch] {
        let ownMatches = lines.enumerated().flatMap { number, line in
            matches(in: line).map { match in
                var match = match
                match.lines = [number]
                for part in match.parts.indices { match.parts[part].line = number }
                return match
            }
        }
        let plates = platesOfTwoLines(lines, blocks)
        // A match in one of its two lines is only a part of the plate.
        let found =
            plates.isEmpty
            ? ownMatches
            : ownMatches.filter { match in
                !plates.contains { $0.patternIndex == match.patternIndex && $0.lines.contains(match.lines[0]) }
            } + plates
        return found + runningMatches(in: lines, blocks)
            + (manner.leansToRecall ? brokenMatches(in: lines, blocks) : [])
    }

    /// Returns phrases that continue on the next line, words divided by a hyphen and, for hiding, words divided anywhere.
    private func runningMatches(in lines: [RecognizedText], _ blocks: () -> TextBlocks) -> [TextMatch] {
        guard let running, lines.count > 1 else { return [] }
        let hyphenated = Set(lines.indices.filter { JoinedLine.mayGoOn(lines[$0]) })
        let unspaced = running.hasUnspaced ? Set(lines.indices.filter { JoinedLine.endsUnspaced(lines[$0]) }) : []
        guard running.hasPhrases || !hyphenated.isEmpty || !unspaced.isEmpty else { return [] }
        let reach = max(
            running.hasPhrases ? running.phraseReach : 0, hyphenated.isEmpty ? 0 : running.wordReach,
            unspaced.isEmpty ? 0 : running.unspacedReach)
        let lengths = lines.map { $0.letters.count + $0.words.count }
        var seen = Set<[Int]>()
        var more: [TextMatch] = []
        for chain in blocks().chains(lengths: lengths, longest: reach) {
            let isHyphenated = chain.dropLast().contains(where: hyphenated.contains)
            let isUnspaced = chain.dropLast().contains(where: unspaced.contains)
            guard running.hasPhrases || isHyphenated || isUnspaced,
                let joined = JoinedLine(chain.map { lines[$0] }, reach: reach)
            else { continue }
            var seams = [JoinedLine.Seam.gap]
            if isHyphenated, !joined.hyphenated.isEmpty { seams += [.hyphenStays, .hyphenGoes] }
            if isUnspaced, !joined.unspaced.isEmpty { seams.append(.nothing) }
            if running.breaksAnywhere { seams.append(.anywhere) }
            for seam in seams {
                for (span, folded) in running.spans(in: joined, at: seam) {
                    let match = match(span, folded).placed(in: joined, of: chain)
                    let key = [span.number, match.characterRange.lowerBound] + chain
                    if seen.insert(key).inserted { more.append(match) }
                }
            }
        }
        return more
    }

    /// Returns kinds of content and expressions that continue on the next line, with or without a gap at the break.
    private func brokenMatches(in lines: [RecognizedText], _ blocks: () -> TextBlocks) -> [TextMatch] {
        guard lines.count > 1, !contents.isEmpty || !expressions.isEmpty else { return [] }
        // A long address without gaps may fill whole lines between its first and its last.
        let lengths = lines.map { $0.isOfLongWords ? 0 : $0.letters.count + $0.words.count }
        var seen = Set<[Int]>()
        return blocks().chains(lengths: lengths, longest: Self.longestPiece).flatMap { chain -> [TextMatch] in
            guard let joined = JoinedLine(chain.map { lines[$0] }, reach: 2 * Self.longestPiece) else { return [] }
            return [[], Set(joined.breaks)].flatMap { goingOn -> [TextMatch] in
                func folded(_ folding: TextFolding) -> FoldedLine {
                    FoldedLine(joined.text, folding: folding, goingOn: goingOn, keepingHyphens: true)
                }
                let line = folded(TextFolding(caseSensitive: true))
                let kinds = contents.isEmpty ? [] : contents.complete.spans(in: line).map { ($0, line) }
                let found =
                    kinds
                    + expressions.flatMap { search in
                        let line = folded(search.folding)
                        return search.spans(in: line).map { ($0, line) }
                    }
                return found.filter {
                    joined.isReached(by: $1.letters[$0.letters]) && seen.insert([$0.number] + chain).inserted
                }.map { match($0, $1).placed(in: joined, of: chain) }
            }
        }
    }

    /// The longest piece of an address or a number between two line breaks, in characters.
    private static let longestPiece = 40
}

extension TextMatch {
    /// Returns a match in joined lines, with its part in each of them.
    ///
    /// - Parameter chain: the numbers of the lines that were joined.
    func placed(in joined: JoinedLine, of chain: [Int]) -> TextMatch {
        var match = self
        match.lines = chain
        for part in parts.indices {
            let origin = joined.origin(ofWord: parts[part].word)
            match.parts[part].line = chain[origin.line]
            match.parts[part].word = origin.word
        }
        match.characterRange =
            characterRange.lowerBound + joined.offset..<characterRange.upperBound + joined.offset
        return match
    }
}

extension Matcher {
    /// Returns the matches in a line with the features of their scores, for measuring and fitting scores only.
    ///
    /// - Parameter least: doubtful matches with a lower score are left out.
    package func measuredMatches(
        in line: RecognizedText, least: Double
    ) -> [(match: TextMatch, features: MatchFeatures)] {
        searches.flatMap { search in
            let folded = FoldedLine(line, folding: search.folding)
            return search.spans(in: folded, least: least).compactMap { span in
                span.features.map { (match(span, folded), $0) }
            }
        }
    }
}

/// The mode in which typed text is searched for, which applies to all patterns of a search, including those typed
/// later.
///
/// It is encoded without ``meaning``, which each process finds for itself.
public struct SearchMode: Hashable, Sendable, Codable {
    private enum CodingKeys: String, CodingKey { case kind, options, requiresAll, leansToRecall }

    /// The kind of patterns that do not name a kind of content.
    public var kind: PatternKind
    public var options: MatchOptions
    /// Whether matches count only while all patterns are in view at the same time.
    public var requiresAll: Bool
    /// Whether matches are for hiding: kinds of content then also match if they are incomplete, cut off or partly
    /// covered, and kinds and expressions may continue on the next line.
    public var leansToRecall = false
    /// Compares meanings; nil if search by meaning is not set up.
    public var meaning: MeaningSource?

    /// The largest number of steps of all expressions of one search together (``ExpressionProgram``), which limits the
    /// work.
    static let maximumSteps = 50_000

    /// The largest size of all patterns of one search together: searching for them takes some 200 bytes of memory per
    /// byte.
    public static let maximumBytes = 1_000_000

    public init(
        kind: PatternKind = .plain, options: MatchOptions = MatchOptions(), requiresAll: Bool = false,
        meaning: MeaningSource? = nil
    ) {
        self.kind = kind
        self.options = options
        self.requiresAll = requiresAll
        self.meaning = meaning
    }

    /// - Throws: ``FramegrepError`` for a pattern by meaning if that is not set up.
    private func meanings(of patterns: [Pattern]) throws -> MeaningSearch? {
        let asked = patterns.enumerated().compactMap { number, pattern in pattern.question.map { (number, $0) } }
        guard !asked.isEmpty else { return nil }
        guard let meaning else {
            throw FramegrepError(
                .badArgument,
                "Nothing is searched for by its meaning here; to search for a text that begins with ~ and a space, write \\~ and a space."
            )
        }
        let memory = try meaning.memory()
        return MeaningSearch(try asked.map { (number: $0, point: try memory.question($1)) }, memory)
    }

    /// Returns the matcher for typed texts, in that order, each pattern once.
    ///
    /// - Throws: ``FramegrepError`` `badPattern` if one of them cannot be searched for, or all together are too large;
    ///   `engineUnavailable` or `badArgument` if one is a question by meaning and that is not possible.
    public func matcher(for texts: [String]) throws -> Matcher {
        let bytes = texts.reduce(0) { $0 + $1.utf8.count }
        guard bytes <= Self.maximumBytes else {
            throw FramegrepError(
                .badPattern,
                "The patterns have \(bytes) bytes together; at most \(Self.maximumBytes) can be searched for at once.")
        }
        var seen = Set<String>()
        let patterns = try texts.filter { seen.insert($0).inserted }
            .map { try Pattern(typed: $0, as: kind, options: options) }
        let steps = patterns.reduce(0) { sum, pattern in
            guard case .expression(let expression) = pattern.form else { return sum }
            return sum + expression.program.steps.count
        }
        guard steps <= Self.maximumSteps else {
            throw FramegrepError(
                .badPattern,
                "The regular expressions are too large together: they have \(steps) steps of at most \(Self.maximumSteps); give fewer, or repeat less."
            )
        }
        return Matcher(patterns: patterns, manner: self, meanings: try meanings(of: patterns))
    }
}
