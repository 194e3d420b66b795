import TextMatching
import TextSpotting

/// Makes what is to be hidden of what a search found: a value fed with the search's events, in order.
///
/// Finding errs towards certainty, hiding towards too much: a place is hidden from before its first trace to after its last, where it
/// was followed and where it was read, with margins, through gaps, and from the first letter of a line that is typed.
struct HidingPlanner: Sendable {
    struct Settings: Sendable {
        /// How each pattern may be named to anybody.
        var reasons: [String]
        /// Patterns of which the whole line is hidden, because what was read may have ended too early.
        var wholeLines: Set<Int> = []
        /// A place that stood still stays hidden for so many seconds after it was last seen: where what comes is not known yet.
        var linger = 0.0
        /// A line that grows is hidden from its first letter that may be the beginning of a match: what comes is not known yet.
        var hidesBeginnings = false

        func reason(of pattern: Int) -> String { reasons.indices.contains(pattern) ? reasons[pattern] : "pattern" }
    }

    /// A line that is no match as it was read and may be all the same.
    private struct Cut {
        /// The patterns that it may match, all the time that it is in view.
        var patterns: Set<Int> = []
        /// The patterns that it may come to match, up to a frame.
        var begun: Set<Int> = []
        var until = -1
        var text: String
    }

    private let settings: Settings
    private var changes = PictureChanges()
    private var lines = LineHistory()
    /// The frames that were read, and those of which all was looked at.
    private var readings: Set<Int> = []
    private var wholeReadings: Set<Int> = []
    private var sightings: [Sighting] = []
    /// Sightings that go on, by their number, with their boxes until now.
    private var open: [Int: Sighting] = [:]
    /// Lines that the picture's edge cut off and that may be parts of what is searched for, and lines that grow.
    private var cuts: [LineHistory.Key: Cut] = [:]
    /// How often each line had grown when it was read last.
    private var growths: [LineHistory.Key: Int] = [:]
    private let cutLines: CutLines?
    /// What stands right beside what is hidden already.
    private let rests: LineRests
    private var size = Rect(x: 0, y: 0, width: 0, height: 0)
    /// A pixel of the pictures in which places are followed, in pixels of the displayed one.
    private var grain = 1.0

    /// - Parameters:
    ///   - matcher: for what the picture's edge cuts off; nil where that is of no interest.
    ///   - known: what is hidden already; what stands right beside it may be the rest of a line.
    init(
        _ settings: Settings, matcher: Matcher? = nil, besides known: HidingPlan = HidingPlan(),
        heldAs turn: StillTurn? = nil
    ) {
        self.settings = settings
        let reasons = settings.wholeLines.sorted().map { ($0, settings.reason(of: $0)) }
        rests = LineRests(besides: known, reasons: reasons, heldAs: turn)
        cutLines = matcher.map(CutLines.init)
    }

    /// The index of the frame after the last that was looked at.
    var frames: Int { changes.end }

    /// The last frame that was looked at; nil before the first.
    var last: FrameTime? { frames > 0 ? changes.time(frames - 1) : nil }

    /// How many frames there are in a second.
    var rate: Double { changes.rate }

    mutating func take(_ event: FindEvent) {
        switch event {
        case .finding(let finding):
            if !finding.tracks.isEmpty {
                readings.insert(finding.time.index)
                if finding.isComplete { wholeReadings.insert(finding.time.index) }
            }
            let geometry = finding.geometry
            grain = max(grain, 1 / max(1e-6, geometry.scale))
            size = Rect(
                x: 0, y: 0, width: Double(geometry.width) * geometry.pixelAspect, height: Double(geometry.height))
            changes.add(finding)
            let picture = Rect(x: 0, y: 0, width: Double(geometry.width), height: Double(geometry.height))
            var seen: [(key: LineHistory.Key, track: TextTrack)] = []
            lines.add(finding) { if $1.read == finding.time { seen.append(($0, $1)) } }
            for (key, track) in seen {
                let patterns =
                    (cutLines?.patterns(in: track.reading, of: picture) ?? []) + rests.patterns(in: track, geometry)
                if !patterns.isEmpty {
                    cuts[key, default: Cut(text: track.reading.text)].patterns.formUnion(patterns)
                }
                if settings.hidesBeginnings { takeGrowth(of: track, key, at: finding.time) }
            }
        case .sighting(let sighting): sightings.append(whole(sighting))
        default: break
        }
    }

