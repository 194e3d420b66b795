/// One line of text over successive readings: its place, its readings, and the result of their vote.
///
/// Its identity persists while the line moves, grows as it is typed, is covered for a moment, or is misread; a text
/// that replaces another is another track. A value that ``TextTracker`` updates.
public struct TextTrack: Sendable, Identifiable {
    /// The number of the track within its tracker, never reused.
    public private(set) var id: Int
    /// The result of the vote of all readings, placed where the line was in the frame in which it was last seen, in
    /// pixels of the picture.
    public private(set) var line: TextLine
    /// The latest reading alone, at the same place.
    public private(set) var reading: TextLine
    /// The frame in which the line was first read.
    public let first: FrameTime
    /// The last frame that is known to show the line.
    public private(set) var seen: FrameTime
    /// The last frame in which the line was read.
    public private(set) var read: FrameTime
    /// The number of times the line got longer or shorter by letters; earlier readings no longer count after that.
    public private(set) var growths = 0
    /// The number of texts that stood at this place before, each replacing the previous one: above 0 the line is a
    /// value that keeps changing.
    public let turns: Int
    /// Whether the line was read without the ground on which it appeared (``AppearedText``): in the picture as it is, the
    /// line cannot be found or read with certainty.
    let hasAppeared: Bool
    /// The time since which readings have looked for the line without finding it; nil while it is in view.
    public private(set) var lostSince: StreamTime?

    /// The region of the line according to a detector or a reader of whole pages.
    private(set) var region: Quad
    /// The look of the line when it was last read.
    private(set) var look: LinePicture?
    /// The motion since then, in pixels.
    private(set) var motion = PlanarMotion.none
    /// Whether the line touched the edge of the picture then, so that part of it may have been missing.
    private(set) var wasCut = false
    /// The velocity, in pixels per second.
    private(set) var velocity = Point(0, 0)
    /// The speed of the slower end when the line was last found, in pixels per second: one that got longer moved one end.
    private var endSpeed = 0.0
    private(set) var vote = CharacterVote()
    /// Whether the last reading clearly contradicted the others.
    var isDisputed = false

    init(
        id: Int, line: TextLine, region: Quad, turns: Int = 0, hasAppeared: Bool = false, in picture: Picture?,
        at time: FrameTime
    ) {
        self.id = id
        self.turns = turns
        self.hasAppeared = hasAppeared
        self.line = line
        reading = line
        self.region = region
        first = time
        seen = time
        read = time
        look = picture.flatMap { LinePicture($0, of: line.quad) }
        wasCut = Self.isCut(region, picture)
        vote.add(line, sharpness: look?.sharpness ?? 1)
    }

    /// Returns whether the line is cut by the edge of the picture. Above and below, detectors leave a margin at the
    /// edge, and letters that are cut there are misread: a J without its foot reads as l.
    private static func isCut(_ region: Quad, _ picture: Picture?) -> Bool {
        guard let picture else { return false }
        let (box, direction) = (region.bounds, region.direction)
        let x = max(edge, edgeHeights * region.height * abs(direction.y))
        let y = max(edge, edgeHeights * region.height * abs(direction.x))
        return box.minX < x || box.minY < y || box.maxX > Double(picture.width) - x
            || box.maxY > Double(picture.height) - y
    }

    /// The distance from the edge, in pixels, within which a line may be cut.
    private static let edge = 3.0
    /// The distance above and below the line, in its heights, within which it may be cut.
    private static let edgeHeights = 0.4

    /// The movement of the line's middle since it was last read, in pixels.
    var moved: Point {
        guard !motion.isShift, let middle = look?.middle else { return motion.shift }
        return motion.apply(middle) - middle
    }

