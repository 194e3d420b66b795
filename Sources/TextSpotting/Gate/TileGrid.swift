/// A luma picture cut into square tiles: what the change gate compares two pictures by.
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

    /// The mean absolute difference of brightness (0 to 255) in each tile, row by row.
    ///
    /// - Precondition: both are luma pictures of the grid's size.
    public func differences(_ a: Picture, _ b: Picture) -> [Float] {
        precondition(a.format == .luma && b.format == .luma)
        precondition(a.width == width && a.height == height && b.width == width && b.height == height)
        var result = [Float](repeating: 0, count: count)
        a.bytes.withUnsafeBufferPointer { pixelsA in
            b.bytes.withUnsafeBufferPointer { pixelsB in
                var sums = [UInt32](repeating: 0, count: columns)
                for row in 0..<rows {
                    let top = row * side
                    let bottom = min(height, top + side)
                    addDifferences(pixelsA, pixelsB, top..<bottom, to: &sums)
                    for column in 0..<columns {
                        let area = (bottom - top) * (min(width, (column + 1) * side) - column * side)
                        result[row * columns + column] = Float(sums[column]) / Float(area)
                    }
                }
            }
        }
        return result
    }

    /// The sums of absolute differences of each tile in a row of tiles.
    private func addDifferences(
        _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, _ lines: Range<Int>, to sums: inout [UInt32]
    ) {
        // Sixteen sums of 16 bits hold the differences of 257 lines.
        let isNarrow = side == 16 && lines.count <= 257
        for column in 0..<columns {
            let (left, right) = (column * side, min(width, (column + 1) * side))
            if isNarrow, right - left == 16, let startA = a.baseAddress, let startB = b.baseAddress {
                var sixteen = SIMD16<UInt16>(repeating: 0)
                for y in lines {
                    sixteen &+= Self.sixteenDifferences(startA + y * width + left, startB + y * width + left)
                }
                sums[column] = Self.total(sixteen)
            } else {
                var sum: UInt32 = 0
                for y in lines { sum &+= Self.absoluteDifference(a, b, (y * width + left)..<(y * width + right)) }
                sums[column] = sum
            }
        }
    }

    @inline(__always)
    private static func sixteenDifferences(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>) -> SIMD16<UInt16> {
        let x = UnsafeRawPointer(a).loadUnaligned(as: SIMD16<UInt8>.self)
        let y = UnsafeRawPointer(b).loadUnaligned(as: SIMD16<UInt8>.self)
        let larger = x.replacing(with: y, where: x .< y)
        let smaller = y.replacing(with: x, where: x .< y)
        return SIMD16<UInt16>(truncatingIfNeeded: larger &- smaller)
    }

    @inline(__always)
    private static func total(_ sums: SIMD16<UInt16>) -> UInt32 {
        SIMD16<UInt32>(truncatingIfNeeded: sums).wrappedSum()
    }

    /// The same between two pictures that are displaced: the tile at `(x, y)` is compared as `a` has it at `(x, y)` moved
    /// by `offsetA` and `b` moved by `offsetB`; nil for tiles of which either lies partly outside.
    ///
    /// - Precondition: both are luma pictures of the grid's size.
    func differences(_ a: Picture, _ offsetA: Displacement, _ b: Picture, _ offsetB: Displacement) -> [Float?] {
        precondition(a.bytes.count == width * height && b.bytes.count == width * height)
        var result = [Float?](repeating: nil, count: count)
        a.bytes.withUnsafeBufferPointer { pixelsA in
            b.bytes.withUnsafeBufferPointer { pixelsB in
                for tile in indices {
                    let (left, top) = (tile % columns * side, tile / columns * side)
                    let (right, bottom) = (min(width, left + side), min(height, top + side))
                    guard left + min(offsetA.dx, offsetB.dx) >= 0, right + max(offsetA.dx, offsetB.dx) <= width,
                        top + min(offsetA.dy, offsetB.dy) >= 0, bottom + max(offsetA.dy, offsetB.dy) <= height
                    else { continue }
                    var sum: UInt32 = 0
                    for y in top..<bottom {
                        let rowA = (y + offsetA.dy) * width + left + offsetA.dx
                        let rowB = (y + offsetB.dy) * width + left + offsetB.dx
                        sum &+= Self.absoluteDifference(
                            UnsafeBufferPointer(rebasing: pixelsA[rowA..<(rowA + right - left)]),
                            UnsafeBufferPointer(rebasing: pixelsB[rowB..<(rowB + right - left)]), 0..<(right - left))
                    }
                    result[tile] = Float(sum) / Float((right - left) * (bottom - top))
                }
            }
        }
        return result
    }

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

    /// The sum of absolute differences of a run of pixels, sixteen at a time.
    @inline(__always)
    private static func absoluteDifference(
        _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> UInt32 {
        guard let startA = a.baseAddress, let startB = b.baseAddress else { return 0 }
        var index = range.lowerBound
        var sum: UInt32 = 0
        while index + 16 <= range.upperBound {
            sum &+= UInt32(sixteenDifferences(startA + index, startB + index).wrappedSum())
            index += 16
        }
        while index < range.upperBound {
            sum &+= UInt32(a[index] > b[index] ? a[index] - b[index] : b[index] - a[index])
            index += 1
        }
        return sum
    }
}
