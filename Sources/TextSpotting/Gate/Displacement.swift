/// The motion of a picture in whole pixels: the pixel from `(x, y)` is at `(x + dx, y + dy)`.
public struct Displacement: Sendable, Hashable {
    public var dx: Int
    public var dy: Int

    public init(dx: Int, dy: Int) {
        self.dx = dx
        self.dy = dy
    }

    public static let none = Displacement(dx: 0, dy: 0)

    static func + (a: Displacement, b: Displacement) -> Displacement {
        Displacement(dx: a.dx + b.dx, dy: a.dy + b.dy)
    }

    /// As a vector.
    public var point: Point { Point(Double(dx), Double(dy)) }
}
