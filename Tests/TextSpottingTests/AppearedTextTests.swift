import Testing

@testable import TextSpotting

/// What appears on a rough ground that stands still is read without that ground.
@Suite struct AppearedTextTests {
    private static let (width, height) = (480, 240)
    private static let word = "SIGN7"

    /// Blocks of four pixels of any brightness up to that of the letters.
    private func roughGround(_ seed: UInt64) -> Picture {
        var numbers = SeededNumbers(seed: seed)
        let columns = Self.width / 4
        let blocks = (0..<columns * Self.height / 4).map { _ in UInt8.random(in: 0...200, using: &numbers) }
        let bytes = (0..<Self.width * Self.height).map { blocks[$0 / Self.width / 4 * columns + $0 % Self.width / 4] }
        return Picture(format: .luma, width: Self.width, height: Self.height, bytes: bytes)
    }

    private func showing(_ text: String, at place: (x: Int, y: Int), on ground: Picture) -> Picture {
        var sheet = Sheet(showing: ground)
        sheet.draw(text, at: place.x, place.y, brightness: 255)
        return sheet.picture
    }

    private func place(_ seed: UInt64) -> (x: Int, y: Int) {
        var numbers = SeededNumbers(seed: seed &+ 100)
        return (Int.random(in: 20...340, using: &numbers), Int.random(in: 20...190, using: &numbers))
    }

    private func bounds(at place: (x: Int, y: Int)) -> Rect { Sheet.quad(of: Self.word, at: place.x, place.y).bounds }

    @Test(arguments: Array<UInt64>(1...8)) func onlyWhatAppearedIsShown(seed: UInt64) throws {
        let (ground, place) = (roughGround(seed), place(seed))
        let now = showing(Self.word, at: place, on: ground)
        let appeared = try #require(AppearedText(in: now, over: ground, at: [bounds(at: place).grown(by: 8)]))
        let alone = showing(Self.word, at: place, on: Picture.even(0, Self.width, Self.height))
        // Where the letters were drawn they are brighter than everything else in the picture.
        let (letters, others) = alone.bytes.indices.reduce(into: (255, 0)) { found, at in
            if alone.bytes[at] > 0 {
                found.0 = min(found.0, Int(appeared.picture.bytes[at]))
            } else {
                found.1 = max(found.1, Int(appeared.picture.bytes[at]))
            }
        }
        #expect(letters == 255 && others < 16)
    }

    /// A text that disappeared, and a thing that moved, changed their places as much as a text that appeared.
    @Test(arguments: Array<UInt64>(1...8)) func whatDisappearsOrMovesIsNotShown(seed: UInt64) {
        let (ground, place) = (roughGround(seed), place(seed))
        let now = showing(Self.word, at: place, on: ground)
        let around = bounds(at: place).grown(by: 30)
        #expect(AppearedText(in: ground, over: now, at: [around]) == nil)
        let moved = showing(Self.word, at: (place.x + 9, place.y + 6), on: ground)
        #expect(AppearedText(in: moved, over: now, at: [around]) == nil)
        #expect(AppearedText(in: now, over: now, at: [around]) == nil)
    }

    @Test func onACalmGroundThePictureIsEnough() {
        let ground = Picture.even(90, Self.width, Self.height)
        let now = showing(Self.word, at: (40, 40), on: ground)
        #expect(AppearedText(in: now, over: ground, at: [bounds(at: (40, 40)).grown(by: 8)]) == nil)
    }

    @Test func placesOutsideOrWithoutSizeShowNothing() {
        let ground = roughGround(1)
        let now = showing(Self.word, at: (40, 40), on: ground)
        let odd = [
            Rect(x: -50, y: -50, width: 20, height: 20), Rect(x: 40, y: 40, width: 0, height: 5),
            Rect(x: 479, y: 239, width: 90, height: 90), Rect(x: 41.5, y: 40.5, width: 0.4, height: 0.4),
        ]
        #expect(AppearedText(in: now, over: ground, at: odd) == nil)
        #expect(AppearedText(in: now, over: Picture.even(0, 10, 10), at: [now.bounds]) == nil)
    }

    /// Texts that follow each other at one place, with or without the bare ground in between, each with its own frames.
    @Test(arguments: Array<UInt64>(1...6)) func textsOnARoughGroundAreReadOneAfterTheOther(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let (ground, place) = (roughGround(seed), place(seed))
        let reader = SheetReader.reader()
        let grid = TileGrid(width: Self.width, height: Self.height, side: 16)
        var (tracker, last) = (TextTracker(), ground)
        var text: String?
        for index in 0..<24 {
            if index > 0 {
                text =
                    Int.random(in: 0..<3, using: &numbers) == 0
                    ? nil : String((0..<5).map { _ in SheetReader.letters.randomElement(using: &numbers) ?? "A" })
            }
            let now = text.map { showing($0, at: place, on: ground) } ?? ground
            for isThorough in index > 0 ? [false, true] : [true] {
                let changed = TileMask(grid: grid, flags: grid.differences(now, last).map { $0 > 0.5 })
                let before = tracker
                tracker = try await reader.read(
                    now, at: frameTime(10 * index + (isThorough ? 1 : 0)),
                    after: PreviousReading(changed: isThorough ? nil : changed) { before })
                // The whole picture looks like one long line of what is no letter.
                let read = tracker.lines.map(\.text).filter { !$0.contains("?") }
                #expect(read == [text].compactMap { $0 }, "step \(index), \(isThorough ? "all" : "changes") read")
                last = now
            }
        }
    }
}

extension Picture {
    fileprivate static func even(_ level: UInt8, _ width: Int, _ height: Int) -> Picture {
        Picture(format: .luma, width: width, height: height, bytes: [UInt8](repeating: level, count: width * height))
    }
}
