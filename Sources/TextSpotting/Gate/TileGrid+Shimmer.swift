extension TileGrid {
    /// Whether a tile only shimmers: brighter or darker, sharper or softer, but showing the same.
    ///
    /// An encoder that lets a still picture go soft and sharpens it again changes letters by ten levels and more, and so
    /// does a camera that adjusts its exposure; the correlation with what was there stays near 1 all the while. One
    /// letter replaced among three brings it down to some 0.85. Tiles that are flat before and after show no text.
    /// - Precondition: both are the bytes of luma pictures of the grid's size.
    func isAlike(_ tile: Int, _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        let (left, top) = (tile % columns * side, tile / columns * side)
        let (lines, across) = (min(height, top + side) - top, min(width, left + side) - left)
        precondition(a.count == width * height && b.count == width * height)
        guard let startA = a.baseAddress, let startB = b.baseAddress else { return true }
        let (sumA, sumB, squaresA, squaresB, products) = Self.sums(
            startA + (top * width + left), b: startB + (top * width + left), width: width, lines: lines, count: across)
        let count = lines * across
        // All three times the count squared, which cancels below.
        let varianceA = Double(squaresA * count - sumA * sumA)
        let varianceB = Double(squaresB * count - sumB * sumB)
        let covariance = Double(products * count - sumA * sumB)
        let flat = Self.flat * Double(count * count)
        if varianceA < flat && varianceB < flat { return abs(sumA - sumB) < Self.flatChange * count }
        guard varianceA >= flat, varianceB >= flat else { return false }
        let gain = varianceB / varianceA
        guard gain > Self.leastGain && gain < 1 / Self.leastGain else { return false }
        return covariance >= Self.alike * (varianceA * varianceB).squareRoot()
    }

    /// The sums of two tiles' pixels, of their squares and of their products.
    private static func sums(
        _ a: UnsafePointer<UInt8>, b: UnsafePointer<UInt8>, width: Int, lines: Int, count: Int
    ) -> (Int, Int, Int, Int, Int) {
        // In 16 bits there is room for 128 lines.
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

    /// Adds up products of two bytes in numbers of 16 bits, of which a processor does twice as many at a time as of 32: their lower and
    /// their upper halves apart.
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

    /// The same of tiles of any size, a line at a time so that 32 bits hold each.
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

    /// Correlation from which on a tile shows the same.
    private static let alike = 0.95
    /// Ratio of variances up to which contrast only shimmers: a tenth of the contrast. A slow fade passes it again and again.
    private static let leastGain = 0.81
    /// Variance below which a tile shows nothing: a deviation of six levels.
    private static let flat = 36.0
    /// A flat tile that changes by more levels is another surface.
    private static let flatChange = 12
}
