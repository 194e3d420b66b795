/// Where the words of one sighting are in each frame that is still to be shown, as far as readings and pictures tell.
///
/// Each reading that found the words is a *knot*: from there they are followed on through later frames and back through earlier ones. A
/// frame between two knots gets a box from both, and the nearer one counts for more. Quads are in pixels of the frames.
struct BoxPath: Sendable {
    private struct Knot {
        let match: Match
        let time: FrameTime
        /// Nil when the words cannot be followed, or were lost.
        var way: FollowedPatch?
        let canBeFollowed: Bool
        /// Where pictures show the words, by the frames' numbers.
        var places: [Int: Quad]
    }

    let id: Int
    /// In the order of their frames.
    private var knots: [Knot] = []

    init(id: Int) { self.id = id }

    /// Nothing will be drawn from this frame on, unless another reading finds the words.
    func isOver(at time: FrameTime, maximumAge: StreamTime) -> Bool {
        knots.allSatisfy { knot in
            guard knot.time.index < time.index else { return false }
            if time.start - knot.time.start > maximumAge { return true }
            return knot.way == nil && knot.places.keys.allSatisfy { $0 < time.index }
        }
    }

    /// The next frame came: the words of the latest reading are looked for in it.
    mutating func extend(to frame: FrameHistory.Frame, _ follow: BoxFollowing) {
        guard let last = knots.indices.last else { return }
        step(&knots[last], to: frame, follow)
    }

    /// A reading found the words in the frame of `time`.
    ///
    /// - Parameters:
    ///   - earlier: the frames before it that are still to be shown, nearest first.
    ///   - later: the frames after it that have come, nearest first.
    mutating func add(
        _ match: Match, at time: FrameTime, patch: TextPatch?, earlier: some Sequence<FrameHistory.Frame>,
        later: some Sequence<FrameHistory.Frame>, _ follow: BoxFollowing
    ) {
        let place = knots.firstIndex { $0.time.index >= time.index } ?? knots.count
        if place < knots.count, knots[place].time.index == time.index { knots.remove(at: place) }
        let before = place > 0 ? knots[place - 1] : nil
        let speed = before?.way?.speed ?? Point(0, 0)
        let way = patch.map { FollowedPatch($0, at: time, speed: speed) }
        var knot = Knot(
            match: match, time: time, way: way, canBeFollowed: way != nil, places: [time.index: match.quad])
        for frame in earlier {
            if frame.time.index <= before?.time.index ?? -1 { break }
            step(&knot, to: frame, follow)
            if knot.way == nil { break }
        }
        // The way back tells how fast the way on begins.
        let measured = knot.way?.speed ?? speed
        knot.way = patch.map { FollowedPatch($0, at: time, speed: measured) }
        for frame in later { step(&knot, to: frame, follow) }
        // The path up to here is known now; only the last knot goes on.
        if place > 0 { knots[place - 1].way = nil }
        if place < knots.count { knot.way = nil }
        knots.insert(knot, at: place)
    }

    /// Forgets data that only earlier frames need. The knot before `time` stays, because later frames depend on it.
    mutating func forget(before time: FrameTime) {
        while knots.count > 1, knots[1].time.index < time.index - BoxFollowing.longestGap { knots.removeFirst() }
        for index in knots.indices {
            knots[index].places = knots[index].places.filter { $0.key >= time.index - BoxFollowing.longestGap }
        }
    }

    /// The box on the frame of `time`; nil when nothing shows that the words are in it.
    func box(on time: FrameTime, maximumAge: StreamTime) -> FollowedBox? {
        let next = knots.firstIndex { $0.time.index >= time.index } ?? knots.count
        let before = next > 0 ? knots[next - 1] : nil
        let after = next < knots.count ? knots[next] : nil
        guard let nearest = Self.nearer(before, after, to: time.start) else { return nil }
        guard after != nil || time.start - nearest.time.start <= maximumAge else { return nil }
        guard let quad = place(in: time, before, after) ?? bridged(time, before, after) else { return nil }
        return FollowedBox(
            id: id, match: nearest.match, quad: quad, readAt: nearest.time.start, seenAt: time.start)
    }

