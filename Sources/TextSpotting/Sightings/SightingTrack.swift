/// A match being followed: one pattern at one place, from the frame where it appeared to the last that showed it.
struct SightingTrack: Sendable {
    let id: Int
    private(set) var best: Match
    private(set) var peak: Sighting.Box
    /// The latest reading that found the words.
    private(set) var match: Match
    private(set) var patch: TextPatch?
    private(set) var first: FrameTime
    private(set) var last: Sighting.Box
    private(set) var boxes: [Sighting.Box]
    private let keepsBoxes: Bool

    init(id: Int, match: Match, at time: FrameTime, patch: TextPatch?, keepsBoxes: Bool) {
        self.id = id
        self.match = match
        best = match
        let box = Sighting.Box(time: time, quad: match.quad)
        peak = box
        first = time
        last = box
        self.patch = patch
        self.keepsBoxes = keepsBoxes
        boxes = keepsBoxes ? [box] : []
    }

    /// The words were read again.
    mutating func confirm(_ match: Match, at time: FrameTime, patch: TextPatch?) {
        let box = Sighting.Box(time: time, quad: match.quad)
        add(box)
        self.match = match
        self.patch = patch ?? self.patch
        if match.score > best.score {
            best = match
            peak = box
        }
    }

    /// The pictures show the words in these later frames.
    mutating func extend(to later: [Sighting.Box]) {
        for box in later { add(box) }
    }

    /// The pictures show the words in these earlier frames, nearest first.
    mutating func extend(backTo earlier: [Sighting.Box]) {
        guard let oldest = earlier.last else { return }
        first = oldest.time
        if keepsBoxes { boxes.insert(contentsOf: earlier.reversed(), at: 0) }
    }

    /// Adds a box if it is later than the last one.
    private mutating func add(_ box: Sighting.Box) {
        guard box.time.start > last.time.start else { return }
        last = box
        if keepsBoxes { boxes.append(box) }
    }

    /// The sighting as it stands.
    func finished() -> Sighting {
        Sighting(
            id: id, patternIndex: best.patternIndex, pattern: best.pattern, text: best.text, line: best.line,
            start: first.start, end: max(last.time.end, peak.time.end), score: best.score, peak: peak, boxes: boxes)
    }
}
