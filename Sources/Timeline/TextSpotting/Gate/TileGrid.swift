/// A luma picture cut into square tiles, by which the change gate compares two pictures.
///
/// Tiles at the right and bottom edge may be narrower. A value without state beyond the sizes; thread-safe.
public struct TileGrid: Hashable, Sendable {
    /// Size of the pictures, in pixels.
    public let width: Int
    public let height: Int
    /// Side of a tile, in pixels.
    public let side: Int

    public let columns: Int
    public let rows: Int

    public init(width: Int, height: Int, side: Int) {
        self.width = width
        self.height = height
        self.side = max(1, side)
        columns = (width + self.side - 1) / self.side
        rows = (height + self.side - 1) / self.side
    }

    public var count: Int { columns * rows }
    /// The tiles' numbers, row by row.
    public var indices: Range<Int> { 0..<count }

    /// Copies the tiles that are flagged.
    ///
    /// - Precondition: both are luma pictures of the grid's size; a flag for each tile.
    func copy(_ flags: [Bool], from source: Picture, into target: inout Picture) {
        precondition(source.bytes.count == width * height && target.bytes.count == width * height)
        for tile in indices where flags[tile] {
            let left = tile % columns * side
            let right = min(width, left + side)
            let top = tile / columns * side
            for y in top..<min(height, top + side) {
                let row = (y * width + left)..<(y * width + right)
                target.bytes.replaceSubrange(row, with: source.bytes[row])
            }
        }
    }
}

/// Some of the tiles of a ``TileGrid``: those that changed, say.
public struct TileMask: Sendable, Hashable {
    public let grid: TileGrid
    /// One for each tile, row by row.
    public private(set) var flags: [Bool]

    /// - Precondition: one flag a tile.
    public init(grid: TileGrid, flags: [Bool]) {
        precondition(flags.count == grid.count, "a mask has a flag for each tile")
        self.grid = grid
        self.flags = flags
    }

    public static func all(of grid: TileGrid) -> TileMask {
        TileMask(grid: grid, flags: [Bool](repeating: true, count: grid.count))
    }

    public var isEmpty: Bool { !flags.contains(true) }

    /// The share of the tiles that are in the mask, 0 to 1.
    public var share: Double { flags.isEmpty ? 0 : Double(flags.count { $0 }) / Double(flags.count) }

    /// Whether a tile of the mask has a pixel in `rect`, which is in pixels of the grid's picture.
    public func intersects(_ rect: Rect) -> Bool {
        let side = Double(grid.side)
        guard !rect.isEmpty, rect.maxX > 0, rect.maxY > 0 else { return false }
        func tiles(_ from: Double, _ to: Double, _ count: Int) -> Range<Int> {
            let first = min(count, Int(max(0, from / side)))
            return first..<max(first, min(count, Int((to / side).rounded(.up))))
        }
        for row in tiles(rect.minY, rect.maxY, grid.rows) {
            let begin = row * grid.columns
            if tiles(rect.minX, rect.maxX, grid.columns).contains(where: { flags[begin + $0] }) { return true }
        }
        return false
    }

    /// From where to where down the picture there are tiles of the mask, in pixels of the grid's picture, top first; one
    /// range for each run of rows.
    public var rowRanges: [ClosedRange<Double>] {
        var ranges: [ClosedRange<Double>] = []
        var first: Int?
        for row in 0...grid.rows {
            let isMarked = row < grid.rows && flags[(row * grid.columns)..<((row + 1) * grid.columns)].contains(true)
            if isMarked {
                first = first ?? row
            } else if let begin = first {
                ranges.append(Double(begin * grid.side)...Double(min(grid.height, row * grid.side)))
                first = nil
            }
        }
        return ranges
    }
}

/// The differences between a thumbnail and the one that was last read, tile by tile.
///
/// Most tiles are unchanged since the frame before: their results are kept, not computed again.
struct ReferenceComparison: Sendable {
    private let grid: TileGrid
    /// The mean absolute difference of each tile, in gray levels.
    private(set) var differences: [Float]
    /// Whether each tile only shimmers; nil until it is computed.
    private var shimmers: [Bool?]

    /// - Precondition: both are luma pictures of the grid's size.
    init(_ picture: Picture, with reference: Picture, on grid: TileGrid) {
        self.grid = grid
        differences = grid.differences(picture, reference)
        shimmers = [Bool?](repeating: nil, count: grid.count)
    }

