import TextSpotting

/// The place of a finding in each frame from one to another, before margins: a value that can be extended in both
/// directions.
struct HiddenTrack: Sendable {
    let patternIndex: Int
    let text: String
    /// The index of the first frame.
    private(set) var first: Int
    /// The places in each frame from ``first`` on, in pixels of the picture as displayed.
    private(set) var quads: [Quad]
    /// The width of a letter with its share of the gaps, in pixels: the median over the boxes; 0 if no text is known.
    private(set) var letterWidth: Double
    /// The number of frames in which it was read.
    private var timesRead: Int
    /// The followed place in each frame, without anything else that ``quads`` covers.
    private var followed: [Quad]

    /// The index of the last frame.
    var last: Int { first + quads.count - 1 }

    /// - Parameter readings: the frames in which places were read; in between they were followed.
    /// - Returns: nil for a sighting without boxes.
    init?(_ sighting: Sighting, readings: Set<Int>) {
        guard let begin = sighting.boxes.first, let end = sighting.boxes.last else { return nil }
        patternIndex = sighting.patternIndex
        text = sighting.text
        first = begin.time.index
        followed = []
        quads = Self.filled(sighting.boxes.map { ($0.time.index, $0.quad) }, through: end.time.index)
        let widths = sighting.boxes.map(\.quad.width).sorted()
        letterWidth = text.isEmpty ? 0 : widths[widths.count / 2] / Double(text.count)
        let anchors = sighting.boxes.map(\.time.index).filter(readings.contains)
        timesRead = anchors.count
        if let read = anchors.first { dropJumps(before: read) }
        if let read = anchors.last { dropJumps(after: read) }
        followed = quads
        spread(between: anchors)
    }

    /// Returns a place that is at least as high as the letters are wide on average, with the gaps between them: of pale
    /// letters only the middle may have been seen, and hardly any font has letters that are wider than high.
    func asHighAsItsLetters(_ quad: Quad) -> Quad {
        let least = min(letterWidth, Self.mostGrowth * quad.height)
        return quad.grown(along: 0, across: max(0, (least - quad.height) / 2))
    }

    /// How much higher a place may be taken to be than it was read, because letters may also be spaced out. The rest of
    /// its line is still found beside a place that is so much higher (``LineRests``).
    private static let mostGrowth = 1.8

    /// Removes jumps. Following finds anything that looks the same: a place that jumps away before it was read, or
    /// after, belongs to another text.
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

    /// Returns how far the middle moved between two frames, in pixels.
    private func step(from a: Int, to b: Int) -> Double {
        b > a ? (quads[b].center - quads[a].center).length / Double(b - a) : 0
    }

    private func leaps(_ a: Quad, _ b: Quad, _ usual: Double) -> Bool {
        (b.center - a.center).length > max(3, 3 * usual + 0.25 * a.height)
    }

    /// Returns a place for each frame; missing ones are interpolated between their neighbors.
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

    /// Extends the places between readings. Pictures are followed only as they shift; a place that turns or grows also
    /// covers its interpolated place between two readings. If it moves by more than its height from one to the next, it
    /// may be anywhere between them. If it gets longer in place, as it is typed, it has the later length.
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

    /// Returns the place in a frame; nil outside of the track.
    func quad(at index: Int) -> Quad? { (first...last).contains(index) ? quads[index - first] : nil }

    /// Returns the part of the track in some of its frames.
    func part(_ frames: ClosedRange<Int>) -> HiddenTrack {
        var part = self
        part.first = frames.lowerBound
        part.quads = Array(quads[(frames.lowerBound - first)...(frames.upperBound - first)])
        part.followed = Array(followed[(frames.lowerBound - first)...(frames.upperBound - first)])
        return part
    }

    /// Returns a track of the same text that stands at a place in other frames.
    func standing(at quad: Quad, in frames: ClosedRange<Int>) -> HiddenTrack {
        var track = self
        track.first = frames.lowerBound
        track.quads = frames.map { _ in quad }
        track.followed = track.quads
        return track
    }

    // MARK: Growing