    /// Typed text may become a match with its next letters: while it goes on, and a little longer.
    private mutating func takeGrowth(of track: TextTrack, _ key: LineHistory.Key, at time: FrameTime) {
        let before = growths.updateValue(track.growths, forKey: key)
        // The first letters of a line that has not been seen to grow yet.
        let isNew = before == nil && track.reading.text.count <= Self.firstLetters
        guard isNew || before.map({ $0 != track.growths }) ?? (track.growths > 0) else { return }
        let begun = cutLines?.beginnings(in: track.reading) ?? []
        guard !begun.isEmpty || cuts[key] != nil else { return }
        var cut = cuts[key] ?? Cut(text: track.reading.text)
        cut.begun = Set(begun)
        cut.until = time.index + Int(Self.typing * rate)
        cuts[key] = cut
    }

    /// A line of so many letters may be one that is being typed.
    private static let firstLetters = 3
    /// So long after its last letter something is still being typed, in seconds.
    private static let typing = 1.5

    /// Takes what goes on, of which each box comes once.
    mutating func take(_ step: SightingStep) {
        for sighting in step.open { open[sighting.id] = whole(sighting) }
    }

    /// The sighting with all of its boxes.
    private mutating func whole(_ sighting: Sighting) -> Sighting {
        guard let known = open.removeValue(forKey: sighting.id), let last = known.boxes.last else { return sighting }
        var sighting = sighting
        sighting.boxes = known.boxes + sighting.boxes.drop { $0.time.index <= last.time.index }
        return sighting
    }

    /// Forgets what was before a frame, where that is hidden already and gone.
    mutating func forget(before index: Int) {
        sightings.removeAll { ($0.boxes.last?.time.index ?? 0) < index }
        for id in open.keys {
            guard let boxes = open[id]?.boxes, let first = boxes.firstIndex(where: { $0.time.index >= index }) else {
                continue
            }
            open[id]?.boxes.removeFirst(first)
        }
        readings = readings.filter { $0 >= index }
        wholeReadings = wholeReadings.filter { $0 >= index }
        lines.forget(before: index)
        cuts = cuts.filter { lines[$0.key] != nil }
        growths = growths.filter { lines[$0.key] != nil }
        changes.forget(before: index)
    }

    /// All that is to be hidden.
    ///
    /// - Parameter isWanted: which of the sightings.
    func things(where isWanted: (Sighting) -> Bool = { _ in true }) -> [HiddenThing] {
        let tracks = found.filter(isWanted).compactMap {
            HiddenTrack($0, readings: anchors(of: $0)).map(widened)
        }
        let groups = Dictionary(grouping: tracks, by: \.patternIndex)
        return groups.keys.sorted().flatMap { joined(groups[$0] ?? []) }.map(extended).map(lengthened).map(thing)
            .sorted { ($0.start, $0.places[0].quad.topLeft.y) < ($1.start, $1.places[0].quad.topLeft.y) }
            .enumerated().map { index, thing in
                var thing = thing
                thing.id = index + 1
                return thing
            }
    }

    /// Of how many sightings things would be made.
    func count(where isWanted: (Sighting) -> Bool) -> Int { found.count(where: isWanted) }

    private var found: [Sighting] {
        let known = sightings + open.keys.sorted().compactMap { open[$0] }
        return known + cutSightings(besides: known)
    }

    /// The frames in which a sighting's place is known best: where only some lines were read again, those of a picture that moved
    /// are taken to be where they were.
    private func anchors(of sighting: Sighting) -> Set<Int> {
        sighting.boxes.contains { wholeReadings.contains($0.time.index) } ? wholeReadings : readings
    }

    // MARK: Lines

    /// Lines that were cut off by the edge all the time that it was in view, or is not known to have been whole.
    private func cutSightings(besides sightings: [Sighting]) -> [Sighting] {
        cuts.flatMap { key, cut in
            guard let line = lines[key], let first = line.places.first.map({ max(changes.begin, $0.index) }) else {
                return [Sighting]()
            }
            let stays = max(first, stay(of: line))
            return cut.patterns.union(cut.begun).sorted().compactMap { pattern in
                let last = cut.patterns.contains(pattern) ? stays : max(first, min(stays, cut.until))
                let boxes = (first...last).map { Sighting.Box(time: time($0), quad: line.quad(at: $0)) }
                // A sighting is followed to the edge as such.
                let isKnown = sightings.contains { sighting in
                    sighting.patternIndex == pattern
                        && sighting.boxes.contains { box in
                            (first...last).contains(box.time.index)
                                && line.quad(at: box.time.index).grown(along: box.quad.height, across: 2).holdsPoint(
                                    box.quad.center)
                        }
                }
                guard !isKnown, let begin = boxes.first, let end = boxes.last else { return nil }
                return Sighting(
                    id: 0, patternIndex: pattern, pattern: "", text: cut.text, line: cut.text, start: begin.time.start,
                    end: end.time.end, score: 0, peak: begin, boxes: boxes)
            }
        }
    }

