public import TextSpotting

/// A placement: turns, scales, shears and moves. A place (x, y) becomes (a·x + c·y + tx, b·x + d·y + ty), in pixels.
public struct Affine: Hashable, Sendable {
    public var a: Double
    public var b: Double
    public var c: Double
    public var d: Double
    public var tx: Double
    public var ty: Double

    public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    public static let identity = Affine(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    /// Moves the origin to `place`.
    public static func move(to place: Point) -> Affine {
        Affine(a: 1, b: 0, c: 0, d: 1, tx: place.x, ty: place.y)
    }

    /// Scales by `scale` and turns clockwise (y points down) by `degrees` about the origin, then moves it to `place`.
    public static func place(_ place: Point, scale: Double = 1, degrees: Double = 0) -> Affine {
        let (sine, cosine) = Self.sineAndCosine(degrees: degrees)
        return Affine(
            a: scale * cosine, b: scale * sine, c: -scale * sine, d: scale * cosine, tx: place.x, ty: place.y)
    }

    public func apply(_ point: Point) -> Point {
        Point(a * point.x + c * point.y + tx, b * point.x + d * point.y + ty)
    }

    /// This placement, applied after `first`.
    public func after(_ first: Affine) -> Affine {
        let origin = apply(Point(first.tx, first.ty))
        return Affine(
            a: a * first.a + c * first.b, b: b * first.a + d * first.b, c: a * first.c + c * first.d,
            d: b * first.c + d * first.d, tx: origin.x, ty: origin.y)
    }
}
