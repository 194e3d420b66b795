import TextMatching
import TextSpotting

/// Where something that was found is in each frame from one to another, before margins: a value that grows to either side.
struct HiddenTrack: Sendable {
    let patternIndex: Int
    let text: String
    /// The index of the first frame.
    private(set) var first: Int
    /// One for each frame from ``first`` on, in pixels of the picture as displayed.
    private(set) var quads: [Quad]
    /// Where it was followed to in each, without what else ``quads`` covers.
    private var followed: [Quad]

    /// The index of the last frame.
    var last: Int { first + quads.count - 1 }

    /// - Parameter readings: the frames in which places were read; between those they were followed.
    /// - Returns: nil for a sighting without boxes.
    init?(_ sighting: Sighting, readings: Set<Int>) {
        guard let begin = sighting.boxes.first, let end = sighting.boxes.last else { return nil }
        patternIndex = sighting.patternIndex
        text = sighting.text
        first = begin.time.index
        followed = []
        quads = Self.filled(sighting.boxes.map { ($0.time.index, $0.quad) }, through: end.time.index)
        let anchors = sighting.boxes.map(\.time.index).filter(readings.contains)
        if let read = anchors.first { dropJumps(before: read) }
        if let read = anchors.last { dropJumps(after: read) }
        followed = quads
        spread(between: anchors)
    }

    /// Pictures are followed to whatever looks the same: a place that leaps away before it was read, or after, is another text's.
    private mutating func dropJumps(before read: Int) {
        let index = read - first
        let usual = step(from: index, to: min(quads.count - 1, index + Self.span))
        for earlier in stride(from: index - 1, through: 0, by: -1)
        where leaps(quads[earlier], quads[earlier + 1], usual) {
            quads.removeFirst(earlier + 1)
            first += earlier + 1
            return
        }
    }

    private mutating func dropJumps(after read: Int) {
        let index = read - first
        let usual = step(from: max(0, index - Self.span), to: index)
        for later in (index + 1)..<max(index + 1, quads.count) where leaps(quads[later - 1], quads[later], usual) {
            quads.removeLast(quads.count - later)
            return
        }
    }

    /// How far the middle moved from frame to frame, in pixels.
    private func step(from a: Int, to b: Int) -> Double {
        b > a ? (quads[b].center - quads[a].center).length / Double(b - a) : 0
    }

    private func leaps(_ a: Quad, _ b: Quad, _ usual: Double) -> Bool {
        (b.center - a.center).length > max(3, 3 * usual + 0.25 * a.height)
    }

    /// A place for each frame: those that are missing lie on the way between their neighbors.
    private static func filled(_ places: [(index: Int, quad: Quad)], through last: Int) -> [Quad] {
        guard var before = places.first else { return [] }
        var quads = [before.quad]
        for place in places.dropFirst() where place.index > before.index {
            let steps = place.index - before.index
            for step in 1...steps {
                quads.append(before.quad.interpolated(to: place.quad, at: Double(step) / Double(steps)))
            }
            before = place
        }
        return quads
    }

    /// Pictures are followed as they shift; what turns or grows is also where it stands on the way from one reading to the next. What
    /// moves by more than its height from one to the next may be anywhere between them. What gets longer in its place, as it is typed, is
    /// as long as it is next.
    private mutating func spread(between anchors: [Int]) {
        for (a, b) in zip(anchors, anchors.dropFirst()) where b - a > 1 {
            let (from, to) = (quads[a - first], quads[b - first])
            let grows = !from.moves(to: to, by: 2) && from != to
            let isQuick = from.moves(to: to, by: min(from.height, to.height))
            let hull = isQuick ? Quad.spanning([from, to], along: to.direction) : nil
            for index in (a + 1)..<b {
                let own = quads[index - first]
                let onWay = from.interpolated(to: to, at: Double(index - a) / Double(b - a))
                let there = grows ? to : hull ?? onWay
                if zip(own.corners, there.corners).contains(where: { ($0 - $1).length > 0.5 }) {
                    quads[index - first] = Quad.spanning([own, there], along: there.direction) ?? own
                }
            }
        }
    }

    // MARK: Growing

    /// Takes the other's frames, which come later, as its own; what lies between is on the way.
    mutating func join(_ later: HiddenTrack) {
        if later.first > last, let end = quads.last, let begin = later.quads.first {
            let steps = later.first - last
            for step in 1..<max(1, steps) {
                quads.append(end.interpolated(to: begin, at: Double(step) / Double(steps)))
            }
        }
        followed += quads.dropFirst(followed.count)
        followed.replaceSubrange(
            max(0, min(followed.count, later.first - first))...,
            with: later.followed.dropFirst(max(0, first - later.first)))
        for (offset, quad) in later.quads.enumerated() {
            let index = later.first + offset
            if index > last {
                quads.append(quad)
            } else if index >= first {
                quads[index - first] = Quad.spanning([quads[index - first], quad], along: quad.direction) ?? quad
            }
        }
    }

