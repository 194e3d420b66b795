/// How close a question and a line are, and what that is made of.
public struct MeaningCloseness: Hashable, Sendable {
    /// The cosine of the angle between their vectors, -1 to 1.
    public var likeness: Double
    /// How near the line is to everyday lines whatever they say; half of it is taken away.
    public var lineCommonness: Double
    /// How near the question is to them; a quarter of it is taken away.
    public var questionCommonness: Double

    package init(likeness: Double, lineCommonness: Double, questionCommonness: Double) {
        self.likeness = likeness
        self.lineCommonness = lineCommonness
        self.questionCommonness = questionCommonness
    }

    /// The three together.
    ///
    /// Short common words are near to everything, so that the nearest line is often the wrong one; what is left after that is taken away
    /// is called cross-domain similarity local scaling (Conneau et al., "Word translation without parallel data", 2018), here against the
    /// mean of a background that never changes.
    public var value: Double { likeness - 0.5 * lineCommonness - 0.25 * questionCommonness }
}

/// A vector with how near it is to everything.
package struct MeaningPoint: Sendable {
    /// Of length 1.
    package let vector: [Float]
    /// The product with the background.
    package let commonness: Double

    package init(_ vector: [Float], background: [Float]) {
        self.vector = vector
        commonness = Self.product(vector, background)
    }

    /// How close this question is to a line.
    ///
    /// - Parameter line: its forms, of which the closest counts.
    /// - Returns: nil for a line that means nothing.
    package func closeness(to line: [MeaningPoint]) -> MeaningCloseness? {
        line.map { form in
            MeaningCloseness(
                likeness: Self.product(vector, form.vector), lineCommonness: form.commonness,
                questionCommonness: commonness)
        }.max { $0.value < $1.value }
    }

    /// The sum of the products, added up in eight sums side by side, always in the same order.
    static func product(_ a: [Float], _ b: [Float]) -> Double {
        a.withUnsafeBytes { a in
            b.withUnsafeBytes { b in
                var sums = SIMD8<Float>()
                let size = MemoryLayout<SIMD8<Float>>.size
                for start in stride(from: 0, through: min(a.count, b.count) - size, by: size) {
                    sums +=
                        a.loadUnaligned(fromByteOffset: start, as: SIMD8<Float>.self)
                        * b.loadUnaligned(fromByteOffset: start, as: SIMD8<Float>.self)
                }
                return Double(sums.sum())
            }
        }
    }
}
