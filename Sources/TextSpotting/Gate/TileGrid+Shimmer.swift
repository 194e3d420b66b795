extension TileGrid {
    /// The flagged tiles without those that only shimmer: brighter or darker, sharper or softer, but showing the same.
    ///
    /// An encoder that lets a still picture go soft and sharpens it again changes letters by ten levels and more, and so
    /// does a camera that adjusts its exposure; the correlation with what was there stays near 1 all the while. One
    /// letter replaced among three brings it down to some 0.85. Tiles that are flat before and after show no text.
    /// - Precondition: both are luma pictures of the grid's size; a flag for each tile.
    func withoutShimmer(_ flags: [Bool], _ a: Picture, _ b: Picture) -> [Bool] {
        var result = flags
        a.bytes.withUnsafeBufferPointer { pixelsA in
            b.bytes.withUnsafeBufferPointer { pixelsB in
                for tile in indices where flags[tile] { result[tile] = !isAlike(tile, pixelsA, pixelsB) }
            }
        }
        return result
    }

    private func isAlike(_ tile: Int, _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        let left = tile % columns * side
        let top = tile / columns * side
        var (sumA, sumB, squaresA, squaresB, products, count) = (0, 0, 0, 0, 0, 0)
        for y in top..<min(height, top + side) {
            for index in (y * width + left)..<(y * width + min(width, left + side)) {
                let (x, y) = (Int(a[index]), Int(b[index]))
                sumA += x
                sumB += y
                squaresA += x * x
                squaresB += y * y
                products += x * y
                count += 1
            }
        }
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

    /// Correlation from which on a tile shows the same.
    private static let alike = 0.95
    /// Ratio of variances up to which contrast only shimmers: a tenth of the contrast. A slow fade passes it again and again.
    private static let leastGain = 0.81
    /// Variance below which a tile shows nothing: a deviation of six levels.
    private static let flat = 36.0
    /// A flat tile that changes by more levels is another surface.
    private static let flatChange = 12
}
