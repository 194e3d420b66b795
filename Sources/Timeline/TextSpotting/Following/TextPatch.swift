/// The look of a piece of text in one luma picture: enough to tell, without reading, whether the text is still there in
/// another.
///
/// The text's quad is sampled along its own direction and divided into cells of about one character. Each cell is
/// compared separately, so that a word in which a single letter changed, or is not typed yet, does not pass for the
/// same.
public struct TextPatch: Sendable {
    /// The place of the text, in pixels of the luma picture.
    public private(set) var quad: Quad
    private(set) var xs: [Int32]
    private(set) var ys: [Int32]
    let values: [Float]
    /// The extremes of `xs` and `ys`.
    private var covered: (minX: Int32, minY: Int32, maxX: Int32, maxY: Int32)
    /// The cells, of about one character each; those without contrast are left out.
    let cells: [Range<Int>]
    /// The mean and standard deviation of the brightness of each cell.
    let moments: [(mean: Float, deviation: Float)]

    /// The standard deviation of the brightness over the whole patch.
    private var deviation: Float {
        let mean = values.reduce(0, +) / Float(values.count)
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(values.count)).squareRoot()
    }

    /// The contrast of the text: the mean deviation of its cells, in levels of brightness.
    public var contrast: Double { Double(moments.reduce(0) { $0 + $1.deviation } / Float(moments.count)) }

    private func sparseSamples(limit: Int) -> [(x: Int32, y: Int32, value: Float)] {
        let step = max(1, values.count / limit)
        // An odd stride spreads across the columns instead of following one row.
        return stride(from: 0, to: values.count, by: step | 1).map { (xs[$0], ys[$0], values[$0]) }
    }

    /// Returns the same text after a motion, for comparison at its new place.
    func moved(by motion: PlanarMotion) -> TextPatch {
        var result = self
        result.quad = quad.mapped(motion.apply)
        for index in xs.indices {
            let place = motion.apply(Point(Double(xs[index]) + 0.5, Double(ys[index]) + 0.5))
            result.xs[index] = PatchSamples.pixel(place.x)
            result.ys[index] = PatchSamples.pixel(place.y)
        }
        result.covered = Self.outermost(result.xs, result.ys)
        return result
    }

    /// The similarity of a place in another picture.
    public struct Similarity: Sendable {
        /// The correlation of all cells that show anything, −1 to 1.
        public var mean: Double
        /// The correlation of the least similar cell.
        public var worst: Double
        /// The contrast of the place divided by the patch's own: 1 when fully visible, 0.5 when half faded.
        public var gain: Double

        /// Whether the same text is there, though it may have faded to an eighth of its contrast.
        ///
        /// The thresholds are chosen on rendered and real clips: the same text seldom falls below 0.75 in the mean
        /// under compression and noise, other text seldom rises above 0.5.
        public var isSame: Bool { mean >= 0.6 && worst >= 0.35 && gain >= 0.12 && gain <= 2.2 }
    }

    /// Captures what `picture` shows in `quad`; nil if that is (nearly) flat or outside the picture.
    ///
    /// - Parameter characters: the number of characters in the quad.
    public init?(_ picture: Picture, quad: Quad, characters: Int) {
        let alongSteps = min(400, max(4, Int(quad.width.rounded())))
        let acrossSteps = min(40, max(4, Int(quad.height.rounded())))
        let cellCount = max(1, min(characters, alongSteps / 4))
        var samples = PatchSamples(picture, columns: alongSteps, steps: acrossSteps)
        var cells: [Range<Int>] = []
        for cell in 0..<cellCount {
            let first = samples.count
            for along in (cell * alongSteps / cellCount)..<((cell + 1) * alongSteps / cellCount) {
                let u = (Double(along) + 0.5) / Double(alongSteps)
                samples.add(
                    from: quad.topLeft.interpolated(to: quad.topRight, at: u),
                    to: quad.bottomLeft.interpolated(to: quad.bottomRight, at: u))
            }
            cells.append(first..<samples.count)
        }
        var kept: [Range<Int>] = []
        var moments: [(mean: Float, deviation: Float)] = []
        for cell in cells where cell.count >= 8 {
            let (mean, variance) = samples.moments(of: cell)
            guard variance >= 36 else { continue }
            kept.append(cell)
            moments.append((mean, variance.squareRoot()))
        }
        guard !kept.isEmpty else { return nil }
        self.quad = quad
        (xs, ys, values) = samples.arrays
        covered = Self.outermost(xs, ys)
        self.cells = kept
        self.moments = moments
    }

    private static func outermost(_ xs: [Int32], _ ys: [Int32]) -> (Int32, Int32, Int32, Int32) {
        (xs.min() ?? 0, ys.min() ?? 0, xs.max() ?? 0, ys.max() ?? 0)
    }

    /// Calls `body` with the samples of a cell: their positions and their brightness.
    @inline(__always)
    private func withSamples(
        of cell: Range<Int>,
        _ body: (UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Float>) -> Void
    ) {
        xs[cell].withUnsafeBufferPointer { xs in
            ys[cell].withUnsafeBufferPointer { ys in values[cell].withUnsafeBufferPointer { body(xs, ys, $0) } }
        }
    }

    /// Returns the similarity of `picture` at the place of the patch after a movement by whole pixels; nil if too
    /// little of it would be inside the picture.
    public func similarity(in picture: Picture, movedBy dx: Int, _ dy: Int) -> Similarity? {
        let width = Int32(picture.width)
        let height = Int32(picture.height)
        // Clamped: far enough that nothing is left in the picture, near enough that sums do not overflow.
        let moveX = Int32(max(-1 << 29, min(1 << 29, dx)))
        let moveY = Int32(max(-1 << 29, min(1 << 29, dy)))
        var total = 0.0
        var worst = 1.0
        var gains = 0.0
        var weights = 0.0
        var missing = 0
        let isInside =
            covered.minX &+ moveX >= 0 && covered.minY &+ moveY >= 0 && covered.maxX &+ moveX < width
            && covered.maxY &+ moveY < height
        picture.bytes.withUnsafeBufferPointer { pixels in
            for (cell, moment) in zip(cells, moments) {
                var sum: Float = 0
                var squares: Float = 0
                var products: Float = 0
                var inside: Float = 0
                withSamples(of: cell) { xs, ys, values in
                    for index in values.indices {
                        let x = xs[index] &+ moveX
                        let y = ys[index] &+ moveY
                        guard isInside || (x >= 0 && y >= 0 && x < width && y < height) else { continue }
                        let value = Float(pixels[Int(y &* width &+ x)])
                        sum += value
                        squares += value * value
                        products += value * (values[index] - moment.mean)
                        inside += 1
                    }
                }
                guard inside >= Float(cell.count) * 0.7 else {
                    missing += 1
                    continue
                }
                let mean = sum / inside
                let deviation = max(0, squares / inside - mean * mean).squareRoot()
                let covariance = products / inside
                // Compression leaves two gray levels of deviation on a flat surface: no text is there.
                let correlation = deviation < 2 ? 0 : Double(covariance / (deviation * moment.deviation))
                let weight = Double(cell.count)
                total += correlation * weight
                gains += Double(covariance / (moment.deviation * moment.deviation)) * weight
                weights += weight
                worst = min(worst, correlation)
            }
        }
        // Words that leave the picture count as there as long as all of their letters are.
        guard weights > 0, missing == 0 else { return nil }
        return Similarity(mean: total / weights, worst: worst, gain: gains / weights)
    }
}

