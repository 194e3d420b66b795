/// Joins the matches of successive readings into sightings.
///
/// A value that takes readings in the order of frames; its results depend on nothing else. A sighting begins at the
/// first frame whose picture shows the matched words and ends after the last one: readings say *what* is there, the
/// thumbnails between them say *since when* and *until when*. A sighting continues if one reading misses a word that
/// the picture still shows; a word that disappears for less than ``Settings/hold`` and comes back is the same sighting.
public struct SightingTimeline: Sendable {
    /// Settings for when a sighting is over, and for what is kept of each.
    public struct Settings: Sendable, Hashable {
        /// The time that the words must be gone before a sighting ends.
        public var hold = StreamTime(seconds: 0.5)
        /// The time that the words must not be read before a sighting ends, if there are no pictures between readings.
        public var holdWithoutPictures = StreamTime(seconds: 1.5)
        /// The largest size of the thumbnails that are kept for looking back, in bytes.
        public var pictureMemory = 32 << 20
        /// Whether to keep the box of every frame in which a sighting is visible.
        public var keepsBoxes = false
        /// Whether to leave out kept boxes that lie on a straight path between others.
        public var thinsBoxes = false
        /// Whether fades are part of a sighting, from the first trace to the last, rather than from half to half.
        public var keepsFades = false

        public init() {}
    }

    public let settings: Settings
    /// The size of the thumbnails divided by that of the frames.
    public let scale: Double
    private var tracks: [SightingTrack] = []
    private var frameHistory: FrameHistory
    private var lastReading: FrameTime?
    /// The result of the last complete reading, and of partial ones since.
    private var lastPictures: [ReadPicture] = []
    /// For patterns added later, the number of the frame from which they are searched.
    private var firstFrames: [Int: Int] = [:]
    /// The identifier of the next sighting.
    public private(set) var nextID: Int
    private let follower = PatchFollower()
    private var successions = TextSuccessions()

    /// - Parameter firstID: the identifier of the first sighting.
    public init(settings: Settings = Settings(), scale: Double = 1, firstID: Int = 1) {
        self.settings = settings
        self.scale = scale
        nextID = firstID
        frameHistory = FrameHistory(byteLimit: settings.pictureMemory)
    }

    /// The sightings that are visible now or were a moment ago, in order of appearance.
    public var open: [Sighting] { tracks.map { $0.finished() } }

    /// Returns the open sightings as far as they are known, each with the boxes added since the previous call, and
    /// forgets these boxes.
    ///
    /// - Parameter keepingBoxes: if true, the boxes are not forgotten and are returned again.
    public mutating func takeOpen(keepingBoxes: Bool = false) -> [Sighting] {
        tracks.indices.map { tracks[$0].takeStanding(keepingBoxes: keepingBoxes) }
    }

    /// The matches of the latest reading, each with the identifier of its sighting.
    public var confirmed: [(id: Int, match: Match)] {
        tracks.filter { $0.readAt == lastReading && !$0.isReplaced }.map { ($0.id, $0.match) }
    }

    /// Adds the next reading and returns the sightings that it shows to be over, in order of appearance.
    public mutating func add(_ reading: FrameReading) -> [Sighting] {
        // The same reading is searched again when the patterns change.
        let known = frameHistory.frames.last?.time.index ?? -1
        for frame in reading.frames where frame.time.index > known { frameHistory.append(frame) }
        var reading = reading
        successions.judge(&reading, &tracks, through: frameHistory.frames, scale: scale)
        follow(reading.frames, through: reading)
        let fresh = confirm(reading)
        let superseded = fresh.flatMap { begin($0, reading) }
        lastReading = reading.time
        if let read = picture(of: reading) {
            if reading.isComplete { lastPictures = [] }
            if reading.isComplete || !reading.lines.isEmpty {
                lastPictures = lastPictures.suffix(Self.mostPictures) + [read]
            }
        }
        return superseded + close(after: reading)
    }

    /// Changes the patterns that are searched from now on. Sightings of patterns that remain continue; the others are
    /// over.
    ///
    /// - Parameters:
    ///   - places: the indices in the new list of the patterns that remain, keyed by their old indices.
    ///   - count: the number of patterns searched now.
    /// - Returns: the sightings that are over, in order of appearance.
    public mutating func search(_ places: [Int: Int], of count: Int) -> [Sighting] {
        var begun = [Int: Int](uniqueKeysWithValues: (0..<count).map { ($0, lastReading?.index ?? 0) })
        for (old, new) in places { begun[new] = firstFrames[old] }
        firstFrames = begun
        let over = tracks.filter { places[$0.match.patternIndex] == nil }
        tracks = tracks.compactMap { track in
            guard let place = places[track.match.patternIndex] else { return nil }
            var track = track
            track.becomePattern(place)
            return track
        }
        return over.map { $0.finished() }
    }

