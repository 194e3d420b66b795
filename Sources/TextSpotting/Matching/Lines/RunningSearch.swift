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

    /// Nil where no pattern may run on.
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
                joined.line, folding: search.folding, goingOn: hyphen == .ends ? [] : joined.hyphenated,
                keepingHyphens: hyphen == .stays)
            return search.spans(in: folded).filter { joined.isReached(by: folded.places[$0.places]) }
                .map { ($0, folded) }
        }
    }
}

extension Matcher {
    /// Every place in the lines of one picture where a pattern stands: within a line, or running on from one line of a
    /// block to the next.
    ///
    /// A match over several lines has the text and the quad of all of it. Matches within a line come first, in the order
    /// of lines.
    public func matches(in lines: [TextLine]) -> [Match] {
        let found = lines.flatMap { matches(in: $0) }
        guard let running, lines.count > 1 else { return found }
        let hyphenated = Set(lines.indices.filter { Self.endsInHyphen(lines[$0]) })
        guard running.hasPhrases || !hyphenated.isEmpty else { return found }
        let reach = max(running.hasPhrases ? running.phraseReach : 0, hyphenated.isEmpty ? 0 : running.wordReach)
        let lengths = lines.map { $0.words.reduce(0) { $0 + $1.characters.count + 1 } }
        var seen = Set<[Int]>()
        var more: [Match] = []
        for chain in TextBlocks(lines).chains(lengths: lengths, longest: reach) {
            let isHyphenated = chain.dropLast().contains(where: hyphenated.contains)
            guard running.hasPhrases || isHyphenated, let joined = JoinedLine(chain.map { lines[$0] }, reach: reach)
            else { continue }
            let ways: [JoinedLine.Hyphen] =
                isHyphenated && !joined.hyphenated.isEmpty ? [.ends, .stays, .goes] : [.ends]
            for way in ways {
                for (span, folded) in running.spans(in: joined, hyphen: way) {
                    var match = match(span, folded, joined.line, joined.text)
                    match.characterRange =
                        match.characterRange.lowerBound + joined.offset..<match.characterRange.upperBound
                        + joined.offset
                    let key = [span.number, match.characterRange.lowerBound] + chain
                    if seen.insert(key).inserted { more.append(match) }
                }
            }
        }
        return found + more
    }

    private static func endsInHyphen(_ line: TextLine) -> Bool {
        guard let last = line.words.last else { return false }
        return JoinedLine.goesOn(last, in: TextWord(text: "a", quad: last.quad, confidence: 1))
    }
}