    /// The same for another picture, held against the same reference.
    ///
    /// - Parameter steps: how much each of its tiles differs from the picture that this is about.
    func advanced(to picture: Picture, with reference: Picture, after steps: [Float]) -> ReferenceComparison {
        var next = self
        let isOther = steps.map { $0 > 0 }
        grid.update(&next.differences, where: isOther, picture, reference)
        for tile in grid.indices where isOther[tile] { next.shimmers[tile] = nil }
        return next
    }

    /// The flagged tiles without those that only shimmer (``TileGrid/isAlike(_:_:_:)``).
    ///
    /// - Precondition: the two pictures that this is about; a flag for each tile.
    mutating func withoutShimmer(_ flags: [Bool], _ picture: Picture, _ reference: Picture) -> [Bool] {
        var result = flags
        picture.bytes.withUnsafeBufferPointer { now in
            reference.bytes.withUnsafeBufferPointer { before in
                for tile in grid.indices where flags[tile] {
                    let isAlike = shimmers[tile] ?? grid.isAlike(tile, now, before)
                    shimmers[tile] = isAlike
                    result[tile] = !isAlike
                }
            }
        }
        return result
    }
}

extension TileGrid {
    /// The mean absolute difference of brightness (0 to 255) in each tile, row by row.
    ///
    /// - Precondition: both are luma pictures of the grid's size.
    public func differences(_ a: Picture, _ b: Picture) -> [Float] {
        var result = [Float](repeating: 0, count: count)
        update(&result, where: nil, a, b)
        return result
    }

    /// Puts the difference of the tiles that are flagged into `result`, of all if there are no flags.
    ///
    /// - Precondition: both are luma pictures of the grid's size; a value and a flag for each tile.
    func update(_ result: inout [Float], where flags: [Bool]?, _ a: Picture, _ b: Picture) {
        precondition(a.format == .luma && b.format == .luma)
        precondition(a.width == width && a.height == height && b.width == width && b.height == height)
        precondition(result.count == count && flags?.count ?? count == count)
        var sums = [UInt32](repeating: 0, count: columns)
        a.bytes.withUnsafeBufferPointer { pixelsA in
            b.bytes.withUnsafeBufferPointer { pixelsB in
                for row in 0..<rows {
                    let lines = (row * side)..<min(height, (row + 1) * side)
                    var first = 0
                    while let run = nextRun(of: flags, in: row, from: first) {
                        sum(pixelsA, b: pixelsB, lines: lines, run: run, into: &sums)
                        for column in run {
                            let area = lines.count * (min(width, (column + 1) * side) - column * side)
                            result[row * columns + column] = Float(sums[column]) / Float(area)
                        }
                        first = run.upperBound
                    }
                }
            }
        }
    }

    /// The next columns of a row that are flagged, side by side.
    private func nextRun(of flags: [Bool]?, in row: Int, from column: Int) -> Range<Int>? {
        guard let flags else { return column == 0 ? 0..<columns : nil }
        var first = column
        while first < columns, !flags[row * columns + first] { first += 1 }
        guard first < columns else { return nil }
        var end = first + 1
        while end < columns, flags[row * columns + end] { end += 1 }
        return first..<end
    }

    /// The sums of absolute differences of some tiles side by side.
    private func sum(
        _ a: UnsafeBufferPointer<UInt8>, b: UnsafeBufferPointer<UInt8>, lines: Range<Int>, run: Range<Int>,
        into sums: inout [UInt32]
    ) {
        guard let startA = a.baseAddress, let startB = b.baseAddress else { return }
        // Eight sums of 16 bits hold the differences of 128 lines of sixteen pixels.
        let whole = side == 16 && lines.count <= 128 ? run.clamped(to: 0..<(width / 16)) : 0..<0
        Self.sumSixteens(startA, b: startB, width: width, lines: lines, run: whole, into: &sums)
        for column in run where !whole.contains(column) {
            let (left, right) = (column * side, min(width, (column + 1) * side))
            sums[column] = Self.sumAny(startA + left, b: startB + left, width: width, lines: lines, count: right - left)
        }
    }

    /// Line by line, as the pixels lie in memory, with the sums of each tile kept beside.
    private static func sumSixteens(
        _ a: UnsafePointer<UInt8>, b: UnsafePointer<UInt8>, width: Int, lines: Range<Int>, run: Range<Int>,
        into sums: inout [UInt32]
    ) {
        withUnsafeTemporaryAllocation(of: SIMD8<UInt16>.self, capacity: max(1, run.count)) { eights in
            guard let eights = eights.baseAddress else { return }
            for column in 0..<run.count { eights[column] = .zero }
            for y in lines {
                let (x, z) = (a + (y &* width &+ run.lowerBound &* 16), b + (y &* width &+ run.lowerBound &* 16))
                for column in 0..<run.count {
                    eights[column] &+= eightDifferences(x + column &* 16, z + column &* 16)
                }
            }
            for column in 0..<run.count { sums[run.lowerBound + column] = total(eights[column]) }
        }
    }

