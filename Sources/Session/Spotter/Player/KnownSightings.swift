import TextSpotting

/// The sightings of a recording as far as it has been read, with their places in every frame. A value.
///
/// A recording is read in parts, each of which numbers its sightings separately; a sighting that continues over the
/// border of two parts is one here.
struct KnownSightings: Sendable {
    /// A sighting as far as it is known.
    struct Known: Sendable {
        /// The sighting without boxes, numbered within this collection.
        var sighting: Sighting
        /// Whether it is final.
        var isOver = false
        fileprivate var spans: [Span] = []
    }

    /// A stretch of boxes; words that stand still are one, however long.
    fileprivate struct Span: Sendable {
        var start: StreamTime
        var end: StreamTime
        var quad: Quad
    }

    private struct Key: Hashable {
        var part: Int
        var id: Int
    }

    /// Sightings that end and begin this close to each other at a border are the same.
    private static let touching = StreamTime(seconds: 0.3)

    private(set) var all: [Known] = []
    private var places: [Key: Int] = [:]
    /// The next identifier. Numbering continues over a new search, because events refer to the numbers.
    private var nextID = 1

    /// The start of each sighting, in seconds.
    var starts: [Double] { all.map(\.sighting.start.seconds) }

    /// Takes the sightings that one part of the recording shows so far, each with its boxes since the previous call;
    /// other sightings of that part are over.
    mutating func see(_ open: [Sighting], inPart part: Int) {
        let ids = Set(open.map(\.id))
        for (key, place) in places where key.part == part && !ids.contains(key.id) { all[place].isOver = true }
        for sighting in open { take(sighting, part, isOver: false) }
    }

    mutating func finish(_ sighting: Sighting, inPart part: Int) { take(sighting, part, isOver: true) }

    /// Records that a part is not read further, so that nothing in it gets longer.
    mutating func close(part: Int) {
        for (key, place) in places where key.part == part { all[place].isOver = true }
    }

    /// Returns two sightings that are one, by their numbers: the user went back, and the earlier part was read after
    /// the later one. Nil if there are none.
    ///
    /// - Parameter border: the time at which the two parts meet.
    func seam(at border: StreamTime) -> (earlier: Int, later: Int)? {
        for earlier in all where earlier.isOver {
            let end = earlier.sighting.end
            guard max(end - border, border - end) <= Self.touching else { continue }
            if let later = all.first(where: { $0.sighting.id != earlier.sighting.id && $0.goesOn(from: earlier) }) {
                return (earlier.sighting.id, later.sighting.id)
            }
        }
        return nil
    }

    /// Merges two sightings into one.
    ///
    /// - Parameter number: which of the two numbers it has from now on.
    mutating func join(_ earlier: Int, _ later: Int, as number: Int) {
        guard let first = all.firstIndex(where: { $0.sighting.id == earlier }),
            let second = all.firstIndex(where: { $0.sighting.id == later }), first != second
        else { return }
        all[first].append(all[second])
        all[first].sighting.id = number
        all.remove(at: second)
        places = places.mapValues { place in
            let kept = place == second ? first : place
            return kept > second ? kept - 1 : kept
        }
    }

    /// Discards everything because the search changed.
    mutating func forget() { (all, places) = ([], [:]) }

    /// Returns the sightings that a frame shows, each with its place in it.
    ///
    /// - Parameter count: the number of patterns that must be there together; 1 if each counts by itself.
    func shown(in frame: FrameTime, together count: Int = 1) -> [(known: Known, quad: Quad)] {
        let shown = all.compactMap { known in known.quad(in: frame).map { (known: known, quad: $0) } }
        return count <= 1 || Set(shown.map(\.known.sighting.patternIndex)).count >= count ? shown : []
    }

    private mutating func take(_ sighting: Sighting, _ part: Int, isOver: Bool) {
        let key = Key(part: part, id: sighting.id)
        let place = places[key] ?? continued(by: sighting) ?? begin(sighting)
        places[key] = place
        all[place].extend(to: sighting, isOver: isOver)
    }

    private mutating func begin(_ sighting: Sighting) -> Int {
        var own = sighting
        own.id = nextID
        own.boxes = []
        nextID += 1
        all.append(Known(sighting: own))
        return all.count - 1
    }

    /// Returns the sighting in the previous part that this one continues.
    private func continued(by sighting: Sighting) -> Int? {
        let quad = sighting.boxes.first?.quad ?? sighting.peak.quad
        return all.firstIndex { $0.isOver && Self.isSame($0, sighting, beginningAt: quad) }
    }

    /// Returns whether a sighting continues where another ends: at the same place, with the same text.
    fileprivate static func isSame(_ known: Known, _ next: Sighting, beginningAt quad: Quad) -> Bool {
        let before = known.sighting
        let gap = max(before.end - next.start, next.start - before.end)
        return gap <= touching && before.patternIndex == next.patternIndex && before.text == next.text
            && (known.spans.last?.quad ?? before.peak.quad).isSamePlace(as: quad)
    }
}

extension KnownSightings.Known {
    fileprivate func goesOn(from earlier: KnownSightings.Known) -> Bool {
        KnownSightings.isSame(earlier, sighting, beginningAt: spans.first?.quad ?? sighting.peak.quad)
    }

