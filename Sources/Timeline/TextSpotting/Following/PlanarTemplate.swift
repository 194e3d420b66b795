/// A piece of text that can be aligned exactly with another picture that shows it moved, turned, scaled or sheared.
///
/// Uses the inverse compositional method (S. Baker, I. Matthews: "Lucas-Kanade 20 years on", 2004) with all six
/// parameters of an affine motion: what the pixels say about a small motion is computed once, and each round costs one
/// pass over the other picture. Brightness may differ by a gain and a bias. In a coarse template each sample is the
/// mean of several pixels, so it finds its place from farther away. A value; it depends only on pictures.
struct PlanarTemplate: Sendable {
    /// The result of aligning a template.
    struct Fit: Sendable {
        /// The motion from the template's picture to the other.
        var motion: PlanarMotion
        /// The correlation of all samples, −1 to 1.
        var correlation: Double
    }

    private struct Sample: Sendable {
        /// The distance from the middle, in pixels.
        var x: Float
        var y: Float
        var value: Float
        var slopeX: Float
        var slopeY: Float
    }

    private let middle: Point
    /// Half of the longer side, the unit of distances: it gives all six parameters the same magnitude.
    private let reach: Float
    private let coarseness: Int
    private let samples: [Sample]
    private let deviation: Float
    /// The Gauss-Newton matrix of six small motions, factored for solving.
    private let solver: SymmetricSolver

    /// The largest number of pixels that are compared.
    private static let mostSamples = 1600
    private static let fewestSamples = 40
    /// Steps smaller than this, in pixels at the farthest sample, are ignored.
    private static let still: Float = 0.02

    /// - Parameters:
    ///   - coarseness: the side of the square of pixels averaged for each sample, at least 1.
    /// - Returns: nil if there is too little contrast to align.
    init?(_ picture: Picture, in quad: Quad, coarseness: Int) {
        let side = Double(coarseness)
        let (width, height) = (quad.width, quad.height)
        guard width.isFinite, height.isFinite, width >= 6, height >= 4, width < 20_000 else { return nil }
        let pace = max(side, (width * height / Double(Self.mostSamples)).squareRoot())
        let (columns, rows) = (Int(width / pace), Int(height / pace))
        guard columns * rows >= Self.fewestSamples else { return nil }
        var samples = Self.samples(of: picture, in: quad, columns, rows, coarseness)
        let mean = samples.reduce(0) { $0 + $1.value } / Float(samples.count)
        for index in samples.indices { samples[index].value -= mean }
        deviation = (samples.reduce(0) { $0 + $1.value * $1.value } / Float(samples.count)).squareRoot()
        guard deviation >= 4 else { return nil }
        reach = Float(max(width, height) / 2)
        guard let solver = SymmetricSolver(Self.normal(samples, reach)) else { return nil }
        self.solver = solver
        middle = quad.center
        self.coarseness = coarseness
        self.samples = samples
    }

    /// Returns samples of a quad at even distances, row by row, with their places from its center.
    private static func samples(
        of picture: Picture, in quad: Quad, _ columns: Int, _ rows: Int, _ coarseness: Int
    ) -> [Sample] {
        let side = Double(coarseness)
        var samples: [Sample] = []
        samples.reserveCapacity(columns * rows)
        picture.bytes.withUnsafeBufferPointer { bytes in
            let source = BrightnessSource(picture, bytes)
            for row in 0..<rows {
                let down = (Double(row) + 0.5) / Double(rows)
                let left = quad.topLeft.interpolated(to: quad.bottomLeft, at: down)
                let right = quad.topRight.interpolated(to: quad.bottomRight, at: down)
                for column in 0..<columns {
                    let place = left.interpolated(to: right, at: (Double(column) + 0.5) / Double(columns))
                    func level(_ x: Double, _ y: Double) -> Float {
                        source.mean(around: place + Point(x, y), side: coarseness)
                    }
                    let from = place - quad.center
                    samples.append(
                        Sample(
                            x: Float(from.x), y: Float(from.y), value: level(0, 0),
                            slopeX: (level(side, 0) - level(-side, 0)) / Float(2 * side),
                            slopeY: (level(0, side) - level(0, -side)) / Float(2 * side)))
                }
            }
        }
        return samples
    }

    /// Returns the six derivatives of a sample's brightness with respect to small motions.
    @inline(__always)
    private static func descent(_ sample: Sample, _ reach: Float) -> SIMD8<Float> {
        let (x, y) = (sample.x / reach, sample.y / reach)
        let (across, down) = (sample.slopeX, sample.slopeY)
        return SIMD8(across * x, across * y, across, down * x, down * y, down, 0, 0)
    }

