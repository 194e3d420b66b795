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

    let settings: Settings
    private(set) var changes = PictureChanges()
    private(set) var lines = LineHistory()
    /// The frames that were read, and those that were searched completely.
    private var readings: Set<Int> = []
    private var wholeReadings: Set<Int> = []
    private var sightings: [Sighting] = []
    /// The sightings in progress, keyed by identifier, with their boxes so far.
    private var open: [Int: Sighting] = [:]
    /// Lines cut off by the edge of the picture that may be parts of a match, and lines that grow.
    private var cuts: [LineHistory.Key: CutLine] = [:]
    /// The longest text of each line that was read for certain while the line was whole.
    private var certain: [LineHistory.Key: String] = [:]
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
                let judgement = cutLines?.judgement(of: track.reading, in: picture) ?? CutLines.Judgement()
                let neighbor = rests.neighbor(track, geometry)
                if judgement.isCertain, track.reading.text.count >= certain[key]?.count ?? 0 {
                    certain[key] = track.reading.text
                }
                let isNew = !judgement.patterns.isEmpty || !judgement.doubtful.isEmpty || neighbor != nil
                if isNew || cuts[key] != nil {
                    cuts[key, default: CutLine()].add(track.reading.text, judgement, beside: neighbor)
                }
                if settings.hidesBeginnings { takeGrowth(of: track, key, at: finding.time) }
            }
        case .sighting(let sighting): sightings.append(whole(sighting))
        default: break
        }
    }

    /// The time in seconds over which it is told whether a line moves.
    private static let moment = 0.5

    /// Records that text being typed may become a match with its next letters, until a little after typing ends.
    private mutating func takeGrowth(of track: TextTrack, _ key: LineHistory.Key, at time: FrameTime) {
        let before = growths.updateValue(track.growths, forKey: key)
        // The first letters of a line that has not been seen to grow yet.
        let isNew = before == nil && track.reading.text.count <= Self.firstLetters
        guard isNew || before.map({ $0 != track.growths }) ?? (track.growths > 0) else { return }
        let begun = cutLines?.beginnings(in: track.reading) ?? []
        guard !begun.isEmpty || cuts[key] != nil else { return }
        var cut = cuts[key] ?? CutLine()
        cut.add(track.reading.text, CutLines.Judgement())
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
        certain = certain.filter { lines[$0.key] != nil }
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
        return groups.keys.sorted().flatMap { hidden(groups[$0] ?? []) }.compactMap(thing)
            .sorted {
                ($0.start, $0.paths[0].places[0].quad.topLeft.y) < ($1.start, $1.paths[0].places[0].quad.topLeft.y)
            }
            .enumerated().map { index, thing in
                var thing = thing
                thing.id = index + 1
                return thing
            }
    }

    /// Returns the tracks to hide for the findings of one pattern, grouped by thing. The first track of a group is what its
    /// findings hide when they are joined. The others are what stays visible of the text beside something in front of it,
    /// and what each finding alone and each pair of them would hide in addition: joined with another, a track may seem to
    /// move in another way, or to stand still, and a further finding must never hide less.
    private func hidden(_ tracks: [HiddenTrack]) -> [[HiddenTrack]] {
        let chains = joined(tracks)
        let members = chains.enumerated().flatMap { chain, known in known.members.map { (track: $0, chain: chain) } }
        let wholes = wholes(of: members.map(\.track))
        let things = things(of: chains.map(\.members.count), members.map(\.chain), wholes)
        let parts = CoveredParts(lines: lines, changes: changes, gap: Int(Self.gap * rate))
        var result: [Int: [HiddenTrack]] = [:]
        var all: [HiddenTrack] = []
        func add(
            _ track: HiddenTrack, along whole: HiddenTrack? = nil, to chain: Int, besides others: [HiddenTrack]
        ) {
            let (thing, hidden) = (things[chain], lengthened(extended(track, along: whole)))
            guard let rest = result[thing] == nil ? hidden : hidden.rest(besides: others) else { return }
            result[thing, default: []].append(rest)
            all.append(rest)
        }
        // The thing itself comes before its parts.
        for chain in chains.indices where things[chain] == chain { add(chains[chain].track, to: chain, besides: []) }
        for (track, chain) in members {
            parts.standing(beside: track, in: size).forEach { add($0, to: chain, besides: all) }
        }
        if chains.count < tracks.count { forEachPair(of: members) { add($0, to: $1, besides: all) } }
        for (index, member) in members.enumerated()
        where chains[member.chain].members.count > 1 || things[member.chain] != member.chain {
            // If you leave out another thing at its place, this one stays hidden.
            add(
                member.track, along: wholes[index].map { members[$0].track }, to: member.chain,
                besides: result[things[member.chain]] ?? [])
        }
        return result.keys.sorted().compactMap { result[$0] }
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

    /// The nearest frames before and after one in which the whole picture was read.
    func readingBefore(_ index: Int) -> Int? { wholeReadings.filter { $0 < index }.max() }
    func readingAfter(_ index: Int) -> Int? { wholeReadings.filter { $0 > index }.min() }

    // MARK: Lines

    /// Returns the lines that the edge cut off while in view, or that are not known to have been whole, for the times in
    /// which no sighting hides them.
    private func cutSightings(besides sightings: [Sighting]) -> [Sighting] {
        // In one order, so that the same lines give the same things.
        let cuts = cuts.sorted { ($0.key.epoch, $0.key.id) < ($1.key.epoch, $1.key.id) }
        return cuts.flatMap { key, cut in
            guard let line = lines[key], let first = line.places.first.map({ max(changes.begin, $0.index) }) else {
                return [Sighting]()
            }
            let stays = max(first, stay(of: line))
            let moment = max(1, Int(Self.moment * rate))
            let besides = rests.frames(
                of: cut.neighbors, line, among: lines, in: first...stays, moment: moment, time: time)
            let possible = cut.possible(knowing: certain[key])
            return possible.union(cut.begun).union(besides.keys).sorted().flatMap { pattern in
                let last = possible.contains(pattern) ? stays : max(first, min(stays, cut.until))
                let isCut = possible.contains(pattern) || cut.begun.contains(pattern)
                let known = sightings.filter { $0.patternIndex == pattern && line.isSeen(in: $0, first...stays) }
                let left = (first...stays).filter { index in
                    (isCut && index <= last || besides[pattern]?.contains(index) ?? false)
                        && !known.contains { $0.lasts(through: index) }
                }
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
        let next = readingAfter(line.last) ?? frames
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

    func time(_ index: Int) -> FrameTime { changes.time(index) }

    // MARK: Places

    /// Returns the thing that tracks of one text make.
    ///
    /// - Returns: nil if all of its places lie outside the picture.
    private func thing(_ tracks: [HiddenTrack]) -> HiddenThing? {
        var paths = tracks.map(path)
        if size.area > 0 {
            paths.removeAll { path in path.places.allSatisfy { $0.quad.bounds.intersection(size).isEmpty } }
        }
        guard !paths.isEmpty else { return nil }
        for index in paths.indices { paths[index].thin() }
        return HiddenThing(
            id: 0, reason: settings.reason(of: tracks[0].patternIndex), text: tracks[0].text, paths: paths)
    }

    /// Returns the path of a track with margins: a quarter of a line's height, plus the inaccuracy of following.
    private func path(_ track: HiddenTrack) -> HiddenPath {
        let isStill =
            !track.motionAtStart(in: size, among: lines).isSeen && !track.motionAtEnd(in: size, among: lines).isSeen
        let least = isStill ? 2.0 : 2.0 + grain
        var places: [HiddenPath.Place] = []
        for (offset, read) in track.quads.enumerated() {
            let quad = track.asHighAsItsLetters(read)
            let grown = quad.grown(
                along: max(least, LineRests.alongMargin * quad.height),
                across: max(least, LineRests.acrossMargin * quad.height))
            // The same text, read on its head, has its corners elsewhere.
            places.append(
                HiddenPath.Place(
                    time: time(track.first + offset).start,
                    quad: places.last.map { grown.turned(like: $0.quad) } ?? grown))
        }
        return HiddenPath(start: time(track.first).start, end: time(track.last).end, places: places)
    }
}
