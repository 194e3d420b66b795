/// Determines from the pictures between two readings how one text follows another at one place.
///
/// Typed text stays one line: it grows by letters at its end, in place and in small steps, while the rest of its pixels
/// stay as they were. Any other change makes another text. This type reports another text only where pictures show one:
/// the letters that both share are gone from where they stood still, or the others came or went at once. A misreading
/// changes no picture.
struct TextSuccession {
    /// A line as it was read in one frame.
    struct Reading: Sendable {
        var time: FrameTime
        /// The line, in pixels of the frame.
        var line: TextLine
        /// The frame's thumbnail.
        var picture: Picture
    }

    /// The moment at which one text was over and the other one was there.
    struct Turn: Sendable, Hashable {
        /// The first frame that no longer shows the earlier text.
        var ends: FrameTime
        /// The first frame that shows the later one.
        var begins: FrameTime
    }

    enum Verdict: Hashable {
        /// Both may be readings of one text.
        case unclear
        /// Letters were typed or erased, the last of them in this frame.
        case typed(FrameTime)
        case other(Turn)
    }

    /// The least correlation of letters that are there, of a letter that is there in one frame, and of letters that are
    /// gone.
    private static let there = 0.55
    private static let seen = 0.5
    private static let gone = 0.35
    /// The difference between the correlations of a text that is there and of one that is not.
    private static let clearly = 0.15
    /// The least distance that the letters of a text must have moved to stand elsewhere, in heights of its line.
    private static let leastMove = 0.3
    /// The share of its correlation that a text which stood still loses in the moment in which it is gone.
    private static let mostOfFall = 0.75
    /// The number of frames around its reading in which a text must be seen before its absence means anything.
    private static let fewestFrames = 4
    /// Returns the number of frames that count as one moment: encoders update some blocks of a picture a frame later
    /// than others, and of several letters some after two frames.
    private static func sameMoment(_ letters: Int) -> Int { letters < 4 ? 1 : 2 }
    /// The share of the letters that must have come at once.
    private static let most = 0.8
    /// The time after which a text that a new word is added to counts as a text of its own; the first value is for the
    /// start, the second for after earlier words.
    private static let pause = StreamTime(seconds: 0.6)
    private static let longPause = StreamTime(seconds: 2)

    private let before: Reading
    private let now: Reading
    /// The frames before the earlier reading, nearest first, and those after it up to the later one.
    private let earlier: [FrameHistory.Frame]
    private let between: [FrameHistory.Frame]
    private let difference: LetterDifference
    private let scale: Double
    private let kept: LetterShapes
    private let removed: LetterShapes
    private let added: LetterShapes
    private let all: (before: LetterShapes, now: LetterShapes)

    /// - Parameters:
    ///   - frames: consecutive frames, oldest first, as far as they are kept.
    ///   - scale: the size of the thumbnails divided by that of the frames.
    /// - Returns: nil if the letters are the same or the later reading is older.
    init?(from before: Reading, to now: Reading, through frames: [FrameHistory.Frame], scale: Double) {
        guard before.time.index < now.time.index, let difference = LetterDifference(from: before.line, to: now.line)
        else { return nil }
        (self.before, self.now, self.difference, self.scale) = (before, now, difference, scale)
        earlier = frames.reversed().filter { $0.time.index < before.time.index }
        between = frames.filter { $0.time.index > before.time.index && $0.time.index <= now.time.index }
        guard between.last?.time.index == now.time.index else { return nil }
        kept = LetterShapes(difference.kept, in: before.picture, scale: scale)
        removed = LetterShapes(difference.removed, in: before.picture, scale: scale)
        added = LetterShapes(difference.added, in: now.picture, scale: scale)
        all = (
            LetterShapes(difference.kept + difference.removed, in: before.picture, scale: scale),
            LetterShapes(difference.stayed + difference.added, in: now.picture, scale: scale)
        )
    }

