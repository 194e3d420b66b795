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
