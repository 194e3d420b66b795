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
