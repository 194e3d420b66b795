/// A place in a picture: pixels, origin at the top-left corner, x to the right and y down.
///
/// Pixel (0, 0) covers the square from (0, 0) to (1, 1), so places between pixels are meaningful.
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

    /// The place at `fraction` of the way from this point to `other`.
    public func interpolated(to other: Point, at fraction: Double) -> Point {
        self + (other - self) * fraction
    }
}