    /// - Parameters:
    ///   - steady: the time since which the earlier text had not changed.
    ///   - hasGrown: whether it was being typed until then.
    ///   - isStill: whether it did not move.
    func verdict(steadySince steady: StreamTime, hasGrown: Bool, isStill: Bool) -> Verdict {
        let isAtPlace = kept.presence(in: now.picture) ?? 0 >= Self.there
        if !isAtPlace || isReadElsewhere {
            let found = !difference.isOfMarks || isElsewhere ? replacement(isStill: isStill) : .unclear
            guard isAtPlace, found == .unclear else { return found }
        }
        // The reader missed a mark, or read one that is not there.
        guard !difference.isOfMarks else { return .unclear }
        let came = added.presence(in: before.picture).map { $0 < Self.gone } ?? false
        let went = removed.presence(in: now.picture).map { $0 < Self.gone } ?? false
        guard came != went, came ? removed.isEmpty : added.isEmpty else {
            return typedBefore(steadySince: steady, hasGrown: hasGrown)
        }
        // For each letter, the first of the frames between in which it is there, or gone.
        let changes = (came ? added : removed).changes(through: between, towards: came, bar: Self.seen)
        return verdict(changes, in: between, typed: came, since: steady, hasGrown: hasGrown)
    }

    /// Treats letters that the earlier reading missed although they were there: they are as new as the pictures show.
    private func typedBefore(steadySince steady: StreamTime, hasGrown: Bool) -> Verdict {
        guard removed.isEmpty, difference.isAtEnd, added.presence(in: before.picture) ?? 0 >= Self.there else {
            return .unclear
        }
        let known = Array(earlier.prefix { before.time.start - $0.time.start < Self.longPause }.reversed())
        let changes = added.changes(through: known, towards: true, bar: Self.seen)
        guard let last = changes.max(), last > 0, last < known.count else { return .unclear }
        let found = verdict(changes, in: known, typed: true, since: steady, hasGrown: hasGrown)
        guard case .typed = found else { return found }
        return kept.presence(in: known[last - 1].picture) ?? 0 >= Self.there ? found : .unclear
    }

    /// Returns the verdict for letters that came, or went, beside others that stay.
    ///
    /// - Parameter changes: for each of these letters, the frame in which it changed.
    private func verdict(
        _ changes: [Int], in frames: [FrameHistory.Frame], typed: Bool, since steady: StreamTime, hasGrown: Bool
    ) -> Verdict {
        guard let last = changes.max() else { return .unclear }
        let isTyped = Verdict.typed(frames[min(last, frames.count - 1)].time)
        guard let moment = Self.moment(of: changes) else { return isTyped }
        if let turn = blank(at: moment, in: frames) { return .other(turn) }
        let time = frames[min(moment, frames.count - 1)].time
        let isAtOnce = changes.allSatisfy { $0 == last }
        return isStep(typed: typed, atOnce: isAtOnce, after: time.start - steady, hasGrown: hasGrown)
            ? isTyped : .other(Turn(ends: time, begins: time))
    }

    /// Returns the frames without the letters that both texts share, if these were gone for a while and the others
    /// changed then: what is typed does not disappear meanwhile.
    private func blank(at moment: Int, in frames: [FrameHistory.Frame]) -> Turn? {
        let shown = frames.map { kept.presence(in: $0.picture) ?? 0 }
        guard let last = shown.lastIndex(where: { $0 < Self.gone }), last + 1 < frames.count else { return nil }
        let first = (shown[...last].lastIndex { $0 >= Self.gone } ?? -1) + 1
        // The earlier reading saw them just before the frames that follow it.
        let wasThere = first > 0 ? shown[first - 1] >= Self.there : frames[0].time.index > before.time.index
        guard wasThere, (first - 1...last + Self.sameMoment(difference.count)).contains(moment) else { return nil }
        return Turn(ends: frames[first].time, begins: frames[last + 1].time)
    }

