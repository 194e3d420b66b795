import CVision
public import TextSpotting

/// Where points of one picture are in another, by pyramidal Lucas-Kanade (Bouguet 2001).
public enum OpticalFlow {
    /// Where a point went.
    public struct Step: Hashable, Sendable {
        public var from: Point
        public var to: Point
        /// How far from `from` the point comes out when it is followed back again, in pixels: large where it was lost.
        public var error: Double

        public init(from: Point, to: Point, error: Double) {
            self.from = from
            self.to = to
            self.error = error
        }
    }

    /// Follows `points` from one picture to another of the same size; those that are lost are left out.
    ///
    /// The work stays on the calling thread; 200 points in pictures of 640×360 take a few milliseconds.
    /// - Parameter tolerance: a point that comes out further than this from where it started, when it is followed back
    ///   again, counts as lost; in pixels.
    /// - Precondition: both pictures are `.luma` and of the same size.
    public static func flow(
        points: [Point], from: Picture, to: Picture, tolerance: Double = 1
    ) throws -> [Step] {
        precondition(from.format == .luma && to.format == .luma, "points are followed by brightness")
        precondition(from.width == to.width && from.height == to.height, "pictures must be of the same size")
        guard !points.isEmpty, from.width > 0, from.height > 0 else { return [] }
        let start = points.flatMap { [Float($0.x), Float($0.y)] }
        var moved = [Float](repeating: 0, count: start.count)
        var returnedBy = [Float](repeating: -1, count: points.count)
        try checked(
            "follow \(points.count) points",
            from.withCPicture { from in
                to.withCPicture { to in fg_flow(from, to, start, Int32(points.count), &moved, &returnedBy) }
            })
        return points.indices.compactMap { index in
            let error = Double(returnedBy[index])
            guard error >= 0, error <= tolerance else { return nil }
            return Step(
                from: points[index], to: Point(Double(moved[2 * index]), Double(moved[2 * index + 1])), error: error)
        }
    }
}