extension TextPatch {
    /// Returns the offset, within `reach` pixels of `center`, at which a sparse sample of the patch correlates best.
    ///
    /// Every pixel offset is tried, because strokes are two or three pixels wide; at most some 300 samples are compared
    /// at each.
    func bestOffset(in picture: Picture, near center: (dx: Int, dy: Int), reach: Int) -> (dx: Int, dy: Int)? {
        let samples = sparseSamples(limit: 300)
        guard samples.count >= 16 else { return nil }
        let mean = samples.reduce(0) { $0 + $1.value } / Float(samples.count)
        let sought = SoughtSamples(samples.map { ($0.x, $0.y, $0.value - mean) }, in: picture)
        let deviation = max(1, self.deviation)
        var best: (dx: Int, dy: Int)?
        var bestScore: Float = 0.3
        picture.bytes.withUnsafeBufferPointer { pixels in
            for dy in (center.dy - reach)...(center.dy + reach) {
                for dx in (center.dx - reach)...(center.dx + reach) {
                    let sums = sought.sums(
                        movedBy: Int32(truncatingIfNeeded: dx), Int32(truncatingIfNeeded: dy), pixels)
                    guard sums.inside * 2 >= Float(samples.count) else { continue }
                    let average = sums.values / sums.inside
                    let variance = sums.squares / sums.inside - average * average
                    guard variance > 4 else { continue }
                    let score = sums.products / (sums.inside * variance.squareRoot())
                    let relative = score / deviation
                    if relative > bestScore {
                        bestScore = relative
                        best = (dx, dy)
                    }
                }
            }
        }
        return best
    }
}

