/// A pattern seen over time: its times, places and confidence.
public struct Sighting: Sendable, Hashable {
    /// The place of the matched words in one frame.
    public struct Box: Sendable, Hashable {
        public var time: FrameTime
        /// The quad of the matched words only, in pixels of the frame as stored.
        public var quad: Quad

        public init(time: FrameTime, quad: Quad) {
            self.time = time
            self.quad = quad
        }
    }

    /// Details of a sighting beyond its best frame.
    public struct Course: Sendable, Hashable {
        /// The frames of the first and the last reading that found the sighting.
        public var readTimes: ClosedRange<StreamTime>
        /// The place in the first and in the last frame that showed the sighting, in pixels of the frame.
        public var first: Quad
        public var last: Quad
        /// The identifiers of the sightings that this one replaced and that pictures show to be other texts.
        public var replaced: Set<Int> = []
        /// The time at which another text replaced this one, which may be after it was lost from sight; nil if none
        /// did.
        public var replacedAt: StreamTime?

        public init(readTimes: ClosedRange<StreamTime>, first: Quad, last: Quad) {
            self.readTimes = readTimes
            self.first = first
            self.last = last
        }
    }

    /// The number of the sighting within its search, counted from 1 in the order of appearance.
    public var id: Int
    /// The index of the pattern in the search's list of patterns.
    public var patternIndex: Int
    /// The pattern as the user wrote it.
    public var pattern: String
    /// The matched words according to the best reading.
    public var text: String
    /// The whole line according to the best reading.
    public var line: String
    /// The range of ``text`` in ``line``, in characters, because the same words may occur there several times; nil if
    /// it is not known.
    public var place: Range<Int>? = nil
    /// The first moment at which the words are visible.
    public var start: StreamTime
    /// The first moment at which the words are no longer visible.
    public var end: StreamTime
    /// The confidence of the best reading, 0 to 1.
    public var score: Double
    /// The frame of the best reading, and the place of the words in it.
    public var peak: Box
    /// Every frame in which the words are visible, in order; empty unless the timeline was asked to keep boxes.
    public var boxes: [Box]
    /// The time by which the words may have appeared and disappeared earlier than reported, because only some pictures
    /// were looked at; nil if all were.
    public var slack: StreamTime? = nil
    /// The movement of the sighting and the texts before and after it; nil if they are not known.
    public var course: Course? = nil
    /// The size of the picture that the places refer to, in pixels; nil if it is not known.
    public var picture: Point? = nil
    /// Whether the lines match by their meaning, whatever their words are.
    public var isByMeaning = false
    /// For a whole line, the evidence of its reader for scripts that it does not know
    /// (``ReadingEvidence/otherScripts``).
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

/// The words as a picture shows them in one frame: their place and contrast.
typealias Appearance = (box: Sighting.Box, contrast: Double)

/// A match being followed: one pattern at one place, from the frame in which it appeared to the last one that showed
/// it.
struct SightingTrack: Sendable {
    let id: Int
    private(set) var best: Match
    private(set) var peak: Sighting.Box
    /// The latest reading that found the words, and the frame of that reading.
    private(set) var match: Match
    private(set) var readAt: FrameTime
    private let firstRead: FrameTime
    private(set) var patch: TextPatch?
    private(set) var first: FrameTime
    private var firstQuad: Quad
    /// Whether the sighting began with the first letter of a line being typed, which does not fade in.
    private(set) var beganWithLetter = false
    private(set) var last: Sighting.Box
    /// The frame up to which pictures have been searched for the words; later than ``last`` if they do not show them.
    var followed: FrameTime
    private(set) var boxes: [Sighting.Box]
    private var fades = FadeHistory()
    /// Whether another text replaced this one: it is over, and later readings at its place do not belong to it.
    private(set) var isReplaced = false
    /// The identifiers of the sightings that this one replaced and that pictures show to be other texts.
    var replaced: Set<Int> = []
    /// The first frame without any of these; nil if there are none.
    var free: FrameTime?
    /// The time from which pictures show another text in its place.
    var succeededAt: StreamTime?
    /// The latest reading of a whole line, with its picture; nil for matches of patterns.
    private(set) var lastRead: TextSuccession.Reading?
    /// The frame since which the text has not changed.
    private(set) var steadySince: FrameTime?
    /// Whether the text was being typed until then.
    private(set) var isTyped = false
    /// For each text that the line was read as, its best match, the time that it was read for, and how many times it
    /// was there until another took its place.
    private var states: [String: (match: Match, peak: Sighting.Box, stood: StreamTime, times: Int)] = [:]
    private let keptBoxes: KeptBoxes
    /// Whether the sighting includes fades, from the first trace to the last.
    var keepsFades = false
    private var keepsBoxes: Bool { keptBoxes != .none }

