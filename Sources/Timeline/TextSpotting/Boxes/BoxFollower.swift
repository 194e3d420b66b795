/// Moves the boxes of a reading to the frame being shown, and on from frame to frame, until the next reading.
///
/// A reading takes as long as several frames; by then the words have moved on. The last frames are therefore kept as
/// small luma pictures. When a reading of an earlier frame arrives, its boxes are followed through the kept pictures up
/// to the present, then along with every frame. A box whose words cannot be found any more keeps moving at its last
/// speed, fades, and disappears after ``Settings/maximumBlindness``.
///
/// A value, used by one thread. Its results depend only on its input.
public struct BoxFollower: Sendable {
    /// Settings for how long a box is shown without being found again, and how many boxes are followed.
    public struct Settings: Sendable, Hashable {
        /// The time after which a box disappears if no reading has found its words, even if the picture still seems to
        /// show them.
        public var maximumAge = StreamTime(seconds: 2)
        /// The time after which a box disappears if the picture has not shown its words.
        public var maximumBlindness = StreamTime(seconds: 0.1)
        /// The time after its reading at which a box disappears if it cannot be followed because its words hardly stand
        /// out.
        public var unfollowedTime = StreamTime(seconds: 0.2)
        /// The time for which pictures are kept.
        public var memory = StreamTime(seconds: 2)
        /// The largest number of boxes that are followed; any others move with the nearest of these.
        public var limit = 32

        public init() {}
    }

    private struct Entry {
        var box: FollowedBox
        /// The path of the box; nil if the words cannot be followed.
        var way: FollowedPatch?
        /// The box that this one moves with if there are too many to follow each.
        var guide: Int?
        /// The frame that was shown when the last reading of the box arrived.
        var renewedAt: StreamTime
        /// Whether the box moves with another one because there are too many.
        var isGuided = false
    }

    public let settings: Settings
    /// The size of the thumbnails divided by that of the frames.
    public let scale: Double
    private var entries: [Entry] = []
    private var frames: [FrameHistory.Frame] = []
    private let follower = PatchFollower()

    public init(settings: Settings = Settings(), scale: Double) {
        self.settings = settings
        self.scale = scale
    }

    /// The boxes on the last frame, in the order of their identifiers.
    public var boxes: [FollowedBox] { entries.map(\.box) }

    /// Moves the boxes along with the picture to the next frame, which is being shown.
    public mutating func advance(to frame: FrameHistory.Frame) {
        frames.append(frame)
        frames.removeAll { $0.time.start < frame.time.start - settings.memory }
        var carried = entries
        for index in carried.indices { step(&carried[index], to: frame) }
        carried = Self.guided(carried)
        entries = carried.filter { !isOver($0, at: frame.time.start) }
    }

    /// Takes the matches of a reading of the frame at `time`, which may be some frames ago.
    ///
    /// Boxes with the same identifiers are renewed; boxes that the reading did not find stay as long as the picture
    /// shows them.
    /// - Parameter picture: the thumbnail of the frame that was read, needed if it is no longer among those kept.
    public mutating func renew(
        with found: [(id: Int, match: Match)], readAt time: FrameTime, picture: Picture? = nil
    ) {
        let now = frames.last?.time.start ?? time.start
        let kept = frames.first { $0.time.index == time.index }?.picture
        let later = frames.filter { $0.time.index > time.index }
        for (position, (id, match)) in found.enumerated() {
            let known = entries.firstIndex { $0.box.id == id }.map { entries.remove(at: $0) }
            var entry = Entry(
                box: FollowedBox(id: id, match: match, quad: match.quad, readAt: time.start, seenAt: time.start),
                renewedAt: now, isGuided: position >= settings.limit)
            if position < settings.limit, let picture = kept ?? picture {
                let patch = TextPatch(
                    picture, quad: match.quad.scaled(x: scale, y: scale), characters: max(1, match.text.count))
                entry.way = patch.map { FollowedPatch($0, at: time, speed: known?.way?.speed ?? Point(0, 0)) }
            }
            for frame in later { step(&entry, to: frame) }
            entries.append(entry)
        }
        entries = Self.guided(entries).filter { !isOver($0, at: now) }.sorted { $0.box.id < $1.box.id }
    }