    /// Returns whether letters that came or went at once are a step of typing: a letter, or a word while words keep
    /// coming. One more digit makes another number.
    ///
    /// - Parameter atOnce: whether they changed in one frame.
    private func isStep(typed: Bool, atOnce: Bool, after wait: StreamTime, hasGrown: Bool) -> Bool {
        guard difference.isAtEnd else { return false }
        let isOneLetter = difference.count == 1
        if difference.isOfNumber { return wait < Self.pause && (isOneLetter || !atOnce) }
        if isOneLetter { return true }
        return typed && difference.words <= 1 && wait < (hasGrown ? Self.longPause : Self.pause)
    }

    /// Returns the frame in which most of the letters changed; nil if they changed one after the other.
    private static func moment(of changes: [Int]) -> Int? {
        let sorted = changes.sorted()
        for (number, first) in sorted.enumerated() {
            let together = sorted[number...].prefix { $0 - first <= sameMoment(sorted.count) }
            if Double(together.count) >= most * Double(sorted.count) {
                return together[together.startIndex + together.count / 2]
            }
        }
        return nil
    }

    /// Returns the verdict for an earlier text none of which is left where it was seen to stand still.
    ///
    /// - Parameter isStill: whether its readings agree on its place. If they do not, it stood still if it was gone at
    ///   once.
    private func replacement(isStill: Bool) -> Verdict {
        guard let rest = all.before.presence(in: now.picture), isInRow else { return .unclear }
        let hasLeft = rest < Self.gone || hasMoved(leaving: rest)
        guard hasLeft || isReadElsewhere else { return .unclear }
        let bar = max(Self.seen, rest + Self.clearly)
        let lasted = all.before.run(through: between, bar: bar)
        guard lasted < between.count, max(lasted, all.before.run(through: earlier, bar: bar)) >= Self.fewestFrames,
            hasLeft && isStill || isGoneAtOnce(after: lasted, leaving: rest)
        else { return .unclear }
        let shown = all.now.run(through: between.reversed(), bar: bar)
        let begins = between.count - max(1, shown)
        let ends = min(lasted, begins)
        return .other(Turn(ends: between[ends].time, begins: between[begins].time))
    }

    /// Returns whether most of what is gone of the earlier text went in a moment. Text that scrolls or drifts leaves its
    /// place by and by.
    ///
    /// - Parameters:
    ///   - lasted: the number of frames that show it.
    ///   - rest: the correlation of the earlier text with what is at its place now.
    private func isGoneAtOnce(after lasted: Int, leaving rest: Double) -> Bool {
        func presence(_ frame: FrameHistory.Frame?) -> Double {
            frame.map { all.before.presence(in: $0.picture) ?? 0 } ?? 1
        }
        let long = presence(lasted > Self.fewestFrames ? between[lasted - Self.fewestFrames - 1] : earlier.first)
        let shown = presence(lasted > 1 ? between[lasted - 2] : nil)
        let gone = presence(between[min(lasted + 1, between.count - 1)])
        return long - rest >= 2 * Self.clearly && shown - gone >= Self.mostOfFall * (long - rest)
    }

    /// Whether all letters that both texts share were read at other places, so that what is at their old places only
    /// resembles them.
    private var isReadElsewhere: Bool {
        let least = Self.leastMove * before.line.quad.height
        return !difference.kept.isEmpty
            && zip(difference.kept, difference.stayed).allSatisfy { ($1.center - $0.center).length > least }
    }

    /// Returns whether the letters that both texts share stand elsewhere now, all of them moved alike, as in a centered
    /// line that became longer. The few letters of a short text resemble by chance what is at their old places.
    ///
    /// - Parameter rest: the correlation of the earlier text with what is at its place now.
    private func hasMoved(leaving rest: Double) -> Bool {
        guard rest < Self.there, let step, step.length > Self.leastMove * before.line.quad.height else { return false }
        return kept.presence(in: now.picture, movedBy: step * scale) ?? 0 >= max(Self.there, rest + Self.clearly)
    }

    /// Whether pictures show the letters that both texts share at other places, and not only their ground changed.
    private var isElsewhere: Bool {
        guard let step, (step * scale).length >= 1 else { return false }
        return kept.presence(in: now.picture, movedBy: step * scale) ?? 0 >= Self.there
    }

