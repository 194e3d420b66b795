/// Four corners, clockwise from the text's own top-left: for upright text that is the picture's top-left too, for
/// text turned upside down it is the bottom-right.
///
/// Units are pixels of the picture the quad belongs to.
public struct Quad: Hashable, Sendable {
    public var topLeft: Point
    public var topRight: Point
    public var bottomRight: Point
    public var bottomLeft: Point

    public init(topLeft: Point, topRight: Point, bottomRight: Point, bottomLeft: Point) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomRight = bottomRight
        self.bottomLeft = bottomLeft
    }

    /// Creates the quad of upright text that fills `rect`.
    public init(_ rect: Rect) {
        self.init(
            topLeft: Point(rect.minX, rect.minY), topRight: Point(rect.maxX, rect.minY),
            bottomRight: Point(rect.maxX, rect.maxY), bottomLeft: Point(rect.minX, rect.maxY))
    }

    /// The corners in order: top-left, top-right, bottom-right, bottom-left.
    public var corners: [Point] { [topLeft, topRight, bottomRight, bottomLeft] }

    public var center: Point { (topLeft + topRight + bottomRight + bottomLeft) * 0.25 }

    /// The mean length of the two sides along the text, in pixels.
    public var width: Double { ((topRight - topLeft).length + (bottomRight - bottomLeft).length) / 2 }

    /// The mean length of the two sides across the text, in pixels.
    public var height: Double { ((bottomLeft - topLeft).length + (bottomRight - topRight).length) / 2 }

    /// The smallest axis-aligned rectangle that holds all corners.
    public var bounds: Rect {
        let xs = corners.map(\.x)
        let ys = corners.map(\.y)
        let left = xs.min() ?? 0
        let top = ys.min() ?? 0
        return Rect(x: left, y: top, width: (xs.max() ?? 0) - left, height: (ys.max() ?? 0) - top)
    }

    /// Applies `transform` to each corner.
    public func mapped(_ transform: (Point) -> Point) -> Quad {
        Quad(
            topLeft: transform(topLeft), topRight: transform(topRight),
            bottomRight: transform(bottomRight), bottomLeft: transform(bottomLeft))
    }

    /// Returns the quad moved by `offset` pixels.
    public func moved(by offset: Point) -> Quad { mapped { $0 + offset } }

    /// Returns the quad scaled about the origin: from the pixels of one picture to those of a larger or smaller one.
    public func scaled(x: Double, y: Double) -> Quad { mapped { Point($0.x * x, $0.y * y) } }

    /// Returns the quad at `fraction` of the way from this one to `other`, corner by corner.
    public func interpolated(to other: Quad, at fraction: Double) -> Quad {
        Quad(
            topLeft: topLeft.interpolated(to: other.topLeft, at: fraction),
            topRight: topRight.interpolated(to: other.topRight, at: fraction),
            bottomRight: bottomRight.interpolated(to: other.bottomRight, at: fraction),
            bottomLeft: bottomLeft.interpolated(to: other.bottomLeft, at: fraction))
    }

    /// Returns whether the quad lies, to within `tolerance` pixels at each corner, at `fraction` of the way from one
    /// quad to another.
    func isOnWay(from a: Quad, to b: Quad, at fraction: Double, within tolerance: Double) -> Bool {
        zip(a.interpolated(to: b, at: fraction).corners, corners).allSatisfy { ($0 - $1).length <= tolerance }
    }

    /// Returns the part between two fractions along the text (0 is its left edge, 1 its right).
    public func slice(from start: Double, to end: Double) -> Quad {
        Quad(
            topLeft: topLeft.interpolated(to: topRight, at: start),
            topRight: topLeft.interpolated(to: topRight, at: end),
            bottomRight: bottomLeft.interpolated(to: bottomRight, at: end),
            bottomLeft: bottomLeft.interpolated(to: bottomRight, at: start))
    }

    /// Returns the part between two fractions of the height (0 is its upper edge, 1 its lower). Values beyond these
    /// include the area above or below.
    func rows(from top: Double, to bottom: Double) -> Quad {
        Quad(
            topLeft: topLeft.interpolated(to: bottomLeft, at: top),
            topRight: topRight.interpolated(to: bottomRight, at: top),
            bottomRight: topRight.interpolated(to: bottomRight, at: bottom),
            bottomLeft: topLeft.interpolated(to: bottomLeft, at: bottom))
    }
}

