import TextMatching
import TextSpotting

/// Derives the things to hide from the findings of a search: a value that takes the events of the search in order.
///
/// Finding favors certainty, hiding favors coverage: a place is hidden from before its first trace to after its last,
/// where it was followed and where it was read, with margins, through gaps, and from the first letter of a line that is
/// typed.
struct HidingPlanner: Sendable {
    struct Settings: Sendable {
        /// The public name of each pattern.
        var reasons: [String]
        /// The patterns for which the whole line is hidden, because the reading of a match may have ended too early.
        var wholeLines: Set<Int> = []
        /// How long a place that stood still stays hidden, in seconds, while what follows is unknown.
        var linger = 0.0
        /// Whether a growing line is hidden from the first letter that may begin a match.
        var hidesBeginnings = false

        func reason(of pattern: Int) -> String { reasons.indices.contains(pattern) ? reasons[pattern] : "pattern" }
    }

    private let settings: Settings
    private var changes = PictureChanges()
    private var lines = LineHistory()
    /// The frames that were read, and those that were searched completely.
    private var readings: Set<Int> = []
    private var wholeReadings: Set<Int> = []
    private var sightings: [Sighting] = []
    /// The sightings in progress, keyed by identifier, with their boxes so far.
    private var open: [Int: Sighting] = [:]
    /// Lines cut off by the edge of the picture that may be parts of a match, and lines that grow.
    private var cuts: [LineHistory.Key: CutLine] = [:]
    /// The number of times each line had grown when last read.
    private var growths: [LineHistory.Key: Int] = [:]
    private let cutLines: CutLines?
    /// Finds text right beside places that are already hidden.
    private let rests: LineRests
    private(set) var size = Rect(x: 0, y: 0, width: 0, height: 0)
    /// The size of a pixel of the followed pictures, in pixels of the displayed one.
    private var grain = 1.0

    /// - Parameters:
    ///   - matcher: for lines cut off by the edge of the picture; nil to ignore these.
    ///   - known: the places that are hidden already; text right beside them may be the rest of a line.
    init(
        _ settings: Settings, matcher: Matcher? = nil, besides known: HidingPlan = HidingPlan(),
        heldAs turn: StillTurn? = nil
    ) {
        self.settings = settings
        let reasons = settings.wholeLines.sorted().map { ($0, settings.reason(of: $0)) }
        rests = LineRests(besides: known, reasons: reasons, heldAs: turn)
        cutLines = matcher.map(CutLines.init)
    }

    /// The index after the last considered frame.
    var frames: Int { changes.end }

    /// The last considered frame; nil before the first.
    var last: FrameTime? { frames > 0 ? changes.time(frames - 1) : nil }

