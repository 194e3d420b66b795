import Glibc

/// The network of Google's Universal Sentence Encoder in sixteen languages (version 3): it maps the pieces of a text to
/// a vector of length 1.
///
/// It takes the mean over all pieces of their own vectors and of three convolutions over 2, 3 and 5 neighbors, followed
/// by four dense layers. There is no attention, so the cost is proportional to the number of pieces. A value whose
/// memory belongs to its ``ModelFile``.
struct SentenceEncoder {
    /// The number of elements of a vector.
    static let width = 512
    private static let branch = 256
    private static let branches = 3
    private static let features = width + branches * branch
    private static let inner = 320
    /// The number of blocks in the table of the pieces' vectors; piece `i` is in block `i % blocks`.
    private static let blocks = 17
    private static let blockRows = 7530
    private static let epsilon: Float = 1e-12

    typealias Numbers = UnsafeBufferPointer<Float>

    /// Two stacked convolutions over `order` neighbors, the first of them `left` pieces before.
    private struct Branch {
        var order: Int
        var left: Int
        var weights: [Numbers]
        var biases: [Numbers]
    }

    private let table: UnsafeBufferPointer<UInt8>
    private let scale: Numbers
    private let least: Numbers
    private let project: Numbers
    private let projectBias: Numbers
    private let projectNorm: (gain: Numbers, bias: Numbers)
    private let convolutions: [Branch]
    private let allNorm: (gain: Numbers, bias: Numbers)
    private let sum: Numbers
    private let sumBias: Numbers
    private let dense: (d0: Numbers, d1: Numbers, d2: Numbers, d3: Numbers, p1: Numbers, p3: Numbers)

    init(_ file: ModelFile) throws {
        let (width, branch, inner) = (Self.width, Self.branch, Self.inner)
        let joined = Self.branches * branch
        table = try file.numbers("table", count: Self.blocks * Self.blockRows * width)
        scale = try file.numbers("scale", count: Self.blocks)
        least = try file.numbers("least", count: Self.blocks)
        project = try file.numbers("project", count: width * joined)
        projectBias = try file.numbers("projectBias", count: joined)
        projectNorm = (
            try file.numbers("normGain", count: joined), try file.numbers("normBias", count: joined)
        )
        convolutions = try [(2, 0), (3, 1), (5, 2)].map { order, left in
            Branch(
                order: order, left: left,
                weights: try (1...2).map {
                    try file.numbers("window\(order)\($0)", count: order * branch * branch)
                },
                biases: try (1...2).map { try file.numbers("bias\(order)\($0)", count: branch) })
        }
        allNorm = (
            try file.numbers("allGain", count: Self.features), try file.numbers("allBias", count: Self.features)
        )
        sum = try file.numbers("sum", count: Self.features * width)
        sumBias = try file.numbers("sumBias", count: width)
        dense = (
            try file.numbers("d0", count: width * inner), try file.numbers("d1", count: inner * inner),
            try file.numbers("d2", count: inner * width), try file.numbers("d3", count: width * width),
            try file.numbers("p1", count: width * inner), try file.numbers("p3", count: inner * width)
        )
    }

    /// Returns the vectors of some texts, which do not depend on each other.
    ///
    /// - Parameter texts: the pieces of each, at least one.
    func vectors(of texts: [[UInt32]]) -> [[Float]] {
        guard !texts.isEmpty else { return [] }
        var starts = [0]
        for text in texts { starts.append(starts[starts.count - 1] + text.count) }
        let count = starts[texts.count]
        let own = Matrix(rows: count, columns: Self.width)
        for (row, piece) in texts.joined().enumerated() { look(up: Int(piece), into: own[row]) }
        let projected = Matrix(rows: count, columns: Self.branches * Self.branch, each: projectBias)
        projected.add(own, times: project)
        projected.normalize(projectNorm.gain, projectNorm.bias, Self.epsilon)
        let features = Matrix(rows: count, columns: Self.features)
        features.copy(own, to: 0)
        for (number, convolution) in convolutions.enumerated() {
            var input = projected.part(number * Self.branch, count: Self.branch)
            for layer in 0..<2 {
                let windows = input.windows(convolution.order, left: convolution.left, within: starts)
                let output = Matrix(rows: count, columns: Self.branch, each: convolution.biases[layer])
                output.add(windows, times: convolution.weights[layer])
                output.rectify()
                output.add(input)
                input = output
            }
            features.copy(input, to: Self.width + number * Self.branch)
        }
        features.normalize(allNorm.gain, allNorm.bias, Self.epsilon)
        return dense(features.sums(within: starts), lengths: texts.map(\.count))
    }

    /// Looks up the vector of one piece, stored as one byte for each number and a scale for each block.
    private func look(up piece: Int, into row: UnsafeMutableBufferPointer<Float>) {
        let (block, place) = (piece % Self.blocks, piece / Self.blocks)
        guard place < Self.blockRows else { return }
        let start = (block * Self.blockRows + place) * Self.width
        for column in 0..<Self.width { row[column] = Float(table[start + column]) * scale[block] + least[block] }
    }

    /// Computes a text's vector from the sum over its pieces.
    private func dense(_ sums: Matrix, lengths: [Int]) -> [[Float]] {
        let mean = Matrix(rows: sums.rows, columns: Self.width)
        for (row, length) in lengths.enumerated() {
            for column in 0..<Self.width { mean[row][column] = Float(length) * sumBias[column] }
        }
        mean.add(sums, times: sum)
        for (row, length) in lengths.enumerated() {
            let factor = 1 / Float(length).squareRoot()
            for column in 0..<Self.width { mean[row][column] *= factor }
        }
        let y0 = Matrix(rows: sums.rows, columns: Self.inner)
        y0.add(mean, times: dense.d0)
        y0.rectify()
        let y1 = Matrix(rows: sums.rows, columns: Self.inner)
        y1.add(mean, times: dense.p1)
        y1.add(y0, times: dense.d1)
        y1.rectify()
        let y2 = Matrix(rows: sums.rows, columns: Self.width)
        y2.add(y1, times: dense.d2)
        y2.rectify()
        let last = Matrix(rows: sums.rows, columns: Self.width)
        last.add(y1, times: dense.p3)
        last.add(y2, times: dense.d3)
        return (0..<sums.rows).map { row in
            let vector = last[row].map(tanhf)
            let length = vector.reduce(0) { $0 + $1 * $1 }
            let factor = 1 / max(length, Self.epsilon).squareRoot()
            return vector.map { $0 * factor }
        }
    }
}