    /// Adds the frames of the other track, which come later; the frames in between are interpolated.
    mutating func join(_ later: HiddenTrack) {
        letterWidth = max(letterWidth, later.letterWidth)
        timesRead += later.timesRead
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

    /// Extends the track by `count` frames at its beginning.
    ///
    /// - Parameter place: returns the place that many frames before the first.
    mutating func extend(back count: Int, _ place: (Int) -> Quad) {
        let added = min(count, first)
        guard added > 0 else { return }
        let places = (1...added).reversed().map(place)
        quads.insert(contentsOf: places, at: 0)
        followed.insert(contentsOf: places, at: 0)
        first -= added
    }

    /// Extends the track by `count` frames at its end.
    mutating func extend(forth count: Int, _ place: (Int) -> Quad) {
        guard count > 0 else { return }
        let places = (1...count).map(place)
        quads += places
        followed += places
    }

    /// Widens each place by the text beside the words, in pixels, as known for some frames; between two of them the
    /// larger of both applies.
    ///
    /// - Parameter sides: keyed by the index of the frame.
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

    /// Keeps the length that a place that stands still had in some frames before, and will have in as many after: a
    /// reading that ends too early does not make the text shorter. Of a line that grows step by step only a fifth as many
    /// frames after count, so that what is typed is not hidden long before it is there.
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
            let after = index..<min(own.count, index + frames + 1)
            let steps = after.dropFirst().count { own[$0].width - own[$0 - 1].width > Self.letter * height }
            let last = steps < Self.fewestSteps ? after.upperBound - 1 : min(after.upperBound - 1, index + frames / 5)
            for other in own[max(0, index - frames)...last] where other != quad {
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

    /// The largest movement of an end of a place that stands still, in heights.
    private static let standing = 0.5
    /// The least growth of a line by a letter, in heights, and the number of times that make it one that is typed.
    private static let letter = 0.2
    private static let fewestSteps = 3

    // MARK: Motion

    /// The movement of each corner from frame to frame at the beginning or end, as a quad of steps.
    struct Motion {
        let steps: [Point]
        /// The speed of the middle, in pixels per frame.
        var speed: Double { (steps.reduce(Point(0, 0), +) * 0.25).length }
        /// The speed of the fastest corner, in pixels per frame.
        var fastest: Double { steps.map(\.length).max() ?? 0 }
        /// Whether any corner moves visibly.
        let isSeen: Bool

        /// Returns the place of a quad this many frames later; earlier for negative numbers. A side that gets shorter, as of
        /// a text that something covers more and more, becomes half as long and then only moves.
        func moved(_ quad: Quad, by frames: Double) -> Quad {
            let (corners, along) = (quad.corners, quad.direction)
            let down = corners[3] - corners[0] + corners[2] - corners[1]
            // Text in a mirror has its corners the other way round.
            let across = Point(-along.y, along.x) * (down.y * along.x - down.x * along.y < 0 ? -1 : 1)
            let sides = [(0, 1, along), (3, 2, along), (0, 3, across), (1, 2, across)]
            let most = sides.reduce(abs(frames)) { most, side in
                let (from, to, axis) = side
                func share(_ way: Point) -> Double { way.x * axis.x + way.y * axis.y }
                let loss = -share(steps[to] - steps[from]) * (frames < 0 ? -1 : 1)
                return loss > 0 ? min(most, max(0, share(corners[to] - corners[from])) / 2 / loss) : most
            }
            let own = frames < 0 ? -most : most
            let rest = steps.reduce(Point(0, 0), +) * (0.25 * (frames - own))
            let moved = zip(corners, steps).map { $0 + $1 * own + rest }
            return Quad(topLeft: moved[0], topRight: moved[1], bottomRight: moved[2], bottomLeft: moved[3])
        }

        /// Returns the area in which the quad may have been this many frames away, which grows with the distance.
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

    /// The number of frames over which speed is measured.
    private static let span = 12

    /// Whether it is too brief to tell how it moves: it was read once, and only followed in the other frames, or lasts for
    /// less than four.
    var isBrief: Bool { timesRead < 2 || quads.count < 4 }

    /// Returns the followed place in a frame; where the track is over, that at its end.
    func nearestQuad(at index: Int) -> Quad { followed[min(max(index, first), last) - first] }

    /// - Parameters:
    ///   - picture: text cut off at its edges stands still there while the rest moves on.
    ///   - lines: what was read meanwhile. While something passes in front of a text that stands still, its ends seem to move.
    func motionAtStart(in picture: Rect, among lines: LineHistory) -> Motion {
        motion(from: 0, to: min(quads.count - 1, Self.span), picture, lines, direction: -1)
    }

    /// The motion at the end, as ``motionAtStart(in:among:)``.
    func motionAtEnd(in picture: Rect, among lines: LineHistory) -> Motion {
        motion(from: max(0, quads.count - 1 - Self.span), to: quads.count - 1, picture, lines, direction: 1)
    }

    /// - Parameter direction: the direction in time in which the motion is continued.
    private func motion(from a: Int, to b: Int, _ picture: Rect, _ lines: LineHistory, direction: Double) -> Motion {
        // The words alone: the rest of their line, and a bar over all places between two readings, move in other ways.
        let motion = motion(from: followed[a], to: followed[b], in: b - a, picture, direction: direction)
        // A letter's place is known to about half of its height.
        let isFast = motion.isSeen && motion.fastest * Double(b - a) > min(quads[a].height, quads[b].height)
        let stands = isFast && lines.showLettersInPlace(at: followed[a], first + a, and: followed[b], first + b)
        return stands ? Motion(steps: motion.steps.map { _ in Point(0, 0) }, isSeen: false) : motion
    }

    private func motion(from: Quad, to: Quad, in count: Int, _ picture: Rect, direction: Double) -> Motion {
        guard count > 0 else { return Motion(steps: from.corners.map { _ in Point(0, 0) }, isSeen: false) }
        var steps = zip(from.corners, to.corners).map { ($1 - $0) * (1 / Double(count)) }
        let inside = picture.grown(by: -Self.edge)
        let free = (0..<4).filter { inside.holdsPoint(from.corners[$0]) && inside.holdsPoint(to.corners[$0]) }
        let cut = free.isEmpty ? [] : (0..<4).filter { !free.contains($0) }
        let mean = free.reduce(Point(0, 0)) { $0 + steps[$1] } * (1 / Double(max(1, free.count)))
        for corner in cut { steps[corner] = mean }
        let least = max(2, 0.35 * Double(count), isBrief ? Self.inaccuracyOfFew * from.height : 0)
        let isSeen = steps.count { $0.length * Double(count) > least } > 2
        steps = steady(steps, of: from, in: count)
        // Text that enters continues beyond the edge: more of it follows there.
        for corner in cut {
            let outwards = (direction > 0 ? to : from).corners[corner] - picture.center
            if direction * (mean.x * outwards.x + mean.y * outwards.y) < 0 { steps[corner] = Point(0, 0) }
        }
        return Motion(steps: steps, isSeen: isSeen)
    }

    /// Returns steps without what may only be inaccuracy of two readings: continued for seconds, a pixel in each frame would
    /// turn a place, or drive it out of its row.
    private func steady(_ steps: [Point], of quad: Quad, in count: Int) -> [Point] {
        let noise = max(2, Self.inaccuracy * quad.height) / Double(count)
        let (along, mean) = (quad.direction, steps.reduce(Point(0, 0), +) * 0.25)
        func steady(_ step: Point) -> Point {
            let (on, beside) = (step.x * along.x + step.y * along.y, step.y * along.x - step.x * along.y)
            return along * (abs(on) < noise ? 0 : on) + Point(-along.y, along.x) * (abs(beside) < noise ? 0 : beside)
        }
        let center = steady(mean)
        return steps.map { center + steady($0 - mean) }
    }

    /// The distance of a corner from where it is, in heights, that a reading may have.
    private static let inaccuracy = 0.08
    /// The same of one reading or two, which something may have cut or lengthened.
    private static let inaccuracyOfFew = 0.25
    /// The distance from the edge within which a place may be cut off.
    private static let edge = 5.0
}

extension Rect {
    fileprivate func holdsPoint(_ point: Point) -> Bool {
        point.x > minX && point.y > minY && point.x < maxX && point.y < maxY
    }
}
