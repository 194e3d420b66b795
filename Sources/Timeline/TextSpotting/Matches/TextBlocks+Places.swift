public import TextMatching

extension TextBlocks {
    /// The largest number of lines that are joined: the work grows with the square of it.
    private static let maximumLines = 600

    /// Finds the lines of one picture that continue other lines. A line continues in the next line below that is about
    /// as tall, close, and overlaps it along the text, or in the piece next to it on the same row.
    public init(_ lines: [TextLine]) { self.init(lines, besideWithin: LineLocation.usualReach) }

    /// - Parameter heights: the largest distance from the end of a line to the piece next to it, in heights of the
    ///   line.
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

    /// Returns whether a line at one place may continue in a line at another, if nothing else is nearer: just below it
    /// or just beside it.
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

/// The place of a line, with derived values that are needed repeatedly.
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

    /// Returns the distance down to `lower`, in pixels; nil if that line is not a continuation of this one.
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

    /// Returns the distance across to the piece `right`, in pixels; nil if it is not on the same row or too far away.
    ///
    /// - Parameter heights: the distance that is too far, in heights of the line.
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

    /// The largest usual distance between words of one line, in its heights.
    static let usualReach = 2.0

    /// Returns whether the other place is another piece of the same line: one that covers part of this one, or begins
    /// or ends close to it.
    func goesOn(in other: LineLocation) -> Bool {
        guard isAlike(other, within: 1.6), abs(across(other.center)) < 0.35 * height else { return false }
        let place = extent(of: other)
        return max(place.left - width / 2, -width / 2 - place.right) < 0.3 * height
    }

    /// Returns whether two lines can be of one block: about as tall, and running the same way within some 15 degrees.
    private func isAlike(_ other: LineLocation, within factor: Double) -> Bool {
        guard height > 0, other.height > 0, other.height < height * factor, height < other.height * factor else {
            return false
        }
        return isParallel(to: other)
    }

    private func isParallel(to other: LineLocation) -> Bool {
        along.x * other.along.x + along.y * other.along.y > 0.96
    }

    /// Returns the distance of a point from the line's center, across the direction of its text.
    private func across(_ point: Point) -> Double {
        (point.y - center.y) * along.x - (point.x - center.x) * along.y
    }

    /// Returns the extent of another line along and across the text of this one, measured from its center.
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
    /// Returns whether the other rectangle is a piece of the same row of text, closer than unrelated words can be.
    ///
    /// A line that is printed as one must also be found as one, so both use this test. Detectors report a word with
    /// tall letters twice as high as one without.
    package func isPieceOfLine(with other: Rect) -> Bool {
        let (left, right) = minX <= other.minX ? (self, other) : (other, self)
        let (low, high) = (min(left.height, right.height), max(left.height, right.height))
        let (gap, row) = (right.minX - left.maxX, min(left.maxY, right.maxY) - max(left.minY, right.minY))
        return low > 0.45 * high && gap < 0.6 * high && gap > -0.4 * high && row >= 0.7 * low
    }
}