    /// The last frame in which a line is known to have been where it was read last: unchanged text is not read again.
    private func stay(of line: LineHistory.Line) -> Int {
        let area = line.quad(at: line.last).bounds
        let next = wholeReadings.filter { $0 > line.last }.min() ?? frames
        var last = line.last
        while last + 1 < next, [.none, .little].contains(changes.step(to: last + 1, in: area)) { last += 1 }
        return last
    }

    /// The track with all of the line that its words stand in, where that is to be hidden.
    private func widened(_ track: HiddenTrack) -> HiddenTrack {
        guard settings.wholeLines.contains(track.patternIndex) else { return track }
        var sides: [Int: (left: Double, right: Double)] = [:]
        for (offset, quad) in track.quads.enumerated() where readings.contains(track.first + offset) {
            let index = track.first + offset
            guard quad.height > 0, let line = lines.row(of: quad, at: index) else { continue }
            let along = quad.direction
            let corners = line.corners.map { corner in
                (corner.x - quad.topLeft.x) * along.x + (corner.y - quad.topLeft.y) * along.y
            }
            sides[index] = (-(corners.min() ?? 0), (corners.max() ?? 0) - quad.width)
        }
        var track = track
        track.widen(sides)
        return track
    }

    /// The track whose place, where all of its line is hidden, does not get shorter for a moment.
    private func lengthened(_ track: HiddenTrack) -> HiddenTrack {
        guard settings.wholeLines.contains(track.patternIndex) else { return track }
        var track = track
        track.keepLength(for: Int(Self.gap * rate))
        return track
    }

    // MARK: Gaps

    /// A gap of this length is hidden through where the place can be followed, and one where nothing moved may be longer.
    private static let gap = 1.0
    private static let stillGap = 3.0

    private func joined(_ tracks: [HiddenTrack]) -> [HiddenTrack] {
        var result: [HiddenTrack] = []
        for track in tracks.sorted(by: { $0.first < $1.first }) {
            if let index = result.lastIndex(where: { goesOn($0, as: track) }) {
                result[index].join(track)
            } else {
                result.append(track)
            }
        }
        return result
    }

    private func goesOn(_ a: HiddenTrack, as b: HiddenTrack) -> Bool {
        guard let from = a.quads.last, let to = b.quads.first, b.last > a.last else { return false }
        let gap = time(b.first).start.seconds - time(a.last).end.seconds
        let height = max(from.height, to.height)
        guard gap <= Self.stillGap, from.height < 1.4 * to.height, to.height < 1.4 * from.height else { return false }
        let distance = (from.center - to.center).length
        if distance < 0.5 * height, abs(from.width - to.width) < height { return true }
        let expected = a.motionAtEnd(in: size).moved(from, by: Double(b.first - a.last))
        return gap <= Self.gap && min(distance, (expected.center - to.center).length) < 1.5 * height
    }

    // MARK: Time

    /// So many frames before the first sight and after the last are hidden in any case.
    private static let frameMargin = 2
    /// Traces are followed for this long, in seconds, and this long may pass between two.
    private static let longestTrace = 3.0
    private static let quiet = 0.5
    /// So long something that moves is taken to have moved in from the edge, and a picture that moves says nothing.
    private static let longestWay = 3.0
    private static let blind = 0.3

    private func extended(_ track: HiddenTrack) -> HiddenTrack {
        var track = typedBefore(track)
        let start = track.motionAtStart(in: size)
        if let quad = track.quads.first {
            if start.isSeen {
                track.extend(back: way(of: quad, start, -1)) { start.swept(quad, by: -Double($0)) }
            } else {
                track.extend(back: traces(of: quad, from: track.first, -1) + Self.frameMargin) { _ in quad }
            }
        }
        let end = track.motionAtEnd(in: size)
        if let quad = track.quads.last {
            let left = frames - 1 - track.last
            if end.isSeen {
                track.extend(forth: min(left, way(of: quad, end, 1))) { end.swept(quad, by: Double($0)) }
            } else {
                let seen = traces(of: quad, from: track.last, 1) + Self.frameMargin
                track.extend(forth: min(left, max(seen, Int(settings.linger * rate)))) { _ in quad }
            }
        }
        return track
    }

