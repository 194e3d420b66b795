import Testing

@testable import TextSpotting

/// The state that is kept from frame to frame equals the result of a new comparison.
@Suite struct ReferenceComparisonTests {
    private let grid = TileGrid(width: 330, height: 100, side: 16)

    /// Some of the tiles of `picture` changed, each a little or altogether.
    private func changed(_ picture: Picture, _ numbers: inout SeededNumbers) -> Picture {
        var result = picture
        for tile in grid.indices where Int.random(in: 0..<4, using: &numbers) == 0 {
            let (left, top) = (tile % grid.columns * grid.side, tile / grid.columns * grid.side)
            let step = UInt8.random(in: 1...40, using: &numbers)
            for y in top..<min(grid.height, top + grid.side) {
                for x in left..<min(grid.width, left + grid.side) where (x + y).isMultiple(of: 3) {
                    result.bytes[y * grid.width + x] &+= step
                }
            }
        }
        return result
    }

    @Test func agreesWithComparingAnew() {
        var numbers = SeededNumbers(seed: 12)
        let bytes = (0..<(grid.width * grid.height)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let reference = Picture(format: .luma, width: grid.width, height: grid.height, bytes: bytes)
        var previous = changed(reference, &numbers)
        var kept = ReferenceComparison(previous, with: reference, on: grid)
        for _ in 0..<40 {
            let picture = changed(previous, &numbers)
            kept = kept.advanced(to: picture, with: reference, after: grid.differences(picture, previous))
            var anew = ReferenceComparison(picture, with: reference, on: grid)
            #expect(kept.differences == anew.differences)
            let flags = grid.indices.map { _ in Bool.random(using: &numbers) }
            #expect(
                kept.withoutShimmer(flags, picture, reference) == anew.withoutShimmer(flags, picture, reference))
            previous = picture
        }
    }

    @Test(arguments: [nil, 0, 3, 30])
    func onlyTilesInQuestionAreFoundOutAnew(tile: Int?) {
        let (black, white) = (Sheet(330, 100, background: 0).picture, Sheet(330, 100, background: 255).picture)
        var result = [Float](repeating: -1, count: grid.count)
        grid.update(&result, where: grid.indices.map { $0 == tile }, black, white)
        #expect(result == grid.indices.map { $0 == tile ? 255 : -1 })
    }
}
