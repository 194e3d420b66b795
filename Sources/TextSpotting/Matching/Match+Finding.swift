extension Match {
    /// A whole line taken as a finding of its own, of no pattern: what a search for all text follows over time.
    public init(wholeLine line: TextLine) {
        let text = line.text
        self.init(
            patternIndex: 0, pattern: "", text: text, line: text, quad: line.quad, score: line.confidence,
            characterRange: 0..<text.count)
    }

    /// The other match, found at the same place in another frame, is of the same thing.
    ///
    /// For a pattern it is enough that both are matches of it. Lines of no pattern are the same when their texts differ
    /// in at most a quarter of their characters, which is what misreading makes of one line.
    func isSameFinding(as other: Match) -> Bool {
        guard patternIndex == other.patternIndex else { return false }
        guard pattern.isEmpty else { return true }
        if text == other.text { return true }
        let longest = max(text.count, other.text.count)
        return longest <= 500 && EditDistance.between(text, other.text) * 4 <= longest
    }
}

/// How many characters must be inserted, deleted or replaced to make one text of another (V. Levenshtein, 1966).
enum EditDistance {
    static func between(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let replaced = diagonal + (x == y ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
            }
        }
        return row[b.count]
    }
}
