/// One line of text over successive readings: its place, its readings, and the result of their vote.
///
/// Its identity lasts while the line moves, grows as it is typed, is covered for a moment, or is misread; a text that
/// takes the place of another is another track. A value; fed by ``TextTracker``.
public struct TextTrack: Sendable, Identifiable {
    /// Counts the tracks of one tracker from 1; never used again.
    public let id: Int
    /// The result of the vote of all readings, where the line is in the frame in which it was last seen, in pixels of the picture.
    public private(set) var line: TextLine
    /// The latest reading alone, at the same place.
    public private(set) var reading: TextLine
    /// The frame in which it was first read.
    public let first: FrameTime
    /// The last frame that is known to show it.
    public private(set) var seen: FrameTime
    /// The last frame in which it was read.
    public private(set) var read: FrameTime
    /// How often it got longer or shorter by letters; the readings before count no more after that.
    public private(set) var growths = 0
    /// How many other texts stood in its place before, each instead of the one before it: it is a value that goes on changing.
    public let turns: Int
    /// Since when it has not been found where a reading looked for it; nil while it is in view.
    public private(set) var lostSince: StreamTime?

    /// Where a detector, or a reader of whole pages, says that the line is.
    private(set) var region: Quad
    /// How it looked when it was last read.
    private(set) var look: LinePicture?
    /// How it moved since, in pixels.
    private(set) var motion = PlanarMotion.none
    /// It touched the edge of the picture then, so that some of it may have been missing.
    private(set) var wasCut = false
    /// Pixels a second.
    private(set) var velocity = Point(0, 0)
    private(set) var vote = CharacterVote()
    /// The last reading surely contradicted the others.
    var isDisputed = false

    init(id: Int, line: TextLine, region: Quad, turns: Int = 0, in picture: Picture?, at time: FrameTime) {
        self.id = id
        self.turns = turns
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

    /// Above and below detectors leave a margin at the edge of what they see of a line, and letters that are cut there are read as others: a J
    /// without its foot is an l.
    private static func isCut(_ region: Quad, _ picture: Picture?) -> Bool {
        guard let picture else { return false }
        let (box, direction) = (region.bounds, region.direction)
        let x = max(edge, edgeHeights * region.height * abs(direction.y))
        let y = max(edge, edgeHeights * region.height * abs(direction.x))
        return box.minX < x || box.minY < y || box.maxX > Double(picture.width) - x
            || box.maxY > Double(picture.height) - y
    }

    /// Nearer to the edge, in pixels, a line may be cut.
    private static let edge = 3.0
    /// The same above and below it, in its heights.
    private static let edgeHeights = 0.4

    /// By how much its middle moved since it was last read, in pixels.
    var moved: Point {
        guard !motion.isShift, let middle = look?.middle else { return motion.shift }
        return motion.apply(middle) - middle
    }

    /// All of it moved alike since it was last read, to a pixel: what turned or grew by less is what noise and encoders make of a line
    /// that stands still.
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

    /// It is in view and stands still, as far as detectors are exact: another text may take its place at any time.
    var stands: Bool { isInView && velocity.length < Self.standing * region.height }

    /// It took the place of another text that it resembles, or has a digit in it.
    var isValue: Bool {
        turns > 0 || line.words.contains { $0.characters.contains { $0.character.isNumber } }
    }

    /// Heights of the line a second.
    private static let standing = 2.0

    /// How many readings of different pictures speak for ``line``, those that say something else included.
    public var readings: Int { vote.count }

    /// A letter or digit less sure than this makes a line doubtful.
    static let doubt = 0.8

    /// A letter or digit of it is doubtful, and further readings may still tell.
    func isUnsettled(_ settings: TextTracker.Settings) -> Bool {
        guard vote.count < settings.maximumReadings, vote.agreeing(with: line.text) < settings.agreeingReadings else {
            return false
        }
        return line.words.contains { word in
            word.characters.contains { $0.confidence < Self.doubt && ($0.character.isLetter || $0.character.isNumber) }
        }
    }

    /// Where it is expected after it moved on at its speed.
    func expected(at time: FrameTime) -> Point {
        let passed = max(0, (time.start - seen.start).seconds)
        return passed < 2 ? velocity * passed : Point(0, 0)
    }

    // MARK: What a reading does to it

    /// A picture shows it moved by `offset` since it was last seen.
    mutating func move(by offset: Point, to time: FrameTime) { move(PlanarMotion(shift: offset), to: time) }

    /// Pictures show that it moved, turned or grew like this since it was last seen.
    mutating func move(_ step: PlanarMotion, to time: FrameTime) {
        let passed = (time.start - seen.start).seconds
        let center = region.center
        if passed > 0, isInView { velocity = (step.apply(center) - center) * (1 / passed) }
        region = region.mapped(step.apply)
        line = line.mapped(step.apply)
        reading = reading.mapped(step.apply)
        motion = step.after(motion)
        seen = time
        lostSince = nil
    }

    /// It begins to leave the picture: keeps the words that are still inside, and discards earlier readings.
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

    /// A reading looked where it should be, and it was not there.
    mutating func lose(at time: FrameTime) { lostSince = lostSince ?? time.start }

    /// Its place was looked at, and nothing could be read there although the picture shows it.
    mutating func readInVain(at time: FrameTime) { read = time }

    /// It was read again.
    ///
    /// - Parameters:
    ///   - isEvidence: the picture differs from the one read before; the same picture twice is read alike twice.
    ///   - isPlaced: it has been moved already to where the picture shows it.
    ///   - votes: the readings are put together; otherwise the newest counts.
    mutating func reread(
        _ new: TextLine, region: Quad, in picture: Picture?, at time: FrameTime, isEvidence: Bool, isPlaced: Bool,
        votes: Bool
    ) {
        let isCut = Self.isCut(region, picture)
        // The reading of a part says nothing about the whole.
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
        // Places are best taken from a reading that says what the vote says.
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

    /// It got longer or shorter: earlier readings no longer apply.
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
        if seen != time { move(by: offset, to: time) }
        self.region = region
        lostSince = nil
    }
}

extension TextTrack {
    enum Meaning { case same, grown, other }