    /// Appends the part that continues this one.
    fileprivate mutating func append(_ later: KnownSightings.Known) {
        let start = sighting.start
        spans += later.spans
        let end = later.sighting.end
        if later.sighting.score > sighting.score { sighting = later.sighting }
        (sighting.start, sighting.end) = (start, end)
        isOver = later.isOver
    }

    fileprivate mutating func extend(to news: Sighting, isOver: Bool) {
        for box in news.boxes where box.time.start >= spans.last?.end ?? box.time.start { add(box) }
        let (id, start) = (sighting.id, min(sighting.start, news.start))
        let end = max(sighting.end, news.end)
        if news.score >= sighting.score { sighting = news }
        (sighting.id, sighting.start, sighting.end, sighting.boxes) = (id, start, end, [])
        self.isOver = isOver
    }

    private mutating func add(_ box: Sighting.Box) {
        // The duration of a frame is not always known exactly.
        if let last = spans.last, last.quad == box.quad, box.time.start - last.end < StreamTime(seconds: 0.02) {
            spans[spans.count - 1].end = box.time.end
        } else {
            spans.append(KnownSightings.Span(start: box.time.start, end: box.time.end, quad: box.quad))
        }
    }

    /// Words that were lost from sight for longer may have moved anywhere.
    private static let longestGap = StreamTime(seconds: 1)

    /// Returns the place in a frame; nil if it is not visible.
    ///
    /// Words that move fast are lost for some frames between two that are known; their places there are interpolated.
    fileprivate func quad(in frame: FrameTime) -> Quad? {
        let time = frame.start
        let place = spans.prefixEnd(while: { $0.start <= time })
        let before = place > 0 ? spans[place - 1] : nil
        if let before, time < before.end { return before.quad }
        guard place < spans.count else { return nil }
        let next = spans[place]
        // A part of the recording may have been read from the middle of this frame on.
        if next.start < frame.end { return next.quad }
        guard let before, next.start - before.end <= Self.longestGap else { return nil }
        let way = (time - before.end).seconds / (next.start - before.end).seconds
        return before.quad.interpolated(to: next.quad, at: way)
    }
}

/// Determines which sightings of a recording the user has seen begin and end, each once, however often it is played. A
/// value.
struct ShownSightings: Sendable {
    private var begun: Set<Int> = []
    private var ended: Set<Int> = []
    /// The parts that were shown, in order and without touching.
    private var passed: [ClosedRange<Double>] = []

    /// Frames further apart than this, in seconds, were not played consecutively.
    private static let stride = 0.5

    /// Returns those of `shown` that had not been shown before, and those of `known` that had been and are over now.
    ///
    /// - Parameter time: the time of the frame that is shown.
    mutating func show(
        _ shown: [KnownSightings.Known], at time: StreamTime, among known: [KnownSightings.Known]
    ) -> (new: [Sighting], over: [Sighting]) {
        pass(time.seconds)
        // The user has seen a match in a part that was shown, even if it is found later.
        let late = known.filter { known in
            let span = known.sighting
            return known.isOver && !begun.contains(span.id)
                && passed.contains { $0.lowerBound <= span.start.seconds && $0.upperBound >= span.end.seconds }
        }
        let new = (shown + late).map(\.sighting).filter { begun.insert($0.id).inserted }
        guard begun.count > ended.count else { return (new, []) }
        let over = known.filter { known in
            let sighting = known.sighting
            return known.isOver && begun.contains(sighting.id) && !ended.contains(sighting.id)
                && (time >= sighting.end || time < sighting.start)
        }.map(\.sighting)
        for sighting in over { ended.insert(sighting.id) }
        return (new, over)
    }

    private mutating func pass(_ time: Double) {
        if let place = passed.firstIndex(where: { $0.lowerBound <= time && time <= $0.upperBound + Self.stride }) {
            passed[place] = passed[place].lowerBound...max(passed[place].upperBound, time)
            if place + 1 < passed.count, passed[place + 1].lowerBound <= passed[place].upperBound {
                passed[place] = passed[place].lowerBound...max(passed[place].upperBound, passed[place + 1].upperBound)
                passed.remove(at: place + 1)
            }
        } else {
            passed.insert(time...time, at: passed.firstIndex { $0.lowerBound > time } ?? passed.count)
        }
    }

    /// Records that two sightings turned out to be one.
    ///
    /// - Returns: the number it has from now on, under which it was or will be reported, and another number under which
    ///   it was also reported and has not ended yet, which is therefore over now.
    mutating func join(_ earlier: Int, _ later: Int) -> (number: Int, over: Int?) {
        guard begun.contains(earlier) else { return (begun.contains(later) ? later : earlier, nil) }
        let isOpen = begun.contains(later) && ended.insert(later).inserted
        return (earlier, isOpen ? later : nil)
    }

    /// Returns the sightings that had begun but not ended, because nothing more is shown.
    mutating func finish(among known: [KnownSightings.Known]) -> [Sighting] {
        let open = known.map(\.sighting).filter { begun.contains($0.id) && !ended.contains($0.id) }
        for sighting in open { ended.insert(sighting.id) }
        return open
    }
}