    /// Attaches the boxes that exceed the limit to the nearest followed box: neighbors move together.
    private static func guided(_ entries: [Entry]) -> [Entry] {
        guard entries.contains(where: { $0.isGuided }) else { return entries }
        let followed = entries.filter { $0.way != nil }.map(\.box)
        let places = Dictionary(followed.map { ($0.id, $0) }) { first, _ in first }
        return entries.map { entry in
            guard entry.isGuided else { return entry }
            var entry = entry
            let quad = entry.box.match.quad
            if entry.guide == nil {
                func distance(_ box: FollowedBox) -> Double { (box.match.quad.center - quad.center).length }
                entry.guide =
                    followed.filter { $0.readAt == entry.box.readAt }.min { distance($0) < distance($1) }?.id
            }
            // If its guide is lost, or was read again without it, the box is lost too.
            guard let guide = entry.guide.flatMap({ places[$0] }), guide.readAt == entry.box.readAt else {
                return entry
            }
            entry.box.quad = quad.moved(by: guide.quad.center - guide.match.quad.center)
            (entry.box.seenAt, entry.box.presence) = (guide.seenAt, guide.presence)
            return entry
        }
    }

    /// Removes the boxes with these identifiers.
    public mutating func forget(where isForgotten: (Int) -> Bool) { entries.removeAll { isForgotten($0.box.id) } }

    /// Removes all boxes, because the search changed.
    public mutating func clear() { entries = [] }

    private func isOver(_ entry: Entry, at time: StreamTime) -> Bool {
        if time - entry.box.readAt > settings.maximumAge { return true }
        guard entry.way != nil || entry.guide != nil else { return time - entry.renewedAt > settings.unfollowedTime }
        return time - entry.box.seenAt > settings.maximumBlindness
    }

    private func step(_ entry: inout Entry, to frame: FrameHistory.Frame) {
        guard var way = entry.way else { return }
        if way.step(to: frame, with: follower) {
            entry.box.seenAt = frame.time.start
            entry.box.presence = 1
        } else {
            let blind = (frame.time.start - entry.box.seenAt).seconds
            entry.box.presence = max(0, 1 - blind / max(1e-9, settings.maximumBlindness.seconds))
        }
        entry.box.quad = way.quad.scaled(x: 1 / scale, y: 1 / scale)
        entry.way = way
    }
}

/// A box on a running picture: its match, and its place in the frame being shown.
public struct FollowedBox: Sendable {
    /// The identifier of the sighting that the box belongs to.
    public let id: Int
    /// The match in the last reading that found the words; its quad is their place at that time.
    public internal(set) var match: Match
    /// The place of the words in the frame being shown, in pixels of the frame.
    public internal(set) var quad: Quad
    /// The frame of the reading that the box is based on: the nearest one if there are readings before and after.
    public internal(set) var readAt: StreamTime
    /// The frame in which the picture last showed the words.
    public internal(set) var seenAt: StreamTime
    /// The certainty that the words are there: 1 if the frame shows them, less the longer it has not, 0 when the box is
    /// about to disappear.
    public internal(set) var presence = 1.0

    /// Creates a box on a frame in which its place is known.
    public init(id: Int, match: Match, quad: Quad, readAt: StreamTime) {
        self.init(id: id, match: match, quad: quad, readAt: readAt, seenAt: readAt)
    }

    /// Returns the same box in another picture that shows the words, such as a part of this one.
    public func placed(at quad: Quad) -> FollowedBox {
        var box = self
        box.quad = quad
        return box
    }

    init(id: Int, match: Match, quad: Quad, readAt: StreamTime, seenAt: StreamTime, presence: Double = 1) {
        self.id = id
        self.match = match
        self.quad = quad
        self.readAt = readAt
        self.seenAt = seenAt
        self.presence = presence
    }
}
