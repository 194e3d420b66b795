import CVision
import Errors
import TextSpotting

/// Turns an OpenCV failure into an error that names the step.
///
/// OpenCV fails only if its own limits are exceeded (a picture of zero size, no memory left); the pictures and sizes
/// that it gets here are checked before.
func checked(_ step: String, _ status: Int32) throws {
    guard status == 0 else {
        throw FramegrepError(
            .engineUnavailable, "OpenCV could not \(step); the picture may be too large for the free memory.")
    }
}

extension Picture {
    /// Calls `body` with the picture as a C view, which is valid only inside it.
    func withCPicture<Result>(_ body: (fg_picture_t) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBufferPointer { bytes in
            try body(
                fg_picture_t(
                    bytes: bytes.baseAddress, width: Int32(width), height: Int32(height),
                    channels: Int32(format.bytesPerPixel)))
        }
    }
}

/// Converts an 8-bit sample to a number as the network was trained on: `(sample / 255 - mean) / deviation`, with
/// separate means and deviations for red, green and blue.
struct Normalization: Hashable, Sendable {
    var mean: SIMD3<Float>
    var deviation: SIMD3<Float>

    /// The normalization as one multiplication and one addition for each sample.
    var asC: fg_normalization_t {
        let factor = 1 / (255 * deviation)
        let offset = -mean / deviation
        return fg_normalization_t(
            factor: (factor.x, factor.y, factor.z), offset: (offset.x, offset.y, offset.z))
    }
}

extension Picture {
    /// Writes the whole picture, scaled to `width` × `height`, as three planes (red, green, blue) of numbers.
    ///
    /// Each side is scaled by its own factor. Runs on the calling thread only.
    /// - Precondition: the picture is `.rgb` and `planes` holds exactly `3 * width * height` numbers.
    func write(
        scaledToWidth width: Int, height: Int, _ normalization: Normalization,
        into planes: UnsafeMutableBufferPointer<Float>
    ) throws {
        precondition(format == .rgb && planes.count == 3 * width * height, "planes must hold the scaled RGB picture")
        try checked(
            "scale a picture of \(self.width)×\(self.height) pixels",
            withCPicture {
                fg_resize_to_planes($0, normalization.asC, Int32(width), Int32(height), planes.baseAddress)
            })
    }

    /// Writes the contents of `quad`, straightened to `contentWidth` × `height`, as three planes of numbers that are
    /// `width` × `height` each; the columns after the content are 0.
    ///
    /// Parts of the quad outside the picture repeat its border. Runs on the calling thread only.
    /// - Precondition: the picture is `.rgb`, `contentWidth <= width`, and `planes` holds exactly
    ///   `3 * width * height` numbers.
    func write(
        lineIn quad: Quad, contentWidth: Int, width: Int, height: Int, _ normalization: Normalization,
        into planes: UnsafeMutableBufferPointer<Float>
    ) throws {
        precondition(format == .rgb && planes.count == 3 * width * height, "planes must hold the straightened line")
        precondition(contentWidth <= width, "the content must fit")
        let corners = quad.corners.flatMap { [$0.x, $0.y] }
        try checked(
            "straighten a line of text",
            withCPicture {
                fg_crop_to_planes(
                    $0, normalization.asC, corners, Int32(contentWidth), Int32(width), Int32(height), planes.baseAddress
                )
            })
    }
}

/// A connected area of a probability map, as the smallest rectangle at any angle that contains it.
struct MapBlob: Hashable, Sendable {
    /// The center, in pixels of the map.
    var center: Point
    /// A unit vector along the side that `length` measures; `breadth` is at a right angle to it.
    var axis: Point
    var length: Double
    var breadth: Double
    /// The mean of the map inside the rectangle.
    var score: Double

    /// Returns the areas of `map` (`width` × `height`, row by row) above `threshold`, always in the same order.
    ///
    /// - Parameters:
    ///   - smallest: the least side in pixels; smaller rectangles are left out.
    ///   - limit: the largest number of areas.
    static func find(
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

    /// Returns the rectangle grown by `margin` map pixels on every side, as the quad of text that reads along the side nearer to
    /// the horizontal, from left to right.
    func quad(grownBy margin: Double) -> Quad {
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
