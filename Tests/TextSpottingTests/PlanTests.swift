import Testing

@testable import TextSpotting

@Suite struct TileMaskTests {
    private let grid = TileGrid(width: 100, height: 60, side: 16)

    private func mask(_ tiles: Int...) -> TileMask {
        TileMask(grid: grid, flags: grid.indices.map(tiles.contains))
    }

    @Test func gridsHaveNarrowTilesAtTheirEdges() {
        #expect(grid.columns == 7 && grid.rows == 4 && grid.count == 28)
    }

    @Test func aMaskKnowsItsShare() {
        #expect(mask().isEmpty && mask().share == 0)
        #expect(!mask(3).isEmpty && mask(0, 1, 2, 3, 4, 5, 6).share == 0.25)
        #expect(TileMask.all(of: grid).share == 1)
    }

    @Test(arguments: [
        (Rect(x: 0, y: 0, width: 15, height: 15), false), (Rect(x: 0, y: 0, width: 16, height: 16), false),
        (Rect(x: 0, y: 0, width: 16.5, height: 5), true), (Rect(x: 20, y: 4, width: 1, height: 1), true),
        (Rect(x: 31.9, y: 15.9, width: 50, height: 30), true), (Rect(x: 32, y: 0, width: 50, height: 60), false),
        (Rect(x: 16, y: 16, width: 16, height: 16), false), (Rect(x: -50, y: -50, width: 300, height: 300), true),
        (Rect(x: -50, y: -50, width: 40, height: 40), false), (Rect(x: 20, y: 4, width: 0, height: 10), false),
        (Rect(x: 500, y: 4, width: 10, height: 10), false),
    ])
    func whatATileTouches(rect: Rect, touches: Bool) {
        #expect(mask(1).intersects(rect) == touches)
    }

    /// Against looking at every pixel.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func touchingIsAsPixelsSay(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let flags = grid.indices.map { _ in Int.random(in: 0..<4, using: &numbers) == 0 }
        let mask = TileMask(grid: grid, flags: flags)
        let (x, y) = (Int.random(in: -10..<100, using: &numbers), Int.random(in: -10..<60, using: &numbers))
        let (width, height) = (Int.random(in: 1..<50, using: &numbers), Int.random(in: 1..<30, using: &numbers))
        var touched = false
        for py in max(0, y)..<max(0, min(60, y + height)) {
            for px in max(0, x)..<max(0, min(100, x + width)) where flags[py / 16 * 7 + px / 16] { touched = true }
        }
        #expect(
            mask.intersects(Rect(x: Double(x), y: Double(y), width: Double(width), height: Double(height))) == touched)
    }

    @Test func rowsOfTilesMakeRanges() {
        #expect(mask().rowRanges.isEmpty)
        #expect(mask(8, 15, 27).rowRanges == [16...60])
        #expect(mask(0, 22).rowRanges == [0...16, 48...60])
        #expect(TileMask.all(of: grid).rowRanges == [0...60])
    }
}

@Suite struct ReadingPlanTests {
    private let picture = Picture(
        format: .luma, width: 1280, height: 720, bytes: [UInt8](repeating: 0, count: 1280 * 720))
    private let grid = TileGrid(width: 640, height: 360, side: 16)

    /// - Parameter rows: of tiles, in the thumbnail.
    private func plan(rows: Range<Int>..., columns: Range<Int> = 3..<5) -> ReadingPlan {
        var flags = [Bool](repeating: false, count: grid.count)
        for row in rows.joined() { for column in columns { flags[row * grid.columns + column] = true } }
        return ReadingPlan(for: picture, changed: TileMask(grid: grid, flags: flags))
    }

    @Test func oneChangedRowIsOneBand() throws {
        let bands = try #require(plan(rows: 10..<11).bands)
        #expect(bands.count == 1)
        #expect(bands[0].x == 0 && bands[0].width == 1280 && bands[0].height == 180)
        // Tile row 10 is from 320 to 352 in the picture.
        #expect(bands[0].minY <= 320 - 30 && bands[0].maxY >= 352 + 30)
    }

    @Test func bandsStayInThePicture() throws {
        for row in 0..<grid.rows {
            for band in try #require(plan(rows: row..<row + 1).bands) {
                #expect(band.minY >= 0 && band.maxY <= 720 && band.height == 180)
                #expect(band.minY <= Double(32 * row) && band.maxY >= min(720, Double(32 * row + 32)))
            }
        }
    }

    /// Large digits on a display: a part of them in a band looks like no text.
    @Test(arguments: [(260.0, 100.0, true), (200, 100, false), (100, 400, false), (500, 60, true)])
    func aBandThatWouldCutAKnownLineIsTheWhole(top: Double, height: Double, isBand: Bool) {
        let line = Quad(Rect(x: 40, y: top, width: 600, height: height))
        let bands = plan(rows: 10..<11).holding([line], in: picture).bands
        #expect((bands != nil) == isBand)
    }

    @Test func twoPlacesAreTwoBandsAndThreeAreTheWhole() {
        #expect(plan(rows: 1..<2, 20..<21).bands?.count == 2)
        #expect(plan(rows: 1..<2, 10..<11, 20..<21).bands == nil)
        #expect(plan(rows: 2..<9).bands == nil)
        #expect(plan(rows: 0..<23, columns: 0..<40).bands == nil)
    }

    @Test func whatATileTouchesHasChanged() {
        let plan = plan(rows: 10..<11)
        func quad(_ x: Double, _ y: Double) -> Quad { Quad(Rect(x: x, y: y, width: 40, height: 20)) }
        #expect(plan.isChanged(quad(100, 330)))
        #expect(plan.isChanged(quad(60, 330)))
        #expect(!plan.isChanged(quad(50, 330)))
        #expect(!plan.isChanged(quad(100, 353)))
    }

    @Test func aLineOverABandsEdgeIsCutButNotOneAtThePicturesEdge() {
        let plan = plan(rows: 0..<1)
        let band = Rect(x: 0, y: 0, width: 1280, height: 180)
        #expect(!plan.isCut(Quad(Rect(x: 10, y: 0, width: 90, height: 20)), by: band, in: picture))
        #expect(plan.isCut(Quad(Rect(x: 10, y: 160, width: 90, height: 20)), by: band, in: picture))
        #expect(!plan.isCut(Quad(Rect(x: 10, y: 100, width: 90, height: 20)), by: band, in: picture))
    }
}