    /// Ends the stream after `frames`, which no reading covers, and returns all sightings that are still open.
    public mutating func finish(_ frames: [FrameHistory.Frame] = []) -> [Sighting] {
        for frame in frames { frameHistory.append(frame) }
        follow(frames)
        defer { tracks = [] }
        return tracks.map { $0.finished() }
    }

    /// Ends all sightings because unrelated material follows, and returns those that were still open. Numbering
    /// continues.
    ///
    /// - Parameter scale: the size of the coming thumbnails divided by that of their frames.
    public mutating func restart(scale: Double) -> [Sighting] {
        defer { self = SightingTimeline(settings: settings, scale: scale, firstID: nextID) }
        return finish()
    }

    private var hold: StreamTime { frameHistory.isEmpty ? settings.holdWithoutPictures : settings.hold }

    /// Extends each track through the frames in which the pictures still show it, or up to the frame in which another
    /// text replaced it.
    private mutating func follow(_ frames: [FrameHistory.Frame], through reading: FrameReading? = nil) {
        // At the end, text that the last readings did not look at is followed too.
        guard let newest = frames.last?.time ?? (reading == nil ? frameHistory.frames.last?.time : nil) else { return }
        defer {
            for index in tracks.indices where !tracks[index].isReplaced {
                if let end = successions.ends[tracks[index].id] { tracks[index].replace(before: end) }
            }
        }
        for index in tracks.indices where !tracks[index].isReplaced {
            let track = tracks[index]
            // There may be another text where a reading did not look; the next reading will tell.
            if let reading, !isJudged(track, by: reading) { continue }
            tracks[index].followed = newest
            // Partial readings may come with every frame, and a single frame may show the words badly.
            guard let patch = track.patch, track.followed.index - track.last.time.index <= allowedGap else { continue }
            let frames =
                track.followed == lastReading
                ? frames : frameHistory.frames.filter { $0.time.index > track.followed.index }
            let origin = track.last.quad
            let boxes = zip(frames, follower.follow(patch, through: frames, from: offset(of: origin, to: patch)))
                .compactMap {
                    frame, position in position.map { box(of: patch, moved: $0, in: frame) }
                }
            if let reading, let turn = turn(of: track, followed: boxes.last?.box, reading) {
                let own = boxes.filter { $0.box.time.index < turn.index }
                let seen = own.last?.box ?? track.last
                let rest = frames.filter { $0.time.index > seen.time.index && $0.time.index < turn.index }
                tracks[index].extend(to: own + faint(patch, after: seen, in: rest))
                tracks[index].replace(before: turn)
            } else {
                tracks[index].extend(to: boxes)
            }
        }
    }

    /// Returns whether a reading looked at the place of a track.
    private func isJudged(_ track: SightingTrack, by reading: FrameReading) -> Bool {
        reading.isComplete || picture(of: reading).map { TextChange.isRead($0, at: track.last.quad) } ?? true
    }

    /// Returns the frame of a reading in which another text replaced a track; nil if none did.
    ///
    /// - Parameter followed: the last place that the pictures show.
    private func turn(of track: SightingTrack, followed: Sighting.Box?, _ reading: FrameReading) -> FrameTime? {
        if let end = successions.ends[track.id] { return end }
        let place = TextChange.Place(before: track.last.quad, now: followed?.quad ?? track.last.quad)
        // Text that was lost while moving is not where it was last seen.
        guard followed?.time == reading.time || (place.now.center - place.before.center).length < 2,
            !reading.matches.contains(where: { goesOn(track, as: $0) && !$0.isAnotherText(than: track.match) })
        else { return nil }
        return change(at: place, reading)?.begins
    }

    /// Returns when another text replaced the one last read at a place; nil if none did or nothing was read there.
    private func change(at place: TextChange.Place, _ reading: FrameReading) -> (begins: FrameTime, ends: FrameTime)? {
        guard let now = picture(of: reading),
            let before = lastPictures.last(where: { TextChange.isRead($0, at: place.before) }),
            let change = TextChange(at: place, from: before, to: now, scale: scale)
        else { return nil }
        let frames = frameHistory.frames.filter { $0.time.index > before.time.index && $0.time.index <= now.time.index }
        guard !frames.isEmpty else { return nil }
        let turn = change.turn(in: frames)
        return (frames[turn.begins].time, frames[turn.ends].time)
    }

    /// The number of consecutive frames in which a track may go unseen.
    private var allowedGap: Int { lastPictures.count > 1 ? follower.toleratedGap : 0 }
    /// The largest number of partial readings between two complete ones that are kept separately.
    private static let mostPictures = 32

    private func goesOn(_ track: SightingTrack, as match: Match) -> Bool {
        track.match.continuity(from: track.last.quad, to: match) > 0
    }

