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
