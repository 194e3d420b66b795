internal import CMeaning
internal import TextMatching

/// The stored form of a text's vector: two bits for each of its 512 numbers, and how near it is to everything.
///
/// Each number is rounded to -3, -1, 1 or 3 times a step, which is chosen for the smallest error. A factor makes the
/// product of the vector and its stored form 1. The cosine with a question then has a root mean square error of 0.013,
/// which hardly changes the order of texts (docs/INDEX.md); the nearest texts of an answer go through the model again.
enum VectorCode {
    /// The number of elements of a vector.
    static let width = 512
    /// The number of bytes of the elements alone.
    static let codeSize = width / 4
    /// The number of bytes including factor and commonness, two bytes each.
    static let size = codeSize + 4

    private static let factorUnit: Float = 1 / 524_288
    private static let commonnessUnit: Float = 1 / 32_767

    /// Returns the bytes of a vector: the elements, the factor, the commonness.
    ///
    /// - Returns: nil for a vector of another length, or one without a direction.
    static func bytes(of point: MeaningPoint) -> [UInt8]? {
        let vector = point.vector
        guard vector.count == width, vector.allSatisfy(\.isFinite) else { return nil }
        let codes = nearestCodes(of: vector)
        var product: Float = 0
        for (number, code) in zip(vector, codes) { product += number * Float(2 * Int(code) - 3) }
        guard product > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        for (place, code) in codes.enumerated() { bytes[place % codeSize] |= code << UInt8(place / codeSize * 2) }
        let factor = UInt16(min(65_535, max(1, (1 / product / factorUnit).rounded())))
        let commonness = Int16(max(-32_767, min(32_767, (Float(point.commonness) / commonnessUnit).rounded())))
        for (place, value) in [factor, UInt16(bitPattern: commonness)].enumerated() {
            bytes[codeSize + 2 * place] = UInt8(truncatingIfNeeded: value)
            bytes[codeSize + 2 * place + 1] = UInt8(truncatingIfNeeded: value >> 8)
        }
        return bytes
    }

    /// Returns codes from 0 to 3, for -3 to 3 times half a step.
    private static func nearestCodes(of vector: [Float]) -> [UInt8] {
        let deviation = (vector.reduce(0) { $0 + $1 * $1 } / Float(vector.count)).squareRoot()
        var best: (error: Float, step: Float) = (.infinity, deviation)
        for tenth in stride(from: Float(0.5), through: 2, by: 0.1) {
            let step = tenth * deviation
            var (product, square): (Float, Float) = (0, 0)
            for number in vector {
                let code = 2 * Float(Self.code(of: number, step)) - 3
                product += number * code
                square += code * code
            }
            // The part of a vector of length 1 that the nearest multiple of its codes leaves.
            let error = 1 - product * product / square
            if error < best.error { best = (error, step) }
        }
        return vector.map { code(of: $0, best.step) }
    }

    private static func code(of number: Float, _ step: Float) -> UInt8 {
        number < -step ? 0 : number < 0 ? 1 : number < step ? 2 : 3
    }

    /// A question, prepared for comparison with many vectors.
    struct Question: Sendable {
        private let numbers: [Int8]
        /// The value of one step of ``numbers``.
        private let unit: Float
        private let sum: Int32
        private let commonness: Float

        init(_ point: MeaningPoint) {
            precondition(point.vector.count == VectorCode.width, "a vector of the model's width")
            let largest = point.vector.reduce(1e-9) { max($0, abs($1)) }
            unit = largest / 127
            numbers = point.vector.map { [unit] in Int8(max(-127, min(127, ($0 / unit).rounded()))) }
            sum = numbers.reduce(0) { $0 + Int32($1) }
            commonness = Float(point.commonness)
        }

        /// Calls `found` with the closeness to vectors stored one after the other: the elements, then factor and
        /// commonness of each.
        func closeness(toRows rows: UnsafeRawBufferPointer, count: Int, _ found: (_ row: Int, _ value: Float) -> Void) {
            precondition(rows.count >= count * VectorCode.size, "so many rows")
            guard count > 0, let start = rows.baseAddress else { return }
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: count) { sums in
                guard let result = sums.baseAddress else { return }
                numbers.withUnsafeBufferPointer { numbers in
                    guard let numbers = numbers.baseAddress else { return }
                    fg_meaning_near(start.assumingMemoryBound(to: UInt8.self), count, numbers, result)
                }
                for row in 0..<count {
                    let place = count * VectorCode.codeSize + 4 * row
                    let factor = UInt16(littleEndian: rows.loadUnaligned(fromByteOffset: place, as: UInt16.self))
                    let common = Int16(littleEndian: rows.loadUnaligned(fromByteOffset: place + 2, as: Int16.self))
                    let product = Float(2 * result[row] - 3 * sum) * unit * Float(factor) * factorUnit
                    found(
                        row,
                        Float(
                            MeaningCloseness(
                                likeness: Double(product), lineCommonness: Double(Float(common) * commonnessUnit),
                                questionCommonness: Double(commonness)
                            ).value))
                }
            }
        }
    }
}
