// Decides when two findings are the same thing. All code that joins findings uses these rules
// (docs/decisions/one-timeline.md): consecutive readings (``SightingTimeline``), lines of an index, parts of a
// recording that are read one after the other, boxes, and the screen.

extension Quad {
    /// Returns how well another box, from a later frame, continues this one: their overlap, or 0 if they are apart.
    public func continuity(to other: Quad) -> Double {
        let overlap = bounds.overlap(other.bounds)
        if overlap > 0.1 { return overlap }
        // A small word may move by more than its own size between two readings, but its size stays the same.
        let near = (center - other.center).length < 1.5 * max(height, other.height)
        let alike = abs(width - other.width) < 0.3 * max(width, other.width)
        return near && alike ? 0.05 : 0
    }

    /// Returns whether both are places of one thing, in one picture or in two consecutive ones.
    public func isSamePlace(as other: Quad) -> Bool { bounds.overlap(other.bounds) > 0.3 }
}

extension Match {
    /// Returns how well another match, found later, continues this one; 0 if it belongs to something else.
    ///
    /// - Parameter place: the place where this match was seen last.
    func continuity(from place: Quad, to later: Match) -> Double {
        isSameFinding(as: later) ? place.continuity(to: later.quad) : 0
    }

    /// Returns whether both show one text at one place, in one picture or in two consecutive ones.
    public func isOne(with other: Match) -> Bool {
        patternIndex == other.patternIndex && text == other.text && quad.isSamePlace(as: other.quad)
    }

    /// Returns whether the other match, found at the same place in another frame, is of the same thing.
    ///
    /// Two matches of one pattern always are; whole lines are the same if they are of the same track.
    func isSameFinding(as other: Match) -> Bool {
        guard patternIndex == other.patternIndex else { return false }
        guard pattern.isEmpty else { return true }
        return track?.id == other.track?.id && track?.state == other.track?.state
            && track?.succession == other.track?.succession && (track != nil || text == other.text)
    }

    /// Returns whether the pattern may stand for several texts and the other match is, according to the readings, a
    /// different one.
    ///
    /// An address that is being typed is one text all the time; a number that gains a digit is another number.
    public func isAnotherText(than other: Match) -> Bool {
        guard isOneOfMany else { return false }
        let (mine, theirs) = (
            text.filter { !$0.isWhitespace }.lowercased(), other.text.filter { !$0.isWhitespace }.lowercased()
        )
        guard mine.contains(where: \.isLetter) else { return mine != theirs }
        return !mine.hasPrefix(theirs) && !theirs.hasPrefix(mine)
    }

    /// Returns whether this is a later state of the line that the other match shows.
    func isLaterState(of other: Match) -> Bool {
        guard let track, let earlier = other.track, pattern.isEmpty, other.pattern.isEmpty else { return false }
        return track.id == earlier.id && track.state > earlier.state
    }

    /// Returns whether this match represents the finding better than the other. For whole lines that is the longer text
    /// of a line that grew, or the later one, then the one with more readings; for all others it is the more certain
    /// one.
    func isBetter(than other: Match) -> Bool {
        guard let track, let known = other.track else { return score > other.score }
        if track.growths != known.growths { return (track.length, track.growths) > (known.length, known.growths) }
        return (track.readings, score) > (known.readings, other.score)
    }
}
