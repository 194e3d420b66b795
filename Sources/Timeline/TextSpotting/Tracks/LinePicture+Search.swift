extension LinePicture {
    /// Returns the whole-pixel place in the area, from its third row and column on, at which some 500 pixels of the
    /// line correlate best; nil if nothing there is similar. All places in one row are summed side by side.
    ///
    /// - Parameter reach: the distance from the middle to search; the area is larger than the line by this and two more
    ///   pixels on each side.
    func coarsely(in area: LineSearchArea, reach: Int) -> (x: Int, y: Int)? {
        typealias Lanes = SIMD16<Int32>
        let samples = samples(in: area)
        let side = 2 * reach + 1
        let count = Float(samples.count)
        var best: (x: Int, y: Int)?
        // The correlation that remains for the same text half a pixel off, in noise.
        var bestScore: Float = 0.4
        area.pixels.withUnsafeBytes { bytes in
            for y in 0..<side {
                for first in stride(from: 0, to: side, by: Lanes.scalarCount) {
                    let begin = (y + 2) * area.width + first + 2
                    var (sums, squares, products) = (Lanes.zero, Lanes.zero, Lanes.zero)
                    for sample in samples {
                        // The area has two more rows below the last place, so lanes beyond the end of a row stay inside
                        // it.
                        let values = Lanes(
                            truncatingIfNeeded: bytes.loadUnaligned(
                                fromByteOffset: begin + sample.offset, as: SIMD16<UInt8>.self))
                        sums &+= values
                        squares &+= values &* values
                        products &+= values &* sample.value
                    }
                    for lane in 0..<min(Lanes.scalarCount, side - first) {
                        let average = Float(sums[lane]) / count
                        let variance = Float(squares[lane]) / count - average * average
                        guard variance > 4 else { continue }
                        let product = Float(products[lane]) - mean * Float(sums[lane])
                        let score = product / (count * variance.squareRoot() * deviation)
                        if score > bestScore {
                            bestScore = score
                            best = (first + lane + 2, y + 2)
                        }
                    }
                }
            }
        }
        return best
    }

    /// Returns some 500 pixels of the line: the offset of each from the first pixel of the line in the area, and its
    /// brightness.
    private func samples(in area: LineSearchArea) -> [(offset: Int, value: Int32)] {
        let stepX = max(1, width / 48) | 1
        let stepY = max(1, height / 12)
        var samples: [(offset: Int, value: Int32)] = []
        samples.reserveCapacity((width / stepX + 1) * (height / stepY + 1))
        for row in stride(from: 0, to: height, by: stepY) {
            for column in stride(from: row % stepX, to: width, by: stepX) {
                samples.append((row * area.width + column, Int32(pixels[row * width + column])))
            }
        }
        return samples
    }
}
