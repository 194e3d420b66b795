import Testing

@testable import TextSpotting

/// Text beside a line is taken for more of it as far as the line's own ground reaches.
@Suite struct EvenGroundTests {
    /// A text in a box over squares of many levels.
    private func picture(_ text: String, box width: Int, at x: Int = 120, _ y: Int = 60, level: UInt8 = 30) -> Picture {
        var numbers = SeededNumbers(seed: 5)
        var sheet = Sheet(480, 160)
        for row in stride(from: 0, to: 160, by: 6) {
            for column in stride(from: 0, to: 480, by: 6) {
                sheet.fill(
                    Rect(x: Double(column), y: Double(row), width: 6, height: 6),
                    brightness: UInt8.random(in: 0...200, using: &numbers))
            }
        }
        sheet.fill(Rect(x: Double(x - 12), y: Double(y - 10), width: Double(width), height: 41), brightness: level)
        sheet.draw(text, at: x, y, brightness: level > 128 ? 20 : 220)
        return sheet.picture
    }

    private let known = Sheet.quad(of: "LAP9", at: 120, 60)
    private let whole = Sheet.quad(of: "LAP10", at: 120, 60)

    @Test(arguments: [UInt8(10), 30, 235]) func aLongerTextInABoxIsFoundWhole(level: UInt8) throws {
        let ground = try #require(EvenGround(under: known, in: picture("LAP10", box: 110, level: level)))
        let longer = try #require(ground.extended(isTaken: { _ in false }, isNew: { _ in true }))
        #expect(longer.bounds.minX == known.bounds.minX)
        // The last of a letter's columns is empty.
        #expect(longer.bounds.maxX >= whole.bounds.maxX - Double(Sheet.square))
        #expect(longer.bounds.maxX < 120 - 12 + 110)
    }

    @Test func theEdgeOfABoxIsNoLetter() throws {
        let ground = try #require(EvenGround(under: known, in: picture("LAP9", box: 96)))
        #expect(ground.extended(isTaken: { _ in false }, isNew: { $0.minX > known.bounds.maxX }) == nil)
    }

    @Test func whatStoodThereBeforeOrBelongsToAnotherLineIsNotAdded() throws {
        let ground = try #require(EvenGround(under: known, in: picture("LAP10", box: 110)))
        #expect(ground.extended(isTaken: { _ in false }, isNew: { _ in false }) == nil)
        #expect(ground.extended(isTaken: { _ in true }, isNew: { _ in true }) == nil)
    }

    @Test func aLineWithoutABoxHasNoEvenGround() {
        var sheet = Sheet(showing: picture("", box: 0))
        sheet.draw("LAP10", at: 120, 60)
        #expect(EvenGround(under: known, in: sheet.picture) == nil)
    }

    @Test func aLineAtTheEdgeOfThePictureHasNone() {
        #expect(EvenGround(under: known.moved(by: Point(0, -60)), in: picture("LAP10", box: 110, at: 120, 0)) == nil)
    }
}
