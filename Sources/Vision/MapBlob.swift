import CVision
public import TextSpotting

/// A connected area of a probability map, as the smallest rectangle at any angle that holds it.
public struct MapBlob: Hashable, Sendable {
    /// In pixels of the map.
    public var center: Point
    /// A unit vector along the side that `length` measures; `breadth` is at a right angle to it.
    public var axis: Point
    public var length: Double
    public var breadth: Double
    /// The mean of the map inside the rectangle.
    public var score: Double

    public init(center: Point, axis: Point, length: Double, breadth: Double, score: Double) {
        self.center = center
        self.axis = axis
        self.length = length
        self.breadth = breadth
        self.score = score
    }

    /// The areas of `map` (`width` × `height`, row by row) above `threshold`, in no particular but always the same order.
    ///
    /// - Parameters:
    ///   - smallest: rectangles with a side of fewer pixels are left out.
    ///   - limit: no more than this many are returned.
    public static func find(
        in map: UnsafeBufferPointer<Float>, width: Int, height: Int, above threshold: Float, smallest: Double,
        limit: Int = 3000
    ) throws -> [MapBlob] {
        precondition(map.count == width * height, "a map's values must fill it")
        var count: Int32 = 0
        let blobs = try [fg_blob_t](unsafeUninitializedCapacity: limit) { buffer, initialized in
            try checked(
                "find the areas of a map",
                fg_blobs_of_map(
                    map.baseAddress, Int32(width), Int32(height), threshold, smallest, buffer.baseAddress,
                    Int32(limit), &count))
            initialized = Int(count)
        }
        return blobs.map {
            MapBlob(
                center: Point($0.center_x, $0.center_y), axis: Point($0.axis_x, $0.axis_y), length: $0.length,
                breadth: $0.breadth, score: $0.score)
        }
    }

    /// The rectangle grown by `margin` map pixels on every side, as the quad of text that reads along the side nearer to
    /// the horizontal, from left to right.
    public func quad(grownBy margin: Double) -> Quad {
        let across = Point(-axis.y, axis.x)
        let isLevel = abs(axis.x) >= abs(axis.y)
        var along = isLevel ? axis : across
        if along.x < 0 { along = along * -1 }
        let down = Point(-along.y, along.x)
        let half = along * ((isLevel ? length : breadth) / 2 + margin)
        let rise = down * ((isLevel ? breadth : length) / 2 + margin)
        return Quad(
            topLeft: center - half - rise, topRight: center + half - rise, bottomRight: center + half + rise,
            bottomLeft: center - half + rise)
    }
}
