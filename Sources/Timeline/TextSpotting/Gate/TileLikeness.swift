extension TileGrid {
    /// Returns whether a tile only shimmers: brighter or darker, sharper or softer, but with the same content.
    ///
    /// An encoder that lets a still picture go soft and sharpens it again changes letters by ten levels and more, and
    /// so does a camera that adjusts its exposure; the correlation with the earlier content stays near 1 throughout.
    /// Replacing one letter among three lowers it to about 0.85. Tiles that are flat before and after show no text.
    /// - Precondition: both are the bytes of luma pictures of the grid's size.
    func isAlike(_ tile: Int, _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let moments = moments(of: tile, a, b) else { return true }
        if moments.areFlat { return moments.meanDifference < Self.flatChange }
        guard moments.varianceA >= Self.flat, moments.varianceB >= Self.flat else { return false }
        let gain = moments.varianceB / moments.varianceA
        guard gain > Self.leastGain && gain < 1 / Self.leastGain else { return false }
        return moments.covariance >= Self.alike * (moments.varianceA * moments.varianceB).squareRoot()
    }

    /// Returns whether a tile is flat in both pictures and the variance of its change is at least `least`.
    /// - Precondition: both are the bytes of luma pictures of the grid's size.
    func isFlatChange(
        _ tile: Int, _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, from least: Double
    ) -> Bool {
        guard let moments = moments(of: tile, a, b), moments.areFlat else { return false }
        return moments.varianceA + moments.varianceB - 2 * moments.covariance >= least
    }

    /// What two pictures of a tile have in common.
    private struct Moments {
        let varianceA: Double
        let varianceB: Double
        let covariance: Double
        let meanDifference: Double

        /// Whether neither picture shows anything.
        var areFlat: Bool { varianceA < TileGrid.flat && varianceB < TileGrid.flat }
    }

    @inline(__always)
    private func moments(
        of tile: Int, _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>
    ) -> Moments? {
        let (left, top) = (tile % columns * side, tile / columns * side)
        let (lines, across) = (min(height, top + side) - top, min(width, left + side) - left)
        precondition(a.count == width * height && b.count == width * height)
        guard let startA = a.baseAddress, let startB = b.baseAddress else { return nil }
        let (sumA, sumB, squaresA, squaresB, products) = Self.sums(
            startA + (top * width + left), b: startB + (top * width + left), width: width, lines: lines, count: across)
        let count = lines * across
        let unit = Double(count * count)
        return Moments(
            varianceA: Double(squaresA * count - sumA * sumA) / unit,
            varianceB: Double(squaresB * count - sumB * sumB) / unit,
            covariance: Double(products * count - sumA * sumB) / unit,
            meanDifference: Double(abs(sumA - sumB)) / Double(count))
    }

    /// Returns the sums of the pixels of two tiles, of their squares and of their products.
    private static func sums(
        _ a: UnsafePointer<UInt8>, b: UnsafePointer<UInt8>, width: Int, lines: Int, count: Int
    ) -> (Int, Int, Int, Int, Int) {
        // 16 bits have room for 128 lines.
        guard count == 16, lines <= 128 else {
            return sumsOfAny(a, b: b, width: width, lines: lines, count: count)
        }
        var (sumA, sumB) = (SIMD16<UInt16>.zero, SIMD16<UInt16>.zero)
        var (squaresA, squaresB, products) = (SplitSum(), SplitSum(), SplitSum())
        for line in 0..<lines {
            let (p, q) = (UnsafeRawPointer(a + line &* width), UnsafeRawPointer(b + line &* width))
            let x = SIMD16<UInt16>(truncatingIfNeeded: p.loadUnaligned(as: SIMD16<UInt8>.self))
            let y = SIMD16<UInt16>(truncatingIfNeeded: q.loadUnaligned(as: SIMD16<UInt8>.self))
            sumA &+= x
            sumB &+= y
            squaresA.add(x &* x)
            squaresB.add(y &* y)
            products.add(x &* y)
        }
        return (
            Int(SIMD16<UInt32>(truncatingIfNeeded: sumA).wrappedSum()),
            Int(SIMD16<UInt32>(truncatingIfNeeded: sumB).wrappedSum()), squaresA.total, squaresB.total, products.total
        )
    }

    /// Adds up products of two bytes in 16-bit numbers, keeping lower and upper halves apart: a processor handles twice
    /// as many of them at a time as 32-bit numbers.
    private struct SplitSum {
        private var lower = SIMD16<UInt16>.zero
        private var upper = SIMD16<UInt16>.zero

        @inline(__always)
        mutating func add(_ products: SIMD16<UInt16>) {
            lower &+= products & 255
            upper &+= products &>> 8
        }

        var total: Int {
            Int(SIMD16<UInt32>(truncatingIfNeeded: lower).wrappedSum())
                + 256 * Int(SIMD16<UInt32>(truncatingIfNeeded: upper).wrappedSum())
        }
    }

    /// Returns the same sums for tiles of any size, one line at a time so that each fits into 32 bits.
    private static func sumsOfAny(
        _ a: UnsafePointer<UInt8>, b: UnsafePointer<UInt8>, width: Int, lines: Int, count: Int
    ) -> (Int, Int, Int, Int, Int) {
        var total = (0, 0, 0, 0, 0)
        for line in 0..<lines {
            let (p, q) = (a + line &* width, b + line &* width)
            var sums: (UInt32, UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0, 0)
            for at in 0..<count {
                let (x, y) = (UInt32(p[at]), UInt32(q[at]))
                sums.0 &+= x
                sums.1 &+= y
                sums.2 &+= x &* x
                sums.3 &+= y &* y
                sums.4 &+= x &* y
            }
            total.0 &+= Int(sums.0)
            total.1 &+= Int(sums.1)
            total.2 &+= Int(sums.2)
            total.3 &+= Int(sums.3)
            total.4 &+= Int(sums.4)
        }
        return total
    }

    /// The correlation from which a tile shows the same content.
    private static let alike = 0.95
    /// The ratio of variances down to which contrast only shimmers: a tenth of the contrast. A slow fade passes it
    /// again and again.
    private static let leastGain = 0.81
    /// The variance below which a tile shows nothing: a deviation of six levels.
    private static let flat = 36.0
    /// A flat tile that changes by more levels than this shows another surface.
    private static let flatChange = 12.0
}
