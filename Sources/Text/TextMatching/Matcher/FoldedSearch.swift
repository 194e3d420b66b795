/// The searches for all patterns that use the same folding.
struct FoldedSearch: Sendable {
    let folding: TextFolding
    private let tolerant: TolerantSearch?
    /// The search for codes, in lines with gaps instead of their marks.
    private let codes: TolerantSearch?
    private let codePatterns: [Int: PlainPattern]
    /// The search for other plain patterns, in lines with gaps instead of all marks; nil unless it is for hiding.
    private let unmarked: TolerantSearch?
    /// The search for misread keys; nil unless it is for hiding.
    private let keys: KeySearch?
    /// Whether a pattern has such marks itself.
    private let hasMarks: Bool
    private let exact: ExactSearch?
    private let expressions: ExpressionSearch

    /// Returns one search for case-sensitive patterns and one for the others, if there are any.
    ///
    /// - Parameter isForHiding: whether marks in plain patterns may be missing or others, as in `Anna-Lena`, and whether
    ///   some letters of a long key may be misread.
    static func all(of patterns: [Pattern], _ chosen: some Sequence<Int>, isForHiding: Bool) -> [FoldedSearch] {
        let chosen = Array(chosen)
        return [false, true].compactMap { caseSensitive in
            let search = FoldedSearch(
                patterns, chosen.filter { patterns[$0].options.caseSensitive == caseSensitive },
                TextFolding(caseSensitive: caseSensitive), isForHiding: isForHiding)
            return search.isEmpty ? nil : search
        }
    }

    private init(_ patterns: [Pattern], _ chosen: [Int], _ folding: TextFolding, isForHiding: Bool) {
        var plain: [(number: Int, pattern: PlainPattern)] = []
        var codes: [(number: Int, pattern: PlainPattern)] = []
        var exact: [(number: Int, pattern: PlainPattern)] = []
        var expressions: [(number: Int, expression: Expression)] = []
        for number in chosen {
            switch patterns[number].form {
            case .plain(let pattern):
                if pattern.isCode { codes.append((number, pattern)) } else { plain.append((number, pattern)) }
            case .exact(let pattern): exact.append((number, pattern))
            case .expression(let expression): expressions.append((number, expression))
            case .content, .meaning: continue
            }
        }
        self.folding = folding
        tolerant = plain.isEmpty ? nil : TolerantSearch(plain)
        self.codes = codes.isEmpty ? nil : TolerantSearch(codes)
        codePatterns = Dictionary(codes.map { ($0.number, $0.pattern) }) { first, _ in first }
        let bare =
            isForHiding ? plain.compactMap { entry in entry.pattern.withoutFreeMarks.map { (entry.number, $0) } } : []
        unmarked = bare.isEmpty ? nil : TolerantSearch(bare)
        let keys = isForHiding ? KeySearch(plain + codes) : nil
        self.keys = keys?.isEmpty ?? true ? nil : keys
        hasMarks = plain.contains { !$0.pattern.folded.withoutFreeMarks().marks.isEmpty }
        self.exact = exact.isEmpty ? nil : ExactSearch(exact)
        self.expressions = ExpressionSearch(expressions)
    }

    private var isEmpty: Bool { tolerant == nil && codes == nil && exact == nil && expressions.isEmpty }

    /// - Parameters:
    ///   - folded: in ``folding``.
    ///   - least: doubtful matches with a lower score are dropped.
    func spans(in folded: FoldedLine, least: Double = MatchScore.least) -> [FoundSpan] {
        var found = tolerant?.spans(in: folded, least: least) ?? []
        if let codes { found += spans(of: codes, in: folded.withoutCodeMarks(), least) }
        if let unmarked { found += spans(of: unmarked, in: folded, least, besides: found) }
        if let keys { found += keys.spans(in: folded, besides: found) }
        if let exact { found += exact.spans(in: folded) }
        if !expressions.isEmpty { found += expressions.spans(in: folded) }
        return found
    }

    /// - Parameter known: only patterns that are not among these are searched for.
    private func spans(
        of unmarked: TolerantSearch, in folded: FoldedLine, _ least: Double, besides known: [FoundSpan]
    ) -> [FoundSpan] {
        let line = folded.withoutFreeMarks()
        guard hasMarks || line.units.count < folded.units.count else { return [] }
        let numbers = Set(known.map(\.number))
        return unmarked.spans(in: line, least: least).filter { !numbers.contains($0.number) }
    }

    /// - Parameter line: its marks are gaps.
    private func spans(of codes: TolerantSearch, in line: FoldedLine, _ least: Double) -> [FoundSpan] {
        codes.spans(in: line, least: least).filter { span in
            guard let pattern = codePatterns[span.number] else { return false }
            return CodeGrouping(pattern: pattern, line: line).allows(span.letters)
        }
    }
}

