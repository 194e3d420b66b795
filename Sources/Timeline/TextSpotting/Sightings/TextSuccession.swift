/// How one text follows another at one place, as the pictures between two readings tell.
///
/// Typed text stays one line: it grows by letters at its end, in place, in small steps, while the rest of its pixels stay as they were.
/// Everything else that says something else is another text. This type says so only where pictures show it: the letters that both share are
/// gone from where they stood still, or the others came or went at once. A misreading changes no picture.
struct TextSuccession {
    /// A line as it was read in one frame.
    struct Reading: Sendable {
        var time: FrameTime
        /// In pixels of the frame.
        var line: TextLine
        /// The frame's thumbnail.
        var picture: Picture
    }

    /// When one text was over and the other one was there.
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

    /// The correlation of letters that are there, of a letter that is there in one frame, and of letters that are gone.
    private static let there = 0.55
    private static let seen = 0.5
    private static let gone = 0.35
    /// In so many frames around its reading a text must be seen before anything follows from its absence.
    private static let fewestFrames = 4
    /// Encoders bring some blocks of a picture a frame later than others, and of several letters some after two frames.
    private static func sameMoment(_ letters: Int) -> Int { letters < 4 ? 1 : 2 }
    /// This share of the letters came at once.
    private static let most = 0.8
    /// A text that stood longer than this before another word came was one of its own: at first, and after earlier words.
    private static let pause = StreamTime(seconds: 0.6)
    private static let longPause = StreamTime(seconds: 2)

    private let before: Reading
    private let now: Reading
    /// Those before the earlier reading, nearest first, and those after it up to the later one.
    private let earlier: [FrameHistory.Frame]
    private let between: [FrameHistory.Frame]
    private let difference: LetterDifference
    private let kept: LetterShapes
    private let removed: LetterShapes
    private let added: LetterShapes
    private let all: (before: LetterShapes, now: LetterShapes)

