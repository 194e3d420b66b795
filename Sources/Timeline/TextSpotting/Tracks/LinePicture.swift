/// The look of a line of text when it was read, which tells whether another picture shows exactly the same text nearby,
/// letter for letter.
///
/// Stricter than ``TextPatch``, which follows words through thumbnails: this type looks at the picture that was read,
/// aligns it to a fraction of a pixel (B. Lucas, T. Kanade: "An iterative image registration technique", 1981) and
/// measures, for every stretch of half a letter's width, how much of it the aligned old picture does not explain. A
/// letter that became another, or was added at the end, stands out there; noise raises all stretches alike. A value;
/// thread-safe.
struct LinePicture: Sendable {
    /// The result of comparing the line with another picture.
    struct Likeness: Sendable {
        /// The movement since the line was read, in pixels.
        var offset: Point
        /// The correlation of all pixels, -1 to 1.
        var correlation: Double
        /// The contrast divided by the earlier contrast.
        var gain: Double
        /// The share of the contrast that the old picture does not explain, in the median stretch and in the worst one.
        var typical: Double
        var worst: Double
        /// The mean absolute difference of the aligned pixels, in levels of brightness.
        var difference: Double

        /// Whether the same letters are there, as sharp and strong as before, so that reading them again would gain
        /// nothing.
        ///
        /// The threshold is measured on lines of 11 to 32 pixels that moved by fractions of a pixel, blurred and with a
        /// little noise, against lines in which one letter became a similar one (docs/benchmarks/tables.md).
        var isSame: Bool {
            correlation >= 0.6 && gain >= 0.6 && gain <= 1.6 && typical <= 0.6 && worst <= 1.3 * typical + 0.04
        }

        /// Whether the letters are the same and none differs as much as one that became another might: over a moving
        /// background all stretches differ alike.
        var isSurelySame: Bool { isSame && worst <= 0.35 }

        /// Whether nothing there became another letter, for a line with its ground, which an encoder's next whole picture
        /// changes unevenly.
        var isSameInPlace: Bool { correlation >= 0.9 && worst <= 0.35 }

        /// Whether the same letters are there, when pixels had to be interpolated because the line turned or grew: all
        /// stretches are a little off then, and a wide letter more than a narrow one.
        ///
        /// The threshold is measured on lines of 18 to 140 pixels that turned by 3 degrees or grew by 7 %, which keep
        /// below 1.4 times the median stretch and 0.06, against lines in which a letter changed meanwhile
        /// (CarriedLineTests).
        var isSameReshaped: Bool {
            correlation >= 0.8 && gain >= 0.6 && gain <= 1.6 && typical <= 0.5 && worst <= 1.6 * typical + 0.06
        }

        /// Whether it is the same text, as far as a picture tells that may be blurrier, fainter or sharper than the
        /// earlier one.
        var isAlike: Bool {
            correlation >= 0.6 && gain >= 0.25 && gain <= 4 && typical <= 0.8 && worst <= max(0.5, 2 * typical)
        }
    }

    /// The left edge of the kept pixels in the picture that was read. They include a margin around the line, where a
    /// further letter would be.
    let left: Int
    let top: Int
    let width: Int
    let height: Int
    let pixels: [UInt8]
    let mean: Float
    let deviation: Float
    /// The width of the stretches that are compared one by one.
    let stretch: Int

    /// The steepness of the brightness (root mean square) divided by its deviation; it falls when the same text gets
    /// blurred.
    let sharpness: Double

    /// - Returns: nil if the line is flat, tiny, or outside the picture.
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

    /// Compares the line with `picture` near `guess`, a displacement in pixels; nil if the line is outside the picture.
    ///
    /// - Parameter reach: the distance from the guess to search, in pixels.
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

    /// Aligns the line to a fraction of a pixel around `place`, the position of its top-left pixel in the area, and
    /// compares it.
    func aligned(in area: LineSearchArea, at place: Point) -> Likeness? {
        var place = place
        var found: LineComparison?
        for round in 0..<3 {
            guard let comparison = compare(area, at: place, measuring: round == 2) else { return nil }
            // Nothing is similar, so there is nothing to align.
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
    /// Compares the line with `picture` after a motion that may rotate and scale it; nil if the line is outside the
    /// picture.
    ///
    /// - Parameter guess: the motion since the line was read, exact to about two pixels.
    /// - Returns: the likeness, and the refined motion.
    func likeness(in picture: Picture, after guess: PlanarMotion) -> (likeness: Likeness, motion: PlanarMotion)? {
        let own = Picture(format: .luma, width: width, height: height, bytes: pixels)
        // The line's own picture begins at its corner.
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
    /// Creates the picture around the place of the line, with the motion undone; nil if that is outside the picture.
    ///
    /// - Parameter margin: the number of additional pixels on each side of the line.
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

/// Part of a picture as brightness only. Edge pixels are repeated where it extends beyond the picture.
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

/// The result of one pass over the pixels of a line.
struct LineComparison {
    var correlation: Float = 0
    var gain: Float = 0
    var typical: Float = 0
    var worst: Float = 0
    var difference: Float = 0
    /// The movement that would make the place fit better.
    var step: Point?
}

extension LinePicture {
    /// Compares the line with the area at a place, interpolating between pixels.
    ///
    /// The new pixels are modeled as `gain * old + bias`, fitted over the whole line. The residual is attributed to a
    /// small movement (the step), and what then remains, stretch by stretch, to other letters.
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

    /// Returns the movement that explains most of the residual of gain and bias.
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

    /// Lines of at most this many stretches, some four letters, are also compared in bands if a band has enough rows.
    private static let fewStretches = 8
    private static let bands = 3
    private static let bandHeight = 8

    private func measure(
        _ values: [Float], rowStep: Int, bias: Float, oldDeviation: Float, result: inout LineComparison
    ) {
        let stretches = (width + stretch - 1) / stretch
        // In a short line the median stretch would be one of those that changed, so its letters are compared in pieces.
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
        // A last stretch of a few columns would not have enough pixels for a judgment.
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