    /// Whether the whole line moved alike since it was last read, to a pixel: noise and encoders make a line that
    /// stands still seem to turn or grow by less.
    var keepsShape: Bool {
        guard !motion.isShift, let look else { return motion.isShift }
        let (left, top) = (Double(look.left), Double(look.top))
        let corners = [
            Point(left, top), Point(left + Double(look.width), top), Point(left, top + Double(look.height)),
            Point(left + Double(look.width), top + Double(look.height)),
        ]
        return corners.allSatisfy { (motion.apply($0) - $0 - moved).length < 1 }
    }

    public var isInView: Bool { lostSince == nil }

    /// Whether the line is in view and stands still, within the accuracy of detectors: another text may replace it at
    /// any time.
    var stands: Bool { isInView && velocity.length < Self.standing * region.height }

    /// Whether one of the line's ends stands still.
    var standsAtOneEnd: Bool { isInView && endSpeed < Self.standing * region.height }

    /// Whether the line replaced a text that it resembles, or contains a digit.
    var isValue: Bool {
        turns > 0 || line.words.contains { $0.characters.contains { $0.character.isNumber } }
    }

    /// The speed below which a line stands still, in heights of the line per second.
    private static let standing = 2.0
    /// The shortest time over which ends of a line have a speed, in seconds: over less, a pixel by which a detector errs
    /// looks like one.
    private static let shortest = 0.2

    /// The number of readings of different pictures behind ``line``, including those that disagree.
    public var readings: Int { vote.count }

    /// A line is doubtful if a letter or digit has less confidence than this.
    static let doubt = 0.8

    /// Returns whether a letter or digit is doubtful and further readings may still settle it.
    func isUnsettled(_ settings: TextTracker.Settings) -> Bool {
        guard vote.count < settings.maximumReadings, vote.agreeing(with: line.text) < settings.agreeingReadings else {
            return false
        }
        return line.words.contains { word in
            word.characters.contains { $0.confidence < Self.doubt && ($0.character.isLetter || $0.character.isNumber) }
        }
    }

    /// Returns the expected place of the line at `time`, given its velocity.
    func expected(at time: FrameTime) -> Point {
        let passed = max(0, (time.start - seen.start).seconds)
        return passed < 2 ? velocity * passed : Point(0, 0)
    }

    // MARK: What a reading does to it

    /// Records that a picture shows the line moved by `offset` since it was last seen.
    mutating func move(by offset: Point, to time: FrameTime) { move(PlanarMotion(shift: offset), to: time) }

    /// Records that pictures show how the line moved, turned or grew since it was last seen.
    mutating func move(_ step: PlanarMotion, to time: FrameTime) {
        let passed = (time.start - seen.start).seconds
        let center = region.center
        if passed > 0, isInView { velocity = (step.apply(center) - center) * (1 / passed) }
        endSpeed = velocity.length
        region = region.mapped(step.apply)
        line = line.mapped { $0.mapped(step.apply) }
        reading = reading.mapped { $0.mapped(step.apply) }
        motion = step.after(motion)
        seen = time
        lostSince = nil
    }

    /// Handles a line that is leaving the picture: keeps the words that are still inside, and discards earlier
    /// readings.
    ///
    /// - Returns: false if no words are left.
    mutating func trim(to picture: Rect) -> Bool {
        guard let inside = reading.inside(picture) else { return false }
        guard inside != reading else { return true }
        let voted = line.inside(picture) ?? inside
        growths += 1
        region = inside.quad
        reading = inside
        line = voted
        look = nil
        vote = CharacterVote()
        vote.add(voted, sharpness: 1)
        isDisputed = false
        return true
    }

    /// Returns the track with the identity of one that ended where this began, because the recording is read in parts.
    package func continuing(_ before: TextTrack) -> TextTrack {
        var track = self
        track.id = before.id
        track.growths += before.growths
        return track
    }

    /// Returns the track with its frames counted from another one.
    package func renumbered(by offset: Int) -> TextTrack {
        var track = self
        track.seen.index += offset
        track.read.index += offset
        return track
    }

