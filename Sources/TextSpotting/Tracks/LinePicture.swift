/// How a line of text looked when it was read: enough to tell whether what another picture shows is the very same text,
/// letter for letter, somewhere near.
///
/// Stricter than ``TextPatch``, which follows words through thumbnails: this one looks at the picture that was read,
/// aligns it to a fraction of a pixel (B. Lucas, T. Kanade: "An iterative image registration technique", 1981) and asks of
/// every stretch of half a letter's width how much of it the aligned old picture does not explain. A letter that became
/// another, or came at the end, stands out there; noise raises all stretches alike. A value; thread-safe.
struct LinePicture: Sendable {
    /// The result of comparing the line with another picture.
    struct Likeness: Sendable {
        /// Pixels moved since the line was read.
        var offset: Point
        /// Of all pixels, -1 to 1.
        var correlation: Double
        /// Contrast divided by the contrast before.
        var gain: Double
        /// The share of the contrast that the old picture does not explain: in the middling stretch, and in the worst.
        var typical: Double
        var worst: Double
        /// Mean absolute difference of the aligned pixels, in levels of brightness.
        var difference: Double

        /// The same letters stand there, as sharp and strong as before: nothing would be gained by reading them again.
        ///
        /// The bar is measured on lines of 11 to 32 pixels that moved by parts of a pixel, blurred and with a little noise,
        /// beside lines in which one letter became one much like it (docs/BENCHMARKS.md).
        var isSame: Bool {
            correlation >= 0.6 && gain >= 0.6 && gain <= 1.6 && typical <= 0.6 && worst <= 1.3 * typical + 0.04
        }

        /// The same letters stand there, where pixels had to be made up between those that the picture has because the line turned or
        /// grew: all stretches are a little off then, and a wide letter more than a narrow one.
        ///
        /// The bar is measured on lines of 18 to 140 pixels that turned by 3 degrees or grew by 7 %, which keep below 1.4 times the
        /// middling stretch and 0.06, beside lines in which a letter changed meanwhile (CarriedLineTests).
        var isSameReshaped: Bool {
            correlation >= 0.8 && gain >= 0.6 && gain <= 1.6 && typical <= 0.5 && worst <= 1.6 * typical + 0.06
        }

        /// It is the same text, as far as a picture tells that may be blurrier, fainter or sharper than it was.
        var isAlike: Bool {
            correlation >= 0.6 && gain >= 0.25 && gain <= 4 && typical <= 0.8 && worst <= max(0.5, 2 * typical)
        }
    }

    /// Pixels of the picture that was read; the line's surroundings by a margin too, where a letter more would stand.
    let left: Int
    let top: Int
    let width: Int
    let height: Int
    let pixels: [UInt8]
    let mean: Float
    let deviation: Float
    /// Width of the stretches that are compared one by one.
    let stretch: Int

    /// Steepness of the brightness (root mean square) divided by its deviation: falls when the same text gets blurred.
    let sharpness: Double

    /// - Returns: nil when the line is flat, tiny, or not in the picture.
    init?(_ picture: Picture, of quad: Quad) {
        let tall = quad.height
        guard tall.isFinite, tall >= 4, quad.bounds.intersection(picture.bounds).area > 0.5 * quad.bounds.area else {
            return nil
        }
        let across = tall * 0.1
        let box = Rect(
            x: quad.bounds.x - 0.4 * tall, y: quad.bounds.y - across, width: quad.bounds.width + 0.8 * tall,
            height: quad.bounds.height + 2 * across
        ).intersection(picture.bounds)
        left = Int(box.minX.rounded(.down))
        top = Int(box.minY.rounded(.down))
        width = Int(box.maxX.rounded(.up)) - left
        height = Int(box.maxY.rounded(.up)) - top
        guard width >= 8, height >= 6 else { return nil }
        pixels = picture.brightness(left: left, top: top, width: width, height: height)
        stretch = max(4, Int(tall * 0.4))
        var sum: Float = 0
        var squares: Float = 0
        var steepness: Float = 0
        for y in 0..<height {
            for x in 0..<width {
                let value = Float(pixels[y * width + x])
                sum += value
                squares += value * value
                if x > 0 {
                    let step = value - Float(pixels[y * width + x - 1])
                    steepness += step * step
                }
            }
        }
        let count = Float(width * height)
        mean = sum / count
        deviation = max(0, squares / count - mean * mean).squareRoot()
        guard deviation >= 4 else { return nil }
        sharpness = Double((steepness / count).squareRoot() / deviation)
    }

    /// The middle of the kept pixels, in pixels of the picture that was read.
    var middle: Point { Point(Double(left) + Double(width) / 2, Double(top) + Double(height) / 2) }

    /// Compares the line with `picture` near `guess`, in pixels moved; nil if it is outside of the picture.
    ///
    /// - Parameter reach: how far from the guess it looks, in pixels.
    func likeness(in picture: Picture, near guess: Point, reach: Int) -> Likeness? {
        guard guess.length < 100_000 else { return nil }
        let (dx, dy) = (Int(guess.x.rounded()), Int(guess.y.rounded()))
        let middle = Point(Double(left + dx) + Double(width) / 2, Double(top + dy) + Double(height) / 2)
        guard middle.x >= 0, middle.y >= 0, middle.x < Double(picture.width), middle.y < Double(picture.height) else {
            return nil
        }
        let area = LineSearchArea(
            picture, left: left + dx - reach - 2, top: top + dy - reach - 2, width: width + 2 * reach + 4,
            height: height + 2 * reach + 4)
        let center = Point(Double(reach + 2) + guess.x - Double(dx), Double(reach + 2) + guess.y - Double(dy))
        func absolute(_ found: Likeness) -> Likeness {
            var found = found
            found.offset = found.offset + Point(Double(dx - reach - 2), Double(dy - reach - 2))
            return found
        }
        let there = aligned(in: area, at: center)
        if let there, there.isSame { return absolute(there) }
        guard reach > 0, let coarse = coarsely(in: area, reach: reach) else { return there.map(absolute) }
        let searched = aligned(in: area, at: Point(Double(coarse.x), Double(coarse.y)))
        return [there, searched].compactMap { $0 }.max { $0.correlation < $1.correlation }.map(absolute)
    }

    /// Aligns to a fraction of a pixel around `place`, which is where the line's top-left pixel is in the area, and
    /// compares.
    func aligned(in area: LineSearchArea, at place: Point) -> Likeness? {
        var place = place
        var found: LineComparison?
        for round in 0..<3 {
            guard let comparison = compare(area, at: place, measuring: round == 2) else { return nil }
            // Nothing alike, so nothing to align.
            guard comparison.correlation > 0.2 else { return nil }
            found = comparison
            if round < 2, let step = comparison.step { place = place + step }
        }
        guard let found else { return nil }
        return Likeness(
            offset: place, correlation: Double(found.correlation), gain: Double(found.gain),
            typical: Double(found.typical), worst: Double(found.worst), difference: Double(found.difference))
    }
}