    /// Returns the result of a reading for all places; nil if the reading is partial or has no picture.
    private func picture(of reading: FrameReading) -> ReadPicture? {
        guard let frame = reading.frames.last, frame.time.index == reading.time.index else { return nil }
        return ReadPicture(time: reading.time, lines: reading.lines, picture: frame.picture)
    }

    /// Assigns each match to the track that it continues, and returns the matches that continue none.
    private mutating func confirm(_ reading: FrameReading) -> [Match] {
        var free = Set(tracks.indices)
        var fresh: [Match] = []
        for match in reading.matches.sorted(by: { $0.score > $1.score }) {
            let nearest = free.filter { !tracks[$0].isReplaced }
                .map { (index: $0, closeness: tracks[$0].match.continuity(from: tracks[$0].last.quad, to: match)) }
                .filter { $0.closeness > 0 }
                .max { ($0.closeness, $1.index) < ($1.closeness, $0.index) }
            if let nearest {
                free.remove(nearest.index)
                let patch = patch(of: match, in: reading)
                let last = tracks[nearest.index].last.time
                // The words had been lost from sight: the pictures show when they came back.
                let missed = earlier(of: patch, than: reading, after: last.index)
                let gap = (missed.last?.box.time ?? reading.time).start - last.end
                // There may have been no reading while the words were gone; without a patch that cannot be known.
                if tracks[nearest.index].patch != nil, gap >= settings.hold {
                    fresh.append(match)
                    continue
                }
                tracks[nearest.index].extend(to: missed.reversed())
                lookForFirstLetter(ofTrack: nearest.index, grownTo: match, reading)
                tracks[nearest.index].confirm(match, at: reading.time, patch: patch)
            } else {
                fresh.append(match)
            }
        }
        // Matches by words come before matches by meaning, whose box is that of the line.
        return fresh.sorted {
            ($0.isByMeaning ? 1 : 0, $0.quad.topLeft.y, $0.quad.topLeft.x)
                < ($1.isByMeaning ? 1 : 0, $1.quad.topLeft.y, $1.quad.topLeft.x)
        }
    }

    /// Starts a track and searches the kept pictures backward for the frame in which the words first appeared.
    ///
    /// - Returns: the earlier states of a line of which this is a later one: a line that got longer still shows its
    ///   earlier text.
    private mutating func begin(_ match: Match, _ reading: FrameReading) -> [Sighting] {
        let patch = patch(of: match, in: reading)
        var track = SightingTrack(
            id: nextID, match: match, at: reading.time, patch: patch,
            boxes: !settings.keepsBoxes ? .none : settings.thinsBoxes ? .thinned : .all)
        track.keepsFades = settings.keepsFades
        for other in tracks { track.follow(other) }
        if let line = match.track?.line, let picture = picture(of: reading)?.picture {
            track.note(TextSuccession.Reading(time: reading.time, line: line, picture: picture))
            let beginning = match.track.flatMap { successions.beginnings[$0.id] }
            (track.replaced, track.free) = (beginning?.replaced ?? [], beginning?.free)
        }
        nextID += 1
        var appearances = earlier(of: patch, than: reading, after: (firstFrames[match.patternIndex] ?? 0) - 1)
        if let first = firstFrame(of: match, appearances, reading) {
            appearances.removeAll { $0.box.time.index < first.index }
            if let patch {
                let seen = appearances.last?.box ?? track.last
                let before = frameHistory.frames.reversed().drop { $0.time.index >= seen.time.index }.prefix {
                    $0.time.index >= first.index
                }
                appearances += faint(patch, after: seen, in: before)
            }
        }
        let earlier = tracks.filter { match.isLaterState(of: $0.match) }
        // The rest of a line that got shorter was already there: this state begins when the missing part was last seen.
        if let longer = earlier.last(where: { $0.match.text.contains(match.text) })?.last.time.index {
            appearances.removeAll { $0.box.time.index <= longer }
        }
        track.extend(backTo: appearances)
        tracks.removeAll { match.isLaterState(of: $0.match) }
        tracks.append(track)
        let start = track.finished().start
        return earlier.map { track in
            var over = track.finished()
            over.end = max(over.peak.time.end, min(over.end, start))
            return over
        }
    }