    /// Records that a reading looked where the line should be and did not find it.
    mutating func lose(at time: FrameTime) { lostSince = lostSince ?? time.start }

    /// Records that nothing could be read at the place of the line, although the picture shows the line.
    mutating func readInVain(at time: FrameTime) { read = time }

    /// Records another reading of the line.
    ///
    /// - Parameters:
    ///   - isEvidence: whether the picture differs from the one read before; reading the same picture twice gives the
    ///     same text.
    ///   - isPlaced: whether the line has already been moved to where the picture shows it.
    ///   - votes: whether readings are combined; otherwise the newest counts.
    mutating func reread(
        _ new: TextLine, region: Quad, in picture: Picture?, at time: FrameTime, isEvidence: Bool, isPlaced: Bool,
        votes: Bool
    ) {
        let isCut = Self.isCut(region, picture)
        // The reading of a part says nothing about the whole line.
        if wasCut, !isCut { return grow(to: new, region: region, in: picture, at: time) }
        arrive(at: region, time)
        let looks = picture.flatMap { LinePicture($0, of: new.quad) }
        guard votes else {
            restate(new, looks, time)
            wasCut = isCut
            return
        }
        if isEvidence { vote.add(new, sharpness: looks?.sharpness ?? 1) }
        let result = vote.result()
        // Places are best taken from a reading that agrees with the vote.
        let text = String(result.map(\.character))
        if new.text == text || reading.text != text || !isPlaced {
            look = looks
            motion = .none
            reading = new
            wasCut = isCut
        }
        line = reading.corrected(to: result, evidence: vote.evidence(for: result))
        read = time
    }

    /// Records that the line got longer or shorter, so that earlier readings no longer apply.
    mutating func grow(to new: TextLine, region: Quad, in picture: Picture?, at time: FrameTime) {
        arrive(at: region, time)
        growths += 1
        vote = CharacterVote()
        let looks = picture.flatMap { LinePicture($0, of: new.quad) }
        vote.add(new, sharpness: looks?.sharpness ?? 1)
        restate(new, looks, time)
        wasCut = Self.isCut(region, picture)
    }

    private mutating func restate(_ new: TextLine, _ looks: LinePicture?, _ time: FrameTime) {
        look = looks
        motion = .none
        reading = new
        line = new
        read = time
        isDisputed = false
    }

    private mutating func arrive(at region: Quad, _ time: FrameTime) {
        let offset = region.center - self.region.center
        if seen != time {
            let ends = [region.topLeft - self.region.topLeft, region.bottomRight - self.region.bottomRight]
            let passed = (time.start - seen.start).seconds
            move(by: offset, to: time)
            endSpeed = (ends.map(\.length).min() ?? 0) / max(Self.shortest, passed)
        }
        self.region = region
        lostSince = nil
    }
}

extension TextTrack {
    /// Returns whether the letters in which a reading differs from this one changed in the picture too while the others
    /// stayed: the line is not misread, its text changed.
    ///
    /// - Parameter offset: the movement from the known place to the place that the picture shows.
    func isReplaced(by line: TextLine, movedBy offset: Point, in picture: Picture?) -> Bool {
        guard let picture, let look, keepsShape else { return false }
        let place = moved + offset
        let origin = Point(Double(look.left) + place.x.rounded(), Double(look.top) + place.y.rounded())
        guard abs(origin.x) < 1e6, abs(origin.y) < 1e6 else { return false }
        let old = Picture(format: .luma, width: look.width, height: look.height, bytes: look.pixels)
        let new = Picture(
            format: .luma, width: look.width, height: look.height,
            bytes: picture.brightness(left: Int(origin.x), top: Int(origin.y), width: look.width, height: look.height))
        let back = Point(0, 0) - origin
        let before = reading.moved(by: offset + back)
        return TextChange(
            at: TextChange.Place(before: before.quad, now: before.quad),
            from: ReadPicture(time: read, lines: [before], picture: old),
            to: ReadPicture(time: read, lines: [line.moved(by: back)], picture: new), scale: 1) != nil
    }