    /// Begins so many frames earlier.
    ///
    /// - Parameter place: of the frame that is so many frames before the first.
    mutating func extend(back count: Int, _ place: (Int) -> Quad) {
        let added = min(count, first)
        guard added > 0 else { return }
        let places = (1...added).reversed().map(place)
        quads.insert(contentsOf: places, at: 0)
        followed.insert(contentsOf: places, at: 0)
        first -= added
    }

    /// Ends so many frames later.
    mutating func extend(forth count: Int, _ place: (Int) -> Quad) {
        guard count > 0 else { return }
        let places = (1...count).map(place)
        quads += places
        followed += places
    }

    /// Each place goes on beside the words, in pixels, as is known of some frames; between two of them by as much as at the one or the
    /// other.
    ///
    /// - Parameter sides: by the index of the frame.
    mutating func widen(_ sides: [Int: (left: Double, right: Double)]) {
        let known = sides.keys.sorted()
        guard !known.isEmpty else { return }
        var next = 0
        for index in first...last {
            while next < known.count, known[next] < index { next += 1 }
            let around = [next < known.count ? known[next] : nil, next > 0 ? known[next - 1] : nil].compactMap(\.self)
            let (left, right) = (
                around.compactMap { sides[$0]?.left }.max() ?? 0, around.compactMap { sides[$0]?.right }.max() ?? 0
            )
            let quad = quads[index - first]
            let (a, b) = (quad.direction * max(0, left), quad.direction * max(0, right))
            quads[index - first] = Quad(
                topLeft: quad.topLeft - a, topRight: quad.topRight + b, bottomRight: quad.bottomRight + b,
                bottomLeft: quad.bottomLeft - a)
        }
    }

    /// A place that stands keeps the length that it has in any of so many frames before and after: a reading that ends too early makes no text shorter.
    mutating func keepLength(for frames: Int) {
        let own = quads
        for index in own.indices where own[index].height > 0 {
            let quad = own[index]
            let (along, height) = (quad.direction, quad.height)
            let begin = quad.topLeft.interpolated(to: quad.bottomLeft, at: 0.5)
            func place(_ a: Point, _ b: Point) -> (along: Double, across: Double) {
                let offset = a.interpolated(to: b, at: 0.5) - begin
                return (offset.x * along.x + offset.y * along.y, abs(offset.y * along.x - offset.x * along.y))
            }
            var (left, right) = (0.0, 0.0)
            for other in own[max(0, index - frames)...min(own.count - 1, index + frames)] where other != quad {
                let (first, last) = (place(other.topLeft, other.bottomLeft), place(other.topRight, other.bottomRight))
                let (before, behind) = (-first.along, last.along - quad.width)
                guard max(first.across, last.across) < Self.standing * height,
                    min(abs(before), abs(behind)) < Self.standing * height
                else { continue }
                (left, right) = (max(left, before), max(right, behind))
            }
            let (a, b) = (along * left, along * right)
            quads[index] = Quad(
                topLeft: quad.topLeft - a, topRight: quad.topRight + b, bottomRight: quad.bottomRight + b,
                bottomLeft: quad.bottomLeft - a)
        }
    }

    /// One end of what stands is no further elsewhere, in heights.
    private static let standing = 0.5

    // MARK: Motion

    /// How each corner moves from frame to frame at its beginning or end, as a quad of steps.
    struct Motion {
        let steps: [Point]
        /// Of the middle, in pixels a frame.
        var speed: Double { (steps.reduce(Point(0, 0), +) * 0.25).length }
        /// Whether any corner moves so that somebody sees it.
        let isSeen: Bool

        /// Where a quad is so many frames later; earlier for negative numbers.
        func moved(_ quad: Quad, by frames: Double) -> Quad {
            let corners = zip(quad.corners, steps).map { $0 + $1 * frames }
            return Quad(topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
        }

        /// Where it is taken to have been so many frames away: the further, the less surely.
        func swept(_ quad: Quad, by frames: Double) -> Quad {
            let moved = moved(quad, by: frames)
            let distance = abs(frames) * speed
            let (on, beside) = (min(2 * quad.height, 0.08 * distance), min(0.5 * quad.height, 0.02 * distance))
            let way = moved.center - quad.center
            let share =
                way.length > 0 ? abs(way.x * quad.direction.x + way.y * quad.direction.y) / way.length : 0
            return moved.grown(along: beside + share * (on - beside), across: on - share * (on - beside))
        }
    }

    /// Over so many frames a speed is measured.
    private static let span = 12

    /// - Parameter picture: what is cut off at its edges stands still there while the rest moves on.
    func motionAtStart(in picture: Rect) -> Motion {
        motion(from: 0, to: min(quads.count - 1, Self.span), picture, direction: -1)
    }

