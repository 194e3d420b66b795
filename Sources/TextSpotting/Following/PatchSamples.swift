/// The pixels of a picture that a ``TextPatch`` is made of, column by column.
///
/// Boxes on a running picture are made anew with every reading, on the thread that shows it, so this works in memory of its own.
struct PatchSamples: ~Copyable {
    private let picture: Picture
    private let xs: UnsafeMutableBufferPointer<Int32>
    private let ys: UnsafeMutableBufferPointer<Int32>
    private let values: UnsafeMutableBufferPointer<Float>
    /// How far from a column's top to its bottom each of its places is, 0 to 1.
    private let shares: [Double]
    private(set) var count = 0

    /// - Parameters:
    ///   - columns: how many are added at most.
    ///   - steps: places in each of them.
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

    /// Adds those places of a column, from one point to another, that are in the picture.
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

    /// So far inside that rounding leads no place between two such points out of the picture.
    private static func isInside(_ point: Point, _ width: Int, _ height: Int) -> Bool {
        point.x > 1e-3 && point.y > 1e-3 && point.x < Double(width) - 1e-3 && point.y < Double(height) - 1e-3
    }

    /// Mean and variance of the brightness of some of them.
    func moments(of range: Range<Int>) -> (mean: Float, variance: Float) {
        var (sum, squares): (Float, Float) = (0, 0)
        for index in range { sum += values[index] }
        let mean = sum / Float(range.count)
        for index in range { squares += (values[index] - mean) * (values[index] - mean) }
        return (mean, squares / Float(range.count))
    }

    /// Where they are, and how bright.
    var arrays: (xs: [Int32], ys: [Int32], values: [Float]) {
        (Array(xs[..<count]), Array(ys[..<count]), Array(values[..<count]))
    }

    /// The pixel that a place lies in; for places too far away, one far outside of every picture.
    ///
    /// Written out, because the processors that this is built for have no instruction that rounds down: a call of the C library for
    /// each of up to 16,000 pixels took most of the time.
    @inline(__always)
    static func pixel(_ place: Double) -> Int32 {
        let bounded = max(-1e6, min(1e6, place))
        let toZero = Int32(bounded)
        return Double(toZero) > bounded ? toZero - 1 : toZero
    }
}
