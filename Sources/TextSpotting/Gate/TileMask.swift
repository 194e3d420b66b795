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
