/// The places of the words of one sighting in each frame that is still to be shown, as far as readings and pictures
/// tell.
///
/// Each reading that found the words is a *knot*: from there they are followed forward through later frames and
/// backward through earlier ones. A frame between two knots gets a box from both, and the nearer one counts for more.
/// Quads are in pixels of the frames.
struct BoxPath: Sendable {
    private struct Knot {
        let match: Match
        let time: FrameTime
        /// The path from the knot; nil if the words cannot be followed or were lost.
        var way: FollowedPatch?
        let canBeFollowed: Bool
        /// The places where pictures show the words, keyed by frame number.
        var places: [Int: Quad]
    }

    let id: Int
    /// The knots, in the order of their frames.
    private var knots: [Knot] = []

    init(id: Int) { self.id = id }

    /// Returns whether nothing will be drawn from this frame on, unless another reading finds the words.
    func isOver(at time: FrameTime, maximumAge: StreamTime) -> Bool {
        knots.allSatisfy { knot in
            guard knot.time.index < time.index else { return false }
            if time.start - knot.time.start > maximumAge { return true }
            return knot.way == nil && knot.places.keys.allSatisfy { $0 < time.index }
        }
    }

    /// Follows the words of the latest reading into the next frame.
    mutating func extend(to frame: FrameHistory.Frame, _ follow: BoxFollowing) {
        guard let last = knots.indices.last else { return }
        step(&knots[last], to: frame, follow)
    }

    /// Adds a reading that found the words in the frame at `time`.
    ///
    /// - Parameters:
    ///   - earlier: the frames before it that are still to be shown, nearest first.
    ///   - later: the frames after it that have arrived, nearest first.
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
        // Following backward gives the initial speed for following forward.
        let measured = knot.way?.speed ?? speed
        knot.way = patch.map { FollowedPatch($0, at: time, speed: measured) }
        for frame in later { step(&knot, to: frame, follow) }
        // The path up to here is known now; only the last knot continues.
        if place > 0 { knots[place - 1].way = nil }
        if place < knots.count { knot.way = nil }
        knots.insert(knot, at: place)
    }

    /// Discards data that only earlier frames need. The knot before `time` stays, because later frames depend on it.
    mutating func forget(before time: FrameTime) {
        while knots.count > 1, knots[1].time.index < time.index - BoxFollowing.longestGap { knots.removeFirst() }
        for index in knots.indices {
            knots[index].places = knots[index].places.filter { $0.key >= time.index - BoxFollowing.longestGap }
        }
    }

    /// Returns the box on the frame at `time`; nil if nothing shows that the words are in it.
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

    /// Returns the place where the pictures of the knots show the words.
    private func place(in time: FrameTime, _ before: Knot?, _ after: Knot?) -> Quad? {
        let (on, back) = (before?.places[time.index], after?.places[time.index])
        guard let on, let back, let before, let after else { return on ?? back }
        let whole = (after.time.start - before.time.start).seconds
        let share = whole > 0 ? (time.start - before.time.start).seconds / whole : 1
        // Two different places cannot both be right: one of the two paths went astray.
        if (on.center - back.center).length > max(2, 0.5 * back.height) { return share < 0.5 ? on : back }
        return on.interpolated(to: back, at: share)
    }

    /// Returns a place interpolated between two others, for a few frames that do not show the words (a flicker, a
    /// compression artifact) or for words that hardly stand out.
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

/// The parameters of following, which all paths share.
struct BoxFollowing: Sendable {
    let settings: BoxFollower.Settings
    let scale: Double
    let follower = PatchFollower()

    /// The number of consecutive frames that may fail to show the words.
    static let longestGap = 2
    /// The longest time between two readings, in seconds, in which words that cannot be followed are assumed to be
    /// there.
    static let longestBridge = 0.5
}

/// The boxes of a picture that is shown a fixed time after it arrived, so that its words can be read first.
///
/// Frames are added when they arrive (``append(_:)``) and queried when they are shown (``boxes(on:)``). A reading that
/// arrives in between is followed forward to later frames and backward to earlier ones that are still to be shown; if
/// readings from both sides reach a frame, they are blended by time. Boxes fit their frame exactly: nothing is drawn
/// where the pictures do not show the words.
///
/// A value, used by one thread. Its results depend only on its input.
public struct DelayedBoxFollower: Sendable {
    public let settings: BoxFollower.Settings
    /// The size of the thumbnails divided by that of the frames.
    public let scale: Double
    private let following: BoxFollowing
    private var paths: [BoxPath] = []
    private var frames: [FrameHistory.Frame] = []
    /// The first frame that has not been shown yet.
    private var nextShown = 0

