extension Quad {
    /// The direction of the text, of length 1; (1, 0) where the quad has no width.
    public var direction: Point {
        let along = (topRight - topLeft) + (bottomRight - bottomLeft)
        let length = along.length
        return length > 0 && length.isFinite ? along * (1 / length) : Point(1, 0)
    }

    /// The smallest quad with right angles, its top side along `direction`, that holds all of `quads`: the place of
    /// several words of one line, turned as the line is.
    ///
    /// A single quad is returned as it is, perspective and all. Nil when there are none.
    /// - Parameter direction: of the text's reading, of length 1.
    public static func spanning(_ quads: [Quad], along direction: Point) -> Quad? {
        guard let first = quads.first else { return nil }
        if quads.count == 1 { return first }
        // Down as the text sees it: the direction turned clockwise by 90 degrees, y pointing down.
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
