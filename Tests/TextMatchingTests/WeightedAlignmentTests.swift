import Testing

@testable import TextMatching

/// A pattern aligned with a line at a bounded cost.
@Suite struct WeightedAlignmentTests {
    private func cost(of meant: String, over read: String, most: Float) throws -> Float? {
        let folding = TextFolding(caseSensitive: false)
        let pattern = PlainPattern(folded: folding.fold(meant), options: MatchOptions())
        let line = FoldedLine(line(read, confidence: 0.6), folding: folding)
        return WeightedAlignment(pattern, over: line, LineDoubt(line), diagonal: 0, slack: 2, most: most)?.cost
    }

    /// Each row of the table may end the search early, and two letters read as one skip a row.
    @Test func whatCostsJustWhatItMayIsFound() throws {
        let fields = LearntConfusions.costs.split(whereSeparator: \.isWhitespace)
        var pairs = 0
        for start in stride(from: 0, to: fields.count - 2, by: 3) {
            let (read, meant) = (fields[start], fields[start + 1])
            guard (read + meant).allSatisfy({ $0.isLetter && $0.isASCII }) else { continue }
            let (text, word) = ("wav\(read)how", "wav\(meant)how")
            guard let least = try cost(of: word, over: text, most: 60) else {
                Issue.record("\(word) is not laid over \(text)")
                continue
            }
            #expect(try cost(of: word, over: text, most: least) == least, "\(word) over \(text)")
            #expect(try cost(of: word, over: text, most: least - 0.01) == nil, "\(word) over \(text)")
            if meant.count > read.count { pairs += 1 }
        }
        #expect(pairs > 20)
    }
}
