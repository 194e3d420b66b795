import TextMatching

/// Divides the matches that run over several lines into one a line, for hiding.
struct RunningMatches {
    private let matches: [TextMatch]
    private let lines: [TextLine]

    init(_ matches: [TextMatch], in lines: [TextLine]) { (self.matches, self.lines) = (matches, lines) }

    /// All matches, each in one line.
    var eachLine: [TextMatch] {
        matches.flatMap { match in
            match.lines.count == 1 ? [match] : chain(of: match).map { match.part(in: $0, of: lines) }
        }
    }

    /// Returns the lines of a match over several lines that belong to it. Without a gap between them, the line above an
    /// address and the one below it look like its beginning and its end.
    private func chain(of match: TextMatch) -> ArraySlice<Int> {
        var chain = match.lines[...]
        guard match.pattern == ":url" || match.pattern == ":email" else { return chain }
        let parts = chain.map { match.part(in: $0, of: lines).text }
        // Nothing is before a scheme.
        if let begin = parts.lastIndex(where: { $0.contains("://") }) { chain = chain.dropFirst(begin) }
        let last = chain.indices.dropLast().first { index in
            isWhole(chain[index], of: match) && !isFull(chain[index], before: chain[index + 1])
        }
        return last.map { chain[...$0] } ?? chain
    }

    /// Returns whether a line ends in an address that is complete.
    private func isWhole(_ line: Int, of match: TextMatch) -> Bool {
        let end = lines[line].text.count
        return matches.contains { own in
            own.lines == [line] && own.patternIndex == match.patternIndex && own.characterRange.upperBound == end
                && (own.pattern != ":email" || own.text.drop { $0 != "@" }.contains("."))
        }
    }

    /// Returns whether a line may be broken because it is full: the next one begins below its beginning, and none of the lines
    /// of that paragraph is longer by a letter.
    private func isFull(_ line: Int, before next: Int) -> Bool {
        let (quad, letters) = (lines[line].quad, max(1, lines[line].text.count))
        let room = Self.room * quad.width / Double(letters)
        func along(_ offset: Point) -> Double { offset.x * quad.direction.x + offset.y * quad.direction.y }
        func across(_ offset: Point) -> Double { abs(offset.y * quad.direction.x - offset.x * quad.direction.y) }
        func begins(below other: Quad) -> Bool { abs(along(other.topLeft - quad.topLeft)) < quad.height }
        return begins(below: lines[next].quad)
            && lines.allSatisfy { other in
                let isBeside =
                    begins(below: other.quad)
                    && across(other.quad.topLeft - quad.topLeft) < Self.paragraph * quad.height
                    && other.quad.height < 1.5 * quad.height && quad.height < 1.5 * other.quad.height
                return !isBeside || along(other.quad.topRight - quad.topRight) < room
            }
    }

    /// The room at the end of a full line, in letters, and how far its paragraph reaches up and down, in heights.
    private static let room = 1.5
    private static let paragraph = 12.0
}

extension TextMatch {
    /// Returns the part of a match that is in one of its lines.
    fileprivate func part(in line: Int, of lines: [TextLine]) -> TextMatch {
        let words = lines[line].words.map { Array($0.text) }
        func offset(ofWord word: Int) -> Int { words[..<word].reduce(0) { $0 + $1.count + 1 } }
        var match = self
        match.lines = [line]
        match.parts = parts.filter { $0.line == line }
        match.text = match.parts.map { String(words[$0.word][$0.characters]) }.joined(separator: " ")
        if let first = match.parts.first, let last = match.parts.last {
            match.characterRange =
                offset(ofWord: first.word) + first.characters.lowerBound..<offset(ofWord: last.word)
                + last.characters.upperBound
        }
        return match
    }
}
