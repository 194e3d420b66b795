/// Tracks lines of text over successive readings: which line is which, which must be read again, and their votes.
///
/// A value that takes readings in order; its results depend on nothing else. For readers that find lines first and then
/// read them, ``look(at:in:at:isChanged:motion:)`` determines in between which lines need reading; for readers that
/// return both at once, ``add(_:in:at:)`` is enough.
public struct TextTracker: Sendable {
    /// Settings for when a known line is read again, and for how long a line out of sight is remembered.
    public struct Settings: Sendable, Hashable {
        /// The time after which a line with a doubtful letter is read again at the latest.
        public var maximumAge = StreamTime(seconds: 5)
        /// The time after which a line without doubtful letters is read again: the same picture gives the same text.
        public var settledAge = StreamTime(seconds: 5)
        /// The time for which a line that is no longer found keeps its identity: something may be in front of it.
        public var memory = StreamTime(seconds: 2)
        /// The number of agreeing readings up to which a doubtful line is read again in each new picture.
        public var agreeingReadings = 5
        /// The number of readings after which a line is no longer read again for being doubtful.
        public var maximumReadings = 9
        /// Whether lines that look as they did when they were read are left unread.
        public var keepsKnown = true
        /// Whether the readings of a line are combined; otherwise the newest counts.
        public var votes = true
        /// The number of lines per second that may be reread for changed places between readings of the whole picture.
        public var mostRereadings = 200.0

        public init() {}
    }

    public package(set) var settings: Settings
    /// All tracks that are in view or were a moment ago, oldest first.
    public private(set) var tracks: [TextTrack] = []
    private var nextID: Int
    /// The picture in which lines were searched for last, without what appeared on it that its ground hides.
    var ground: Picture?
    /// Where something appeared on it that is not read yet, and since when; for as long as ``Settings/memory``.
    var unread: [(place: Rect, since: StreamTime)] = []
    /// The numbers of lines of the latest picture that were read, and that were found in view without reading.
    public private(set) var linesRead = 0
    public private(set) var linesKnown = 0
    /// The lines with changed places that were too many to be read again, and their frame; nil if there are none.
    public private(set) var leftOut: (places: [Quad], time: FrameTime)?
    /// The number of lines that may be read again now, and the time at which it was computed.
    private var allowance: (lines: Double, time: StreamTime)?

    /// - Parameter firstID: the number of the first track.
    public init(settings: Settings = Settings(), firstID: Int = 1) {
        self.settings = settings
        nextID = firstID
    }

    /// The tracks in view, from the top down.
    public var visible: [TextTrack] {
        tracks.filter(\.isInView).sorted {
            ($0.line.quad.center.y, $0.line.quad.center.x, $0.id) < (
                $1.line.quad.center.y, $1.line.quad.center.x, $1.id
            )
        }
    }

    public var lines: [TextLine] { visible.map(\.line) }

    /// Takes all lines of a picture from a reader, and returns the tracks that are now in view.
    ///
    /// - Parameter picture: the picture that was read; without it lines are only distinguished by place and text.
    @discardableResult
    public mutating func add(_ lines: [TextLine], in picture: Picture?, at time: FrameTime) -> [TextTrack] {
        var request = Request()
        if let picture {
            let all = lines.map(\.quad)
            let found = LineAssociation(tracks: tracks, time: time).byPicture(Array(tracks.indices), all, in: picture)
            request = begin(found, regions: all, everything: true, picture: picture, time: time)
        } else {
            request.items = lines.map { Request.Item(region: $0.quad, isEvidence: true) }
            request.missing = Array(tracks.indices)
        }
        take(lines, of: request, in: picture, at: time)
        return visible
    }

    /// Determines which of the lines found in a picture must be read, and moves the tracks along with it.
    ///
    /// - Parameters:
    ///   - regions: the lines that the detector found, at least wherever the picture changed.
    ///   - isChanged: returns whether something changed at a place; lines in unchanged places stay.
    ///   - motion: the movement of the unchanged parts of the picture, in pixels.
    public mutating func look(
        at regions: [Quad], in picture: Picture, at time: FrameTime, isChanged: (Quad) -> Bool,
        motion: Point = Point(0, 0)
    ) -> Request {
        look(at: regions, in: picture, at: time, isChanged: isChanged, motion: motion, carried: [])
    }

