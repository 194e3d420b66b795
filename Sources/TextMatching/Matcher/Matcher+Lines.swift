extension Matcher {
    /// Every place in the lines of one picture or page where a pattern stands: within a line, or running on from one line to
    /// the next.
    ///
    /// Matches within a line come first, in the order of lines; one over several lines has the text of all of it. Behind all of these come
    /// lines that mean what is asked for, whole and the surest first.
    /// - Parameters:
    ///   - blocks: which lines go on in which others; asked for only where a pattern may run on.
    ///   - meaningAllowance: lines that are seen for the first time go through the model that tells meanings up to so many characters, at
    ///     least one line; others wait for the next reading. Nil for all at once.
    public func matches(
        in lines: [RecognizedText], blocks: @autoclosure () -> TextBlocks, meaningAllowance: Int? = nil
    ) -> [TextMatch] {
        let found = wordMatches(in: lines, blocks: blocks)
        guard let meanings else { return found }
        return found + meanings.matches(in: lines, of: patterns, blocks: blocks, allowance: meaningAllowance)
    }

    private func wordMatches(in lines: [RecognizedText], blocks: () -> TextBlocks) -> [TextMatch] {
        let found = lines.enumerated().flatMap { number, line in
            matches(in: line).map { match in
                var match = match
                match.lines = [number]
                for part in match.parts.indices { match.parts[part].line = number }
                return match
            }
        }
        guard let running, lines.count > 1 else { return found }
        let hyphenated = Set(lines.indices.filter { JoinedLine.mayGoOn(lines[$0]) })
        guard running.hasPhrases || !hyphenated.isEmpty else { return found }
        let reach = max(running.hasPhrases ? running.phraseReach : 0, hyphenated.isEmpty ? 0 : running.wordReach)
        let lengths = lines.map { $0.letters.count + $0.words.count }
        var seen = Set<[Int]>()
        var more: [TextMatch] = []
        for chain in blocks().chains(lengths: lengths, longest: reach) {
            let isHyphenated = chain.dropLast().contains(where: hyphenated.contains)
            guard running.hasPhrases || isHyphenated, let joined = JoinedLine(chain.map { lines[$0] }, reach: reach)
            else { continue }
            let ways: [JoinedLine.Hyphen] =
                isHyphenated && !joined.hyphenated.isEmpty ? [.ends, .stays, .goes] : [.ends]
            for way in ways {
                for (span, folded) in running.spans(in: joined, hyphen: way) {
                    let match = match(span, folded).placed(in: joined, of: chain)
                    let key = [span.number, match.characterRange.lowerBound] + chain
                    if seen.insert(key).inserted { more.append(match) }
                }
            }
        }
        return found + more
    }
}

extension TextMatch {
    /// A match in joined lines, with its parts where they stand.
    ///
    /// - Parameter chain: the numbers of the lines that were joined.
    fileprivate func placed(in joined: JoinedLine, of chain: [Int]) -> TextMatch {
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
