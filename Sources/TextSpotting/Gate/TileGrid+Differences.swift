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