    private static func normal(_ samples: [Sample], _ reach: Float) -> [SIMD8<Float>] {
        var rows = [SIMD8<Float>](repeating: .zero, count: 6)
        for sample in samples {
            let ways = descent(sample, reach)
            for row in 0..<6 { rows[row] += ways * ways[row] }
        }
        return rows
    }

    /// Returns the place of the template in `picture`, near `guess`; nil if nothing there resembles it.
    ///
    /// - Parameter rounds: the largest number of iterations.
    func fit(in picture: Picture, near guess: PlanarMotion, rounds: Int = 8) -> Fit? {
        var motion = guess
        var correlation = 0.0
        for _ in 0..<rounds {
            guard motion.isModest, let (step, found) = round(picture, motion) else { return nil }
            correlation = found
            guard correlation > 0.2, let undo = step.inverse else { return nil }
            motion = motion.after(undo)
            let turned = (step.xAxis - Point(1, 0)).length + (step.yAxis - Point(0, 1)).length
            let moved = (step.apply(middle) - middle).length + turned * Double(reach)
            if moved < Double(Self.still * Float(coarseness)) { break }
        }
        return Fit(motion: motion, correlation: correlation)
    }

    /// Returns the motion of the template that would make it more similar to the picture after `motion`.
    private func round(_ picture: Picture, _ motion: PlanarMotion) -> (step: PlanarMotion, correlation: Double)? {
        var values = [Float](repeating: 0, count: samples.count)
        let place = motion.apply(middle)
        let (xAxis, yAxis) = (motion.xAxis, motion.yAxis)
        guard place.x >= 0, place.y >= 0, place.x < Double(picture.width), place.y < Double(picture.height) else {
            return nil
        }
        var (sum, squares, products): (Float, Float, Float) = (0, 0, 0)
        picture.bytes.withUnsafeBufferPointer { bytes in
            let source = BrightnessSource(picture, bytes)
            for (index, sample) in samples.enumerated() {
                let value = source.mean(
                    around: place + xAxis * Double(sample.x) + yAxis * Double(sample.y), side: coarseness)
                values[index] = value
                sum += value
                squares += value * value
                products += value * sample.value
            }
        }
        let count = Float(samples.count)
        let mean = sum / count
        let spread = max(0, squares / count - mean * mean).squareRoot()
        guard spread >= 2 else { return nil }
        let gain = deviation / spread
        var sums = SIMD8<Float>.zero
        for (index, sample) in samples.enumerated() {
            sums += Self.descent(sample, reach) * ((values[index] - mean) * gain - sample.value)
        }
        let step = solver.solve(sums)
        let size = Double(reach)
        var change = PlanarMotion(
            xAxis: Point(1 + Double(step[0]) / size, Double(step[3]) / size),
            yAxis: Point(Double(step[1]) / size, 1 + Double(step[4]) / size), shift: Point(0, 0))
        change.shift = middle + Point(Double(step[2]), Double(step[5])) - change.apply(middle)
        return (change, Double(products / (count * spread * deviation)))
    }
}

/// Solves six linear equations repeatedly with one symmetric matrix (Cholesky decomposition).
struct SymmetricSolver: Sendable {
    private var lower: [SIMD8<Float>]

    /// - Parameter rows: the six rows of the matrix, whose first six numbers count.
    /// - Returns: nil if the matrix is not positive definite.
    init?(_ rows: [SIMD8<Float>]) {
        lower = [SIMD8<Float>](repeating: .zero, count: 6)
        let trace = (0..<6).reduce(Float(0)) { $0 + rows[$1][$1] }
        for row in 0..<6 {
            for column in 0...row {
                var rest = rows[row][column]
                // Parameters that the pixels say nothing about stay unchanged.
                if row == column { rest += 1e-4 * trace }
                for index in 0..<column { rest -= lower[row][index] * lower[column][index] }
                if row == column {
                    guard rest > 0, rest.isFinite else { return nil }
                    lower[row][row] = rest.squareRoot()
                } else {
                    lower[row][column] = rest / lower[column][column]
                }
            }
        }
    }

    func solve(_ right: SIMD8<Float>) -> SIMD8<Float> {
        var result = right
        for row in 0..<6 {
            for index in 0..<row { result[row] -= lower[row][index] * result[index] }
            result[row] /= lower[row][row]
        }
        for row in (0..<6).reversed() {
            for index in (row + 1)..<6 where index < 6 { result[row] -= lower[index][row] * result[index] }
            result[row] /= lower[row][row]
        }
        return result
    }
}
