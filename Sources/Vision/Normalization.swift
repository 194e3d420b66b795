import CVision
public import TextSpotting

/// How an 8-bit sample becomes the number a network was trained on: `(sample / 255 - mean) / deviation`, each of red,
/// green and blue with its own mean and deviation.
public struct Normalization: Hashable, Sendable {
    public var mean: SIMD3<Float>
    public var deviation: SIMD3<Float>

    public init(mean: SIMD3<Float>, deviation: SIMD3<Float>) {
        self.mean = mean
        self.deviation = deviation
    }

    /// As one multiplication and one addition a sample.
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
    /// Sides are scaled each by its own factor. The work stays on the calling thread.
    /// - Precondition: the picture is `.rgb` and `planes` holds exactly `3 * width * height` numbers.
    public func write(
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

    /// Writes what stands in `quad`, straightened to `contentWidth` × `height`, as three planes of numbers that are
    /// `width` × `height` each; the columns after the content are 0.
    ///
    /// Parts of the quad outside the picture repeat its border. The work stays on the calling thread.
    /// - Precondition: the picture is `.rgb`, `contentWidth <= width`, and `planes` holds exactly
    ///   `3 * width * height` numbers.
    public func write(
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