    /// Searches the frames before a match for the first letter of a line that is typed: the line counts as visible from
    /// that letter on.
    private mutating func lookForFirstLetter(ofTrack index: Int, grownTo match: Match, _ reading: FrameReading) {
        let track = tracks[index]
        guard !track.beganWithLetter, let now = match.track, let before = track.match.track,
            now.growths > before.growths, now.length > before.length,
            (match.quad.topLeft - track.match.quad.topLeft).length < 2,
            let frame = reading.frames.last, frame.time.index == reading.time.index
        else { return }
        let place = match.quad.slice(from: 0, to: 1 / Double(max(1, now.length)))
        guard let letter = TextPatch(frame.picture, quad: place.scaled(x: scale, y: scale), characters: 1) else {
            return
        }
        // The text before was another one, which may begin with the same letter.
        let other = lastPictures.last { $0.time.index < track.first.index && TextChange.isRead($0, at: place) }
        let first = max(other.map { $0.time.index + 1 } ?? 0, track.free?.index ?? 0)
        let frames = frameHistory.frames.reversed().drop { $0.time.index > track.first.index }.prefix {
            $0.time.index >= first
                && letter.similarity(in: $0.picture, movedBy: 0, 0)?.isSame ?? false
        }
        tracks[index].begin(withLetterIn: frames.last?.time ?? track.first)
    }

    /// Returns the frames, after those in which a patch was certainly seen, in which it stands still. No other text can
    /// be there, so the patch may be faint or disturbed.
    ///
    /// - Parameter frames: the frames beyond those in which the patch was seen, nearest first.
    private func faint(_ patch: TextPatch, after seen: Sighting.Box, in frames: some Sequence<FrameHistory.Frame>)
        -> [Appearance]
    {
        let moved = offset(of: seen.quad, to: patch)
        var found: [Appearance] = []
        for frame in frames {
            guard let similarity = patch.similarity(in: frame.picture, movedBy: moved.dx, moved.dy),
                similarity.mean >= Self.faint, similarity.worst >= Self.faintest
            else {
                break
            }
            found.append((Sighting.Box(time: frame.time, quad: seen.quad), similarity.gain * patch.contrast))
        }
        return found
    }

    /// The least correlation of a text that is there, with any effect of encoders and sensors.
    private static let faint = 0.4
    /// The least correlation of the worst letter; a letter that is not there yet has none.
    private static let faintest = 0.15

    /// Returns the first frame that shows a new match, if it replaced another text since the previous reading; nil if
    /// it did not.
    private func firstFrame(of match: Match, _ appearances: [Appearance], _ reading: FrameReading) -> FrameTime? {
        if let beginning = match.track.flatMap({ successions.beginnings[$0.id] }) { return beginning.frame }
        let before = lastPictures.last?.time.index
        let followed = appearances.first { $0.box.time.index == before }?.box.quad
        // A moving word was at another, unknown place before.
        if followed == nil, let first = appearances.last?.box.quad, (first.center - match.quad.center).length >= 2 {
            return nil
        }
        let there = followed ?? match.quad
        return change(at: TextChange.Place(before: there, now: match.quad), reading)?.ends
    }

    /// Returns the places of a patch in the frames before a reading, nearest first, as far back as the pictures show
    /// it.
    private func earlier(of patch: TextPatch?, than reading: FrameReading, after index: Int) -> [Appearance] {
        guard let patch else { return [] }
        let frames = frameHistory.frames.reversed().drop { $0.time.index >= reading.time.index }.prefix {
            $0.time.index > index
        }
        return zip(frames, follower.follow(patch, through: frames)).compactMap { frame, position in
            position.map { box(of: patch, moved: $0, in: frame) }
        }
    }

    /// Removes and returns the tracks that are over according to a reading, or to the last reading that looked there.
    private mutating func close(after reading: FrameReading) -> [Sighting] {
        let isOver = tracks.map { track in
            let seen = isJudged(track, by: reading) ? reading.time.start : track.followed.start
            return track.last.time.end < seen - hold
        }
        guard isOver.contains(true) else { return [] }
        let over = zip(tracks, isOver).filter(\.1).map(\.0)
        tracks = zip(tracks, isOver).filter { !$0.1 }.map(\.0)
        successions.keep(over)
        return over.map { $0.finished() }
    }

    private func patch(of match: Match, in reading: FrameReading) -> TextPatch? {
        guard let frame = reading.frames.last, frame.time.index == reading.time.index else { return nil }
        return TextPatch(
            frame.picture, quad: match.quad.scaled(x: scale, y: scale), characters: max(1, match.text.count))
    }

    private func offset(of quad: Quad, to patch: TextPatch) -> (dx: Int, dy: Int) {
        let moved = quad.scaled(x: scale, y: scale).topLeft - patch.quad.topLeft
        return (Int(moved.x.rounded()), Int(moved.y.rounded()))
    }

    private func box(of patch: TextPatch, moved position: PatchFollower.Position, in frame: FrameHistory.Frame)
        -> Appearance
    {
        let quad = patch.quad.moved(by: Point(Double(position.dx), Double(position.dy)))
        let place = Sighting.Box(time: frame.time, quad: quad.scaled(x: 1 / scale, y: 1 / scale))
        return (place, position.similarity.gain * patch.contrast)
    }
}
