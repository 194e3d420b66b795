/// Sees faint text come and go on flat grounds, which ``TileGrid/isAlike(_:_:_:)`` takes for nothing: the levels of a
/// tile changed unevenly, and now it stands still.
///
/// Grain and a camera's noise change tiles in the same way, and an encoder lets them stand still in between. But they do
/// so again and again, while text comes to a place that rested before. A value that takes one frame after the other.
struct FaintChanges: Sendable {
    /// For each tile, a measure of how often it changed in the last seconds.
    private var restless: [UInt8]

    /// The mean difference of two frames up to which a tile stands still, in gray levels.
    private static let still: Float = 1
    /// The variance of the change from which a flat tile shows something else: a deviation of three levels. Letters of
    /// some 20 pixels make that if they are eight levels from their ground.
    private static let uneven = 9.0
    /// The amount that a change adds to ``restless``. Each frame subtracts 1, so a change counts for a second or more.
    private static let change: UInt8 = 32
    /// The largest measure; there is room for one more change above it.
    private static let mostRestless: UInt8 = 192
    /// The measure up to which a place may have rested: three changes.
    private static let rested: UInt8 = 96

    init(count: Int = 0) { restless = [UInt8](repeating: 0, count: count) }

    /// Takes the next frame and adds the tiles in which faint text came or went.
    ///
    /// - Parameters:
    ///   - flags: the tiles that changed otherwise.
    ///   - different: the tiles that differ from `reference` by more than noise explains; only these are examined.
    ///   - steps: the mean difference of each tile from the frame before, in gray levels.
    /// - Precondition: both are luma pictures of the grid's size, and there is a value for each tile.
    mutating func add(
        to flags: inout [Bool], of grid: TileGrid, among different: [Bool], after steps: [Float], _ picture: Picture,
        _ reference: Picture
    ) {
        for tile in grid.indices {
            let moves = steps[tile] > Self.still
            restless[tile] =
                moves
                ? min(Self.mostRestless, restless[tile] + Self.change)
                : restless[tile] - min(1, restless[tile])
        }
        picture.bytes.withUnsafeBufferPointer { now in
            reference.bytes.withUnsafeBufferPointer { before in
                for tile in grid.indices
                where different[tile] && !flags[tile] && steps[tile] <= Self.still && hasRested(around: tile, grid) {
                    flags[tile] = grid.isFlatChange(tile, now, before, from: Self.uneven)
                }
            }
        }
    }

    /// Returns whether a tile and those around it rested before: grain covers an area.
    private func hasRested(around tile: Int, _ grid: TileGrid) -> Bool {
        let (row, column) = (tile / grid.columns, tile % grid.columns)
        return (max(0, row - 1)...min(grid.rows - 1, row + 1)).allSatisfy { y in
            (max(0, column - 1)...min(grid.columns - 1, column + 1)).allSatisfy { x in
                restless[y * grid.columns + x] <= Self.rested
            }
        }
    }
}