    /// - Parameters:
    ///   - frames: consecutive ones, oldest first, as far as they are kept.
    ///   - scale: the thumbnails' size divided by that of the frames.
    /// - Returns: nil where the letters are the same, or the later reading is older.
    init?(from before: Reading, to now: Reading, through frames: [FrameHistory.Frame], scale: Double) {
        guard before.time.index < now.time.index, let difference = LetterDifference(from: before.line, to: now.line)
        else { return nil }
        (self.before, self.now, self.difference) = (before, now, difference)
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
    ///   - steady: since when the earlier text had stood as it was read.
    ///   - hasGrown: it was typed until then.
    ///   - isStill: it did not move.
    func verdict(steadySince steady: StreamTime, hasGrown: Bool, isStill: Bool) -> Verdict {
        guard let stays = kept.presence(in: now.picture), stays >= Self.there else {
            return isStill ? replacement() : .unclear
        }
        let came = added.presence(in: before.picture).map { $0 < Self.gone } ?? false
        let went = removed.presence(in: now.picture).map { $0 < Self.gone } ?? false
        guard came != went, came ? removed.isEmpty : added.isEmpty else { return typedBefore() }
        // From which of the frames between on each letter is there, or gone.
        let changes = (came ? added : removed).changes(through: between, towards: came, bar: Self.seen)
        guard let last = changes.max() else { return .unclear }
        let typed = Verdict.typed(between[min(last, between.count - 1)].time)
        guard let moment = Self.moment(of: changes) else { return typed }
        let time = between[min(moment, between.count - 1)].time
        let wait = time.start - steady
        return isStep(typed: came, after: wait, hasGrown: hasGrown) ? typed : .other(Turn(ends: time, begins: time))
    }

    /// Letters that were there already when the earlier reading missed them are as new as the pictures say.
    private func typedBefore() -> Verdict {
        guard removed.isEmpty, difference.isAtEnd, added.presence(in: before.picture) ?? 0 >= Self.there else {
            return .unclear
        }
        let frames = earlier.prefix { before.time.start - $0.time.start < Self.longPause }.reversed()
        let known = Array(frames)
        guard let last = added.changes(through: known, towards: true, bar: Self.seen).max(), last > 0,
            last < known.count, kept.presence(in: known[last - 1].picture) ?? 0 >= Self.there
        else { return .unclear }
        return .typed(known[last].time)
    }

    /// Letters that came or went at once are a step of typing: a letter, or a word while words keep coming. A digit more makes another number.
    private func isStep(typed: Bool, after wait: StreamTime, hasGrown: Bool) -> Bool {
        guard difference.isAtEnd else { return false }
        if difference.isOfNumber { return wait < Self.pause }
        if difference.count == 1 { return true }
        return typed && difference.words <= 1 && wait < (hasGrown ? Self.longPause : Self.pause)
    }

    /// The frame in which most of the letters changed; nil where they did so one after the other.
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

    /// Nothing of the earlier text is where it was seen to stand still.
    private func replacement() -> Verdict {
        guard let rest = all.before.presence(in: now.picture), rest < Self.gone, isInRow else { return .unclear }
        let lasted = all.before.run(through: between, bar: Self.seen)
        guard lasted < between.count,
            max(lasted, all.before.run(through: earlier, bar: Self.seen)) >= Self.fewestFrames
        else { return .unclear }
        let shown = all.now.run(through: between.reversed(), bar: Self.seen)
        let begins = between.count - max(1, shown)
        let ends = min(lasted, begins)
        return .other(Turn(ends: between[ends].time, begins: between[begins].time))
    }

    /// Of lines that scroll, one comes to the place of another.
    private var isInRow: Bool {
        let (a, b) = (before.line.quad, now.line.quad)
        let (offset, direction) = (b.center - a.center, a.direction)
        return abs(offset.y * direction.x - offset.x * direction.y) < 0.5 * max(a.height, b.height)
    }
}

/// Which lines of a reading are other texts than those that stood in their places before. Fed with each reading, in order.
struct TextSuccessions: Sendable {
    /// By the numbers of sightings: the first frame that no longer shows each that is over.
    private(set) var ends: [Int: FrameTime] = [:]
    /// By the numbers of lines' tracks: the sightings in whose place each came, and the first frame that shows it.
    private(set) var beginnings: [Int: (replaced: Set<Int>, frame: FrameTime)] = [:]
    /// By the numbers of tracks: how many other texts each has been taken for.
    private var counts: [Int: Int] = [:]
    /// Sightings that were over a moment ago.
    private var recent: [SightingTrack] = []

    /// A place remembers its text for this long, because new text is read some time after it appears.
    private static let memory = SightingTimeline.Settings().hold + StreamTime(seconds: 0.7)
    /// Nearer to the picture's edge, in pixels, a line may have been seen in part.
    private static let edge = 3.0

    /// Judges whole lines; what a pattern matches is the same wherever it stands.
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

    /// These are over; what comes in their place may yet be told from them.
    mutating func keep(_ over: [SightingTrack]) { recent += over.filter { $0.lastRead != nil } }