    /// How far the letters that both texts share are from where they were, all of them alike; nil if they are not.
    private var step: Point? {
        guard difference.kept.count > 1 else { return nil }
        let steps = zip(difference.kept, difference.stayed).map { $1.center - $0.center }
        let middle = Point(steps.map(\.x).sorted()[steps.count / 2], steps.map(\.y).sorted()[steps.count / 2])
        return steps.allSatisfy { ($0 - middle).length < 0.25 * before.line.quad.height } ? middle : nil
    }

    /// Whether the lines scroll, so that one moves to the place of another.
    private var isInRow: Bool {
        let (a, b) = (before.line.quad, now.line.quad)
        let (offset, direction) = (b.center - a.center, a.direction)
        return abs(offset.y * direction.x - offset.x * direction.y) < 0.5 * max(a.height, b.height)
    }
}

/// Determines which lines of a reading are other texts than the ones that were at their places before. Takes each
/// reading, in order.
struct TextSuccessions: Sendable {
    /// The first frame that no longer shows a sighting that is over, keyed by the identifier of the sighting.
    private(set) var ends: [Int: FrameTime] = [:]
    /// The sightings that a line replaced, the first frame without any of them, and the first frame that shows it, keyed
    /// by the identifier of the line's track.
    private(set) var beginnings: [Int: (replaced: Set<Int>, free: FrameTime, frame: FrameTime)] = [:]
    /// The number of other texts that each track has been found to show, keyed by its identifier.
    private var counts: [Int: Int] = [:]
    /// The sightings that ended a moment ago.
    private var recent: [SightingTrack] = []

    /// The time that a place remembers its text, because new text is read some time after it appears.
    private static let memory = SightingTimeline.Settings().hold + StreamTime(seconds: 0.7)
    /// The distance from the edge of the picture, in pixels, within which a line may have been seen only in part.
    private static let edge = 3.0

    /// Judges whole lines; the match of a pattern is the same wherever it is.
    mutating func judge(
        _ reading: inout FrameReading, _ tracks: inout [SightingTrack], through frames: [FrameHistory.Frame],
        scale: Double
    ) {
        (ends, beginnings) = ([:], [:])
        guard let picture = reading.frames.last?.picture, reading.frames.last?.time.index == reading.time.index else {
            return
        }
        recent.removeAll { $0.last.time.end < reading.time.start - Self.memory }
        let inView = Set(reading.matches.compactMap { $0.track?.id })
        for index in reading.matches.indices {
            guard let evidence = reading.matches[index].track, evidence.state == 0 else { continue }
            reading.matches[index].track?.succession = counts[evidence.id] ?? 0
            let now = TextSuccession.Reading(time: reading.time, line: evidence.line, picture: picture)
            let own = tracks.firstIndex { !$0.isReplaced && $0.match.isSameFinding(as: reading.matches[index]) }
            guard let own else {
                let others = (tracks + recent).filter { $0.match.track.map { !inView.contains($0.id) } ?? false }
                for other in others { succeed(other, now, evidence.id, &tracks, frames, scale) }
                continue
            }
            switch verdict(tracks[own], now, frames, scale) {
            case .other:
                succeed(tracks[own], now, evidence.id, &tracks, frames, scale)
                counts[evidence.id, default: 0] += 1
                reading.matches[index].track?.succession += 1
            case .typed(let frame): tracks[own].note(now, typed: frame)
            case .unclear: tracks[own].note(now)
            }
        }
    }

    /// Keeps sightings that are over, for the judgment of texts that appear in their places.
    mutating func keep(_ over: [SightingTrack]) { recent += over.filter { $0.lastRead != nil } }

