import TextMatching
import TextSpotting

/// Joins the findings in the lines of one recording to sightings, as `find` joins its readings (``SightingTimeline``).
struct SightingAssembly {
    /// A sighting that is being put together.
    private struct Group {
        /// Two places in one picture that overlap by at least this much are one.
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

        /// Returns how well a later place continues it; 0 if it does not.
        func continuity(of place: FoundStretch, hold: StreamTime) -> Double {
            guard place.match.patternIndex == best.match.patternIndex, place.start - end <= hold,
                start - place.end <= hold
            else { return 0 }
            var nearest: FoundStretch?
            for own in places {
                if own.partNumber == place.partNumber, own.steps.overlaps(place.steps) {
                    // Two readings in one picture are different texts, unless one line was detected as two.
                    guard own.match.quad.bounds.overlap(place.match.quad.bounds) >= Self.sameness else { return 0 }
                    return 1
                }
                if nearest.map({ $0.end < own.end }) ?? true { nearest = own }
            }
            guard let nearest else { return 0 }
            // The next value of a clock is another finding; one that is misread for a moment is there at the same time.
            if place.match.isAnotherText(than: nearest.match), place.start >= nearest.end || nearest.start >= place.end
            {
                return 0
            }
            let time = min(nearest.end, max(place.start, nearest.start))
            return nearest.quad(at: time).continuity(to: place.quad(at: time))
        }
    }

    /// The time for which a word may be gone and come back.
    private let hold = SightingTimeline.Settings().hold
    private let keepsBoxes: Bool
    private var groups: [Group] = []
    /// The groups that may continue.
    private var open: [Int] = []
    /// The groups that were not taken.
    private var left: [Int] = []

    init(keepsBoxes: Bool) { self.keepsBoxes = keepsBoxes }

    /// Returns the sightings, numbered by their starts and in the order of their ends.
    static func sightings(of places: [FoundStretch], keepsBoxes: Bool) -> [Sighting] {
        var assembly = SightingAssembly(keepsBoxes: keepsBoxes)
        for place in places.sorted(by: isBefore) { assembly.add(place) }
        return assembly.all
    }

    /// Returns whether a place comes before another in the order in which places are added, which is that of reading.
    static func isBefore(_ a: FoundStretch, _ b: FoundStretch) -> Bool {
        if a.readAt.start != b.readAt.start { return a.readAt.start < b.readAt.start }
        let (p, q) = (a.match.quad.topLeft, b.match.quad.topLeft)
        // Matches of words come before matches by meaning.
        let (isMeant, isAlsoMeant) = (a.match.isByMeaning ? 1 : 0, b.match.isByMeaning ? 1 : 0)
        return (isMeant, p.y, p.x, a.match.patternIndex) < (isAlsoMeant, q.y, q.x, b.match.patternIndex)
    }

    /// Adds a place that is not before those that were added.
    mutating func add(_ place: FoundStretch) {
        var best: (index: Int, continuity: Double)?
        // Places come in the order in which they were read, so a group that was over some time before does not
        // continue. A place that was visible long before it was read is only separated from the group by its beginning.
        open.removeAll { place.readAt.start > groups[$0].end + hold && place.start > groups[$0].end + hold }
        for index in open.reversed() {
            let continuity = groups[index].continuity(of: place, hold: hold)
            if continuity > best?.continuity ?? 0 { best = (index, continuity) }
        }
        if let best {
            groups[best.index].add(place)
        } else {
            open.append(groups.count)
            left.append(groups.count)
            groups.append(Group(place))
        }
    }

    // MARK: Sightings

    /// All sightings, numbered by their starts and in the order of their ends.
    var all: [Sighting] { sightings(of: Array(groups.indices)) }

    /// Returns the sightings that are over before anything begins that may still be added, each once.
    ///
    /// - Parameter border: the earliest time at which that begins or is read; nil if nothing will be added.
    mutating func take(before border: StreamTime?) -> [Sighting] {
        guard let border else {
            defer { left = [] }
            return sightings(of: left)
        }
        // Sightings that begin later are over later.
        let taken = left.filter { groups[$0].end + hold < border && over(groups[$0]) <= border }
        let isTaken = Set(taken)
        left.removeAll(where: isTaken.contains)
        return sightings(of: taken)
    }

