public import TextMatching

extension TextBlocks {
    /// More lines than this are not joined: the work grows with their square.
    private static let maximumLines = 600

    /// Which lines of one picture go on in which others: in one just below that is about as tall, close, and overlaps it
    /// along the text; or in the piece just beside it on the same row.
    public init(_ lines: [TextLine]) { self.init(lines, besideWithin: LineLocation.usualReach) }

    /// - Parameter heights: a piece beside a line begins no further from its end, in its heights.
    init(_ lines: [TextLine], besideWithin heights: Double) {
        guard lines.count > 1, lines.count <= Self.maximumLines else {
            self.init(below: [], beside: [])
            return
        }
        let places = lines.map { LineLocation($0.quad) }
        self.init(
            below: places.indices.map { Self.nearest(to: $0, in: places) { $0.distance(toBelow: $1) } },
            beside: places.indices.map {
                Self.nearest(to: $0, in: places) { $0.distance(toBeside: $1, within: heights) }
            })
    }

    /// A line at one place may go on in a line at another, if nothing else is nearer: it is just below, or just beside it.
    package static func mayGoOn(from place: Quad, to other: Quad) -> Bool {
        let (from, to) = (LineLocation(place), LineLocation(other))
        return from.distance(toBelow: to) != nil || from.distance(toBeside: to) != nil
    }

    private static func nearest(
        to index: Int, in places: [LineLocation], _ distance: (_ from: LineLocation, _ to: LineLocation) -> Double?
    ) -> Int? {
        var best: (index: Int, distance: Double)?
        for other in places.indices where other != index {
            guard let length = distance(places[index], places[other]), length < best?.distance ?? .infinity else {
                continue
            }
            best = (other, length)
        }
        return best?.index
    }
}

/// The place of a line, with derived values that are needed again and again.
struct LineLocation {
    private let quad: Quad
    private let center: Point
    private let along: Point
    private let width: Double
    private let height: Double

    init(_ quad: Quad) {
        self.quad = quad
        center = quad.center
        along = quad.direction
        width = quad.width
        height = quad.height
    }

    /// How far below this line `lower` begins, in pixels; nil when it is not its continuation.
    func distance(toBelow lower: LineLocation) -> Double? {
        guard isAlike(lower, within: 2) else { return nil }
        let taller = max(height, lower.height)
        let middle = across(lower.center)
        guard middle > 0.5 * min(height, lower.height), middle < 1.2 * taller + height + lower.width else { return nil }
        let place = extent(of: lower)
        let gap = place.top - height / 2
        guard gap > -0.4 * taller, gap < 1.2 * taller else { return nil }
        let shared = min(place.right, width / 2) - max(place.left, -width / 2)
        guard shared > 0.3 * min(width, lower.width) else { return nil }
        return gap
    }

    /// How far beside this line the piece `right` begins, in pixels; nil when it is not on the same row or too far away.
    ///
    /// - Parameter heights: from how many of its heights on that is too far.
    func distance(toBeside right: LineLocation, within heights: Double = usualReach) -> Double? {
        if quad.bounds.isPieceOfLine(with: right.quad.bounds), right.center.x > center.x, isParallel(to: right),
            along.x > 0.7
        {
            return max(0, extent(of: right).left - width / 2)
        }
        guard isAlike(right, within: 1.6), abs(across(right.center)) < 0.35 * height else { return nil }
        let gap = extent(of: right).left - width / 2
        guard gap > -0.3 * height, gap < heights * height else { return nil }
        return gap
    }

    /// Words of one line stand nearer to each other, in its heights.
    static let usualReach = 2.0

    /// Another piece of the same line covers a part of this one, or begins or ends close to it.
    func goesOn(in other: LineLocation) -> Bool {
        guard isAlike(other, within: 1.6), abs(across(other.center)) < 0.35 * height else { return false }
        let place = extent(of: other)
        return max(place.left - width / 2, -width / 2 - place.right) < 0.3 * height
    }

    /// Lines of one block are about as tall and run the same way, within some 15 degrees.
    private func isAlike(_ other: LineLocation, within factor: Double) -> Bool {
        guard height > 0, other.height > 0, other.height < height * factor, height < other.height * factor else {
            return false
        }
        return isParallel(to: other)
    }

    private func isParallel(to other: LineLocation) -> Bool {
        along.x * other.along.x + along.y * other.along.y > 0.96
    }

    /// How far across this line's text a point is from its center.
    private func across(_ point: Point) -> Double {
        (point.y - center.y) * along.x - (point.x - center.x) * along.y
    }

    /// Where another line lies as this one sees it: along its text and across it, from its center.
    private func extent(of other: LineLocation) -> (left: Double, right: Double, top: Double) {
        var (left, right, top) = (Double.infinity, -Double.infinity, Double.infinity)
        for corner in other.quad.corners {
            let x = (corner.x - center.x) * along.x + (corner.y - center.y) * along.y
            (left, right, top) = (min(left, x), max(right, x), min(top, across(corner)))
        }
        return (left, right, top)
    }
}

extension Rect {
    /// The other one is a piece of the same row of text, closer beside it than words can be that do not belong together.
    ///
    /// A line that is printed as one must be found as one, so both ask this. Detectors find a word with tall letters twice as high as
    /// one without.
    package func isPieceOfLine(with other: Rect) -> Bool {
        let (left, right) = minX <= other.minX ? (self, other) : (other, self)
        let (low, high) = (min(left.height, right.height), max(left.height, right.height))
        let (gap, row) = (right.minX - left.maxX, min(left.maxY, right.maxY) - max(left.minY, right.minY))
        return low > 0.45 * high && gap < 0.6 * high && gap > -0.4 * high && row >= 0.7 * low
    }
}
