/// A pattern seen over time: from when to when, where, and how sure.
public struct Sighting: Sendable, Hashable {
    /// Where the matched words are in one frame.
    public struct Box: Sendable, Hashable {
        public var time: FrameTime
        /// The matched words only, in pixels of the frame as stored.
        public var quad: Quad

        public init(time: FrameTime, quad: Quad) {
            self.time = time
            self.quad = quad
        }
    }

    /// Details besides its best frame.
    public struct Course: Sendable, Hashable {
        /// The frames of the first and the last reading that found it.
        public var readTimes: ClosedRange<StreamTime>
        /// Where it was in the first and in the last frame that showed it, in pixels of the frame.
        public var first: Quad
        public var last: Quad
        /// The sightings that pictures show to be other texts, in whose place this one came.
        public var replaced: Set<Int> = []
        /// When another text came in its place, which may be after it was lost from sight; nil if none did.
        public var replacedAt: StreamTime?

        public init(readTimes: ClosedRange<StreamTime>, first: Quad, last: Quad) {
            self.readTimes = readTimes
            self.first = first
            self.last = last
        }
    }

    /// Counts the sightings of one search from 1, in the order in which they appeared.
    public var id: Int
    /// Place of the pattern in the search's list of patterns.
    public var patternIndex: Int
    /// The pattern as the user wrote it.
    public var pattern: String
    /// The matched words as they were read in the best reading.
    public var text: String
    /// The whole line as it was read in the best reading.
    public var line: String
    /// The place of ``text`` in ``line``, in characters: the same words may stand there several times. Nil where that is not known.
    public var place: Range<Int>? = nil
    /// The first moment at which the words are visible.
    public var start: StreamTime
    /// The first moment at which they no longer are.
    public var end: StreamTime
    /// How sure the best reading is, 0 to 1.
    public var score: Double
    /// The best reading's frame, and where the words were in it.
    public var peak: Box
    /// Every frame in which the words are visible, in order; empty unless the timeline was asked to keep them.
    public var boxes: [Box]
    /// How much earlier than said the words may have come and gone, because only some pictures were looked at. Nil if all were.
    public var slack: StreamTime? = nil
    /// Where it came from and went to; nil where that is not known.
    public var course: Course? = nil
    /// The size of the picture in whose pixels its places are; nil where that is not known.
    public var picture: Point? = nil
    /// The lines mean what was asked for, whatever their words are.
    public var isByMeaning = false
    /// Of a whole line: what its reader says of scripts that it does not know (``ReadingEvidence/otherScripts``).
    public var otherScripts: [Float] = []

    public init(
        id: Int, patternIndex: Int, pattern: String, text: String, line: String, start: StreamTime, end: StreamTime,
        score: Double, peak: Box, boxes: [Box] = []
    ) {
        self.id = id
        self.patternIndex = patternIndex
        self.pattern = pattern
        self.text = text
        self.line = line
        self.start = start
        self.end = end
        self.score = score
        self.peak = peak
        self.boxes = boxes
    }
}

/// The words in one frame as a picture shows them: where, and with how much contrast.
typealias Appearance = (box: Sighting.Box, contrast: Double)

/// A match being followed: one pattern at one place, from the frame where it appeared to the last that showed it.
struct SightingTrack: Sendable {
    let id: Int
    private(set) var best: Match
    private(set) var peak: Sighting.Box
    /// The latest reading that found the words, and its frame.
    private(set) var match: Match
    private(set) var readAt: FrameTime
    private let firstRead: FrameTime
    private(set) var patch: TextPatch?
    private(set) var first: FrameTime
    private var firstQuad: Quad
    /// It began with the first letter of a line that was typed, which has no fade.
    private(set) var beganWithLetter = false
    private(set) var last: Sighting.Box
    /// The frame up to which the pictures were asked for it; later than ``last`` where they do not show it.
    var followed: FrameTime
    private(set) var boxes: [Sighting.Box]
    private var fades = FadeHistory()
    /// Another text took its place: it is over, and later readings there do not belong to it.
    private(set) var isReplaced = false
    /// The sightings in whose place it came, which pictures show to be other texts.
    var replaced: Set<Int> = []
    /// From when on pictures show another text in its place.
    var succeededAt: StreamTime?
    /// A whole line as it was read last, with the picture; nil for matches of patterns.
    private(set) var lastRead: TextSuccession.Reading?
    /// Since when it says what it says.
    private(set) var steadySince: FrameTime?
    /// It was typed until then.
    private(set) var isTyped = false
    /// Each text that a line was read as, at its best, and how long it said so.
    private var states: [String: (match: Match, peak: Sighting.Box, stood: StreamTime)] = [:]
    private let keptBoxes: KeptBoxes
    /// It lasts from the first trace of a fade to the last.
    var keepsFades = false
    private var keepsBoxes: Bool { keptBoxes != .none }

    /// Which boxes are kept.
    enum KeptBoxes {
        case none, all
        /// Those between which the words do not move evenly.
        case thinned
    }