    private mutating func succeed(
        _ other: SightingTrack, _ now: TextSuccession.Reading, _ track: Int, _ tracks: inout [SightingTrack],
        _ frames: [FrameHistory.Frame], _ scale: Double
    ) {
        guard case .other(let turn) = verdict(other, now, frames, scale) else { return }
        let known = beginnings[track]
        let begins = known.map { $0.frame.index > turn.begins.index ? $0.frame : turn.begins } ?? turn.begins
        let free = known.map { $0.free.index > turn.ends.index ? $0.free : turn.ends } ?? turn.ends
        beginnings[track] = ((known?.replaced ?? []).union([other.id]), free, begins)
        guard let open = tracks.firstIndex(where: { $0.id == other.id }) else { return }
        tracks[open].succeededAt = turn.ends.start
        ends[other.id] = turn.ends
    }

    private func verdict(
        _ track: SightingTrack, _ now: TextSuccession.Reading, _ frames: [FrameHistory.Frame], _ scale: Double
    ) -> TextSuccession.Verdict {
        guard let before = track.lastRead, before.line.text != now.line.text else { return .unclear }
        let (a, b) = (before.line.quad.bounds, now.line.quad.bounds)
        let right = Double(now.picture.width) / scale - Self.edge
        guard min(a.minX, b.minX) > Self.edge, max(a.maxX, b.maxX) < right,
            a.intersection(b).area > 0.2 * min(a.area, b.area),
            let succession = TextSuccession(from: before, to: now, through: frames, scale: scale)
        else { return .unclear }
        return succession.verdict(
            steadySince: (track.steadySince ?? track.first).start, hasGrown: track.isTyped, isStill: track.isStill)
    }
}

/// The look of some letters of a line in one picture, for finding them again at their places.
private struct LetterShapes {
    private let patches: [TextPatch]

    init(_ places: [Quad], in picture: Picture, scale: Double) {
        patches = places.compactMap { TextPatch(picture, quad: $0.scaled(x: scale, y: scale), characters: 1) }
    }

    var isEmpty: Bool { patches.isEmpty }

    /// The offsets that are tried: places are exact to a pixel.
    private static let steps = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)]
    /// The correlation from which letters are certainly at their place, so that no other is tried.
    private static let sure = 0.85

    /// Returns the mean correlation of the letters with another picture, at their places or moved from there by whole
    /// pixels; nil if there are no letters.
    func presence(in picture: Picture, movedBy offset: Point = Point(0, 0)) -> Double? {
        guard !patches.isEmpty else { return nil }
        let (x, y) = (Int(offset.x.rounded()), Int(offset.y.rounded()))
        return Self.best { dx, dy in
            patches.reduce(0) { $0 + ($1.similarity(in: picture, movedBy: x + dx, y + dy)?.mean ?? 0) }
                / Double(patches.count)
        }
    }

    /// Returns in how many consecutive frames the letters are there; up to two frames that do not show them are
    /// skipped.
    func run(through frames: some Collection<FrameHistory.Frame>, bar: Double) -> Int {
        var (run, missed) = (0, 0)
        var last: (picture: Picture, isThere: Bool)?
        for (number, frame) in frames.enumerated() {
            let isSame = last?.picture.sharesBytes(with: frame.picture) ?? false
            let isThere = isSame ? last?.isThere ?? false : presence(in: frame.picture) ?? 0 >= bar
            last = (frame.picture, isThere)
            missed = isThere ? 0 : missed + 1
            if missed > 2 { break }
            if isThere { run = number + 1 }
        }
        return run
    }

    /// Returns for each letter the first of the frames from which on it is there, or gone.
    func changes(through frames: [FrameHistory.Frame], towards isThere: Bool, bar: Double) -> [Int] {
        patches.map { patch in
            let last = frames.lastIndex { frame in
                let correlation = Self.best { patch.similarity(in: frame.picture, movedBy: $0, $1)?.mean ?? 0 }
                return (correlation >= bar) != isThere
            }
            return last.map { $0 + 1 } ?? 0
        }
    }

    private static func best(_ correlation: (Int, Int) -> Double) -> Double {
        var best = -1.0
        for (dx, dy) in steps {
            best = max(best, correlation(dx, dy))
            if best >= sure { break }
        }
        return best
    }
}
