import CVision

/// How an 8-bit sample becomes the number a network was trained on: `(sample / 255 - mean) / deviation`, each of red,
/// green and blue with its own mean and deviation.
public struct Normalization: Hashable, Sendable {
    public var mean: SIMD3<Float>
    public var deviation: SIMD3<Float>

    public init(mean: SIMD3<Float>, deviation: SIMD3<Float>) {
        self.mean = mean
        self.deviation = deviation
    }

    /// As one multiplication and one addition a sample.
    var asC: fg_normalization_t {
        let factor = 1 / (255 * deviation)
        let offset = -mean / deviation
        return fg_normalization_t(
            factor: (factor.x, factor.y, factor.z), offset: (offset.x, offset.y, offset.z))
    }
}
