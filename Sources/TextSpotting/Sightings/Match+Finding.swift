extension Match {
    /// Makes a match of a whole line without a pattern, for a search of all text to follow over time.
    ///
    /// - Parameter eachState: a line that got longer or shorter is another finding, and ends the one before.
    public init(wholeLineOf track: TextTrack, eachState: Bool = false) {
        let text = track.line.textWithGaps
        self.init(
            patternIndex: 0, pattern: "", text: text, line: text, quad: track.line.quad, score: track.line.confidence,
            characterRange: 0..<text.count)
        self.track = LineEvidence(
            id: track.id, growths: track.growths, state: eachState ? track.growths + 1 : 0,
            length: track.line.text.count,
            readings: track.readings)
    }

    /// The other match, found at the same place in another frame, is of the same thing.
    ///
    /// For a pattern it is enough that both are matches of it; whole lines are the same when they are of the same track.
    func isSameFinding(as other: Match) -> Bool {
        guard patternIndex == other.patternIndex else { return false }
        guard pattern.isEmpty else { return true }
        return track?.id == other.track?.id && track?.state == other.track?.state
            && (track != nil || text == other.text)
    }

    /// It is of a pattern that may stand for several texts, and this is another one, as far as the readings say.
    ///
    /// An address that is typed is one text all the time; a number of which a digit more is there is another number.
    public func isAnotherText(than other: Match) -> Bool {
        guard isOneOfMany else { return false }
        let (mine, theirs) = (
            text.filter { !$0.isWhitespace }.lowercased(), other.text.filter { !$0.isWhitespace }.lowercased()
        )
        guard mine.contains(where: \.isLetter) else { return mine != theirs }
        return !mine.hasPrefix(theirs) && !theirs.hasPrefix(mine)
    }

    /// Whether it is a later state of the line that the other match shows.
    func isLaterState(of other: Match) -> Bool {
        guard let track, let earlier = other.track, pattern.isEmpty, other.pattern.isEmpty else { return false }
        return track.id == earlier.id && track.state > earlier.state
    }

    /// This one says better than the other what is there: for whole lines the longer text of one that grew, then that of
    /// more readings; for all others the surer.
    func isBetter(than other: Match) -> Bool {
        guard let track, let known = other.track else { return score > other.score }
        if track.growths != known.growths, track.length != known.length { return track.length > known.length }
        return (track.readings, score) > (known.readings, other.score)
    }
}