    enum KeptBoxes {
        case none, all
        /// Keeps only the boxes between which the words do not move evenly.
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

    /// Records that the words were read again.
    mutating func confirm(_ match: Match, at time: FrameTime, patch: TextPatch?) {
        let box = Sighting.Box(time: time, quad: match.quad)
        add(box, contrast: patch?.contrast)
        if last.time == time {
            // Pictures had followed the words to this frame; the place from the reading is more exact.
            last = box
            if keepsBoxes, boxes.last?.time == time { boxes[boxes.count - 1] = box }
        }
        note(self.match, until: time, isOver: match.text != self.match.text)
        self.match = match
        (readAt, followed) = (time, time)
        self.patch = patch ?? self.patch
        if match.isBetter(than: best) {
            best = match
            peak = box
        }
    }

    /// Follows the picture that an earlier sighting has of the same letters, if these are fading: what is left of them is
    /// mostly their ground, which stays when they are gone.
    mutating func follow(_ other: SightingTrack) {
        guard let taken = other.patch, let patch, patch.contrast < Self.faded * taken.contrast,
            (match.quad.topLeft - other.match.quad.topLeft).length < 2,
            (match.quad.bottomRight - other.match.quad.bottomRight).length < 2,
            Self.letters(of: match) == Self.letters(of: other.match)
        else { return }
        self.patch = taken
    }

    private static func letters(of match: Match) -> String { match.text.filter { $0.isLetter || $0.isNumber } }

    /// Records that the last reading stayed true until this frame.
    private mutating func note(_ match: Match, until time: FrameTime, isOver: Bool) {
        guard match.track != nil else { return }
        let own = Sighting.Box(time: readAt, quad: match.quad)
        guard states[match.text] != nil || states.count < Self.mostStates else { return }
        var state = states[match.text] ?? (match, own, .zero, 0)
        state.stood = state.stood + (time.start - readAt.start)
        if isOver { state.times += 1 }
        states[match.text] = state
    }

    private static let mostStates = 64
    /// The share of its contrast below which text counts as fading.
    private static let faded = 0.8

    /// The best reading, unless it ends with a text cursor: the line without it was there for longer, or both were
    /// there again after the other. A letter may flicker in readings, so pictures must show that letters came and went.
    private var told: (match: Match, peak: Sighting.Box) {
        guard let without = best.text.withoutCursor, let clean = states[without] else { return (best, peak) }
        let isBar = best.text.last.map(String.cursors.contains) ?? false
        let blinks = min(times(of: without), times(of: best.text)) > 1 && (isBar || isTyped)
        guard blinks || time(of: without) > time(of: best.text) + time(of: best.text) else { return (best, peak) }
        return (clean.match, clean.peak)
    }

    private func times(of text: String) -> Int { (states[text]?.times ?? 0) + (text == match.text ? 1 : 0) }

    /// Returns how long the line was read as `text`, including the time since the last such reading.
    private func time(of text: String) -> StreamTime {
        let now = text == match.text ? last.time.end - readAt.start : .zero
        return (states[text]?.stood ?? .zero) + now
    }

    /// Records a reading of the whole line in this picture. `typed` is the last frame in which letters came or went in
    /// the meantime.
    mutating func note(_ reading: TextSuccession.Reading, typed: FrameTime? = nil) {
        lastRead = reading
        guard let typed else { return }
        (steadySince, isTyped) = (typed, true)
    }

    /// Whether the words have been at their present place since their first frame.
    var isStill: Bool {
        (last.quad.topLeft - firstQuad.topLeft).length < max(2, 0.15 * last.quad.height)
            || (last.quad.topRight - firstQuad.topRight).length < max(2, 0.15 * last.quad.height)
    }

    /// Records that the pattern is at another index in the list of patterns.
    mutating func becomePattern(_ index: Int) {
        match.patternIndex = index
        best.patternIndex = index
    }

    /// Adds later frames in which the pictures show the words.
    mutating func extend(to later: [Appearance]) {
        for appearance in later { add(appearance.box, contrast: appearance.contrast) }
    }

    /// Adds earlier frames in which the pictures show the words, nearest first.
    mutating func extend(backTo earlier: [Appearance]) {
        guard let oldest = earlier.last else { return }
        first = oldest.box.time
        firstQuad = oldest.box.quad
        fades.prepend(earlier)
        if keepsBoxes { boxes.insert(contentsOf: earlier.map(\.box).reversed(), at: 0) }
        if keptBoxes == .thinned { boxes = Sighting.Box.thinned(boxes) }
    }