    /// Does the same when some lines have already been followed to their places, whatever changed there.
    mutating func look(
        at regions: [Quad], in picture: Picture, at time: FrameTime, isChanged: (Quad) -> Bool, motion: Point,
        carried: [CarriedLine]
    ) -> Request {
        var still: [Int] = []
        var doubtful: [Int] = []
        var others = place(carried, regions, in: picture, at: time, still: &still, doubtful: &doubtful)
        if motion == Point(0, 0) {
            others = keepAppeared(others, in: picture, at: time, isChanged: isChanged, still: &still)
        }
        // A detector is not exact: a region just beside the change may be the line that the change just touches.
        let touched = tracks.filter { $0.isInView && isChanged($0.line.quad.moved(by: motion)) }.map(\.line.quad.bounds)
        let regions = others.filter { region in
            isChanged(region) || touched.contains { region.bounds.covers($0) }
        }
        for index in tracks.indices where tracks[index].isInView && !still.contains(index) {
            let there = tracks[index].line.quad.moved(by: motion)
            // A line that grew did not change at its old place: the region found now represents it.
            guard !isChanged(there), !regions.contains(where: { $0.bounds.covers(there.bounds) }) else { continue }
            tracks[index].move(by: precise(motion, tracks[index], picture), to: time)
            guard tracks[index].trim(to: picture.bounds) else { continue }
            still.append(index)
            if settings.keepsKnown, !tracks[index].hasAppeared, isWorthReading(tracks[index], picture) {
                doubtful.append(index)
            }
        }
        let moving = tracks.indices.filter { !still.contains($0) }
        let found = LineAssociation(tracks: tracks, time: time).byPicture(moving, regions, in: picture)
        var request = begin(found, regions: regions, everything: false, picture: picture, time: time)
        request.missing = request.missing.filter { !still.contains($0) }
        request.items += doubtful.map {
            Request.Item(region: tracks[$0].region, track: $0, isCertain: true, isEvidence: true)
        }
        return request
    }

    /// Determines which lines must be read again because their places changed and they look different; all others stay
    /// as they are.
    ///
    /// If there are more than may be read, those read longest ago come first.
    mutating func lookAgain(in picture: Picture, at time: FrameTime, _ changed: ChangedPlaces) -> Request {
        var request = Request()
        leftOut = nil
        let rate = settings.mostRereadings
        var left = min(rate, allowance.map { $0.lines + rate * max(0, (time.start - $0.time).seconds) } ?? rate)
        for index in tracks.indices.sorted(by: { (tracks[$0].read.start, $0) < (tracks[$1].read.start, $1) })
        where changed.concern(tracks[index]) {
            let track = tracks[index]
            let likeness = track.look?.likeness(in: picture, near: track.moved, reach: Self.nearby)
            // Text that only fades or moved a little is not another text; in a value a single digit may be another.
            if let likeness, likeness.isAlike,
                !track.isValue || likeness.isSurelySame || (likeness.offset - track.moved).length > 1.5
            {
                continue
            }
            guard left >= 1 else {
                leftOut = ((leftOut?.places ?? []) + [track.region], time)
                continue
            }
            left -= 1
            let region = changed.stretched(track, among: tracks, in: picture.bounds)
            request.items.append(
                Request.Item(
                    region: region ?? track.region, track: index,
                    isShown: region == nil && likeness?.isAlike ?? false, isStretched: region != nil,
                    isEvidence: true))
        }
        allowance = (left, time.start)
        return request
    }

    /// Records that a picture shows a line where it was.
    mutating func keep(_ index: Int, at time: FrameTime) { tracks[index].move(by: Point(0, 0), to: time) }

    /// Moves the lines that were carried, except where more than before was found in their places.
    ///
    /// - Returns: the regions that do not belong to them.
    private mutating func place(
        _ carried: [CarriedLine], _ regions: [Quad], in picture: Picture, at time: FrameTime, still: inout [Int],
        doubtful: inout [Int]
    ) -> [Quad] {
        var regions = regions
        for line in carried {
            guard let index = tracks.firstIndex(where: { $0.id == line.track }) else { continue }
            let there = tracks[index].region.mapped(line.step.apply)
            let own = regions.indices.filter { regions[$0].bounds.covers(there.bounds) }
            guard own.allSatisfy({ LineAssociation.isAlike(regions[$0], there) }) else { continue }
            for number in own.reversed() { regions.remove(at: number) }
            tracks[index].move(line.step, to: time)
            guard tracks[index].trim(to: picture.bounds) else { continue }
            still.append(index)
            if settings.keepsKnown, !tracks[index].hasAppeared,
                line.isClearer || (line.isFresh && tracks[index].isUnsettled(settings))
            {
                doubtful.append(index)
            }
        }
        return regions
    }

