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