    init(id: Int, match: Match, at time: FrameTime, patch: TextPatch?, boxes kept: KeptBoxes) {
        self.id = id
        self.match = match
        readAt = time
        firstRead = time
        best = match
        let box = Sighting.Box(time: time, quad: match.quad)
        peak = box
        first = time
        firstQuad = match.quad
        last = box
        followed = time
        self.patch = patch
        keptBoxes = kept
        if let patch { fades.append(box, contrast: patch.contrast) }
        boxes = kept == .none ? [] : [box]
    }

    /// The words were read again.
    mutating func confirm(_ match: Match, at time: FrameTime, patch: TextPatch?) {
        let box = Sighting.Box(time: time, quad: match.quad)
        add(box, contrast: patch?.contrast)
        if last.time == time {
            // The pictures had followed them here; where they were read is closer.
            last = box
            if keepsBoxes, boxes.last?.time == time { boxes[boxes.count - 1] = box }
        }
        note(self.match, until: time)
        self.match = match
        (readAt, followed) = (time, time)
        self.patch = patch ?? self.patch
        if match.isBetter(than: best) {
            best = match
            peak = box
        }
    }

    /// The last reading stayed true until now.
    private mutating func note(_ match: Match, until time: FrameTime) {
        guard match.track != nil else { return }
        let own = Sighting.Box(time: readAt, quad: match.quad)
        guard states[match.text] != nil || states.count < Self.mostStates else { return }
        states[match.text, default: (match, own, .zero)].stood =
            (states[match.text]?.stood ?? .zero) + (time.start - readAt.start)
    }

    private static let mostStates = 64

    /// The best reading, unless it has a cursor's bar for a last letter: the line without it stood longer.
    private var told: (match: Match, peak: Sighting.Box) {
        guard let with = best.text.withoutCursor, let clean = states[with],
            time(of: with) > time(of: best.text) + time(of: best.text)
        else { return (best, peak) }
        return (clean.match, clean.peak)
    }

    /// How long it was read as a text, the time since its last reading included.
    private func time(of text: String) -> StreamTime {
        let now = text == match.text ? last.time.end - readAt.start : .zero
        return (states[text]?.stood ?? .zero) + now
    }

    /// It was read as a whole line in this picture; `typed`: letters came or went meanwhile, the last in that frame.
    mutating func note(_ reading: TextSuccession.Reading, typed: FrameTime? = nil) {
        lastRead = reading
        guard let typed else { return }
        (steadySince, isTyped) = (typed, true)
    }

    /// It stood where it stands now from its first frame on.
    var isStill: Bool {
        (last.quad.topLeft - firstQuad.topLeft).length < max(2, 0.15 * last.quad.height)
            || (last.quad.topRight - firstQuad.topRight).length < max(2, 0.15 * last.quad.height)
    }

    /// Its pattern stands at another place in the list of patterns.
    mutating func becomePattern(_ index: Int) {
        match.patternIndex = index
        best.patternIndex = index
    }

    /// The pictures show the words in these later frames.
    mutating func extend(to later: [Appearance]) {
        for appearance in later { add(appearance.box, contrast: appearance.contrast) }
    }

    /// The pictures show the words in these earlier frames, nearest first.
    mutating func extend(backTo earlier: [Appearance]) {
        guard let oldest = earlier.last else { return }
        first = oldest.box.time
        firstQuad = oldest.box.quad
        fades.prepend(earlier)
        if keepsBoxes { boxes.insert(contentsOf: earlier.map(\.box).reversed(), at: 0) }
        if keptBoxes == .thinned { boxes = Sighting.Box.thinned(boxes) }
    }

    /// Its first letter was there already in this frame.
    mutating func begin(withLetterIn frame: FrameTime) {
        beganWithLetter = true
        if frame.index < first.index { first = frame }
    }

    /// Another text took its place in the frame `turn`: boxes from there on belonged to that text.
    mutating func replace(before turn: FrameTime) {
        isReplaced = true
        guard last.time.index >= turn.index, let seen = fades.cut(before: turn), seen.time.index >= first.index else {
            return
        }
        last = seen
        boxes.removeAll { $0.time.index >= turn.index }
        if keepsBoxes, boxes.last?.time != seen.time { boxes.append(seen) }
        if peak.time.index >= turn.index { peak = seen }
    }

    /// Adds a box if it is later than the last one.
    private mutating func add(_ box: Sighting.Box, contrast: Double?) {
        guard box.time.start > last.time.start else { return }
        last = box
        if let contrast { fades.append(box, contrast: contrast) }
        if keepsBoxes { boxes.append(box) }
        if keptBoxes == .thinned { Sighting.Box.thin(endOf: &boxes) }
    }

    /// The sighting from the first to the last frame that showed it, with the boxes since this was last asked.
    mutating func takeStanding(keepingBoxes: Bool) -> Sighting {
        defer { if !keepingBoxes { boxes = [] } }
        var sighting = Sighting(
            id: id, patternIndex: best.patternIndex, pattern: best.pattern, text: best.text, line: best.line,
            start: first.start, end: last.time.end, score: best.score, peak: peak, boxes: boxes)
        sighting.isByMeaning = best.isByMeaning
        sighting.place = best.characterRange
        sighting.otherScripts = best.track?.otherScripts ?? []
        return sighting
    }