    public init(settings: BoxFollower.Settings = BoxFollower.Settings(), scale: Double) {
        self.settings = settings
        self.scale = scale
        following = BoxFollowing(settings: settings, scale: scale)
    }

    /// Adds a frame that just arrived.
    public mutating func append(_ frame: FrameHistory.Frame) {
        frames.append(frame)
        let oldest = frame.time.start - settings.memory
        frames.removeAll { $0.time.start < oldest && $0.time.index < nextShown }
        for index in paths.indices.prefix(settings.limit) { paths[index].extend(to: frame, following) }
    }

    /// Adds the matches of a reading of the frame at `time`.
    ///
    /// - Parameter picture: the thumbnail of the frame that was read, needed if it is no longer among those kept.
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

    /// Returns the boxes on a frame that is being shown, in the order of their identifiers. Frames must be asked for in
    /// order; the same one may be asked for again.
    public mutating func boxes(on time: FrameTime) -> [FollowedBox] {
        nextShown = time.index + 1
        for index in paths.indices { paths[index].forget(before: time) }
        paths.removeAll { $0.isOver(at: time, maximumAge: settings.maximumAge) }
        return paths.compactMap { $0.box(on: time, maximumAge: settings.maximumAge) }
    }

    /// Removes all boxes, because the search changed.
    public mutating func clear() { paths = [] }
}

extension Sighting.Box {
    /// The distance from a straight path, in pixels, within which a box can be left out.
    private static let tolerance = 0.75

    /// Removes the last box but one if it lies on the path from the one before it to the last.
    static func thin(endOf boxes: inout [Sighting.Box]) {
        guard boxes.count > 2 else { return }
        let (a, b, c) = (boxes[boxes.count - 3], boxes[boxes.count - 2], boxes[boxes.count - 1])
        let whole = c.time.index - a.time.index
        let share = whole > 0 ? Double(b.time.index - a.time.index) / Double(whole) : 0
        if b.quad.isOnWay(from: a.quad, to: c.quad, at: share, within: tolerance) {
            boxes.remove(at: boxes.count - 2)
        }
    }

    /// Returns the boxes in a stretch of time, with those of its first and last frame even if they were left out.
    static func part(of boxes: [Sighting.Box], in times: Range<StreamTime>) -> [Sighting.Box] {
        let first = boxes.prefixEnd { $0.time.start < times.lowerBound }
        let last = boxes.prefixEnd { $0.time.start < times.upperBound }
        let within = StreamTime(nanoseconds: 1000)
        let ends = [(first, times.lowerBound + within), (last, times.upperBound - within)].map { next, time in
            next > 0 && next < boxes.count ? leftOut(between: boxes[next - 1], boxes[next], at: time) : nil
        }.map { box -> Sighting.Box? in
            guard var box else { return nil }
            // The start of a frame that was left out is calculated, and may be a nanosecond too early.
            if box.time.start < times.lowerBound, times.lowerBound - box.time.start < within {
                box.time.start = times.lowerBound
            }
            return times.contains(box.time.start) ? box : nil
        }
        let isOneFrame = ends[0]?.time.index == ends[1]?.time.index
        return [ends[0]].compactMap(\.self) + boxes[first..<last] + (isOneFrame ? [] : [ends[1]].compactMap(\.self))
    }

    /// Returns the box of the frame that is visible at a moment between two kept boxes; nil if it is one of theirs.
    private static func leftOut(between a: Sighting.Box, _ b: Sighting.Box, at time: StreamTime) -> Sighting.Box? {
        let frames = b.time.index - a.time.index
        guard frames > 1 else { return nil }
        let interval = (b.time.start - a.time.start).seconds / Double(frames)
        let later = min(frames - 1, Int((time - a.time.start).seconds / interval))
        guard later > 0 else { return nil }
        let share = Double(later) / Double(frames)
        let start = a.time.start + StreamTime(seconds: interval * Double(later))
        return Sighting.Box(
            time: FrameTime(index: a.time.index + later, start: start, duration: a.time.duration),
            quad: a.quad.interpolated(to: b.quad, at: share))
    }

    /// Returns the boxes from which the others can be interpolated.
    static func thinned(_ boxes: [Sighting.Box]) -> [Sighting.Box] {
        var result: [Sighting.Box] = []
        for box in boxes {
            result.append(box)
            thin(endOf: &result)
        }
        return result
    }
}
