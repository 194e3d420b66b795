/// A box on a running picture: what was read, and where it is in the frame being shown.
public struct FollowedBox: Sendable {
    /// Of the sighting it belongs to.
    public let id: Int
    /// What the last reading that found the words says; its quad is where they were then.
    public fileprivate(set) var match: Match
    /// Where the words are in the frame being shown, in pixels of the frame.
    public fileprivate(set) var quad: Quad
    /// The frame in which the words were last read.
    public fileprivate(set) var readAt: StreamTime
    /// The frame in which the picture last showed them.
    public fileprivate(set) var seenAt: StreamTime

    fileprivate var patch: TextPatch?
    fileprivate var moved = (dx: 0, dy: 0)
    fileprivate var velocity = (dx: 0, dy: 0)
}

/// Carries the boxes of a reading to the frame being shown, and on from frame to frame, until the next reading.
///
/// A reading takes as long as several frames; by then the words have moved on. So the last frames are kept as small
/// luma pictures: when a reading of an earlier frame arrives, its boxes are followed through the kept pictures to now,
/// then along with every frame. A box whose words cannot be found any more is taken away instead of left behind.
///
/// A value, used by one thread. What it returns depends on what it was fed alone.
public struct BoxFollower: Sendable {
    public struct Settings: Sendable, Hashable {
        /// A box disappears when no reading has found its words for so long, even if the picture still seems to show them.
        public var maximumAge = StreamTime(seconds: 2)
        /// A box disappears when the picture has not shown its words for so long.
        public var maximumBlindness = StreamTime(seconds: 0.1)
        /// How far back pictures are kept: readings that take longer arrive without being followed.
        public var memory = StreamTime(seconds: 2)
        /// At most so many boxes are followed; the others stay where they were read.
        public var limit = 24

        public init() {}
    }

    public let settings: Settings
    /// Size of the small pictures divided by that of the frames.
    public let scale: Double
    public private(set) var boxes: [FollowedBox] = []
    private var frames: [PictureTrail.Frame] = []
    private let follower = PatchFollower()

    public init(settings: Settings = Settings(), scale: Double) {
        self.settings = settings
        self.scale = scale
    }

    /// The next frame is shown: the boxes move along with the picture.
    public mutating func advance(to frame: PictureTrail.Frame) {
        frames.append(frame)
        frames.removeAll { $0.time.start < frame.time.start - settings.memory }
        var carried = boxes
        for index in carried.indices.prefix(settings.limit) { step(&carried[index], to: frame) }
        boxes = carried.filter { !isOver($0, at: frame.time.start) }
    }

    /// A reading arrived: these matches were in the frame of `time`, which may be some frames ago.
    ///
    /// Boxes of the same ids are renewed; boxes that the reading did not find live on while the picture shows them.
    public mutating func renew(with found: [(id: Int, match: Match)], readAt time: FrameTime) {
        let readIndex = frames.firstIndex { $0.time.index == time.index }
        for (id, match) in found {
            var box = FollowedBox(id: id, match: match, quad: match.quad, readAt: time.start, seenAt: time.start)
            if let readIndex {
                box.patch = TextPatch(
                    frames[readIndex].picture, quad: match.quad.scaled(x: scale, y: scale),
                    characters: max(1, match.text.count))
                for frame in frames[(readIndex + 1)...] { step(&box, to: frame) }
            }
            boxes.removeAll { $0.id == id }
            boxes.append(box)
        }
        let now = frames.last?.time.start ?? time.start
        boxes = boxes.filter { !isOver($0, at: now) }.sorted { $0.id < $1.id }
    }

    /// Forgets all boxes: something else is searched for.
    public mutating func clear() { boxes = [] }

    private func isOver(_ box: FollowedBox, at time: StreamTime) -> Bool {
        if time - box.readAt > settings.maximumAge { return true }
        // What cannot be followed (too flat, or read too long ago) stays as long as a reading is fresh.
        return box.patch != nil && time - box.seenAt > settings.maximumBlindness
    }

    private func step(_ box: inout FollowedBox, to frame: PictureTrail.Frame) {
        guard let patch = box.patch else { return }
        let predicted = (dx: box.moved.dx + box.velocity.dx, dy: box.moved.dy + box.velocity.dy)
        guard let found = follower.locate(patch, in: frame.picture, near: predicted), found.similarity.isSame else {
            box.moved = predicted
            return
        }
        if box.seenAt < frame.time.start { box.velocity = (found.dx - box.moved.dx, found.dy - box.moved.dy) }
        box.moved = (found.dx, found.dy)
        box.seenAt = frame.time.start
        let quad = patch.quad.moved(by: Point(Double(found.dx), Double(found.dy)))
        box.quad = quad.scaled(x: 1 / scale, y: 1 / scale)
    }
}
