import TextSpotting

/// Finds what stays visible of a hidden text while something else is in front of the rest of it, as when a window opens
/// over it or is moved away. Such a part does not match the pattern, but it still reveals much of the text.
struct CoveredParts {
    let lines: LineHistory
    let changes: PictureChanges
    /// The longest time between a part and the whole text, in frames.
    let gap: Int

    /// A part has this share of the letters, in a row, and never fewer than three.
    private static let share = 0.25
    private static let least = 3

    private static func least(of letters: Int) -> Int { max(least, Int((Double(letters) * share).rounded(.up))) }

    /// Returns tracks that hide the place of a text that stands still before it was found and after it was last seen, for
    /// as long as parts of it keep being read there.
    ///
    /// - Parameter picture: the picture, at whose edges text is cut off.
    func standing(beside track: HiddenTrack, in picture: Rect) -> [HiddenTrack] {
        guard CutLines.letters(track.text).count > Self.least, let begin = track.quads.first, let end = track.quads.last
        else { return [] }
        var result: [HiddenTrack] = []
        if !track.motionAtEnd(in: picture, among: lines).isSeen {
            var last = track.last
            let whole = PlacedText(track, at: end, in: picture)
            for part in times(ofPartsOf: whole, { $1 > last }).sorted(by: { $0.lowerBound < $1.lowerBound })
            where part.lowerBound <= last + gap { last = max(last, part.upperBound) }
            if last > track.last { result.append(track.standing(at: end, in: track.last...last)) }
        }
        if !track.motionAtStart(in: picture, among: lines).isSeen {
            var first = track.first
            let whole = PlacedText(track, at: begin, in: picture)
            for part in times(ofPartsOf: whole, { begin, _ in begin < first }).sorted(by: {
                $0.upperBound > $1.upperBound
            })
            where part.upperBound >= first - gap { first = min(first, part.lowerBound) }
            if first < track.first { result.append(track.standing(at: begin, in: first...track.first)) }
        }
        return result
    }

    /// Returns the times of the parts at a place, of those whose first and last frame are wanted. That is asked first,
    /// because it costs least.
    private func times(ofPartsOf whole: PlacedText, _ isWanted: (Int, Int) -> Bool) -> [ClosedRange<Int>] {
        lines.all.flatMap { line in
            line.texts.indices.compactMap { number -> ClosedRange<Int>? in
                let text = line.texts[number]
                let begin = max(changes.begin, text.index)
                let next = number + 1 < line.texts.count ? line.texts[number + 1].index - 1 : changes.end - 1
                guard begin <= next, isWanted(begin, next), line.quad(at: begin).isPart(of: whole.quad) else {
                    return nil
                }
                let part = whole.part(text.text)
                func isThere(_ quad: Quad) -> Bool { quad.isPart(of: whole.quad) && part.isInPlace(at: quad) }
                guard part.count >= Self.least(of: whole.letters.letters.count), isThere(line.quad(at: begin)) else {
                    return nil
                }
                let left = line.places.first { $0.index > begin && !isThere($0.quad) }?.index
                let end = number + 1 < line.texts.count ? next : end(of: line)
                return begin...max(begin, min(end, (left ?? Int.max) - 1))
            }
        }
    }

    /// Returns the last frame in which a line is known to be where it was last read: a picture that does not change at
    /// all is not read again. Where something moved on, the ground changes little by little.
    private func end(of line: LineHistory.Line) -> Int {
        changes.stay(of: line.quad(at: line.last).bounds, from: line.last, before: changes.end, [.none])
    }

    /// Returns whether a text has enough letters of another one in a row to reveal it.
    static func isPart(_ text: String, of whole: String) -> Bool {
        let (own, whole) = (PlacedText.Letters(text), PlacedText.Letters(whole))
        return own.longestRuns(in: whole).contains { $0.count >= least(of: whole.letters.count) }
    }
}

extension Quad {
    /// Returns whether one of two places is a part of the other, in the same row and of about the same height. Two
    /// places of equal length show two different texts, neither of which is covered.
    fileprivate func isPart(of other: Quad) -> Bool {
        let (along, offset) = (direction, other.center - center)
        let (right, across) = (offset.x * along.x + offset.y * along.y, offset.y * along.x - offset.x * along.y)
        return height < 2 * other.height && other.height < 2 * height && abs(across) < 0.5 * max(height, other.height)
            && abs(right) < abs(width - other.width) / 2 + max(height, other.height)
            && abs(width - other.width) > 0.1 * max(width, other.width)
    }
}
