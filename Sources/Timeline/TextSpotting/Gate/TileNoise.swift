/// Tells changes in a picture from noise, tile by tile.
///
/// Sensor noise and compression shimmer raise all tiles alike, so the median difference is taken as the noise and the
/// threshold is set above it. The threshold is capped, because in a pan the median is the picture's own movement.
/// Strong noise differs from movement by being uniform: with 256 pixels each, 95 % of the tiles are within a seventh of
/// the median.
enum TileNoise {
    /// The largest difference that counts as noise, in gray levels, unless the noise is even.
    private static let most: Float = 6
    private static let evenness: Float = 1.15
    private static let evenFactor: Float = 1.25
    /// Even noise is not assumed from this difference on.
    private static let mostEven: Float = 30
    /// Fewer tiles than this may be even by chance.
    private static let fewestEvenTiles = 64

    /// The threshold for unknown noise, in gray levels: that of a third of the largest noise.
    static let usualBar = bar(most / 3)

    /// Returns, for each tile, whether it differs by more than noise explains.
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

    /// Returns the difference above which a tile has changed, if unchanged tiles differ by `noise`.
    private static func bar(_ noise: Float) -> Float { 2 + 2.5 * noise }

    /// Returns the value at that share of the sorted values without sorting them, by partitioning them around a pivot.
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