    /// Returns the sightings that begin first, in the order of their ends; nil while others may belong to them, or
    /// while they continue.
    func first(_ count: Int, before border: StreamTime?) -> [Sighting]? {
        if let border, groups.count < count || groups.prefix(count).contains(where: { $0.end + hold >= border }) {
            return nil
        }
        return sightings(of: Array(groups.indices.prefix(count)))
    }

    private func sightings(of numbers: [Int]) -> [Sighting] {
        numbers.map { (sighting: sighting(groups[$0], id: $0 + 1), over: over(groups[$0])) }
            .sorted { ($0.over, $0.sighting.id) < ($1.over, $1.sighting.id) }.map(\.sighting)
    }

    /// Returns when a search of the recording would have known that the group is over: at the first reading some time
    /// later.
    private func over(_ group: Group) -> StreamTime {
        let never = StreamTime(nanoseconds: .max)
        guard let last = group.places.max(by: { $0.end < $1.end }) else { return never }
        let limit = group.end + hold
        let (steps, frames) = (last.part.steps, last.part.frames)
        let next = steps.prefixEnd(while: { step in frames.time(of: step).map { $0.start <= limit } ?? false })
        return next < steps.count ? frames.time(of: steps[next])?.start ?? never : never
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
        sighting.place = best.match.characterRange
        if SkimProfile.isSkim(best.part.manner) { sighting.slack = best.part.frames.longest }
        return sighting
    }

    /// Returns one box per frame; if two readings cover it, that of the later one.
    private func boxes(of group: Group) -> [Sighting.Box] {
        var byTime: [StreamTime: Sighting.Box] = [:]
        for place in group.places { for box in place.boxes { byTime[box.time.start] = box } }
        return byTime.values.sorted { $0.time.start < $1.time.start }
    }
}

/// A match in a recorded line: its text, its times, and its places.
struct FoundStretch: Sendable {
    /// The number of the part among all parts that are searched.
    let partNumber: Int
    let part: SegmentFile.Part
    /// The match, with its quad in the first reading.
    let match: Match
    /// The frame of the first reading.
    let readAt: FrameTime
    /// The readings that show the match.
    let steps: Range<Int>
    let start: StreamTime
    let end: StreamTime
    let path: LinePath

    /// Returns the place of the match in a frame of the part.
    func quad(in frame: Int) -> Quad { path.place(of: match.quad, in: frame) }

    /// Returns the place of the match at a time, in the nearest frame.
    func quad(at time: StreamTime) -> Quad {
        let time = max(start, min(time, StreamTime(nanoseconds: max(start.nanoseconds, end.nanoseconds - 1))))
        let next = part.frames.frames(in: time..<max(time, end)).lowerBound
        let isExact = part.frames.time(of: next).map { $0.start <= time } ?? false
        return quad(in: isExact ? next : max(0, next - 1))
    }

    /// The match in every frame that shows it.
    var boxes: [Sighting.Box] {
        part.frames.frames(in: start..<max(start, end)).compactMap { frame in
            part.frames.time(of: frame).map { Sighting.Box(time: $0, quad: quad(in: frame)) }
        }
    }

    /// One of the words of the match, as far as its times and place are known.
    struct Word: Sendable {
        /// The readings that show the line.
        var steps: Range<Int>
        var presence: RecordedLine.Presence
    }

