public import TextMatching

extension Matcher {
    /// Every place of `line` where a pattern stands, from left to right in reading order; places of one pattern do not
    /// overlap (the first in reading order counts, as in grep), places of different patterns may.
    public func matches(in line: TextLine) -> [Match] {
        let found = matches(in: line.recognized)
        guard !found.isEmpty else { return [] }
        let text = line.text
        return found.map { Match($0, in: [line], text: text) }
    }

    /// Every place in the lines of one picture where a pattern stands: within a line, or running on from one line of a
    /// block to the next.
    ///
    /// A match over several lines has the text and the quad of all of it. Matches within a line come first, in the order
    /// of lines.
    public func matches(in lines: [TextLine]) -> [Match] {
        let found = matches(in: lines.map(\.recognized), blocks: TextBlocks(lines))
        guard !found.isEmpty else { return [] }
        let texts = lines.map(\.text)
        return found.map { match in
            Match(match, in: lines, text: match.lines.map { texts[$0] }.joined(separator: " "))
        }
    }

    /// The matches in a line with what their scores were made of: for measuring and fitting scores only.
    ///
    /// - Parameter least: what is doubtful and scores less is left out.
    package func measuredMatches(in line: TextLine, least: Double) -> [(match: Match, features: MatchFeatures)] {
        measuredMatches(in: line.recognized, least: least).map {
            (Match($0.match, in: [line], text: line.text), $0.features)
        }
    }

    /// Why each pattern matches these lines of one block, or why not.
    public func explanations(in lines: [TextLine]) -> [Explanation] {
        explanations(in: lines.map(\.recognized), blocks: TextBlocks(lines))
    }
}

extension NearMatches {
    /// The line holds something near a pattern that no sure match accounts for, or a pattern is found with doubt.
    public func isDoubtful(_ line: TextLine) -> Bool { isDoubtful(line.recognized) }
}

extension Match {
    /// - Parameters:
    ///   - lines: those that were searched.
    ///   - text: all of those in which the match stands.
    fileprivate init(_ match: TextMatch, in lines: [TextLine], text: String) {
        self.init(
            patternIndex: match.patternIndex, pattern: match.pattern, text: match.text, line: text,
            quad: Self.quad(of: match.parts, in: lines), score: match.score, characterRange: match.characterRange)
    }

    /// The matched characters of each word, as far as the words' own characters tell, along the first line.
    private static func quad(of parts: [TextMatch.Part], in lines: [TextLine]) -> Quad {
        let first = lines[parts[0].line].quad
        let quads = parts.map { lines[$0.line].words[$0.word].quad(ofCharacters: $0.characters) }
        return Quad.spanning(quads, along: first.direction) ?? first
    }
}

extension TextWord {
    /// The whole word's quad, or the slice of it that the characters' spans give. In text that runs from right to left
    /// the spans fall as reading goes on, hence least and greatest.
    fileprivate func quad(ofCharacters range: Range<Int>) -> Quad {
        guard range.count < characters.count else { return quad }
        var start = 1.0
        var end = 0.0
        for span in characters[range] {
            start = min(start, span.start)
            end = max(end, span.end)
        }
        guard start < end else { return quad }
        return quad.slice(from: max(0, start), to: min(1, end))
    }
}