    /// Whether a reading found where the track is expected is one more of it.
    ///
    /// - Parameters:
    ///   - showsSame: the picture there seems to show the same letters; false if that is not known.
    ///   - isCertain: it surely does.
    ///   - isOther: the letters in which the readings differ changed in the picture too.
    mutating func meaning(of new: TextLine, showsSame: Bool, isCertain: Bool, isOther: Bool) -> Meaning {
        // A value that changed and is read as the one before: one of the two readings is wrong, and must not speak for the other.
        if new.text == line.text, !(isOther && turns > 0) {
            isDisputed = false
            return .same
        }
        let tall = max(new.quad.height, reading.quad.height)
        let longer = (new.quad.width - reading.quad.width) / max(1, tall)
        // Nothing is typed into a number that the picture shows to be another one.
        let isNumber = !(new.text + line.text).contains(where: \.isLetter)
        if longer > 0.5, showsSame, !(isOther && isNumber) { return .grown }
        if isOther, !Self.isGrowth(new.text, line.text) { return .other }
        let contradicts = Self.contradicts(CharacterVote.tokens(of: new), vote.result())
        if isCertain {
            // One sure reading against the others may be wrong all the same; two in a row are not.
            defer { isDisputed = contradicts }
            return contradicts && isDisputed ? .other : .same
        }
        if showsSame { return contradicts ? .other : .same }
        if abs(longer) > 0.3, Self.contains(new.text, line.text) || Self.contains(line.text, new.text) { return .grown }
        return contradicts || Self.contradicts(CharacterVote.tokens(of: new), vote.result(), inMarks: true)
            ? .other : .same
    }

    /// One is the other with more at an end, as when it is typed; a number with a digit more is another number.
    private static func isGrowth(_ a: String, _ b: String) -> Bool {
        (a.contains(where: \.isLetter) || b.contains(where: \.isLetter)) && (contains(a, b) || contains(b, a))
    }

    private static func contains(_ whole: String, _ part: String) -> Bool {
        part.count >= 1 && (whole.hasPrefix(part) || whole.hasSuffix(part) || (part.count >= 3 && whole.contains(part)))
    }

    /// Both are sure of a letter or digit, and it is not the same one.
    ///
    /// - Parameter inMarks: or of what makes another number: where the picture shows the same, readers see such a mark or do not.
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

    /// From this confidence on a character is not taken for another.
    private static let sure = 0.9
}