    /// - Parameters:
    ///   - words: the words of the match.
    ///   - path: the movement of the line with the first of them.
    ///   - step: the reading that has the match at its quad.
    init?(partNumber: Int, part: SegmentFile.Part, match: Match, words: [Word], path: LinePath, step: Int) {
        guard part.steps.indices.contains(step), let frame = part.frames.time(of: part.steps[step]), !words.isEmpty
        else { return nil }
        self.partNumber = partNumber
        self.part = part
        self.match = match
        self.path = path
        readAt = frame
        let first = max(step, words.map(\.steps.lowerBound).max() ?? step)
        steps = first..<max(first + 1, words.map(\.steps.upperBound).min() ?? first + 1)
        let start = words.map(\.presence.start).max() ?? frame.start
        let end = words.map(\.presence.end).min() ?? frame.end
        // All words that were read in one picture are in that picture.
        (self.start, self.end) = start < end ? (start, end) : (frame.start, frame.end)
    }
}

/// Finds a time of day in the clocks of the picture, whose texts are not stored: `14:05`, `14:05:33`, `2026-11-20
/// 14:05`.
struct ClockSearch {
    /// A pattern that a clock can show.
    private struct Query {
        var number: Int
        var pattern: String
        var clock: ClockText
        /// The time for which a clock shows it, in seconds.
        var length: Double
    }

    private let queries: [Query]

    init(_ patterns: [Pattern]) {
        queries = patterns.enumerated().compactMap { number, pattern in
            guard pattern.isText else { return nil }
            if let clock = ClockText(pattern.text) {
                return Query(number: number, pattern: pattern.text, clock: clock, length: 1)
            }
            // Without seconds, it is shown for a minute.
            return ClockText(pattern.text + ":00").map {
                Query(number: number, pattern: pattern.text, clock: $0, length: 60)
            }
        }
    }

    var isEmpty: Bool { queries.isEmpty }

    func places(in part: SegmentFile.Part, number partNumber: Int) -> [FoundStretch] {
        guard let clock = part.clock else { return [] }
        return queries.flatMap { query in
            clock.pieces.flatMap { piece in
                times(of: query, piece, hasDate: clock.hasDate).compactMap { start, end in
                    place(query, from: start, to: end, clock: clock, part: part, partNumber: partNumber)
                }
            }
        }
    }

    /// Returns the times at which a clock shows it, in seconds of the recording.
    private func times(
        of query: Query, _ piece: ClockTrack.Piece, hasDate: Bool
    ) -> [(start: StreamTime, end: StreamTime)] {
        // The query has a date, and this clock has none.
        guard hasDate || query.clock.day == nil else { return [] }
        let offset = Double(piece.offset) / 1000
        let shown = piece.start.seconds + offset...piece.end.seconds + offset + 1
        let days: ClosedRange<Double> =
            query.clock.day.map { Double($0)...Double($0) }
            ?? (shown.lowerBound / 86_400).rounded(.down)...(shown.upperBound / 86_400).rounded(.down)
        guard days.upperBound - days.lowerBound < 400 else { return [] }
        return stride(from: days.lowerBound, through: days.upperBound, by: 1).compactMap { day in
            let first = day * 86_400 + Double(query.clock.second)
            let (start, end) = (max(first, shown.lowerBound), min(first + query.length, shown.upperBound))
            guard start < end else { return nil }
            return (StreamTime(seconds: max(0, start - offset)), StreamTime(seconds: max(0, end - offset)))
        }
    }

    private func place(
        _ query: Query, from start: StreamTime, to end: StreamTime, clock: ClockTrack, part: SegmentFile.Part,
        partNumber: Int
    ) -> FoundStretch? {
        let first = part.frames.frames(in: start..<max(start, end)).lowerBound
        let step = part.steps.firstIndex { $0 >= first } ?? max(0, part.steps.count - 1)
        let match = Match(
            patternIndex: query.number, pattern: query.pattern, text: query.pattern, line: query.pattern,
            quad: clock.quad, score: 0.9, characterRange: 0..<query.pattern.count)
        // The clock may show its last value when the part ends.
        let presence = RecordedLine.Presence(id: 0, start: start, end: max(start, min(end, part.to)))
        return FoundStretch(
            partNumber: partNumber, part: part, match: match,
            words: [.init(steps: step..<step + 1, presence: presence)], path: LinePath(), step: step)
    }
}
