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

    /// The quad of upright text that fills `rect`.
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

    /// The quad moved by `offset` pixels.
    public func moved(by offset: Point) -> Quad { mapped { $0 + offset } }

    /// The quad scaled about the origin: from the pixels of one picture to those of a larger or smaller one.
    public func scaled(x: Double, y: Double) -> Quad { mapped { Point($0.x * x, $0.y * y) } }

    /// The quad at `fraction` of the way from this one to `other`, corner by corner.
    public func interpolated(to other: Quad, at fraction: Double) -> Quad {
        Quad(
            topLeft: topLeft.interpolated(to: other.topLeft, at: fraction),
            topRight: topRight.interpolated(to: other.topRight, at: fraction),
            bottomRight: bottomRight.interpolated(to: other.bottomRight, at: fraction),
            bottomLeft: bottomLeft.interpolated(to: other.bottomLeft, at: fraction))
    }

    /// The part between two fractions of the way along the text (0 is its left edge, 1 its right).
    public func slice(from start: Double, to end: Double) -> Quad {
        Quad(
            topLeft: topLeft.interpolated(to: topRight, at: start),
            topRight: topLeft.interpolated(to: topRight, at: end),
            bottomRight: bottomLeft.interpolated(to: bottomRight, at: end),
            bottomLeft: bottomLeft.interpolated(to: bottomRight, at: start))
    }
}
