extension MeaningSearch {
    /// Returns the lines that match a question by meaning, each match consisting of whole lines.
    ///
    /// The score is the probability that such a line is what was meant, times the confidence with which it was read.
    ///
    /// - Parameter allowance: see ``MeaningMemory/points(of:allowance:)``.
    func matches(
        in lines: [RecognizedText], of patterns: [Pattern], blocks: () -> TextBlocks, allowance: Int?
    ) -> [TextMatch] {
        let texts = lines.map(\.text)
        return findings(in: texts, blocks: blocks, allowance: allowance).map {
            match($0, in: lines, pattern: patterns[$0.number].text)
        }
    }

    /// - Parameter lines: all lines of the picture.
    package func match(_ finding: Finding, in lines: [RecognizedText], pattern: String) -> TextMatch {
        let found = finding.lines.map { lines[$0] }
        let text = found.map(\.text).joined(separator: " ")
        let parts = zip(finding.lines, found).flatMap { number, line in
            line.words.indices.filter { !line.words[$0].isEmpty }.map { word in
                TextMatch.Part(line: number, word: word, characters: 0..<line.words[word].count)
            }
        }
        return TextMatch(
            patternIndex: finding.number, pattern: pattern, text: text,
            score: finding.probability * Self.confidence(of: found), lines: finding.lines,
            characterRange: 0..<text.count, parts: parts, isByMeaning: true)
    }

    /// Returns the reader's mean confidence in a character.
    private static func confidence(of lines: [RecognizedText]) -> Double {
        let letters = lines.flatMap(\.letters)
        return letters.reduce(0) { $0 + $1.confidence } / Double(max(1, letters.count))
    }
}
