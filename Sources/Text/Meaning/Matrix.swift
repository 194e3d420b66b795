import CMeaning

/// A matrix of numbers, row by row. Owns its memory; used by one thread.
final class Matrix {
    let rows: Int
    let columns: Int
    private let numbers: UnsafeMutableBufferPointer<Float>

    /// - Parameter each: the initial value of each row; zeros if nil.
    init(rows: Int, columns: Int, each: UnsafeBufferPointer<Float>? = nil) {
        self.rows = rows
        self.columns = columns
        numbers = .allocate(capacity: max(1, rows * columns))
        numbers.initialize(repeating: 0)
        guard let each else { return }
        for row in 0..<rows { _ = self[row].update(from: each) }
    }

    deinit { numbers.deallocate() }

    /// The numbers of a row; valid as long as the matrix.
    subscript(row: Int) -> UnsafeMutableBufferPointer<Float> {
        UnsafeMutableBufferPointer(rebasing: numbers[row * columns..<(row + 1) * columns])
    }

    /// Adds a product.
    ///
    /// - Parameter weights: as many rows as `other` has columns, in panels of 16 columns.
    func add(_ other: Matrix, times weights: UnsafeBufferPointer<Float>) {
        precondition(other.rows == rows && weights.count == other.columns * columns, "matrices that fit each other")
        guard let source = other.numbers.baseAddress, let factors = weights.baseAddress,
            let sums = numbers.baseAddress
        else { return }
        fg_meaning_multiply(source, rows, other.columns, factors, columns, sums)
    }

    func add(_ other: Matrix) {
        for index in numbers.indices { numbers[index] += other.numbers[index] }
    }

    /// Sets negative numbers to zero.
    func rectify() {
        for index in numbers.indices where numbers[index] < 0 { numbers[index] = 0 }
    }

    /// Normalizes each row to a mean of 0 and a variance of 1, then scales each column.
    func normalize(_ gain: UnsafeBufferPointer<Float>, _ bias: UnsafeBufferPointer<Float>, _ epsilon: Float) {
        for number in 0..<rows {
            let row = self[number]
            let mean = Self.sum(row) / Float(columns)
            for column in row.indices { row[column] -= mean }
            let factor = 1 / (Self.sumOfSquares(row) / Float(columns) + epsilon).squareRoot()
            for column in row.indices { row[column] = row[column] * factor * gain[column] + bias[column] }
        }
    }

    /// Copies the columns of another matrix with the same number of rows into this one.
    func copy(_ other: Matrix, to column: Int) {
        for row in 0..<rows {
            _ = UnsafeMutableBufferPointer(rebasing: self[row][column..<column + other.columns]).update(
                from: other[row])
        }
    }

    /// Returns some of the columns.
    func part(_ first: Int, count: Int) -> Matrix {
        let result = Matrix(rows: rows, columns: count)
        for row in 0..<rows { _ = result[row].update(from: self[row][first..<first + count]) }
        return result
    }

    /// Returns, for each row, the row and its neighbors side by side: `order` rows, the first of them `left` rows
    /// before; zeros beyond the ends of the text.
    ///
    /// - Parameter starts: the first row of each text, and the number of rows.
    func windows(_ order: Int, left: Int, within starts: [Int]) -> Matrix {
        let result = Matrix(rows: rows, columns: order * columns)
        for (start, end) in zip(starts, starts.dropFirst()) {
            for row in start..<end {
                for place in 0..<order where start..<end ~= row - left + place {
                    let target = UnsafeMutableBufferPointer(
                        rebasing: result[row][place * columns..<(place + 1) * columns])
                    _ = target.update(from: self[row - left + place])
                }
            }
        }
        return result
    }

    /// Returns the sum of each text's rows.
    func sums(within starts: [Int]) -> Matrix {
        let result = Matrix(rows: starts.count - 1, columns: columns)
        for text in 0..<starts.count - 1 {
            for row in starts[text]..<starts[text + 1] {
                for column in 0..<columns { result[text][column] += self[row][column] }
            }
        }
        return result
    }

    /// Adds in eight parallel sums, always in the same order.
    private static func sum(_ row: UnsafeMutableBufferPointer<Float>) -> Float { lanes(row) { $0 } }

    private static func sumOfSquares(_ row: UnsafeMutableBufferPointer<Float>) -> Float { lanes(row) { $0 * $0 } }

    private static func lanes(
        _ row: UnsafeMutableBufferPointer<Float>, _ term: (SIMD8<Float>) -> SIMD8<Float>
    ) -> Float {
        let bytes = UnsafeRawBufferPointer(row)
        var sums = SIMD8<Float>()
        for start in stride(from: 0, to: bytes.count, by: MemoryLayout<SIMD8<Float>>.size) {
            sums += term(bytes.loadUnaligned(fromByteOffset: start, as: SIMD8<Float>.self))
        }
        return sums.sum()
    }
}