/// A position in a picture: pixels, origin at the top-left corner, x to the right and y down.
///
/// Pixel (0, 0) covers the square from (0, 0) to (1, 1), so positions between pixels are meaningful.
public struct Point: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    public static func + (a: Point, b: Point) -> Point { Point(a.x + b.x, a.y + b.y) }
    public static func - (a: Point, b: Point) -> Point { Point(a.x - b.x, a.y - b.y) }
    public static func * (a: Point, factor: Double) -> Point { Point(a.x * factor, a.y * factor) }

    /// The distance from the origin, in pixels.
    public var length: Double { (x * x + y * y).squareRoot() }

    /// Returns the position at `fraction` of the way from this point to `other`.
    public func interpolated(to other: Point, at fraction: Double) -> Point {
        self + (other - self) * fraction
    }
}

extension Quad {
    /// The direction of the text, of length 1; (1, 0) if the quad has no width.
    public var direction: Point {
        let along = (topRight - topLeft) + (bottomRight - bottomLeft)
        let length = along.length
        return length > 0 && length.isFinite ? along * (1 / length) : Point(1, 0)
    }

    /// Whether the text runs down or up rather than across: its direction says so, or it has not been read yet and is
    /// much taller than wide.
    public var isColumn: Bool {
        let direction = direction
        return abs(direction.y) > abs(direction.x) || height > 1.5 * width
    }

    /// Returns the smallest rectangle with its top side along `direction` that holds all of `quads`: the place of
    /// several words of one line, rotated as the line is.
    ///
    /// A single quad is returned unchanged, including its perspective. Nil if there are none.
    /// - Parameter direction: the reading direction of the text, of length 1.
    public static func spanning(_ quads: [Quad], along direction: Point) -> Quad? {
        guard let first = quads.first else { return nil }
        if quads.count == 1 { return first }
        // Down relative to the text: the direction turned clockwise by 90 degrees, with y pointing down.
        let down = Point(-direction.y, direction.x)
        let corners = quads.flatMap(\.corners)
        let along = corners.map { $0.x * direction.x + $0.y * direction.y }
        let across = corners.map { $0.x * down.x + $0.y * down.y }
        guard let left = along.min(), let right = along.max(), let top = across.min(), let bottom = across.max()
        else { return nil }
        func place(_ a: Double, _ b: Double) -> Point { direction * a + down * b }
        return Quad(
            topLeft: place(left, top), topRight: place(right, top),
            bottomRight: place(right, bottom), bottomLeft: place(left, bottom))
    }
}