    private static func sumAny(
        _ a: UnsafePointer<UInt8>, b: UnsafePointer<UInt8>, width: Int, lines: Range<Int>, count: Int
    ) -> UInt32 {
        var sum: UInt32 = 0
        for y in lines {
            let (x, z) = (a + y &* width, b + y &* width)
            for at in 0..<count { sum &+= UInt32(x[at] > z[at] ? x[at] &- z[at] : z[at] &- x[at]) }
        }
        return sum
    }

    /// The absolute differences of sixteen pixels, added up two by two.
    @inline(__always)
    private static func eightDifferences(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>) -> SIMD8<UInt16> {
        let x = UnsafeRawPointer(a).loadUnaligned(as: SIMD16<UInt8>.self)
        let y = UnsafeRawPointer(b).loadUnaligned(as: SIMD16<UInt8>.self)
        let larger = x.replacing(with: y, where: x .< y)
        let smaller = y.replacing(with: x, where: x .< y)
        let pairs = unsafeBitCast(larger &- smaller, to: SIMD8<UInt16>.self)
        return (pairs & 255) &+ (pairs &>> 8)
    }

    @inline(__always)
    private static func total(_ sums: SIMD8<UInt16>) -> UInt32 {
        SIMD8<UInt32>(truncatingIfNeeded: sums).wrappedSum()
    }

    /// The same between two pictures that are displaced: the tile at `(x, y)` is compared as `a` has it at `(x, y)` moved
    /// by `offsetA` and `b` moved by `offsetB`; nil for tiles of which either lies partly outside.
    ///
    /// - Precondition: both are luma pictures of the grid's size.
    func differences(_ a: Picture, offsetA: Displacement, b: Picture, offsetB: Displacement) -> [Float?] {
        precondition(a.bytes.count == width * height && b.bytes.count == width * height)
        var result = [Float?](repeating: nil, count: count)
        a.bytes.withUnsafeBufferPointer { pixelsA in
            b.bytes.withUnsafeBufferPointer { pixelsB in
                guard let startA = pixelsA.baseAddress, let startB = pixelsB.baseAddress else { return }
                for tile in indices {
                    let (left, top) = (tile % columns * side, tile / columns * side)
                    let (right, bottom) = (min(width, left + side), min(height, top + side))
                    guard left + min(offsetA.dx, offsetB.dx) >= 0, right + max(offsetA.dx, offsetB.dx) <= width,
                        top + min(offsetA.dy, offsetB.dy) >= 0, bottom + max(offsetA.dy, offsetB.dy) <= height
                    else { continue }
                    let sum = Self.sumOne(
                        startA + ((top + offsetA.dy) * width + left + offsetA.dx),
                        b: startB + ((top + offsetB.dy) * width + left + offsetB.dx), width: width, lines: bottom - top,
                        count: right - left)
                    result[tile] = Float(sum) / Float((right - left) * (bottom - top))
                }
            }
        }
        return result
    }

    private static func sumOne(
        _ a: UnsafePointer<UInt8>, b: UnsafePointer<UInt8>, width: Int, lines: Int, count: Int
    ) -> UInt32 {
        guard count == 16, lines <= 128 else { return sumAny(a, b: b, width: width, lines: 0..<lines, count: count) }
        var eights = SIMD8<UInt16>.zero
        for y in 0..<lines { eights &+= eightDifferences(a + y &* width, b + y &* width) }
        return total(eights)
    }
}