    private mutating func succeed(
        _ other: SightingTrack, _ now: TextSuccession.Reading, _ track: Int, _ tracks: inout [SightingTrack],
        _ frames: [FrameHistory.Frame], _ scale: Double
    ) {
        guard case .other(let turn) = verdict(other, now, frames, scale) else { return }
        let known = beginnings[track]
        let begins = known.map { $0.frame.index > turn.begins.index ? $0.frame : turn.begins } ?? turn.begins
        beginnings[track] = ((known?.replaced ?? []).union([other.id]), begins)
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

/// Which letters two readings of a place have in common. Marks count for nothing: readers see them or do not.
private struct LetterDifference {
    /// Places of letters in the earlier line, in pixels of the frame.
    private(set) var kept: [Quad] = []
    private(set) var removed: [Quad] = []
    /// The same in the later line.
    private(set) var stayed: [Quad] = []
    private(set) var added: [Quad] = []
    /// Nothing that both have comes behind what differs.
    private(set) var isAtEnd = true
    /// The difference continues a number, or shortens it.
    private(set) var isOfNumber = false
    /// How many words begin in what differs.
    private(set) var words = 0
    var count: Int { removed.count + added.count }

    private struct Letter {
        /// In one case.
        var character: Character
        var quad: Quad
        /// The character before it in its word; nil if it is the first.
        var before: Character?
    }

    /// Longer lines are left alone.
    private static let limit = 300

    /// - Returns: nil where all letters are the same.
    init?(from before: TextLine, to now: TextLine) {
        let (old, new) = (Self.letters(of: before), Self.letters(of: now))
        guard !old.isEmpty, !new.isEmpty, old.count <= Self.limit, new.count <= Self.limit else { return nil }
        let (a, b) = (old.map(\.character), new.map(\.character))
        guard a != b else { return nil }
        let sources = Self.sources(of: b, in: a)
        let left = Set(sources.compactMap { $0 })
        kept = left.sorted().map { old[$0].quad }
        for (letter, source) in zip(new, sources) where source != nil { stayed.append(letter.quad) }
        let (more, less) = (
            zip(new, sources).filter { $1 == nil }.map(\.0), old.indices.filter { !left.contains($0) }.map { old[$0] }
        )
        (added, removed) = (more.map(\.quad), less.map(\.quad))
        words = (more + less).count { $0.before == nil }
        isOfNumber = (more + less).contains { $0.character.isNumber && $0.before?.isNumber == true }
        let lastNew = sources.lastIndex { $0 != nil } ?? -1
        isAtEnd = !sources.prefix(lastNew + 1).contains(nil) && left.count == (left.max() ?? -1) + 1
    }

    /// For each of the letters which of the others it is; what both begin or end with first.
    private static func sources(of new: [Character], in old: [Character]) -> [Int?] {
        let prefix = zip(new, old).prefix { $0 == $1 }.count
        let rest = min(new.count, old.count) - prefix
        let suffix = zip(new.reversed(), old.reversed()).prefix(rest).prefix { $0 == $1 }.count
        let (newMiddle, oldMiddle) = (
            Array(new[prefix..<new.count - suffix]), Array(old[prefix..<old.count - suffix])
        )
        let middle = CharacterAlignment.sources(of: newMiddle, in: oldMiddle).enumerated().map { index, source in
            source.flatMap { oldMiddle[$0] == newMiddle[index] ? $0 + prefix : nil }
        }
        return (0..<prefix).map { $0 } + middle + (0..<suffix).map { old.count - suffix + $0 }
    }

    private static func letters(of line: TextLine) -> [Letter] {
        line.words.flatMap { word in
            word.characters.enumerated().compactMap { index, span -> Letter? in
                guard span.character.isLetter || span.character.isNumber else { return nil }
                return Letter(
                    character: Character(span.character.lowercased()),
                    quad: word.quad.slice(
                        from: min(span.start, span.end), to: max(span.start, span.end, span.start + 0.01)),
                    before: index > 0 ? word.characters[index - 1].character : nil)
            }
        }
    }
}

/// How some letters of a line looked in one picture, to be looked for where they stood.
private struct LetterShapes {
    private let patches: [TextPatch]

    init(_ places: [Quad], in picture: Picture, scale: Double) {
        patches = places.compactMap { TextPatch(picture, quad: $0.scaled(x: scale, y: scale), characters: 1) }
    }

    var isEmpty: Bool { patches.isEmpty }

    /// Places are exact to a pixel.
    private static let steps = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)]
    /// Of letters that are surely where they were, no other place is tried.
    private static let sure = 0.85

    /// The mean correlation of the letters with what is there in another picture; nil for none.
    func presence(in picture: Picture) -> Double? {
        guard !patches.isEmpty else { return nil }
        return Self.best { dx, dy in
            patches.reduce(0) { $0 + ($1.similarity(in: picture, movedBy: dx, dy)?.mean ?? 0) } / Double(patches.count)
        }
    }

    /// In how many frames in a row they are there; two that do not show them are passed over.
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

    /// For each letter the first of the frames from which on it is there, or gone.
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