    /// The number of frames per second.
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
                if !patterns.isEmpty || cuts[key] != nil {
                    cuts[key, default: CutLine()].add(track.reading.text, patterns)
                }
                if settings.hidesBeginnings { takeGrowth(of: track, key, at: finding.time) }
            }
        case .sighting(let sighting): sightings.append(whole(sighting))
        default: break
        }
    }

    /// Records that text being typed may become a match with its next letters, until a little after typing ends.
    private mutating func takeGrowth(of track: TextTrack, _ key: LineHistory.Key, at time: FrameTime) {
        let before = growths.updateValue(track.growths, forKey: key)
        // The first letters of a line that has not been seen to grow yet.
        let isNew = before == nil && track.reading.text.count <= Self.firstLetters
        guard isNew || before.map({ $0 != track.growths }) ?? (track.growths > 0) else { return }
        let begun = cutLines?.beginnings(in: track.reading) ?? []
        guard !begun.isEmpty || cuts[key] != nil else { return }
        var cut = cuts[key] ?? CutLine()
        cut.add(track.reading.text, [])
        cut.begun = Set(begun)
        cut.until = time.index + Int(Self.typing * rate)
        cuts[key] = cut
    }

    /// A line of up to this many letters may be one that is being typed.
    private static let firstLetters = 3
    /// The time in seconds after its last letter for which a line counts as being typed.
    private static let typing = 1.5

    /// Takes the sightings in progress, each box of which comes once.
    mutating func take(_ step: SightingStep) {
        for sighting in step.open { open[sighting.id] = whole(sighting) }
    }

    /// Returns the sighting with all of its boxes.
    private mutating func whole(_ sighting: Sighting) -> Sighting {
        guard let known = open.removeValue(forKey: sighting.id), let last = known.boxes.last else { return sighting }
        var sighting = sighting
        sighting.boxes = known.boxes + sighting.boxes.drop { $0.time.index <= last.time.index }
        return sighting
    }

    /// Discards data from before a frame that is already hidden and gone.
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

    /// Returns everything to hide.
    ///
    /// - Parameter isWanted: selects the sightings.
    func things(where isWanted: (Sighting) -> Bool = { _ in true }) -> [HiddenThing] {
        let tracks = found.filter(isWanted).compactMap {
            HiddenTrack($0, readings: anchors(of: $0)).map(widened)
        }
        let groups = Dictionary(grouping: tracks, by: \.patternIndex)
        return groups.keys.sorted().flatMap { hidden(groups[$0] ?? []) }.map(thing)
            .sorted { ($0.start, $0.places[0].quad.topLeft.y) < ($1.start, $1.places[0].quad.topLeft.y) }
            .enumerated().map { index, thing in
                var thing = thing
                thing.id = index + 1
                return thing
            }
    }

    /// Returns the tracks to hide for the findings of one pattern: those that were joined; what stays visible beside
    /// something in front of them; and, of findings that were joined, what each alone and each two would hide besides.
    /// Joined with another, a track may seem to move in another way, or to stand still, and what is found more must never
    /// hide less.
    private func hidden(_ tracks: [HiddenTrack]) -> [HiddenTrack] {
        let chains = joined(tracks)
        let parts = CoveredParts(lines: lines, changes: changes, gap: Int(Self.gap * rate))
        var result = chains.map { lengthened(extended($0.track)) }
        func add(_ track: HiddenTrack) {
            if let rest = lengthened(extended(track)).rest(besides: result) { result.append(rest) }
        }
        for track in tracks { parts.standing(beside: track, in: size).forEach(add) }
        guard chains.count < tracks.count else { return result }
        forEachPair(of: tracks, add)
        for chain in chains where chain.members.count > 1 { chain.members.forEach(add) }
        return result
    }

    /// Returns the number of sightings from which things would be made.
    func count(where isWanted: (Sighting) -> Bool) -> Int { found.count(where: isWanted) }

    private var found: [Sighting] {
        let known = sightings + open.keys.sorted().compactMap { open[$0] }
        return known + cutSightings(besides: known)
    }

    /// Returns the frames in which a sighting's place is known best: if only some lines were reread, the others in a
    /// moving picture are assumed to be where they were.
    private func anchors(of sighting: Sighting) -> Set<Int> {
        sighting.boxes.contains { wholeReadings.contains($0.time.index) } ? wholeReadings : readings
    }

    // MARK: Lines

    /// Returns the lines that the edge cut off while in view, or that are not known to have been whole, for the times in
    /// which no sighting hides them.
    private func cutSightings(besides sightings: [Sighting]) -> [Sighting] {
        cuts.flatMap { key, cut in
            guard let line = lines[key], let first = line.places.first.map({ max(changes.begin, $0.index) }) else {
                return [Sighting]()
            }
            let stays = max(first, stay(of: line))
            return cut.patterns.union(cut.begun).sorted().flatMap { pattern in
                let last = cut.patterns.contains(pattern) ? stays : max(first, min(stays, cut.until))
                let known = sightings.filter { $0.patternIndex == pattern && line.isSeen(in: $0, first...last) }
                let left = (first...last).filter { index in !known.contains { $0.lasts(through: index) } }
                return left.runs.map { frames in
                    let boxes = frames.map { Sighting.Box(time: time($0), quad: line.quad(at: $0)) }
                    let (begin, end) = (boxes[0], boxes[boxes.count - 1])
                    return Sighting(
                        id: 0, patternIndex: pattern, pattern: "", text: cut.text, line: cut.text,
                        start: begin.time.start, end: end.time.end, score: 0, peak: begin, boxes: boxes)
                }
            }
        }
    }

    /// Returns the last frame in which a line is known to be where it was last read: unchanged text is not read again.
    private func stay(of line: LineHistory.Line) -> Int {
        let next = wholeReadings.filter { $0 > line.last }.min() ?? frames
        return changes.stay(of: line.quad(at: line.last).bounds, from: line.last, before: next, [.none, .little])
    }

    /// Returns the track extended to the whole line of the words, if that must be hidden.
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

    /// Returns the track without momentary shortening, if the whole line is hidden.
    private func lengthened(_ track: HiddenTrack) -> HiddenTrack {
        guard settings.wholeLines.contains(track.patternIndex) else { return track }
        var track = track
        track.keepLength(for: Int(Self.gap * rate))
        return track
    }

    /// Gaps up to this length are hidden through if the place can be followed; if nothing moved they may be longer.
    static let gap = 1.0
    static let stillGap = 3.0

    // MARK: Time

    /// The number of frames before the first sight and after the last that are always hidden.
    private static let frameMargin = 2
    /// The longest time for which traces are followed, and between two of them, in seconds.
    private static let longestTrace = 3.0
    private static let quiet = 0.5
    /// The longest time in which something moving is assumed to have come from the edge of a picture that stands still.
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

    /// Returns the number of frames for which something moving is hidden beyond where it was seen: until it has left
    /// the picture if it is leaving, otherwise for a moment.
    private func way(of quad: Quad, _ motion: HiddenTrack.Motion, _ direction: Double) -> Int {
        let rate = self.rate
        let most = Int(Self.longestWay * rate)
        let reach = Self.frameMargin + Int(Self.blind * rate)
        for count in 1...max(1, most) {
            let bounds = motion.moved(quad, by: direction * Double(count)).bounds
            guard bounds.intersection(size).isEmpty else { continue }
            // Only text near the edge, within its motion between two readings, is leaving.
            let own = max(bounds.width, bounds.height) / max(0.1, motion.speed)
            return Double(count) <= own + 1.2 * rate ? count + 1 : reach
        }
        return reach
    }

    /// Returns the number of frames before one, or after it, in which the place kept changing on the way to or from
    /// what was seen.
    ///
    /// - Parameter direction: -1 for before, 1 for after.
    private func traces(of quad: Quad, from edge: Int, _ direction: Int) -> Int {
        let (area, rate) = (quad.bounds, self.rate)
        var (reached, isCovered, isUnchanged) = (0, false, true)
        for distance in 0...Int(Self.longestTrace * rate) {
            // Changes in a frame happened since the one before it.
            let index = direction < 0 ? edge - distance : edge + 1 + distance
            // Up to an end of the recording nothing much changed: it was there all that time.
            guard index > 0, index < frames else { return distance }
            let step = changes.step(to: index, in: area)
            let passes = [.little, .much].contains(step) && isPassing(from: index, area)
            isCovered = isCovered || passes
            isUnchanged = isUnchanged && step == .none
            switch step {
            case .none: break
            case .much where !passes, .cut: return distance
            case .little, .much: reached = direction < 0 ? distance : distance + 1
            case .moves: return max(reached, Int(Self.blind * rate))
            }
            // Text that was read late in a picture that stood still was there from its beginning.
            if !isUnchanged, Double(distance - reached) > (isCovered ? Self.longestCover : Self.quiet) * rate { break }
        }
        return reached
    }

    /// Returns whether the place keeps changing before or after a frame, as when something passes in front of it, begins
    /// to move there, or stops: parts of it are still visible, and will be again.
    private func isPassing(from index: Int, _ area: Rect) -> Bool {
        [-1, 1].contains { direction in
            let changed = (0..<8).count { step in
                [.little, .much].contains(changes.step(to: index + direction * step, in: area))
            }
            return changed >= 6
        }
    }

    /// The longest time for which something may be in front of a place, in seconds.
    private static let longestCover = 1.2

    /// Hides the words' place from the time that a line which was partly there before reached it.
    private func typedBefore(_ track: HiddenTrack) -> HiddenTrack {
        guard let quad = track.quads.first, let line = lines.line(of: quad, at: track.first) else { return track }
        let now = line.quad(at: track.first)
        let along = quad.direction
        let begun = line.steadyPlaces(before: track.first).first { place in
            // The end of the line is beyond the beginning of the words, wherever the line was then.
            let offset = now.topLeft - place.quad.topLeft
            let end = place.quad.topRight + offset - quad.topLeft
            return end.x * along.x + end.y * along.y > 0
        }
        guard let begun, begun.index < track.first else { return track }
        var result = track
        result.extend(back: max(0, track.first - max(changes.begin, begun.index))) { count in
            quad.moved(by: line.quad(at: track.first - count).topLeft - now.topLeft)
        }
        return result
    }

    func time(_ index: Int) -> FrameTime { changes.time(index) }

    // MARK: Places

    /// Returns the thing with margins: a quarter of a line's height, plus the inaccuracy of following.
    private func thing(_ track: HiddenTrack) -> HiddenThing {
        let isStill = !track.motionAtStart(in: size).isSeen && !track.motionAtEnd(in: size).isSeen
        let least = isStill ? 2.0 : 2.0 + grain
        let places = track.quads.enumerated().map { offset, read in
            let quad = track.asHighAsItsLetters(read)
            return HiddenThing.Place(
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