    /// - Parameter picture: as at the start.
    func motionAtEnd(in picture: Rect) -> Motion {
        motion(from: max(0, quads.count - 1 - Self.span), to: quads.count - 1, picture, direction: 1)
    }

    /// - Parameter direction: in which time it is to be gone on with.
    private func motion(from a: Int, to b: Int, _ picture: Rect, direction: Double) -> Motion {
        // A bar over all places between two readings hides the motion.
        let covered = motion(from: quads[a], to: quads[b], in: b - a, picture, direction: direction)
        return covered.isSeen
            ? covered : motion(from: followed[a], to: followed[b], in: b - a, picture, direction: direction)
    }

    private func motion(from: Quad, to: Quad, in count: Int, _ picture: Rect, direction: Double) -> Motion {
        guard count > 0 else { return Motion(steps: from.corners.map { _ in Point(0, 0) }, isSeen: false) }
        var steps = zip(from.corners, to.corners).map { ($1 - $0) * (1 / Double(count)) }
        let inside = picture.grown(by: -Self.edge)
        let free = (0..<4).filter { inside.holdsPoint(from.corners[$0]) && inside.holdsPoint(to.corners[$0]) }
        let cut = free.isEmpty ? [] : (0..<4).filter { !free.contains($0) }
        let mean = free.reduce(Point(0, 0)) { $0 + steps[$1] } * (1 / Double(max(1, free.count)))
        for corner in cut { steps[corner] = mean }
        let least = max(2, 0.35 * Double(count))
        let isSeen = steps.count { $0.length * Double(count) > least } > 2
        // Text that enters continues behind the edge: more of it follows there.
        for corner in cut {
            let outwards = (direction > 0 ? to : from).corners[corner] - picture.center
            if direction * (mean.x * outwards.x + mean.y * outwards.y) < 0 { steps[corner] = Point(0, 0) }
        }
        return Motion(steps: steps, isSeen: isSeen)
    }

    /// Nearer to the picture's edge than this a place may be cut off.
    private static let edge = 5.0
}

extension Rect {
    fileprivate func holdsPoint(_ point: Point) -> Bool {
        point.x > minX && point.y > minY && point.x < maxX && point.y < maxY
    }
}

/// The places to hide in the frames of a running picture, from what was read until now: a value fed with readings, in order.
///
/// The same planner as for recordings, for as long back as anything can matter. It knows nothing of what comes: what stood still stays hidden
/// for a second after it was last seen.
struct RunningHidingPlan: Sendable {
    private var planner: HidingPlanner
    private var plan = HidingPlan()
    /// The places on frames that look as the last one that was read, and of how many sightings they are.
    private var standing: (plan: HidingPlan, count: Int)?
    private var isStale = false
    /// How many frames there were when the past was looked through last.
    private var framesWhenForgetting = 0

    /// A text that was gone for so many seconds does not come back as the same.
    private static let linger = 1.0
    /// So many seconds of the past are kept: longer than any trace that is followed.
    private static let memory = 6.0
    /// So many more may be there until the past is looked through.
    private static let spareMemory = 1.0

    init(_ settings: HidingPlanner.Settings, _ matcher: Matcher) {
        var settings = settings
        settings.linger = Self.linger
        settings.hidesBeginnings = true
        planner = HidingPlanner(settings, matcher: matcher)
    }

    mutating func take(_ event: FindEvent) {
        planner.take(event)
        isStale = true
    }

    mutating func take(_ step: SightingStep) {
        planner.take(step)
        isStale = true
        guard planner.frames - framesWhenForgetting >= Int(Self.spareMemory * planner.rate) else { return }
        framesWhenForgetting = planner.frames
        planner.forget(before: planner.frames - Int(Self.memory * planner.rate))
    }

    /// The places to hide in a frame, in pixels of the picture as displayed.
    ///
    /// A frame that is newer than the last that was read shows what that one shows, else it would have been read.
    mutating func quads(in frame: FrameTime) -> [Quad] {
        if isStale {
            plan = HidingPlan(planner.things())
            standing = nil
            isStale = false
        }
        guard let last = planner.last else { return [] }
        guard frame.index > last.index else { return plan.quads(in: frame) }
        return plan.quads(in: frame) + stillHidden(on: frame, after: last)
    }

    /// The places of what was there when a frame was read last, and of what is not gone for long.
    private mutating func stillHidden(on frame: FrameTime, after last: FrameTime) -> [Quad] {
        let isWanted: (Sighting) -> Bool = { sighting in
            guard let seen = sighting.boxes.last?.time else { return false }
            return seen.index >= last.index || (frame.start - seen.end).seconds < Self.linger
        }
        let count = planner.count(where: isWanted)
        let plan = standing.flatMap { $0.count == count ? $0.plan : nil } ?? HidingPlan(planner.things(where: isWanted))
        standing = (plan, count)
        return plan.quads(in: last)
    }
}