/// An axis-aligned rectangle in pixels, origin top-left, half-open: it holds `minX` but not `maxX`.
public struct Rect: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public var minX: Double { x }
    public var minY: Double { y }
    public var maxX: Double { x + width }
    public var maxY: Double { y + height }
    public var area: Double { max(0, width) * max(0, height) }
    public var isEmpty: Bool { width <= 0 || height <= 0 }
    public var center: Point { Point(x + width / 2, y + height / 2) }

    /// Returns the part that both rectangles cover; empty (zero width or height) if they do not meet.
    public func intersection(_ other: Rect) -> Rect {
        let left = max(minX, other.minX)
        let top = max(minY, other.minY)
        let right = min(maxX, other.maxX)
        let bottom = min(maxY, other.maxY)
        return Rect(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }

    /// Returns the smallest rectangle that holds both.
    public func union(_ other: Rect) -> Rect {
        let left = min(minX, other.minX)
        let top = min(minY, other.minY)
        return Rect(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    /// Returns the rectangle grown by `margin` pixels on every side (shrunk when negative).
    public func grown(by margin: Double) -> Rect {
        Rect(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }

    /// Returns whether a point lies in the rectangle.
    func holds(_ point: Point) -> Bool { point.x >= minX && point.y >= minY && point.x < maxX && point.y < maxY }

    /// Returns the rectangle moved by `offset`.
    public func moved(by offset: Point) -> Rect { Rect(x: x + offset.x, y: y + offset.y, width: width, height: height) }

    /// Intersection over union, 0 to 1.
    public func overlap(_ other: Rect) -> Double {
        let shared = intersection(other).area
        let whole = area + other.area - shared
        return whole > 0 ? shared / whole : 0
    }

    /// Returns whether much of the smaller rectangle lies in both, so that they are places of one line.
    func covers(_ other: Rect) -> Bool {
        let smaller = min(area, other.area)
        return smaller > 0 && intersection(other).area > 0.4 * smaller
    }
}

extension Quad {
    /// Returns whether a point lies in the quad; its corners may be in either order.
    func holds(_ point: Point) -> Bool {
        var sign = 0.0
        for index in 0..<4 {
            let (a, b) = (corners[index], corners[(index + 1) % 4])
            let side = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
            if side == 0 { continue }
            if sign == 0 { sign = side } else if (side > 0) != (sign > 0) { return false }
        }
        return true
    }

    /// Returns the share of this quad that lies in another one, 0 to 1, from sample points spread over it.
    public func share(in other: Quad) -> Double {
        guard bounds.intersection(other.bounds).area > 0 else { return 0 }
        var inside = 0
        for row in 0..<Self.sharedRows {
            let across = (Double(row) + 0.5) / Double(Self.sharedRows)
            for column in 0..<Self.sharedColumns {
                let along = (Double(column) + 0.5) / Double(Self.sharedColumns)
                let place = topLeft.interpolated(to: topRight, at: along)
                    .interpolated(to: bottomLeft.interpolated(to: bottomRight, at: along), at: across)
                if other.holds(place) { inside += 1 }
            }
        }
        return Double(inside) / Double(Self.sharedRows * Self.sharedColumns)
    }

    private static let sharedRows = 5
    private static let sharedColumns = 13

    /// Returns whether both are places of one line, found twice.
    func isOne(with other: Quad, from least: Double = 0.6) -> Bool {
        share(in: other) >= least && other.share(in: self) >= least
    }

    /// The same corners for text that is upside down.
    var onItsHead: Quad {
        Quad(topLeft: bottomRight, topRight: bottomLeft, bottomRight: topLeft, bottomLeft: topRight)
    }

    /// The same corners for mirrored text: counterclockwise in the picture.
    var mirrored: Quad {
        Quad(topLeft: topRight, topRight: topLeft, bottomRight: bottomLeft, bottomLeft: bottomRight)
    }

    /// Returns a quad of the same height and center whose width is `ratio` times its height: a slim letter with the
    /// background on both sides of it.
    public func widened(to ratio: Double) -> Quad {
        let middleTop = topLeft.interpolated(to: topRight, at: 0.5)
        let middleBottom = bottomLeft.interpolated(to: bottomRight, at: 0.5)
        let aside = direction * (ratio * height / 2)
        return Quad(
            topLeft: middleTop - aside, topRight: middleTop + aside, bottomRight: middleBottom + aside,
            bottomLeft: middleBottom - aside)
    }

    /// The same corners for text that reads from top to bottom.
    public var turnedRight: Quad {
        Quad(topLeft: topRight, topRight: bottomRight, bottomRight: bottomLeft, bottomLeft: topLeft)
    }

    /// The same corners for text that reads from bottom to top.
    public var turnedLeft: Quad {
        Quad(topLeft: bottomLeft, topRight: topLeft, bottomRight: topRight, bottomLeft: bottomRight)
    }
}
