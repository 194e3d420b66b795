/// The searches for patterns that may run on from one line to the next: phrases over their gaps, words over a hyphen.
struct RunningSearch: Sendable {
    /// Of patterns with a gap, at which a line may break.
    private let phrases: [FoldedSearch]
    /// Of patterns long enough to be parted by a hyphen.
    private let words: [FoldedSearch]
    /// In characters: how much of the first and the last line a match could take.
    let phraseReach: Int
    let wordReach: Int

    var hasPhrases: Bool { !phrases.isEmpty }

    /// Nil if no pattern may run on.
    init?(_ patterns: [Pattern]) {
        func chosen(_ isChosen: (PlainPattern) -> Bool) -> [Int] {
            patterns.indices.filter { patterns[$0].plain.map(isChosen) ?? false }
        }
        func reach(_ chosen: [Int]) -> Int {
            3 * (chosen.compactMap { patterns[$0].plain?.folded.units.count }.max() ?? 0) / 2 + 4
        }
        let gapped = chosen(\.hasGap)
        let long = chosen { $0.folded.units.count >= 4 }
        guard !gapped.isEmpty || !long.isEmpty else { return nil }
        phrases = FoldedSearch.all(of: patterns, gapped)
        words = FoldedSearch.all(of: patterns, long)
        phraseReach = reach(gapped)
        wordReach = reach(long)
    }

    /// Every place where a pattern runs from the first of the joined lines to the last.
    ///
    /// - Parameter hyphen: only patterns that a hyphen may part are searched for unless it ends its word.
    func spans(in joined: JoinedLine, hyphen: JoinedLine.Hyphen) -> [(span: FoundSpan, folded: FoldedLine)] {
        (hyphen == .ends ? phrases : words).flatMap { search in
            let folded = FoldedLine(
                joined.text, folding: search.folding, goingOn: hyphen == .ends ? [] : joined.hyphenated,
                keepingHyphens: hyphen == .stays)
            return search.spans(in: folded).filter { joined.isReached(by: folded.letters[$0.letters]) }
                .map { ($0, folded) }
        }
    }
}