extension TextPatch {
    /// Finds the movement of each letter separately, given the rough movement of the whole in whole pixels: this
    /// reveals turning and growing.
    ///
    /// Each cell is searched within two pixels of its expected place, to fractions of a pixel (the parabola through the
    /// best place and its neighbors); cells that are not found are left out.
    func cellSteps(in picture: Picture, movedBy dx: Int, _ dy: Int) -> [PlanarMotion.Step] {
        cells.indices.compactMap { cell in
            let score = { (x: Int, y: Int) in correlation(ofCell: cell, in: picture, movedBy: dx + x, dy + y) }
            var best = (x: 0, y: 0, score: -1.0)
            for y in -Self.cellReach...Self.cellReach {
                for x in -Self.cellReach...Self.cellReach {
                    let value = score(x, y)
                    // A letter that fits equally well along a stroke stays at its expected place.
                    if value > best.score + 0.01 * Double(abs(x) + abs(y)) { best = (x, y, value) }
                }
            }
            guard best.score >= 0.5 else { return nil }
            let fineX = Self.vertex(score(best.x - 1, best.y), best.score, score(best.x + 1, best.y))
            let fineY = Self.vertex(score(best.x, best.y - 1), best.score, score(best.x, best.y + 1))
            let from = center(ofCell: cell)
            return PlanarMotion.Step(
                from: from, to: from + Point(Double(dx + best.x) + fineX, Double(dy + best.y) + fineY))
        }
    }

    private static let cellReach = 2
    /// The largest number of samples of a cell; more add no information.
    private static let cellSamples = 96

    private func center(ofCell cell: Int) -> Point {
        let range = cells[cell]
        let x = xs[range].reduce(0.0) { $0 + Double($1) }
        let y = ys[range].reduce(0.0) { $0 + Double($1) }
        return Point(x / Double(range.count) + 0.5, y / Double(range.count) + 0.5)
    }

    /// Returns the position between −0.5 and 0.5 at which the parabola through three values at −1, 0 and 1 is highest.
    private static func vertex(_ before: Double, _ at: Double, _ after: Double) -> Double {
        let bend = before - 2 * at + after
        return bend < -1e-6 ? max(-0.5, min(0.5, 0.5 * (before - after) / bend)) : 0
    }

    /// Returns the correlation of a cell, −1 to 1; −1 if much of the cell would be outside the picture.
    private func correlation(ofCell cell: Int, in picture: Picture, movedBy dx: Int, _ dy: Int) -> Double {
        let (range, moment) = (cells[cell], moments[cell])
        let (moveX, moveY) = (Int32(clamping: dx), Int32(clamping: dy))
        let (width, height) = (Int32(picture.width), Int32(picture.height))
        var (sum, squares, products, own, count): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
        picture.bytes.withUnsafeBufferPointer { pixels in
            // An odd stride spreads across the columns instead of following one row.
            for index in stride(from: range.lowerBound, to: range.upperBound, by: range.count / Self.cellSamples | 1) {
                let x = xs[index] &+ moveX
                let y = ys[index] &+ moveY
                guard x >= 0, y >= 0, x < width, y < height else { continue }
                let value = Float(pixels[Int(y) * Int(width) + Int(x)])
                let deviation = values[index] - moment.mean
                sum += value
                squares += value * value
                products += value * deviation
                own += deviation
                count += 1
            }
        }
        guard count >= 8 else { return -1 }
        let mean = sum / count
        let spread = max(0, squares / count - mean * mean).squareRoot()
        guard spread >= 2 else { return 0 }
        return Double((products / count - mean * own / count) / (spread * moment.deviation))
    }
}

