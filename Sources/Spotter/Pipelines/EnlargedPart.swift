import TextSpotting

/// The part of a frame that is shown instead of the whole, as large as the whole was.
struct EnlargedPart: Sendable, Hashable {
    /// In pixels of the frame as stored.
    let part: Rect
    /// Of the frame, and of the shown picture.
    let width: Double
    let height: Double

    /// From pixels of the frame to those of the shown picture.
    func shown(_ quad: Quad) -> Quad {
        quad.moved(by: Point(-part.x, -part.y)).scaled(x: width / part.width, y: height / part.height)
    }

    /// From pixels of the shown picture to those of the frame.
    func original(_ quad: Quad) -> Quad {
        quad.scaled(x: part.width / width, y: part.height / height).moved(by: Point(part.x, part.y))
    }

    /// Whether anything of a place is shown.
    func shows(_ quad: Quad) -> Bool {
        let bounds = quad.bounds
        return bounds.maxX > part.minX && bounds.minX < part.maxX && bounds.maxY > part.minY && bounds.minY < part.maxY
    }
}