    /// Records that the first letter was already visible in this frame.
    mutating func begin(withLetterIn frame: FrameTime) {
        beganWithLetter = true
        if frame.index < first.index { first = frame }
    }

    /// Records that another text replaced this one in the frame `turn`: boxes from there on belonged to that text.
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

    /// Returns the sighting from the first to the last frame that showed it, with the boxes added since the previous
    /// call.
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

    /// Returns the sighting as it now stands, from the middle of its fade in to the middle of its fade out.
    func finished() -> Sighting {
        let reach = 0.25 * match.quad.height
        let begin = keepsFades || beganWithLetter ? first : fades.fadedIn(reach: reach) ?? first
        let end = keepsFades ? last.time : fades.fadedOut(reach: reach) ?? last.time
        // A fade that was cut off, or of which only the middle is known, keeps its known times.
        let (from, to) = begin.start < end.end ? (begin, end) : (first, last.time)
        let told = self.told
        var peak = told.peak
        if peak.time.start < from.start || peak.time.start >= to.end {
            peak = Sighting.Box(time: from, quad: peak.quad)
        }
        var sighting = Sighting(
            id: id, patternIndex: told.match.patternIndex, pattern: told.match.pattern, text: told.match.text,
            line: told.match.line, start: from.start, end: max(to.end, peak.time.end), score: told.match.score,
            peak: peak, boxes: Sighting.Box.part(of: boxes, in: from.start..<to.end))
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

/// Records how clearly the words of a sighting were visible, so that the sighting begins and ends in the middle of a
/// fade.
///
/// Readers and pictures find words at a tenth of their contrast, a third of a second before a user would say that they
/// are on screen. A cut has no such stretch and is left unchanged. Words that move, come nearer or get smaller are left
/// alone too, because their contrast changes for other reasons. Of long sightings only both ends are kept.
struct FadeHistory: Sendable {
    private struct Appearance: Sendable {
        var time: FrameTime
        var contrast: Float
        var quad: Quad
        var center: Point { quad.center }
    }

    /// The number of frames kept at each end, some ten seconds: no fade is longer.
    private static let limit = 300
    /// Words below this share of their greatest contrast do not count as visible.
    private static let visibleShare: Float = 0.5

    private var beginning: [Appearance] = []
    private var ending: [Appearance] = []
    private var greatest: Float = 0

    /// Adds a frame later than all others in which the words were seen.
    mutating func append(_ box: Sighting.Box, contrast: Double) {
        let appearance = note(box, contrast)
        if beginning.count < Self.limit { beginning.append(appearance) }
        ending.append(appearance)
        if ending.count > 2 * Self.limit { ending.removeFirst(Self.limit) }
    }

    /// Adds frames before all others in which the words were seen, nearest first.
    mutating func prepend(_ earlier: [(box: Sighting.Box, contrast: Double)]) {
        let appearances = Array(earlier.map { note($0.box, $0.contrast) }.reversed())
        beginning = Array((appearances + beginning).prefix(Self.limit))
        if ending.count < Self.limit { ending = Array((appearances + ending).suffix(Self.limit)) }
    }

    /// Removes the frames from `turn` on, in which the words were not there after all. Returns the last known frame
    /// before it in which they were.
    mutating func cut(before turn: FrameTime) -> Sighting.Box? {
        ending.removeAll { $0.time.index >= turn.index }
        beginning.removeAll { $0.time.index >= turn.index }
        return (ending.last ?? beginning.last).map { Sighting.Box(time: $0.time, quad: $0.quad) }
    }

    private mutating func note(_ box: Sighting.Box, _ contrast: Double) -> Appearance {
        greatest = max(greatest, Float(contrast))
        return Appearance(time: box.time, contrast: Float(contrast), quad: box.quad)
    }

    /// Returns the first frame in which the words are at least half visible; nil if that is the first of all frames.
    ///
    /// - Parameter reach: words that moved further than this, in pixels, did more than fade.
    func fadedIn(reach: Double) -> FrameTime? { end(of: beginning, reach) }

    /// Returns the last frame in which the words are at least half visible; nil if that is the last of all frames.
    func fadedOut(reach: Double) -> FrameTime? { end(of: ending.reversed(), reach) }

    private func end(of appearances: [Appearance], _ reach: Double) -> FrameTime? {
        guard let first = appearances.first, first.contrast < Self.visibleShare * greatest,
            let full = appearances.first(where: { $0.contrast >= Self.visibleShare * greatest }),
            (full.center - first.center).length <= reach
        else { return nil }
        return full.time
    }
}