/// The searches for patterns that may continue on the next line: phrases at their gaps, words at a hyphen and, for
/// hiding, words anywhere.
///
/// Renderers break an address, a path or a key at its marks, and a terminal breaks every word where its line is full.
/// Finding ignores such breaks, because an index could not look up the two parts of a word.
struct RunningSearch: Sendable {
    /// The searches for patterns with a gap, at which a line may break; for hiding also those for ``words``.
    private let phrases: [FoldedSearch]
    /// The searches for patterns long enough to be hyphenated.
    private let words: [FoldedSearch]
    /// The searches for patterns in scripts without spaces, in which a line may break anywhere.
    private let unspaced: [FoldedSearch]
    /// The number of characters of the first and the last line that a match could include.
    let phraseReach: Int
    let wordReach: Int
    let unspacedReach: Int
    /// Whether words may be broken at any letter.
    let breaksAnywhere: Bool

    /// The least length of a pattern that may be broken in a word, in letters.
    private static let leastOfBroken = 4
    /// The length from which it may be a part of longer words, because that is hardly ever so by chance.
    private static let leastInside = 6

    var hasPhrases: Bool { !phrases.isEmpty }
    var hasUnspaced: Bool { !unspaced.isEmpty }

    /// Returns nil if no pattern may continue on the next line.
    ///
    /// - Parameter breakingAnywhere: whether words may be broken at any letter.
    init?(_ patterns: [Pattern], breakingAnywhere: Bool) {
        func chosen(_ isChosen: (PlainPattern) -> Bool) -> [Int] {
            patterns.indices.filter { patterns[$0].plain.map(isChosen) ?? false }
        }
        func reach(_ chosen: [Int]) -> Int {
            3 * (chosen.compactMap { patterns[$0].plain?.folded.units.count }.max() ?? 0) / 2 + 4
        }
        func isLong(_ pattern: PlainPattern) -> Bool { pattern.folded.units.count >= Self.leastOfBroken }
        let gapped = chosen { $0.hasGap || breakingAnywhere && isLong($0) }
        let long = chosen(isLong)
        let parted = chosen { $0.folded.units.count { FoldedLine.isChineseOrJapanese($0.glyph) } > 1 }
        guard !gapped.isEmpty || !long.isEmpty || !parted.isEmpty else { return nil }
        phrases = FoldedSearch.all(of: patterns, gapped, isForHiding: breakingAnywhere)
        words = FoldedSearch.all(of: patterns, long, isForHiding: breakingAnywhere)
        unspaced = FoldedSearch.all(of: patterns, parted, isForHiding: breakingAnywhere)
        phraseReach = reach(gapped)
        wordReach = reach(long)
        unspacedReach = reach(parted)
        breaksAnywhere = breakingAnywhere && !long.isEmpty
    }

    /// Returns the places at which a pattern extends from the first of the joined lines to the last.
    ///
    /// - Parameter seam: the way in which the lines are joined; only patterns that may be divided like that are
    ///   searched for.
    func spans(in joined: JoinedLine, at seam: JoinedLine.Seam) -> [(span: FoundSpan, folded: FoldedLine)] {
        let searches =
            switch seam {
            case .gap: phrases
            case .hyphenStays, .hyphenGoes, .anywhere: words
            case .nothing: unspaced
            }
        let goingOn: Set<Int> =
            switch seam {
            case .gap: []
            case .hyphenStays, .hyphenGoes: joined.hyphenated
            case .nothing: joined.unspaced
            case .anywhere: Set(joined.breaks)
            }
        return searches.flatMap { search in
            let folded = FoldedLine(
                joined.text, folding: search.folding, goingOn: goingOn, keepingHyphens: seam != .hyphenGoes)
            return search.spans(in: folded).filter { span in
                joined.isReached(by: folded.letters[span.letters])
                    && (seam != .anywhere || Self.isBelievable(span.letters, in: folded))
            }.map { ($0, folded) }
        }
    }

    /// Returns whether a match that was broken at any letter is not one by chance: it is long, or consists of whole
    /// words.
    private static func isBelievable(_ letters: Range<Int>, in line: FoldedLine) -> Bool {
        letters.count >= leastInside
            || line.isEndOfWord(before: letters.lowerBound) && line.isEndOfWord(before: letters.upperBound)
    }
}

extension FoldedLine {
    /// Returns whether a word of letters and digits ends before the character at `index`, or begins there.
    fileprivate func isEndOfWord(before index: Int) -> Bool {
        guard index > 0, index < letters.count, letters[index].word == letters[index - 1].word else { return true }
        return [index - 1, index].contains { number in
            letters[number].character.unicodeScalars.allSatisfy { !Self.isWordPart($0.value) }
        }
    }
}
