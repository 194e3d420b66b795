extension Matcher {
    /// Every place in the lines of one picture or page where a pattern stands: within a line, or running on from one line to
    /// the next.
    ///
    /// Matches within a line come first, in the order of lines; one over several lines has the text of all of it.
    /// - Parameter blocks: which lines go on in which others; asked for only where a pattern may run on.
    public func matches(in lines: [RecognizedText], blocks: @autoclosure () -> TextBlocks) -> [TextMatch] {
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
                    var match = match(span, folded)
                    match.lines = chain
                    for part in match.parts.indices {
                        let origin = joined.origin(ofWord: match.parts[part].word)
                        match.parts[part].line = chain[origin.line]
                        match.parts[part].word = origin.word
                    }
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
}
