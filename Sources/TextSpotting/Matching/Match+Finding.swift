extension Match {
    /// A whole line taken as a finding of its own, of no pattern: what a search for all text follows over time.
    public init(wholeLineOf track: TextTrack) {
        let text = track.line.text
        self.init(
            patternIndex: 0, pattern: "", text: text, line: text, quad: track.line.quad, score: track.line.confidence,
            characterRange: 0..<text.count)
        self.track = LineEvidence(id: track.id, growths: track.growths, length: text.count, readings: track.readings)
    }

    /// The other match, found at the same place in another frame, is of the same thing.
    ///
    /// For a pattern it is enough that both are matches of it; whole lines are the same when they are of the same track.
    func isSameFinding(as other: Match) -> Bool {
        guard patternIndex == other.patternIndex else { return false }
        guard pattern.isEmpty else { return true }
        return track?.id == other.track?.id && (track != nil || text == other.text)
    }

    /// This one says better than the other what is there: for whole lines the longer text of one that grew, then that of
    /// more readings; for all others the surer.
    func isBetter(than other: Match) -> Bool {
        guard let track, let known = other.track else { return score > other.score }
        if track.growths != known.growths, track.length != known.length { return track.length > known.length }
        return (track.readings, score) > (known.readings, other.score)
    }
}

/// How much is behind a whole line taken as a match.
struct LineEvidence: Hashable, Sendable {
    /// Of the line's track.
    var id: Int
    var growths: Int
    /// Characters in the line.
    var length: Int
    var readings: Int
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