    /// The sighting as it stands, from where a fade has half come to where it has half gone.
    func finished() -> Sighting {
        let reach = 0.25 * match.quad.height
        let begin = keepsFades || beganWithLetter ? first : fades.fadedIn(reach: reach) ?? first
        let end = keepsFades ? last.time : fades.fadedOut(reach: reach) ?? last.time
        // A fade that was cut off, or that nothing but its middle is known of, keeps what it has.
        let (from, to) = begin.start < end.end ? (begin, end) : (first, last.time)
        let told = self.told
        var peak = told.peak
        if peak.time.start < from.start || peak.time.start >= to.end {
            peak = Sighting.Box(time: from, quad: peak.quad)
        }
        var sighting = Sighting(
            id: id, patternIndex: told.match.patternIndex, pattern: told.match.pattern, text: told.match.text,
            line: told.match.line, start: from.start, end: max(to.end, peak.time.end), score: told.match.score,
            peak: peak, boxes: boxes.filter { $0.time.start >= from.start && $0.time.start < to.end })
        sighting.isByMeaning = told.match.isByMeaning
        sighting.place = told.match.characterRange
        sighting.otherScripts = told.match.track?.otherScripts ?? []
        var course = Sighting.Course(
            readTimes: firstRead.start...max(firstRead.start, readAt.start), first: firstQuad, last: last.quad)
        (course.replaced, course.replacedAt) = (replaced, succeededAt)
        sighting.course = course
        return sighting
    }
}

/// How clearly a sighting's words were to be seen, so that a fade begins and ends where they are half there.
///
/// Readers and pictures find words of a tenth of their contrast, a third of a second before a user would say that they
/// are on screen; a cut has no such stretch and is left as it is. Words that move, come nearer or get smaller are left
/// alone too: their contrast changes for other reasons. Of long sightings only both ends are kept.
struct FadeHistory: Sendable {
    private struct Appearance: Sendable {
        var time: FrameTime
        var contrast: Float
        var quad: Quad
        var center: Point { quad.center }
    }

    /// Some ten seconds at each end: no fade is longer.
    private static let limit = 300
    /// Words below this share of their greatest contrast count as not there.
    private static let visibleShare: Float = 0.5

    private var beginning: [Appearance] = []
    private var ending: [Appearance] = []
    private var greatest: Float = 0

    /// The words were seen in a later frame than all before.
    mutating func append(_ box: Sighting.Box, contrast: Double) {
        let appearance = note(box, contrast)
        if beginning.count < Self.limit { beginning.append(appearance) }
        ending.append(appearance)
        if ending.count > 2 * Self.limit { ending.removeFirst(Self.limit) }
    }

    /// The words were seen in these frames before all others, nearest first.
    mutating func prepend(_ earlier: [(box: Sighting.Box, contrast: Double)]) {
        let appearances = Array(earlier.map { note($0.box, $0.contrast) }.reversed())
        beginning = Array((appearances + beginning).prefix(Self.limit))
        if ending.count < Self.limit { ending = Array((appearances + ending).suffix(Self.limit)) }
    }

    /// The words were not seen from the frame `turn` on after all; returns the last frame before it in which they were, as far as known.
    mutating func cut(before turn: FrameTime) -> Sighting.Box? {
        ending.removeAll { $0.time.index >= turn.index }
        beginning.removeAll { $0.time.index >= turn.index }
        return (ending.last ?? beginning.last).map { Sighting.Box(time: $0.time, quad: $0.quad) }
    }

    private mutating func note(_ box: Sighting.Box, _ contrast: Double) -> Appearance {
        greatest = max(greatest, Float(contrast))
        return Appearance(time: box.time, contrast: Float(contrast), quad: box.quad)
    }

    /// The first frame in which the words are at least half there; nil when that is the first of all.
    ///
    /// - Parameter reach: words that moved further than this, in pixels, did not just fade.
    func fadedIn(reach: Double) -> FrameTime? { end(of: beginning, reach) }

    /// The last frame in which the words are at least half there; nil when that is the last of all.
    func fadedOut(reach: Double) -> FrameTime? { end(of: ending.reversed(), reach) }

    private func end(of appearances: [Appearance], _ reach: Double) -> FrameTime? {
        guard let first = appearances.first, first.contrast < Self.visibleShare * greatest,
            let full = appearances.first(where: { $0.contrast >= Self.visibleShare * greatest }),
            (full.center - first.center).length <= reach
        else { return nil }
        return full.time
    }
}

extension String {
    /// The text without the bar at its end that may be a text cursor, read as a letter; nil where there is none.
    package var withoutCursor: String? {
        guard let last, "lI|1i![]".contains(last), dropLast().last?.isLetter ?? false else { return nil }
        return String(dropLast())
    }
}
