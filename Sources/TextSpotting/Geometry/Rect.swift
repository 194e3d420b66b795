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

    /// The part that both rectangles cover; empty (zero width or height) if they do not meet.
    public func intersection(_ other: Rect) -> Rect {
        let left = max(minX, other.minX)
        let top = max(minY, other.minY)
        let right = min(maxX, other.maxX)
        let bottom = min(maxY, other.maxY)
        return Rect(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }

    /// The smallest rectangle that holds both.
    public func union(_ other: Rect) -> Rect {
        let left = min(minX, other.minX)
        let top = min(minY, other.minY)
        return Rect(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    /// The rectangle grown by `margin` pixels on every side (shrunk when negative).
    public func grown(by margin: Double) -> Rect {
        Rect(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }

    /// Whether a place lies in it.
    func holds(_ point: Point) -> Bool { point.x >= minX && point.y >= minY && point.x < maxX && point.y < maxY }

    /// The rectangle somewhere else.
    public func moved(by offset: Point) -> Rect { Rect(x: x + offset.x, y: y + offset.y, width: width, height: height) }

    /// Intersection over union, 0 to 1.
    public func overlap(_ other: Rect) -> Double {
        let shared = intersection(other).area
        let whole = area + other.area - shared
        return whole > 0 ? shared / whole : 0
    }

    /// Much of the smaller of the two lies in both: they are places of one line.
    func covers(_ other: Rect) -> Bool {
        let smaller = min(area, other.area)
        return smaller > 0 && intersection(other).area > 0.4 * smaller
    }
}
