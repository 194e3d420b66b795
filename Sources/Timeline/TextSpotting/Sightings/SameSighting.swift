// When two findings are one thing. Whatever puts findings together asks here (docs/decisions/one-timeline.md): readings that follow each other
// (``SightingTimeline``), lines of an index, parts of a recording that are read one after the other, boxes, and the screen.

extension Quad {
    /// How well another box, of a later frame, continues this one: their overlap, or 0 when they are apart.
    public func continuity(to other: Quad) -> Double {
        let overlap = bounds.overlap(other.bounds)
        if overlap > 0.1 { return overlap }
        // A small word may have moved by more than itself between two readings; then its size still is the same.
        let near = (center - other.center).length < 1.5 * max(height, other.height)
        let alike = abs(width - other.width) < 0.3 * max(width, other.width)
        return near && alike ? 0.05 : 0
    }

    /// Both are places of one thing, in one picture or in two of which the later follows at once.
    public func isSamePlace(as other: Quad) -> Bool { bounds.overlap(other.bounds) > 0.3 }
}

extension Match {
    /// How well another match, found later, continues this one; 0 where it is of something else.
    ///
    /// - Parameter place: where this one was seen last.
    func continuity(from place: Quad, to later: Match) -> Double {
        isSameFinding(as: later) ? place.continuity(to: later.quad) : 0
    }

    /// Both show one text at one place, in one picture or in two of which the later follows at once.
    public func isOne(with other: Match) -> Bool {
        patternIndex == other.patternIndex && text == other.text && quad.isSamePlace(as: other.quad)
    }

    /// The other match, found at the same place in another frame, is of the same thing.
    ///
    /// For a pattern it is enough that both are matches of it; whole lines are the same when they are of the same track.
    func isSameFinding(as other: Match) -> Bool {
        guard patternIndex == other.patternIndex else { return false }
        guard pattern.isEmpty else { return true }
        return track?.id == other.track?.id && track?.state == other.track?.state
            && track?.succession == other.track?.succession && (track != nil || text == other.text)
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

    /// This one says better than the other what is there: for whole lines the longer text of one that grew, or the later one, then that
    /// of more readings; for all others the surer.
    func isBetter(than other: Match) -> Bool {
        guard let track, let known = other.track else { return score > other.score }
        if track.growths != known.growths { return (track.length, track.growths) > (known.length, known.growths) }
        return (track.readings, score) > (known.readings, other.score)
    }
}