    /// Returns the exact motion of one line, starting from the motion of the picture in whole thumbnail pixels.
    private func precise(_ motion: Point, _ track: TextTrack, _ picture: Picture) -> Point {
        guard motion != Point(0, 0), let look = track.look,
            let found = look.likeness(in: picture, near: track.moved + motion, reach: 3), found.isAlike
        else { return motion }
        return found.offset - track.moved
    }

    /// Returns whether an unsettled track is worth rereading: only different noise is additional evidence.
    private func isWorthReading(_ track: TextTrack, _ picture: Picture) -> Bool {
        guard track.isUnsettled(settings), let look = track.look else { return false }
        return look.likeness(in: picture, near: track.moved, reach: 0).map { $0.difference >= Self.fresh } ?? false
    }

    /// The difference from which a picture counts as another one, in levels of brightness.
    private static let fresh = 0.5
    /// The factor by which a picture must be sharper to be worth another reading.
    private static let sharper = 1.3

    private mutating func begin(
        _ found: [LineAssociation.Sameness], regions: [Quad], everything: Bool, picture: Picture, time: FrameTime
    ) -> Request {
        var request = Request()
        var tracksAt: [Int: LineAssociation.Sameness] = [:]
        for pair in found {
            tracksAt[pair.region] = pair
            let offset = pair.likeness.offset - tracks[pair.track].moved
            tracks[pair.track].move(by: offset, to: time)
            request.moves.append(offset)
        }
        for (number, region) in regions.enumerated() {
            guard let pair = tracksAt[number] else {
                request.items.append(Request.Item(region: region, isEvidence: true))
                continue
            }
            let isFresh = pair.likeness.difference >= Self.fresh
            guard
                everything
                    || needsReading(
                        tracks[pair.track], likeness: pair.likeness, isFresh: isFresh, picture: picture, time: time)
            else {
                continue
            }
            request.items.append(
                Request.Item(
                    region: region, track: pair.track, isCertain: pair.likeness.isSame, isEvidence: isFresh))
        }
        let known = Set(found.map(\.track))
        request.missing = tracks.indices.filter { !known.contains($0) }
        return request
    }

    private func needsReading(
        _ track: TextTrack, likeness: LinePicture.Likeness, isFresh: Bool, picture: Picture, time: FrameTime
    ) -> Bool {
        let isUnsettled = track.isUnsettled(settings)
        let limit = isUnsettled ? settings.maximumAge : max(settings.settledAge, settings.maximumAge)
        guard settings.keepsKnown, likeness.isSame, time.start - track.read.start < limit else { return true }
        if track.wasCut, track.moved.length > 2 { return true }
        guard isFresh else { return false }
        if isUnsettled { return true }
        guard let before = track.look?.sharpness, let now = LinePicture(picture, of: track.reading.quad)?.sharpness
        else {
            return false
        }
        return now > Self.sharper * before
    }

    /// Takes the readings at the places that ``look(at:in:at:isChanged:motion:)`` returned; nil stands for a place
    /// where nothing could be read.
    ///
    /// - Precondition: there is one reading for each region, in the same order.
    public mutating func take(
        _ readings: [TextLine?], of request: Request, in picture: Picture?, at time: FrameTime
    ) {
        precondition(readings.count == request.items.count, "one reading for each region")
        let loose = takeExpected(readings, of: request, in: picture, at: time)
        takeLoose(loose, of: request, in: picture, at: time)
        forget(before: time.start - settings.memory)
        linesRead = readings.count
        linesKnown = tracks.count { $0.isInView && $0.read != time }
    }

    /// Takes the readings at places of known lines, and returns the others with their regions.
    private mutating func takeExpected(
        _ readings: [TextLine?], of request: Request, in picture: Picture?, at time: FrameTime
    ) -> [(region: Quad, line: TextLine)] {
        var loose: [(region: Quad, line: TextLine)] = []
        for (item, reading) in zip(request.items, readings) {
            guard let index = item.track else {
                if let reading { loose.append((item.region, reading)) }
                continue
            }
            guard let reading else {
                if item.isShown { tracks[index].readInVain(at: time) } else { tracks[index].lose(at: time) }
                continue
            }
            let line = item.isStretched ? reading.withoutEmptyEnds(atLeast: tracks[index].region) : reading
            let isOther = tracks[index].isReplaced(by: line, movedBy: Point(0, 0), in: picture)
            incorporate(
                line, region: item.isStretched ? line.quad : item.region, into: index, showsSame: item.isShown,
                isCertain: item.isCertain, isOther: isOther,
                isPlaced: true,
                isEvidence: item.isEvidence, picture: picture, time: time)
        }
        return loose
    }

