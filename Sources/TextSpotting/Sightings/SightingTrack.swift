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
        self.match = match
        (readAt, followed) = (time, time)
        self.patch = patch ?? self.patch
        if match.isBetter(than: best) {
            best = match
            peak = box
        }
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
        return sighting
    }

    /// The sighting as it stands, from where a fade has half come to where it has half gone.
    func finished() -> Sighting {
        let reach = 0.25 * match.quad.height
        let begin = keepsFades || beganWithLetter ? first : fades.fadedIn(reach: reach) ?? first
        let end = keepsFades ? last.time : fades.fadedOut(reach: reach) ?? last.time
        // A fade that was cut off, or that nothing but its middle is known of, keeps what it has.
        let (from, to) = begin.start < end.end ? (begin, end) : (first, last.time)
        var best = peak
        if best.time.start < from.start || best.time.start >= to.end {
            best = Sighting.Box(time: from, quad: peak.quad)
        }
        var sighting = Sighting(
            id: id, patternIndex: self.best.patternIndex, pattern: self.best.pattern, text: self.best.text,
            line: self.best.line, start: from.start, end: max(to.end, best.time.end), score: self.best.score,
            peak: best,
            boxes: boxes.filter { $0.time.start >= from.start && $0.time.start < to.end })
        sighting.isByMeaning = self.best.isByMeaning
        sighting.course = Sighting.Course(
            readTimes: firstRead.start...max(firstRead.start, readAt.start), first: firstQuad, last: last.quad)
        return sighting
    }
}
