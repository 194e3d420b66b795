import Testing
import TextSpotting

@Suite struct TileGridTests {
    /// The definition, pixel by pixel.
    private func naive(_ a: Picture, _ b: Picture, side: Int) -> [Float] {
        let columns = (a.width + side - 1) / side
        let rows = (a.height + side - 1) / side
        var sums = [Int](repeating: 0, count: columns * rows)
        var areas = sums
        for y in 0..<a.height {
            for x in 0..<a.width {
                let tile = y / side * columns + x / side
                sums[tile] += abs(Int(a.bytes[y * a.width + x]) - Int(b.bytes[y * a.width + x]))
                areas[tile] += 1
            }
        }
        return zip(sums, areas).map { Float($0) / Float($1) }
    }

    private func noise(_ width: Int, _ height: Int, seed: UInt64) -> Picture {
        var numbers = SeededNumbers(seed: seed)
        let bytes = (0..<(width * height)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        return Picture(format: .luma, width: width, height: height, bytes: bytes)
    }

    @Test(
        arguments: [(1, 1), (16, 16), (17, 15), (33, 47), (64, 32), (101, 3), (3, 101), (255, 130), (322, 181)],
        [1, 7, 16, 40])
    func agreesWithTheDefinition(size: (Int, Int), side: Int) {
        let a = noise(size.0, size.1, seed: 1)
        let b = noise(size.0, size.1, seed: 2)
        let grid = TileGrid(width: size.0, height: size.1, side: side)
        #expect(grid.differences(a, b) == naive(a, b, side: side))
        #expect(grid.differences(a, a).allSatisfy { $0 == 0 })
        #expect(grid.count == grid.columns * grid.rows)
    }

    @Test func extremesDoNotOverflow() {
        let black = Sheet(1280, 720, background: 0).picture
        let white = Sheet(1280, 720, background: 255).picture
        let grid = TileGrid(width: 1280, height: 720, side: 720)
        #expect(grid.differences(black, white) == [255, 255])
        #expect(grid.differences(white, black) == [255, 255])
    }

    @Test func oneChangedPixelChangesItsTileOnly() {
        let before = Sheet(100, 70).picture
        for (x, y) in [(0, 0), (99, 69), (15, 16), (16, 15), (50, 33)] {
            var after = before
            after.bytes[y * 100 + x] &+= 64
            let grid = TileGrid(width: 100, height: 70, side: 16)
            let changed = grid.differences(before, after).enumerated().filter { $0.element > 0 }.map(\.offset)
            #expect(changed == [y / 16 * grid.columns + x / 16])
        }
    }

    @Test func aSideBelowOneIsOne() {
        #expect(TileGrid(width: 3, height: 2, side: 0).count == 6)
        #expect(TileGrid(width: 3, height: 2, side: -5).side == 1)
    }
}
