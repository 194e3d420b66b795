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

        /// The same, and no letter is less like itself than one that became another may be: over a ground that moves all stretches are alike badly.
        var isSurelySame: Bool { isSame && worst <= 0.35 }

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

/// Part of a picture as brightness only, its edge pixels repeated where it reaches beyond.
struct LineSearchArea {
    let pixels: [UInt8]
    let width: Int
    let height: Int

    init(_ picture: Picture, left: Int, top: Int, width: Int, height: Int) {
        self.init(
            pixels: picture.brightness(left: left, top: top, width: width, height: height), width: width,
            height: height)
    }

    init(pixels: [UInt8], width: Int, height: Int) {
        self.pixels = pixels
        self.width = width
        self.height = height
    }
}

/// The result of one pass over a line's pixels.
struct LineComparison {
    var correlation: Float = 0
    var gain: Float = 0
    var typical: Float = 0
    var worst: Float = 0
    var difference: Float = 0
    /// By how much the place should move for a better fit.
    var step: Point?
}

extension LinePicture {
    /// Compares the line with the area at a place, between pixels by their weighted mean.
    ///
    /// The new pixels are taken as `gain * old + bias`, fitted over all of the line; what remains is blamed on a small
    /// movement (the step), and what remains of that, stretch by stretch, on other letters.
    func compare(_ area: LineSearchArea, at place: Point, measuring: Bool) -> LineComparison? {
        let (baseX, baseY) = (Int(place.x.rounded(.down)), Int(place.y.rounded(.down)))
        guard baseX >= 0, baseY >= 0, baseX + width < area.width, baseY + height < area.height else { return nil }
        let (fx, fy) = (Float(place.x) - Float(baseX), Float(place.y) - Float(baseY))
        let rowStep = max(1, width * height / 12_000)
        var values = [Float](repeating: 0, count: width * ((height + rowStep - 1) / rowStep))
        var (sum, squares, products, oldSum, oldSquares): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
        var index = 0
        area.pixels.withUnsafeBufferPointer { new in
            pixels.withUnsafeBufferPointer { old in
                for row in stride(from: 0, to: height, by: rowStep) {
                    let begin = (row + baseY) * area.width + baseX
                    for column in 0..<width {
                        let at = begin + column
                        let upper = Float(new[at]) * (1 - fx) + Float(new[at + 1]) * fx
                        let lower = Float(new[at + area.width]) * (1 - fx) + Float(new[at + area.width + 1]) * fx
                        let value = upper * (1 - fy) + lower * fy
                        values[index] = value
                        index += 1
                        let before = Float(old[row * width + column]) - mean
                        sum += value
                        squares += value * value
                        products += value * before
                        oldSum += before
                        oldSquares += before * before
                    }
                }
            }
        }
        let count = Float(index)
        let average = sum / count
        let oldAverage = oldSum / count
        let variance = max(0, squares / count - average * average)
        let oldVariance = max(1, oldSquares / count - oldAverage * oldAverage)
        let covariance = products / count - average * oldAverage
        var result = LineComparison()
        result.gain = covariance / oldVariance
        result.correlation = variance > 4 ? covariance / (variance * oldVariance).squareRoot() : 0
        guard result.gain > 0.05 else { return result }
        let bias = average - result.gain * (oldAverage + mean)
        if measuring {
            measure(values, rowStep: rowStep, bias: bias, oldDeviation: oldVariance.squareRoot(), result: &result)
        } else {
            result.step = step(values, rowStep: rowStep, bias: bias, gain: result.gain)
        }
        return result
    }

    /// The movement that explains most of what gain and bias do not.
    private func step(_ values: [Float], rowStep: Int, bias: Float, gain: Float) -> Point? {
        var (xx, xy, yy, ex, ey): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
        var index = 0
        for row in stride(from: 0, to: height, by: rowStep) {
            defer { index += width }
            guard row > 0, row < height - 1 else { continue }
            for column in 1..<(width - 1) {
                let at = row * width + column
                let gx = (Float(pixels[at + 1]) - Float(pixels[at - 1])) / 2
                let gy = (Float(pixels[at + width]) - Float(pixels[at - width])) / 2
                let error = values[index + column] - gain * Float(pixels[at]) - bias
                xx += gx * gx
                xy += gx * gy
                yy += gy * gy
                ex += gx * error
                ey += gy * error
            }
        }
        let determinant = xx * yy - xy * xy
        guard determinant > 1e-3 * xx * yy, xx > 0, yy > 0 else { return nil }
        let x = -(yy * ex - xy * ey) / determinant / gain
        let y = -(xx * ey - xy * ex) / determinant / gain
        return Point(Double(max(-1, min(1, x))), Double(max(-1, min(1, y))))
    }

    /// Lines of no more stretches than this, some four letters, are compared in bands too, where a band has so many rows.
    private static let fewStretches = 8
    private static let bands = 3
    private static let bandHeight = 8

    private func measure(
        _ values: [Float], rowStep: Int, bias: Float, oldDeviation: Float, result: inout LineComparison
    ) {
        let stretches = (width + stretch - 1) / stretch
        // Of a short line the middling stretch would be one of those that changed: its letters are looked at in pieces.
        let bands = stretches <= Self.fewStretches && height >= Self.bandHeight * Self.bands ? Self.bands : 1
        var squares = [Float](repeating: 0, count: stretches * bands)
        var counts = [Float](repeating: 0, count: stretches * bands)
        var differences: Float = 0
        var index = 0
        for row in stride(from: 0, to: height, by: rowStep) {
            let first = row * bands / height * stretches
            for column in 0..<width {
                let old = Float(pixels[row * width + column])
                let error = values[index] - result.gain * old - bias
                squares[first + column / stretch] += error * error
                counts[first + column / stretch] += 1
                differences += abs(values[index] - old)
                index += 1
            }
        }
        result.difference = differences / Float(max(1, index))
        // A last stretch of a few columns would be judged by too little.
        if stretches > 1, counts[stretches - 1] < counts[0] / 2 {
            for last in stride(from: bands * stretches - 1, through: stretches - 1, by: -stretches) {
                squares[last - 1] += squares[last]
                counts[last - 1] += counts[last]
                squares.remove(at: last)
                counts.remove(at: last)
            }
        }
        let scale = result.gain * oldDeviation
        let errors = zip(squares, counts).map { ($0 / max(1, $1)).squareRoot() / scale }.sorted()
        result.typical = errors[errors.count / 2]
        result.worst = errors.last ?? 0
    }
}
