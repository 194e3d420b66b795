/// Tells what changed in a picture from what noise makes of it, tile by tile.
///
/// Sensor noise and compression shimmer raise all tiles alike, so the median difference is taken as the noise and the bar is set above
/// it; it is capped, because in a pan the median is the picture's own movement. Strong noise differs from movement by being the same
/// everywhere: of 256 pixels each, 95 % of the tiles are within a seventh of the median.
enum TileNoise {
    /// More than this is no noise, in gray levels, unless it is even.
    private static let most: Float = 6
    private static let evenness: Float = 1.15
    private static let evenFactor: Float = 1.25
    /// From this difference on it is taken for something else than even noise.
    private static let mostEven: Float = 30
    /// Fewer tiles are even by chance.
    private static let fewestEvenTiles = 64

    /// The bar, in gray levels, where the noise is not known: that of a third of the most.
    static let usualBar = bar(most / 3)

    /// Which tiles differ by more than noise would make them.
    ///
    /// - Parameter differences: the mean difference of each tile, in gray levels.
    static func changes(_ differences: [Float]) -> [Bool] {
        guard !differences.isEmpty else { return [] }
        let median = quantile(0.5, of: differences)
        var bar = bar(min(most, median))
        if median > most, median < mostEven, differences.count >= fewestEvenTiles,
            quantile(0.95, of: differences) < evenness * median,
            quantile(0.05, of: differences) > median / evenness
        {
            bar = max(bar, 1 + evenFactor * median)
        }
        return differences.map { $0 > bar }
    }

    /// More than this is a change, where tiles differ by `noise` that show the same.
    private static func bar(_ noise: Float) -> Float { 2 + 2.5 * noise }

    /// The one at that share of them when they are sorted, without sorting them: by halves, around one of them.
    private static func quantile(_ share: Double, of values: [Float]) -> Float {
        var values = values
        let middle = min(values.count - 1, Int(Double(values.count) * share))
        var (low, high) = (0, values.count - 1)
        while low < high {
            let pivot = values[(low + high) / 2]
            var (left, right) = (low, high)
            while left <= right {
                while values[left] < pivot { left += 1 }
                while values[right] > pivot { right -= 1 }
                guard left <= right else { break }
                values.swapAt(left, right)
                left += 1
                right -= 1
            }
            if middle <= right { high = right } else if middle >= left { low = left } else { break }
        }
        return values[middle]
    }
}
