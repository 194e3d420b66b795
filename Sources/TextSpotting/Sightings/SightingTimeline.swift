/// Joins the matches of successive readings into sightings.
///
/// A value fed in the order of frames; what it returns depends on what it was fed alone. A sighting begins at the first
/// frame whose picture shows the matched words and ends after the last one: readings say *what* is there, the small
/// pictures between them say *since when* and *until when*. A word that one reading missed while the picture still
/// shows it goes on; one that is gone for less than ``Settings/hold`` and comes back is the same sighting.
public struct SightingTimeline: Sendable {
    public struct Settings: Sendable, Hashable {
        /// A sighting ends only after its words were gone for this long.
        public var hold = StreamTime(seconds: 0.5)
        /// Without pictures between readings, a sighting ends only after its words were not read for this long.
        public var holdWithoutPictures = StreamTime(seconds: 1.5)
        /// How much memory the small pictures may take that are kept for looking back, in bytes.
        public var pictureMemory = 32 << 20
        /// Keep the box of every frame in which a sighting is visible.
        public var keepsBoxes = false
        /// Of the boxes that are kept, leave out those that lie on a straight way between others.
        public var thinsBoxes = false

        public init() {}
    }

    public let settings: Settings
    /// Size of the small pictures divided by that of the frames.
    public let scale: Double
    private var tracks: [SightingTrack] = []
    private var trail: PictureTrail
    private var lastReading: FrameTime?
    /// The id that the next sighting gets.
    public private(set) var nextID: Int
    private let follower = PatchFollower()

    /// - Parameter firstID: the id that the first sighting gets.
    public init(settings: Settings = Settings(), scale: Double = 1, firstID: Int = 1) {
        self.settings = settings
        self.scale = scale
        nextID = firstID
        trail = PictureTrail(byteLimit: settings.pictureMemory)
    }

    /// The sightings that are visible now or were a moment ago, in order of appearance.
    public var open: [Sighting] { tracks.map { $0.finished() } }

    /// The same as far as they are known, each with the boxes since this was last asked; those are forgotten here.
    ///
    /// - Parameter keepingBoxes: they are not, and come again.
    public mutating func takeOpen(keepingBoxes: Bool = false) -> [Sighting] {
        tracks.indices.map { tracks[$0].takeStanding(keepingBoxes: keepingBoxes) }
    }

    /// The matches of the latest reading, each with the id of the sighting it belongs to.
    public var confirmed: [(id: Int, match: Match)] {
        tracks.filter { $0.readAt == lastReading }.map { ($0.id, $0.match) }
    }

    /// Takes the next reading; returns the sightings that it shows to be over, in order of appearance.
    public mutating func add(_ reading: FrameReading) -> [Sighting] {
        for frame in reading.frames { trail.append(frame) }
        follow(reading.frames)
        let fresh = confirm(reading)
        let superseded = fresh.flatMap { begin($0, reading) }
        lastReading = reading.time
        return superseded + close(before: reading.time.start - hold)
    }

    /// The stream ended after `frames`, which no reading covers: returns all sightings still open.
    public mutating func finish(_ frames: [PictureTrail.Frame] = []) -> [Sighting] {
        for frame in frames { trail.append(frame) }
        follow(frames)
        defer { tracks = [] }
        return tracks.map { $0.finished() }
    }

    private var hold: StreamTime { trail.isEmpty ? settings.holdWithoutPictures : settings.hold }

    /// Extends each track through the frames in which the pictures still show it.
    private mutating func follow(_ frames: [PictureTrail.Frame]) {
        guard !frames.isEmpty else { return }
        for index in tracks.indices {
            let track = tracks[index]
            guard let patch = track.patch, let lastReading, track.last.time.index == lastReading.index else { continue }
            let origin = track.last.quad
            let boxes = zip(frames, follower.follow(patch, through: frames, from: offset(of: origin, to: patch)))
                .compactMap {
                    frame, position in position.map { box(of: patch, moved: $0, in: frame) }
                }
            tracks[index].extend(to: boxes)
        }
    }

    /// Gives each match to the track it continues; returns those that continue none.
    private mutating func confirm(_ reading: FrameReading) -> [Match] {
        var free = Set(tracks.indices)
        var fresh: [Match] = []
        for match in reading.matches.sorted(by: { $0.score > $1.score }) {
            let candidates = free.filter { tracks[$0].match.isSameFinding(as: match) }
            let nearest = candidates.map { (index: $0, closeness: tracks[$0].last.quad.continuity(to: match.quad)) }
                .filter { $0.closeness > 0 }
                .max { ($0.closeness, $1.index) < ($1.closeness, $0.index) }
            if let nearest {
                free.remove(nearest.index)
                let patch = patch(of: match, in: reading)
                let last = tracks[nearest.index].last.time
                // It had been lost from sight: the pictures tell since when it is back.
                let missed = earlier(of: patch, than: reading, after: last.index)
                let gap = (missed.last?.box.time ?? reading.time).start - last.end
                // No reading need have come while it was gone; without a patch nobody can say that it was.
                if tracks[nearest.index].patch != nil, gap > settings.hold {
                    fresh.append(match)
                    continue
                }
                tracks[nearest.index].extend(to: missed.reversed())
                tracks[nearest.index].confirm(match, at: reading.time, patch: patch)
            } else {
                fresh.append(match)
            }
        }
        return fresh.sorted { ($0.quad.topLeft.y, $0.quad.topLeft.x) < ($1.quad.topLeft.y, $1.quad.topLeft.x) }
    }

    /// Starts a track and goes back through the kept pictures to the frame in which the words first showed.
    ///
    /// - Returns: the earlier states of a line that it is a later one of: a line of which more is there now still shows what was there
    ///   before.
    private mutating func begin(_ match: Match, _ reading: FrameReading) -> [Sighting] {
        let patch = patch(of: match, in: reading)
        var track = SightingTrack(
            id: nextID, match: match, at: reading.time, patch: patch,
            boxes: !settings.keepsBoxes ? .none : settings.thinsBoxes ? .thinned : .all)
        nextID += 1
        track.extend(backTo: earlier(of: patch, than: reading, after: -1))
        let earlier = tracks.filter { match.isLaterState(of: $0.match) }
        tracks.removeAll { match.isLaterState(of: $0.match) }
        tracks.append(track)
        let start = track.finished().start
        return earlier.map { track in
            var over = track.finished()
            over.end = max(over.peak.time.end, min(over.end, start))
            return over
        }
    }

    /// Where a patch was in the frames before a reading, nearest first, as far back as the pictures show it.
    private func earlier(of patch: TextPatch?, than reading: FrameReading, after index: Int) -> [Glimpse] {
        guard let patch else { return [] }
        let frames = trail.frames.reversed().drop { $0.time.index >= reading.time.index }.prefix {
            $0.time.index > index
        }
        return zip(frames, follower.follow(patch, through: frames)).compactMap { frame, position in
            position.map { box(of: patch, moved: $0, in: frame) }
        }
    }

    private mutating func close(before time: StreamTime) -> [Sighting] {
        let over = tracks.filter { $0.last.time.end < time }
        guard !over.isEmpty else { return [] }
        tracks.removeAll { $0.last.time.end < time }
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

    private func box(of patch: TextPatch, moved position: PatchFollower.Position, in frame: PictureTrail.Frame)
        -> Glimpse
    {
        let quad = patch.quad.moved(by: Point(Double(position.dx), Double(position.dy)))
        let place = Sighting.Box(time: frame.time, quad: quad.scaled(x: 1 / scale, y: 1 / scale))
        return (place, position.similarity.gain * patch.contrast)
    }
}
