import CVision
public import TextSpotting

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
