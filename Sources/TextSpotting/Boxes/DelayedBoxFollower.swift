/// The boxes of a picture that is shown a fixed time after it came, so that its words could be read first.
///
/// Frames are announced when they come (``append(_:)``) and asked for when they are shown (``boxes(on:)``). A reading that arrives in
/// between is followed on to the frames after it and back to those before it that are still to be shown; where readings from both sides
/// reach a frame, they are blended by time. Boxes are right for their frame: nothing is drawn where the pictures do not show the words.
///
/// A value, used by one thread. Its results depend on its input alone.
public struct DelayedBoxFollower: Sendable {
    public let settings: BoxFollower.Settings
    /// Size of the thumbnails divided by that of the frames.
    public let scale: Double
    private let following: BoxFollowing
    private var paths: [BoxPath] = []
    private var frames: [FrameHistory.Frame] = []
    /// The first frame that was not shown yet.
    private var nextShown = 0

    public init(settings: BoxFollower.Settings = BoxFollower.Settings(), scale: Double) {
        self.settings = settings
        self.scale = scale
        following = BoxFollowing(settings: settings, scale: scale)
    }

    /// The next frame came.
    public mutating func append(_ frame: FrameHistory.Frame) {
        frames.append(frame)
        let oldest = frame.time.start - settings.memory
        frames.removeAll { $0.time.start < oldest && $0.time.index < nextShown }
        for index in paths.indices.prefix(settings.limit) { paths[index].extend(to: frame, following) }
    }

    /// A reading arrived: these matches were in the frame of `time`.
    ///
    /// - Parameter picture: the thumbnail of the frame that was read, needed where it is no longer among those kept.
    public mutating func add(
        _ found: [(id: Int, match: Match)], readAt time: FrameTime, picture: Picture? = nil
    ) {
        let kept = frames.first { $0.time.index == time.index }?.picture
        let earlier = frames.reversed().filter { $0.time.index < time.index && $0.time.index >= nextShown }
        let later = frames.filter { $0.time.index > time.index }
        for (position, (id, match)) in found.enumerated() {
            let known = paths.firstIndex { $0.id == id }.map { paths.remove(at: $0) }
            var path = known ?? BoxPath(id: id)
            var patch: TextPatch?
            if position < settings.limit, let picture = kept ?? picture {
                patch = TextPatch(
                    picture, quad: match.quad.scaled(x: scale, y: scale), characters: max(1, match.text.count))
            }
            path.add(match, at: time, patch: patch, earlier: earlier, later: later, following)
            paths.append(path)
        }
        paths.sort { $0.id < $1.id }
    }

    /// The boxes on a frame that is being shown, in the order of their ids. Frames are shown in their order; the same one
    /// may be asked for again.
    public mutating func boxes(on time: FrameTime) -> [FollowedBox] {
        nextShown = time.index + 1
        for index in paths.indices { paths[index].forget(before: time) }
        paths.removeAll { $0.isOver(at: time, maximumAge: settings.maximumAge) }
        return paths.compactMap { $0.box(on: time, maximumAge: settings.maximumAge) }
    }

    /// Forgets all boxes: something else is searched for.
    public mutating func clear() { paths = [] }
}
