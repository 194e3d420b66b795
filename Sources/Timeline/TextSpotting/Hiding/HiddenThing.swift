/// Something to hide in a recording. A value.
public struct HiddenThing: Sendable, Hashable {
    /// The number of the thing within its plan, counted from 1.
    public var id: Int
    /// The reason it is hidden, in a form that may be shown to anyone: a kind such as `:email`, the number of a
    /// pattern, a region. Never the text.
    public var reason: String
    /// The text that was read there; printed only on request.
    public var text: String?
    /// Where it is hidden, and when; never empty. The first path is the text itself, and the others are where it may be
    /// besides, as when something stands in front of a part of it or a reading of a moment was longer.
    public var paths: [HiddenPath]

    public init(id: Int, reason: String, text: String? = nil, paths: [HiddenPath]) {
        precondition(!paths.isEmpty, "what is hidden is hidden somewhere")
        (self.id, self.reason, self.text, self.paths) = (id, reason, text, paths)
    }

    /// Makes a thing of one path.
    public init(
        id: Int, reason: String, text: String? = nil, start: StreamTime, end: StreamTime, places: [HiddenPath.Place]
    ) {
        self.init(id: id, reason: reason, text: text, paths: [HiddenPath(start: start, end: end, places: places)])
    }

    /// The first moment at which it is hidden.
    public var start: StreamTime { paths.reduce(paths[0].start) { min($0, $1.start) } }
    /// The first moment at which it is no longer hidden.
    public var end: StreamTime { paths.reduce(paths[0].end) { max($0, $1.end) } }

    /// Returns the places to hide in a frame; none if the thing is not in view.
    public func quads(in frame: FrameTime) -> [Quad] { paths.flatMap { $0.quads(in: frame) } }

    /// Returns the same thing, hidden for `time` longer at either end of each path.
    public func lasting(longer time: StreamTime) -> HiddenThing {
        var thing = self
        for index in paths.indices {
            thing.paths[index].start = max(.zero, paths[index].start - time)
            thing.paths[index].end = paths[index].end + time
        }
        return thing
    }

    /// Returns the same thing, hidden at later times; earlier for a negative time.
    public func later(by time: StreamTime) -> HiddenThing {
        guard time != .zero else { return self }
        var thing = self
        let moved = paths.map { $0.later(by: time) }
        let left = moved.filter { $0.start < $0.end }
        thing.paths = left.isEmpty ? moved : left
        return thing
    }

    /// Returns the time to search again once it is hidden.
    ///
    /// - Parameters:
    ///   - margin: the time before and after it.
    ///   - parts: the parts that were searched; empty if everything was. A search does not follow a text beyond the end
    ///     of its part, so if the text reaches that end, as much again is searched beyond it.
    public func surroundings(within margin: StreamTime, searchedIn parts: [Range<StreamTime>]) -> Range<StreamTime> {
        var (begin, last) = (start - margin, end + margin)
        for part in parts where start < part.upperBound && part.lowerBound < end {
            let length = part.upperBound - part.lowerBound
            if start < part.lowerBound + Self.near { begin = min(begin, part.lowerBound - length) }
            if end + Self.near > part.upperBound { last = max(last, part.upperBound + length) }
        }
        return max(.zero, begin)..<last
    }

    /// A thing that comes closer than this to the end of a searched part may go on beyond it.
    private static let near = StreamTime(seconds: 0.2)
}

/// Everything to hide in a recording. A value.
public struct HidingPlan: Sendable, Hashable {
    public var things: [HiddenThing]

    public init(_ things: [HiddenThing] = []) { self.things = things }

    public var isEmpty: Bool { things.isEmpty }

    /// Returns all places to hide in a frame, in pixels of the picture as displayed.
    public func quads(in frame: FrameTime) -> [Quad] { things.flatMap { $0.quads(in: frame) } }

    /// Returns the same things, hidden at later times; earlier for a negative time.
    public func later(by time: StreamTime) -> HidingPlan { HidingPlan(things.map { $0.later(by: time) }) }

    /// Adds the things that are not in the plan yet, and continues the numbering.
    public mutating func add(_ more: [HiddenThing]) {
        var last = things.map(\.id).max() ?? 0
        for var thing in more {
            last += 1
            thing.id = last
            things.append(thing)
        }
    }

    /// The times around each beginning, end and quick movement, in order and without overlaps: something may then be
    /// outside the known places.
    public var restlessTimes: [Range<StreamTime>] {
        Self.around(
            things.flatMap(\.paths).flatMap { [$0.start..<$0.start, $0.end..<$0.end] } + quickMoments)
    }

    /// The times around quick movements alone.
    public var quickTimes: [Range<StreamTime>] { Self.around(quickMoments) }

    private var quickMoments: [Range<StreamTime>] {
        things.flatMap(\.paths).flatMap { path in
            zip(path.places, path.places.dropFirst()).compactMap {
                Self.isQuick($0, $1) ? $0.time..<$1.time : nil
            }
        }
    }

    private static func around(_ moments: [Range<StreamTime>]) -> [Range<StreamTime>] {
        let margin = StreamTime(seconds: margin)
        return StreamTime.united(
            moments.map { max(.zero, $0.lowerBound - margin)..<(max(.zero, $0.upperBound) + margin) })
    }

    private static func isQuick(_ a: HiddenPath.Place, _ b: HiddenPath.Place) -> Bool {
        a.quad.moves(to: b.quad, by: quick * min(a.quad.height, b.quad.height) * (b.time - a.time).seconds)
    }

