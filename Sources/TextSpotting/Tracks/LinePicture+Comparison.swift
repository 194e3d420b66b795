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