    /// Takes lines that were read where none was known, for missing tracks with similar texts or as new tracks.
    private mutating func takeLoose(
        _ loose: [(region: Quad, line: TextLine)], of request: Request, in picture: Picture?, at time: FrameTime
    ) {
        let appeared = request.items.filter(\.hasAppeared).map(\.region)
        let association = LineAssociation(tracks: tracks, time: time)
        let drift = LineAssociation.modes(of: request.moves, limit: 1).first ?? request.moves.first
        var missing = Set(request.missing)
        var fresh = Set(loose.indices)
        var turns: [Int: Int] = [:]
        for (index, number) in association.byText(request.missing, loose, drift: drift) {
            let (region, line) = loose[number]
            guard appeared.contains(region) == tracks[index].hasAppeared else { continue }
            let shown = picture.flatMap { likeness(of: tracks[index], at: region, $0) }
            let isOther = shown.map { found in
                found.correlation >= Self.comparable
                    && tracks[index].isReplaced(by: line, movedBy: found.offset - tracks[index].moved, in: picture)
            }
            guard
                incorporate(
                    line, region: region, into: index, showsSame: shown?.isAlike ?? false,
                    isCertain: shown?.isSame ?? false, isOther: isOther ?? false, isPlaced: false, isEvidence: true,
                    picture: picture, time: time)
            else {
                if isOther == true { turns[number] = tracks[index].turns + 1 }
                continue
            }
            missing.remove(index)
            fresh.remove(number)
        }
        for index in missing.sorted() { tracks[index].lose(at: time) }
        for number in fresh.sorted() {
            begin(
                loose[number].line, region: loose[number].region, turns: turns[number] ?? 0,
                hasAppeared: appeared.contains(loose[number].region), picture: picture, time: time)
        }
    }

    private func likeness(of track: TextTrack, at region: Quad, _ picture: Picture) -> LinePicture.Likeness? {
        // A region of another size says little about where its beginning is, unless it has the same left edge.
        let offset = region.topLeft - track.region.topLeft
        return track.look?.likeness(in: picture, near: track.moved + offset, reach: 4)
    }

    /// Adds a reading to a track; returns false if it turns out to be of another text.
    @discardableResult
    private mutating func incorporate(
        _ line: TextLine, region: Quad, into index: Int, showsSame: Bool, isCertain: Bool, isOther: Bool,
        isPlaced: Bool,
        isEvidence: Bool,
        picture: Picture?, time: FrameTime
    ) -> Bool {
        switch tracks[index].meaning(of: line, showsSame: showsSame, isCertain: isCertain, isOther: isOther) {
        case .same:
            tracks[index].reread(
                line, region: region, in: picture, at: time, isEvidence: isEvidence, isPlaced: isPlaced,
                votes: settings.votes)
        case .grown:
            tracks[index].grow(to: line, region: region, in: picture, at: time)
        case .other:
            guard showsSame || isPlaced else { return false }
            // Another text is in its place, or the picture seemed the same but repeatedly reads as something else.
            tracks[index].lose(at: time)
            begin(line, region: region, turns: isOther ? tracks[index].turns + 1 : 0, picture: picture, time: time)
        }
        return true
    }

    private mutating func begin(
        _ line: TextLine, region: Quad, turns: Int, hasAppeared: Bool = false, picture: Picture?, time: FrameTime
    ) {
        tracks.append(
            TextTrack(
                id: nextID, line: line, region: region, turns: turns, hasAppeared: hasAppeared, in: picture, at: time))
        nextID += 1
    }

    /// The distance in pixels within which a slowly moving line is searched.
    private static let nearby = 6
    /// The correlation from which a picture shows the line, or a line that differs from it in a few letters.
    private static let comparable = 0.5

    private mutating func forget(before time: StreamTime) {
        tracks.removeAll { $0.lostSince.map { $0 < time } ?? false }
    }
}
