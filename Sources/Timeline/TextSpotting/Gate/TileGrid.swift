/// A luma picture cut into square tiles, the unit in which the change gate compares two pictures.
///
/// Tiles at the right and bottom edges may be narrower. An immutable value; thread-safe.
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

    /// Copies the flagged tiles.
    ///
    /// - Precondition: both are luma pictures of the grid's size, and there is a flag for each tile.
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

/// A subset of the tiles of a ``TileGrid``, such as those that changed.
public struct TileMask: Sendable, Hashable {
    public let grid: TileGrid
    /// The flags, one for each tile, row by row.
    public private(set) var flags: [Bool]

    /// - Precondition: there is one flag for each tile.
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

    /// Returns whether a tile of the mask has a pixel in `rect`, in pixels of the grid's picture.
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

    /// The vertical ranges that tiles of the mask cover, in pixels of the grid's picture, from the top down; one range
    /// for each run of rows.
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
/// Most tiles have not changed since the frame before: their results are kept rather than computed again.
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

    /// Returns the comparison of another picture with the same reference.
    ///
    /// - Parameter steps: the difference of each tile from the picture of this comparison.
    func advanced(to picture: Picture, with reference: Picture, after steps: [Float]) -> ReferenceComparison {
        var next = self
        let isOther = steps.map { $0 > 0 }
        grid.update(&next.differences, where: isOther, picture, reference)
        for tile in grid.indices where isOther[tile] { next.shimmers[tile] = nil }
        return next
    }

    /// Returns the flags without the tiles that only shimmer (``TileGrid/isAlike(_:_:_:)``).
    ///
    /// - Precondition: the two pictures are those of this comparison, and there is a flag for each tile.
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
    /// Returns the mean absolute difference of brightness (0 to 255) in each tile, row by row.
    ///
    /// - Precondition: both are luma pictures of the grid's size.
    public func differences(_ a: Picture, _ b: Picture) -> [Float] {
        var result = [Float](repeating: 0, count: count)
        update(&result, where: nil, a, b)
        return result
    }

    /// Writes the differences of the flagged tiles to `result`, or of all tiles if there are no flags.
    ///
    /// - Precondition: both are luma pictures of the grid's size, and there is a value and a flag for each tile.
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

    /// Returns the next run of adjacent flagged columns in a row.
    private func nextRun(of flags: [Bool]?, in row: Int, from column: Int) -> Range<Int>? {
        guard let flags else { return column == 0 ? 0..<columns : nil }
        var first = column
        while first < columns, !flags[row * columns + first] { first += 1 }
        guard first < columns else { return nil }
        var end = first + 1
        while end < columns, flags[row * columns + end] { end += 1 }
        return first..<end
    }

    /// Returns the sums of absolute differences of several adjacent tiles.
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

    /// Works line by line, in memory order, and keeps the sum of each tile alongside.
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

    /// Returns the absolute differences of sixteen pixels, added up two by two.
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

    /// Returns the difference of each tile between two displaced pictures: the tile at `(x, y)` is compared as `a`
    /// shows it at `(x, y)` moved by `offsetA` and `b` moved by `offsetB`; nil for tiles that lie partly outside either
    /// picture.
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