/// The pixels of a picture that a ``TextPatch`` consists of, column by column.
///
/// Boxes on a running picture are recreated with every reading, on the thread that shows it, so this works in memory of
/// its own.
struct PatchSamples: ~Copyable {
    private let picture: Picture
    private let xs: UnsafeMutableBufferPointer<Int32>
    private let ys: UnsafeMutableBufferPointer<Int32>
    private let values: UnsafeMutableBufferPointer<Float>
    /// The position of each sample between the top and the bottom of its column, 0 to 1.
    private let shares: [Double]
    private(set) var count = 0

    /// - Parameters:
    ///   - columns: the largest number of columns that are added.
    ///   - steps: the number of samples in each column.
    init(_ picture: Picture, columns: Int, steps: Int) {
        self.picture = picture
        shares = (0..<steps).map { (Double($0) + 0.5) / Double(steps) }
        let limit = columns * steps
        xs = .allocate(capacity: limit)
        ys = .allocate(capacity: limit)
        values = .allocate(capacity: limit)
    }

    deinit {
        xs.deallocate()
        ys.deallocate()
        values.deallocate()
    }

    /// Adds the samples of a column between two points that are inside the picture.
    mutating func add(from top: Point, to bottom: Point) {
        precondition(count + shares.count <= xs.count, "there is room for all samples")
        let (width, height) = (picture.width, picture.height)
        let (xs, ys, values) = (xs, ys, values)
        var next = count
        let way = bottom - top
        let isInside = Self.isInside(top, width, height) && Self.isInside(bottom, width, height)
        picture.bytes.withUnsafeBufferPointer { pixels in
            for share in shares {
                let point = top + way * share
                let (x, y) =
                    isInside
                    ? (Int32(truncatingIfNeeded: Int(point.x)), Int32(truncatingIfNeeded: Int(point.y)))
                    : (Self.pixel(point.x), Self.pixel(point.y))
                guard isInside || (x >= 0 && y >= 0 && Int(x) < width && Int(y) < height) else { continue }
                (xs[next], ys[next]) = (x, y)
                values[next] = Float(pixels[Int(y) &* width &+ Int(x)])
                next += 1
            }
        }
        count = next
    }

    /// Returns whether a point is far enough inside that rounding moves no sample between two such points out of the
    /// picture.
    private static func isInside(_ point: Point, _ width: Int, _ height: Int) -> Bool {
        point.x > 1e-3 && point.y > 1e-3 && point.x < Double(width) - 1e-3 && point.y < Double(height) - 1e-3
    }

    /// Returns the mean and variance of the brightness of some of the samples.
    func moments(of range: Range<Int>) -> (mean: Float, variance: Float) {
        var (sum, squares): (Float, Float) = (0, 0)
        for index in range { sum += values[index] }
        let mean = sum / Float(range.count)
        for index in range { squares += (values[index] - mean) * (values[index] - mean) }
        return (mean, squares / Float(range.count))
    }

    /// The positions and the brightness of the samples.
    var arrays: (xs: [Int32], ys: [Int32], values: [Float]) {
        (Array(xs[..<count]), Array(ys[..<count]), Array(values[..<count]))
    }

    /// Returns the pixel that contains a point; for points too far away, one far outside any picture.
    ///
    /// Written out because the target processors have no instruction that rounds down: a call of the C library for each
    /// of up to 16,000 pixels took most of the time.
    @inline(__always)
    static func pixel(_ place: Double) -> Int32 {
        let bounded = max(-1e6, min(1e6, place))
        let toZero = Int32(bounded)
        return Double(toZero) > bounded ? toZero - 1 : toZero
    }
}