    private static func nearer(_ a: Knot?, _ b: Knot?, to time: StreamTime) -> Knot? {
        guard let a, let b else { return a ?? b }
        return time - a.time.start <= b.time.start - time ? a : b
    }

    /// Where the knots' pictures show the words.
    private func place(in time: FrameTime, _ before: Knot?, _ after: Knot?) -> Quad? {
        let (on, back) = (before?.places[time.index], after?.places[time.index])
        guard let on, let back, let before, let after else { return on ?? back }
        let whole = (after.time.start - before.time.start).seconds
        let share = whole > 0 ? (time.start - before.time.start).seconds / whole : 1
        // Two different places cannot both be right: one of the two went astray.
        if (on.center - back.center).length > max(2, 0.5 * back.height) { return share < 0.5 ? on : back }
        return on.interpolated(to: back, at: share)
    }

    /// The place between two others, where a few frames do not show the words (a flicker, a compression artifact) or
    /// where they hardly stand out.
    private func bridged(_ time: FrameTime, _ before: Knot?, _ after: Knot?) -> Quad? {
        func nearest(_ indices: some Sequence<Int>) -> (index: Int, quad: Quad)? {
            for index in indices {
                if let quad = before?.places[index] ?? after?.places[index] { return (index, quad) }
            }
            return nil
        }
        let reach = BoxFollowing.longestGap
        let from = nearest((1...reach).lazy.map { time.index - $0 })
        let to = nearest((1...reach).lazy.map { time.index + $0 })
        if let from, let to, to.index - from.index <= reach + 1 {
            return from.quad.interpolated(
                to: to.quad, at: Double(time.index - from.index) / Double(to.index - from.index))
        }
        guard let before, let after, !before.canBeFollowed, !after.canBeFollowed else { return nil }
        let whole = (after.time.start - before.time.start).seconds
        guard whole > 0, whole < BoxFollowing.longestBridge else { return nil }
        return before.match.quad.interpolated(
            to: after.match.quad, at: (time.start - before.time.start).seconds / whole)
    }

    private func step(_ knot: inout Knot, to frame: FrameHistory.Frame, _ follow: BoxFollowing) {
        guard var way = knot.way else { return }
        if way.step(to: frame, with: follow.follower) {
            knot.places[frame.time.index] = way.quad.scaled(x: 1 / follow.scale, y: 1 / follow.scale)
        }
        let blind = abs((frame.time.start - way.seenAt.start).seconds)
        knot.way = blind > follow.settings.maximumBlindness.seconds ? nil : way
    }
}

/// Parameters of following, the same for all paths.
struct BoxFollowing: Sendable {
    let settings: BoxFollower.Settings
    let scale: Double
    let follower = PatchFollower()

    /// How many frames in a row may fail to show the words.
    static let longestGap = 2
    /// Words that cannot be followed are taken to be there between two readings no further apart, in seconds.
    static let longestBridge = 0.5
}

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

extension Sighting.Box {
    /// A box may be off its way by this many pixels to be left out.
    private static let tolerance = 0.75

    /// Leaves out the last box but one where it lies on the way from the one before it to the last.
    static func thin(endOf boxes: inout [Sighting.Box]) {
        guard boxes.count > 2 else { return }
        let (a, b, c) = (boxes[boxes.count - 3], boxes[boxes.count - 2], boxes[boxes.count - 1])
        let whole = c.time.index - a.time.index
        let share = whole > 0 ? Double(b.time.index - a.time.index) / Double(whole) : 0
        if b.quad.isOnWay(from: a.quad, to: c.quad, at: share, within: tolerance) {
            boxes.remove(at: boxes.count - 2)
        }
    }

    /// All that are needed to tell the others.
    static func thinned(_ boxes: [Sighting.Box]) -> [Sighting.Box] {
        var result: [Sighting.Box] = []
        for box in boxes {
            result.append(box)
            thin(endOf: &result)
        }
        return result
    }
}