    enum Meaning { case same, grown, other }

    /// Decides whether a reading found where the track is expected belongs to it.
    ///
    /// - Parameters:
    ///   - showsSame: whether the picture there seems to show the same letters; false if that is not known.
    ///   - isCertain: whether it clearly does.
    ///   - isOther: whether the letters in which the readings differ changed in the picture too.
    mutating func meaning(of new: TextLine, showsSame: Bool, isCertain: Bool, isOther: Bool) -> Meaning {
        // If a value changed and is read as before, one of the two readings is wrong and must not support the other.
        if new.text == line.text, !(isOther && turns > 0) {
            isDisputed = false
            return .same
        }
        let tall = max(new.quad.height, reading.quad.height)
        let longer = (new.quad.width - reading.quad.width) / max(1, tall)
        // A number that the picture shows to have changed is another number, not one that is being typed.
        let isNumber = !(new.text + line.text).contains(where: \.isLetter)
        if longer > 0.5, showsSame, !(isOther && isNumber) { return .grown }
        if isOther, !Self.isGrowth(new, line) { return .other }
        let contradicts = Self.contradicts(CharacterVote.tokens(of: new), vote.result())
        if isCertain {
            // One confident reading against the others may still be wrong; two in a row are not.
            defer { isDisputed = contradicts }
            return contradicts && isDisputed ? .other : .same
        }
        if showsSame { return contradicts ? .other : .same }
        if abs(longer) > 0.3, Self.contains(new.text, line.text) || Self.contains(line.text, new.text) {
            return Self.isOtherNumber(new, line) ? .other : .grown
        }
        return contradicts || Self.contradicts(CharacterVote.tokens(of: new), vote.result(), inMarks: true)
            ? .other : .same
    }

    /// Returns whether one text is the other with more at an end, as when it is typed, and no other number.
    private static func isGrowth(_ a: TextLine, _ b: TextLine) -> Bool {
        !isOtherNumber(a, b) && (contains(a.text, b.text) || contains(b.text, a.text))
    }

    /// Returns whether one text is the other with a sign, a point or digits more that make another number: in a text
    /// without letters at either end, in any other in front, where nothing is typed. A number that the left edge of the
    /// picture cuts is the same one.
    private static func isOtherNumber(_ a: TextLine, _ b: TextLine) -> Bool {
        guard (a.text + b.text).contains(where: \.isLetter) else { return true }
        let (short, long) = a.text.count < b.text.count ? (a.text, b.text) : (b.text, a.text)
        guard min(a.quad.bounds.minX, b.quad.bounds.minX) >= max(edge, edgeHeights * b.quad.height),
            short.count < long.count, short.first?.isNumber == true, long.hasSuffix(short)
        else { return false }
        return long.dropLast(short.count).allSatisfy { $0.isNumber || NumberMark.mayBe($0) }
    }

    private static func contains(_ whole: String, _ part: String) -> Bool {
        part.count >= 1 && (whole.hasPrefix(part) || whole.hasSuffix(part) || (part.count >= 3 && whole.contains(part)))
    }

    /// Returns whether both are sure of a letter or digit but disagree about it.
    ///
    /// - Parameter inMarks: whether marks that make another number count too. Where the picture shows the same, readers
    ///   see such a mark or miss it.
    private static func contradicts(
        _ new: [CharacterVote.Token], _ voted: [CharacterVote.Token], inMarks: Bool = false
    ) -> Bool {
        CharacterVote.differences(new, voted).contains { x, y in
            [x, y].compactMap { $0 }.allSatisfy {
                $0.confidence >= sure * $0.share
                    && ($0.character.isLetter || $0.character.isNumber || inMarks && NumberMark.mayBe($0.character))
            }
        }
    }

    /// The confidence from which a character is not taken for another.
    private static let sure = 0.9
}