extension TileGrid {
    /// Whether a tile only shimmers: brighter or darker, sharper or softer, but showing the same.
    ///
    /// An encoder that lets a still picture go soft and sharpens it again changes letters by ten levels and more, and so
    /// does a camera that adjusts its exposure; the correlation with what was there stays near 1 all the while. One
    /// letter replaced among three brings it down to some 0.85. Tiles that are flat before and after show no text.
    /// - Precondition: both are the bytes of luma pictures of the grid's size.
    func isAlike(_ tile: Int, _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        let (left, top) = (tile % columns * side, tile / columns * side)
        let (lines, across) = (min(height, top + side) - top, min(width, left + side) - left)
        precondition(a.count == width * height && b.count == width * height)
        guard let startA = a.baseAddress, let startB = b.baseAddress else { return true }
        let (sumA, sumB, squaresA, squaresB, products) = Self.sums(
            startA + (top * width + left), b: startB + (top * width + left), width: width, lines: lines, count: across)
        let count = lines * across
        // All three times the count squared, which cancels below.
        let varianceA = Double(squaresA * count - sumA * sumA)
        let varianceB = Double(squaresB * count - sumB * sumB)
        let covariance = Double(products * count - sumA * sumB)
        let flat = Self.flat * Double(count * count)
        if varianceA < flat && varianceB < flat { return abs(sumA - sumB) < Self.flatChange * count }
        guard varianceA >= flat, varianceB >= flat else { return false }
        let gain = varianceB / varianceA
        guard gain > Self.leastGain && gain < 1 / Self.leastGain else { return false }
        return covariance >= Self.alike * (varianceA * varianceB).squareRoot()
    }

    /// The sums of two tiles' pixels, of their squares and of their products.
    private static func sums(
        _ a: UnsafePointer<UInt8>, b: UnsafePointer<UInt8>, width: Int, lines: Int, count: Int
    ) -> (Int, Int, Int, Int, Int) {
        // In 16 bits there is room for 128 lines.
        guard count == 16, lines <= 128 else {
            return sumsOfAny(a, b: b, width: width, lines: lines, count: count)
        }
        var (sumA, sumB) = (SIMD16<UInt16>.zero, SIMD16<UInt16>.zero)
        var (squaresA, squaresB, products) = (SplitSum(), SplitSum(), SplitSum())
        for line in 0..<lines {
            let (p, q) = (UnsafeRawPointer(a + line &* width), UnsafeRawPointer(b + line &* width))
            let x = SIMD16<UInt16>(truncatingIfNeeded: p.loadUnaligned(as: SIMD16<UInt8>.self))
            let y = SIMD16<UInt16>(truncatingIfNeeded: q.loadUnaligned(as: SIMD16<UInt8>.self))
            sumA &+= x
            sumB &+= y
            squaresA.add(x &* x)
            squaresB.add(y &* y)
            products.add(x &* y)
        }
        return (
            Int(SIMD16<UInt32>(truncatingIfNeeded: sumA).wrappedSum()),
            Int(SIMD16<UInt32>(truncatingIfNeeded: sumB).wrappedSum()), squaresA.total, squaresB.total, products.total
        )
    }

    /// Adds up products of two bytes in numbers of 16 bits, of which a processor does twice as many at a time as of 32: their lower and
    /// their upper halves apart.
    private struct SplitSum {
        private var lower = SIMD16<UInt16>.zero
        private var upper = SIMD16<UInt16>.zero

        @inline(__always)
        mutating func add(_ products: SIMD16<UInt16>) {
            lower &+= products & 255
            upper &+= products &>> 8
        }

        var total: Int {
            Int(SIMD16<UInt32>(truncatingIfNeeded: lower).wrappedSum())
                + 256 * Int(SIMD16<UInt32>(truncatingIfNeeded: upper).wrappedSum())
        }
    }

    /// The same of tiles of any size, a line at a time so that 32 bits hold each.
    private static func sumsOfAny(
        _ a: UnsafePointer<UInt8>, b: UnsafePointer<UInt8>, width: Int, lines: Int, count: Int
    ) -> (Int, Int, Int, Int, Int) {
        var total = (0, 0, 0, 0, 0)
        for line in 0..<lines {
            let (p, q) = (a + line &* width, b + line &* width)
            var sums: (UInt32, UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0, 0)
            for at in 0..<count {
                let (x, y) = (UInt32(p[at]), UInt32(q[at]))
                sums.0 &+= x
                sums.1 &+= y
                sums.2 &+= x &* x
                sums.3 &+= y &* y
                sums.4 &+= x &* y
            }
            total.0 &+= Int(sums.0)
            total.1 &+= Int(sums.1)
            total.2 &+= Int(sums.2)
            total.3 &+= Int(sums.3)
            total.4 &+= Int(sums.4)
        }
        return total
    }

    /// Correlation from which on a tile shows the same.
    private static let alike = 0.95
    /// Ratio of variances up to which contrast only shimmers: a tenth of the contrast. A slow fade passes it again and again.
    private static let leastGain = 0.81
    /// Variance below which a tile shows nothing: a deviation of six levels.
    private static let flat = 36.0
    /// A flat tile that changes by more levels is another surface.
    private static let flatChange = 12
}
