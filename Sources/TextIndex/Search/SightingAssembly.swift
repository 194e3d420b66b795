import TextSpotting

/// Joins what an index found in the lines of one recording to sightings, as `find` joins its readings (``SightingTimeline``).
struct SightingAssembly {
    /// A sighting that is being put together.
    private struct Group {
        /// Two places in one picture that overlap this much are one.
        static let sameness = 0.6

        var places: [FoundStretch]
        var best: FoundStretch
        var start: StreamTime
        var end: StreamTime

        init(_ place: FoundStretch) {
            places = [place]
            best = place
            (start, end) = (place.start, place.end)
        }

        mutating func add(_ place: FoundStretch) {
            places.append(place)
            if place.match.score > best.match.score { best = place }
            start = min(start, place.start)
            end = max(end, place.end)
        }

        /// How well a later place continues it; 0 where it does not.
        func continuity(of place: FoundStretch, hold: StreamTime) -> Double {
            guard place.match.patternIndex == best.match.patternIndex, place.start - end <= hold,
                start - place.end <= hold
            else { return 0 }
            var nearest: FoundStretch?
            for own in places {
                if own.partNumber == place.partNumber, own.steps.overlaps(place.steps) {
                    // What was read beside it in one picture is something else, unless one line was taken for two.
                    guard own.match.quad.bounds.overlap(place.match.quad.bounds) >= Self.sameness else { return 0 }
                    return 1
                }
                if nearest.map({ $0.end < own.end }) ?? true { nearest = own }
            }
            guard let nearest else { return 0 }
            // A clock's next value is another finding; one that is misread for a moment is there at the same time.
            if place.match.isAnotherText(than: nearest.match), place.start >= nearest.end || nearest.start >= place.end
            {
                return 0
            }
            let time = min(nearest.end, max(place.start, nearest.start))
            return nearest.quad(at: time).continuity(to: place.quad(at: time))
        }
    }

    /// As long as a word may be gone and come back.
    private let hold = SightingTimeline.Settings().hold
    private let keepsBoxes: Bool
    private var groups: [Group] = []
    /// Those that may go on.
    private var open: [Int] = []

    init(keepsBoxes: Bool) { self.keepsBoxes = keepsBoxes }

    /// The sightings, numbered in the order in which they began and in the order in which they are over.
    static func sightings(of places: [FoundStretch], keepsBoxes: Bool) -> [Sighting] {
        var assembly = SightingAssembly(keepsBoxes: keepsBoxes)
        for place in places.sorted(by: isBefore) { assembly.add(place) }
        return assembly.finished()
    }

    private static func isBefore(_ a: FoundStretch, _ b: FoundStretch) -> Bool {
        if a.readAt.start != b.readAt.start { return a.readAt.start < b.readAt.start }
        let (p, q) = (a.match.quad.topLeft, b.match.quad.topLeft)
        // Words come before what only means them.
        let (isMeant, isAlsoMeant) = (a.match.isByMeaning ? 1 : 0, b.match.isByMeaning ? 1 : 0)
        return (isMeant, p.y, p.x, a.match.patternIndex) < (isAlsoMeant, q.y, q.x, b.match.patternIndex)
    }

    private mutating func add(_ place: FoundStretch) {
        var best: (index: Int, continuity: Double)?
        // Places come in the order in which they were read, so that what was over some time before goes on no more; one that
        // was to be seen long before it was read is kept apart from that only by its beginning.
        open.removeAll { place.readAt.start > groups[$0].end + hold && place.start > groups[$0].end + hold }
        for index in open.reversed() {
            let continuity = groups[index].continuity(of: place, hold: hold)
            if continuity > best?.continuity ?? 0 { best = (index, continuity) }
        }
        if let best {
            groups[best.index].add(place)
        } else {
            open.append(groups.count)
            groups.append(Group(place))
        }
    }

    private func finished() -> [Sighting] {
        let sightings = groups.enumerated().map { number, group in
            (sighting: sighting(group, id: number + 1), over: over(group))
        }
        return sightings.sorted { ($0.over, $0.sighting.id) < ($1.over, $1.sighting.id) }.map(\.sighting)
    }

    /// When a search of the recording would have known that it is over: at the first reading some time later.
    private func over(_ group: Group) -> StreamTime {
        let never = StreamTime(nanoseconds: .max)
        guard let last = group.places.max(by: { $0.end < $1.end }) else { return never }
        let limit = group.end + hold
        let (steps, frames) = (last.part.steps, last.part.frames)
        var (low, high) = (0, steps.count)
        while low < high {
            let middle = (low + high) / 2
            let isLater = frames.time(of: steps[middle]).map { $0.start > limit } ?? true
            if isLater { high = middle } else { low = middle + 1 }
        }
        return low < steps.count ? frames.time(of: steps[low])?.start ?? never : never
    }

    private func sighting(_ group: Group, id: Int) -> Sighting {
        let best = group.best
        var peak = Sighting.Box(time: best.readAt, quad: best.match.quad)
        if peak.time.start < group.start || peak.time.start >= group.end,
            let first = best.part.frames.time(of: best.part.frames.frames(in: best.start..<best.end).lowerBound)
        {
            peak = Sighting.Box(time: first, quad: best.match.quad)
        }
        var sighting = Sighting(
            id: id, patternIndex: best.match.patternIndex, pattern: best.match.pattern, text: best.match.text,
            line: best.match.line, start: group.start, end: max(group.end, peak.time.end), score: best.match.score,
            peak: peak, boxes: keepsBoxes ? boxes(of: group) : [])
        sighting.isByMeaning = best.match.isByMeaning
        if SkimProfile.isSkim(best.part.manner) { sighting.slack = best.part.frames.longest }
        return sighting
    }

    /// One box a frame: if two readings cover it, that of the later one.
    private func boxes(of group: Group) -> [Sighting.Box] {
        var byTime: [StreamTime: Sighting.Box] = [:]
        for place in group.places { for box in place.boxes { byTime[box.time.start] = box } }
        return byTime.values.sorted { $0.time.start < $1.time.start }
    }
}
