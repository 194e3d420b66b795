extension LinePicture {
    /// Compares the line with `picture` after a motion that may turn it and let it grow; nil if it is outside of the picture.
    ///
    /// - Parameter guess: since the line was read, exact to two pixels or so.
    /// - Returns: the likeness, and the motion made exact by it.
    func likeness(in picture: Picture, after guess: PlanarMotion) -> (likeness: Likeness, motion: PlanarMotion)? {
        let own = Picture(format: .luma, width: width, height: height, bytes: pixels)
        // Its own picture begins at its corner.
        let corner = PlanarMotion(shift: Point(Double(left), Double(top)))
        guard let template = PlanarTemplate(own, in: Quad(own.bounds), coarseness: 1),
            let fit = template.fit(in: picture, near: guess.after(corner)), fit.correlation > 0.5,
            let away = corner.inverse
        else { return nil }
        let motion = fit.motion.after(away)
        let margin = 4
        let place = Point(Double(margin), Double(margin))
        guard let area = LineSearchArea(picture, showing: self, after: motion, margin: margin),
            let found = aligned(in: area, at: place)
        else { return nil }
        return (found, motion.after(PlanarMotion(shift: found.offset - place)))
    }
}

extension LineSearchArea {
    /// The picture as it would be if the motion were undone, around where the line stood; nil when that is not in the picture.
    ///
    /// - Parameter margin: this many pixels more than the line on each side.
    init?(_ picture: Picture, showing line: LinePicture, after motion: PlanarMotion, margin: Int) {
        let middle = motion.apply(line.middle)
        guard picture.width > 1, picture.height > 1, middle.x >= 0, middle.y >= 0,
            middle.x < Double(picture.width), middle.y < Double(picture.height), motion.isModest
        else { return nil }
        let (width, height) = (line.width + 2 * margin, line.height + 2 * margin)
        let corner = Point(Double(line.left - margin) + 0.5, Double(line.top - margin) + 0.5)
        var pixels = [UInt8](repeating: 0, count: width * height)
        picture.bytes.withUnsafeBufferPointer { bytes in
            let source = BrightnessSource(picture, bytes)
            for row in 0..<height {
                var place = motion.apply(corner + Point(0, Double(row)))
                for column in 0..<width {
                    pixels[row * width + column] = source.level(at: place)
                    place = place + motion.xAxis
                }
            }
        }
        self.init(pixels: pixels, width: width, height: height)
    }
}