    /// The margin in seconds.
    private static let margin = 0.5
    /// The speed that counts as quick, in heights per second: between two readings of a search the text then moves by a
    /// quarter of its height, which is the margin.
    private static let quick = 1.5

    /// Returns whether nearly all of a place is hidden in that frame, so that anything read there was seen in the bars.
    ///
    /// - Parameter least: the share that must be hidden.
    public func hides(_ quad: Quad, in frame: FrameTime, from least: Double = 0.95) -> Bool {
        let hidden = quads(in: frame)
        guard !hidden.isEmpty else { return false }
        var (inside, all) = (0, 0)
        for column in 0...Self.columns {
            for row in 0...Self.rows {
                let share = Double(column) / Double(Self.columns)
                let top = quad.topLeft.interpolated(to: quad.topRight, at: share)
                let bottom = quad.bottomLeft.interpolated(to: quad.bottomRight, at: share)
                let point = top.interpolated(to: bottom, at: (Double(row) + 0.5) / Double(Self.rows + 1))
                all += 1
                if hidden.contains(where: { $0.holds(point) }) { inside += 1 }
            }
        }
        return Double(inside) >= least * Double(all)
    }

    private static let columns = 24
    private static let rows = 4
}

extension Quad {
    /// Returns the quad extended by `along` pixels at either end of its text and by `across` pixels on either side.
    public func grown(along: Double, across: Double) -> Quad {
        let right = direction
        let down = Point(-right.y, right.x)
        let (a, b) = (right * along, down * across)
        return Quad(
            topLeft: topLeft - a - b, topRight: topRight + a - b, bottomRight: bottomRight + a + b,
            bottomLeft: bottomLeft - a + b)
    }

    /// Returns the same place with its corners in the order that puts them closest to those of another: between the two, no
    /// side turns over. Of a text on its head, or in a mirror, they are in other orders.
    public func turned(like other: Quad) -> Quad {
        func distance(_ corners: [Point]) -> Double {
            zip(corners, other.corners).reduce(0) { $0 + ($1.0 - $1.1).length }
        }
        let orders = [corners, corners.reversed()].flatMap { corners in
            (0..<4).map { turn in (0..<4).map { corners[($0 + turn) % 4] } }
        }
        // Only where another order is clearly closer.
        guard let best = orders.min(by: { distance($0) < distance($1) }), distance(best) < 0.9 * distance(corners)
        else {
            return self
        }
        return Quad(topLeft: best[0], topRight: best[1], bottomRight: best[2], bottomLeft: best[3])
    }

    /// Returns whether more than two corners differ by more than `least` pixels. Text that only gets longer, as it is
    /// typed, keeps two corners.
    public func moves(to other: Quad, by least: Double) -> Bool {
        zip(corners, other.corners).count { ($1 - $0).length > least } > 2
    }
}

/// The way in which a place of a picture is made unreadable.
public enum HidingStyle: String, Sendable, CaseIterable {
    /// Filled with black: nothing of the original content is left in the file.
    case black
    /// Squares of one mean color each. Weaker: anyone who knows the font can try texts until the squares match.
    case pixelate
    /// Blurred. The weakest: much of a blur can be undone.
    case blur
}

/// The pixels that a convex shape touches, row by row, including those that it covers only in part.
public struct ConvexSpans: Sendable, Hashable {
    /// The first row of the picture that the shape touches.
    public let top: Int
    /// The columns that the shape touches in each row from ``top`` on; an empty range if there are none.
    public let rows: [Range<Int>]

    /// - Parameters:
    ///   - quad: the shape in pixels of the picture; it may lie outside.
    ///   - width: the width of the picture, in pixels.
    ///   - height: the height of the picture, in pixels.
    public init(_ quad: Quad, width: Int, height: Int) {
        let corners = quad.corners
        let bounds = quad.bounds
        guard corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }), bounds.maxX > 0, bounds.maxY > 0,
            bounds.minX < Double(width), bounds.minY < Double(height)
        else {
            (top, rows) = (0, [])
            return
        }
        let first = Int(max(0, bounds.minY.rounded(.down)))
        let last = Int(min(Double(height), max(bounds.maxY.rounded(.up), bounds.minY.rounded(.down) + 1)))
        top = first
        rows = (first..<max(first, last)).map { row in
            Self.columns(of: corners, from: Double(row), to: Double(row + 1), width: width)
        }
    }

    /// Returns the columns that the shape touches between two heights.
    private static func columns(of corners: [Point], from low: Double, to high: Double, width: Int) -> Range<Int> {
        var (left, right) = (Double.infinity, -Double.infinity)
        for index in corners.indices {
            let (a, b) = (corners[index], corners[(index + 1) % corners.count])
            guard max(a.y, b.y) >= low, min(a.y, b.y) <= high else { continue }
            for y in [max(low, min(a.y, b.y)), min(high, max(a.y, b.y))] {
                let share = a.y == b.y ? 0 : (y - a.y) / (b.y - a.y)
                let x = a.x + (b.x - a.x) * min(1, max(0, share))
                (left, right) = (min(left, x), max(right, x))
            }
            if a.y == b.y { (left, right) = (min(left, min(a.x, b.x)), max(right, max(a.x, b.x))) }
        }
        guard left <= right else { return 0..<0 }
        let begin = Int(min(Double(width), max(0, left.rounded(.down))))
        let end = Int(min(Double(width), max(0, right.rounded(.up))))
        return begin..<max(begin, end)
    }
}