    /// For how many frames something that moves is hidden beyond where it was seen: until it is out of the picture where it is on its
    /// way out, else for a moment.
    private func way(of quad: Quad, _ motion: HiddenTrack.Motion, _ direction: Double) -> Int {
        let rate = self.rate
        let most = Int(Self.longestWay * rate)
        let reach = Self.frameMargin + Int(Self.blind * rate)
        for count in 1...max(1, most) {
            let bounds = motion.moved(quad, by: direction * Double(count)).bounds
            guard bounds.intersection(size).isEmpty else { continue }
            // Only text near the edge, within its motion between two readings, is on its way out.
            let own = max(bounds.width, bounds.height) / max(0.1, motion.speed)
            return Double(count) <= own + 1.2 * rate ? count + 1 : reach
        }
        return reach
    }

    /// For how many frames before one, or after it, the place kept changing on its way to or from what was seen.
    ///
    /// - Parameter direction: -1 before, 1 after.
    private func traces(of quad: Quad, from edge: Int, _ direction: Int) -> Int {
        let (area, rate) = (quad.bounds, self.rate)
        var (reached, isCovered) = (0, false)
        for distance in 0...Int(Self.longestTrace * rate) {
            // Changes in a frame happened since the one before it.
            let index = direction < 0 ? edge - distance : edge + 1 + distance
            guard index > 0, index < frames else { break }
            let step = changes.step(to: index, in: area)
            let passes = [.little, .much].contains(step) && isPassing(from: index, direction, area)
            isCovered = isCovered || passes
            switch step {
            case .none: break
            case .much where !passes, .cut: return distance
            case .little, .much: reached = direction < 0 ? distance : distance + 1
            case .moves: return max(reached, Int(Self.blind * rate))
            }
            if Double(distance - reached) > (isCovered ? Self.longestCover : Self.quiet) * rate { break }
        }
        return reached
    }

    /// Whether the place goes on changing from a frame on, as where something passes in front of it: parts of it are still to be seen, and
    /// will be again.
    private func isPassing(from index: Int, _ direction: Int, _ area: Rect) -> Bool {
        let changed = (0..<8).count { step in
            [.little, .much].contains(changes.step(to: index + direction * step, in: area))
        }
        return changed >= 6
    }

    /// So long something may stand in front of a place, in seconds.
    private static let longestCover = 1.2

    /// Of a line that was there before, in part, the words' place is hidden since it reached there.
    private func typedBefore(_ track: HiddenTrack) -> HiddenTrack {
        guard let quad = track.quads.first, let line = lines.line(of: quad, at: track.first) else { return track }
        let now = line.quad(at: track.first)
        let along = quad.direction
        let begun = line.steadyPlaces(before: track.first).first { place in
            // The line's end is beyond the words' beginning, wherever the line was then.
            let offset = now.topLeft - place.quad.topLeft
            let end = place.quad.topRight + offset - quad.topLeft
            return end.x * along.x + end.y * along.y > 0
        }
        guard let begun, begun.index < track.first else { return track }
        var result = track
        result.extend(back: track.first - begun.index) { count in
            quad.moved(by: line.quad(at: track.first - count).topLeft - now.topLeft)
        }
        return result
    }

    private func time(_ index: Int) -> FrameTime { changes.time(index) }

    // MARK: Places

    /// With margins: a quarter of a line's height, and what following is off by.
    private func thing(_ track: HiddenTrack) -> HiddenThing {
        let isStill = !track.motionAtStart(in: size).isSeen && !track.motionAtEnd(in: size).isSeen
        let least = isStill ? 2.0 : 2.0 + grain
        let places = track.quads.enumerated().map { offset, quad in
            HiddenThing.Place(
                time: time(track.first + offset).start,
                quad: quad.grown(
                    along: max(least, LineRests.alongMargin * quad.height),
                    across: max(least, LineRests.acrossMargin * quad.height)))
        }
        var thing = HiddenThing(
            id: 0, reason: settings.reason(of: track.patternIndex), text: track.text, start: time(track.first).start,
            end: time(track.last).end,
            places: places)
        thing.thin()
        return thing
    }
}
