import Testing

@testable import TextSpotting

/// A stroke that stands alone on an even ground may be a letter; anything else is for detectors to judge.
@Suite struct LoneMarkTests {
    private static let upright = Rect(x: 300, y: 160, width: 9, height: 40)
    private static let level = Rect(x: 280, y: 180, width: 60, height: 8)

    private func sheet(_ marks: [Rect], ground: UInt8 = 40) -> Sheet {
        var sheet = Sheet(640, 360, background: ground)
        for mark in marks { sheet.fill(mark, brightness: 230) }
        return sheet
    }

    @Test(arguments: [upright, level]) func aStrokeIsReadAsALineAroundIt(mark: Rect) throws {
        for noise in [0, 12] {
            let picture = noise > 0 ? sheet([mark]).noisy(noise, seed: 7) : sheet([mark]).picture
            let found = try #require(picture.places(toRead: []).first?.bounds, "noise \(noise)")
            // What a detector makes of it is replaced.
            #expect(picture.places(toRead: [Quad(mark.grown(by: 3))]).map(\.bounds) == [found])
            #expect((found.center - mark.center).length < 2)
            #expect(found.height > 1.2 * max(mark.width, mark.height) && found.width > found.height)
        }
    }

    @Test(
        arguments: [
            ("nothing", []), ("a speck", [Rect(x: 300, y: 160, width: 2, height: 9)]),
            ("a cursor", [Rect(x: 300, y: 160, width: 2, height: 40)]),
            ("a button", [Rect(x: 300, y: 160, width: 40, height: 40)]),
            ("a wall", [Rect(x: 300, y: 20, width: 60, height: 300)]),
            ("two strokes", [upright, Rect(x: 100, y: 160, width: 9, height: 40)]),
            ("half of the picture", [Rect(x: 0, y: 0, width: 320, height: 360), upright]),
        ] as [(String, [Rect])])
    func nothingElseIs(what: String, marks: [Rect]) { #expect(sheet(marks).picture.places(toRead: []).isEmpty) }

    /// A badge with a text in it, which was found.
    @Test func whatIsFoundOnABadgeStays() {
        let text = [Quad(Rect(x: 250, y: 165, width: 60, height: 20))]
        #expect(sheet([Rect(x: 220, y: 160, width: 100, height: 30)]).picture.places(toRead: text) == text)
    }

    /// A line in a box that is the only thing in its picture. Detectors find the whole box.
    @Test(arguments: [(UInt8(0), UInt8(40)), (0, 200), (255, 200)]) func aBoxWithALineIsNoStroke(
        ink: UInt8, ground: UInt8
    ) {
        let box = Rect(x: 260, y: 160, width: 100, height: 30)
        var sheet = Sheet(640, 360, background: ground)
        sheet.fill(box, brightness: 255 - ink)
        for letter in 0..<6 {
            sheet.fill(Rect(x: 268 + 14 * Double(letter), y: 168, width: 4, height: 14), brightness: ink)
        }
        let found = [Quad(box.grown(by: 3))]
        #expect(sheet.picture.places(toRead: found) == found)
    }

    /// A detector finds the minus of `-112.8` apart from the digits, and no recognizer reads it alone.
    @Test(
        arguments: [
            ("a minus", Rect(x: 100, y: 166, width: 22, height: 8), true),
            ("a letter", Rect(x: 100, y: 150, width: 22, height: 40), false),
            ("a point", Rect(x: 100, y: 166, width: 8, height: 8), false),
            ("a bar at the foot", Rect(x: 100, y: 186, width: 22, height: 8), false),
            ("a bar far away", Rect(x: 20, y: 166, width: 22, height: 8), false),
            ("a bar after the line", Rect(x: 350, y: 166, width: 22, height: 8), false),
        ] as [(String, Rect, Bool)])
    func aMinusIsReadWithItsNumber(what: String, mark: Rect, isSign: Bool) {
        let digits = Rect(x: 132, y: 145, width: 200, height: 50)
        let found = [digits, mark.grown(by: 4), Rect(x: 132, y: 250, width: 200, height: 50)]
        var places = found
        if isSign { places = [found[0].union(found[1]), found[2]] }
        let picture = sheet([mark] + (0..<5).map { Rect(x: 136 + 40 * Double($0), y: 150, width: 20, height: 40) })
            .picture
        #expect(picture.places(toRead: found.map(Quad.init)).map(\.bounds) == places)
    }

    /// A small text before a large one, and a dash between two numbers, as in a score.
    @Test(
        arguments: [
            ([5.0, 15, 25, 35].map { Rect(x: 85 + $0, y: 163, width: 4, height: 10) }, [Rect]()),
            ([Rect(x: 100, y: 166, width: 22, height: 8)], [Rect(x: 40, y: 145, width: 50, height: 50)]),
        ])
    func whatIsNoSignStays(marks: [Rect], before: [Rect]) throws {
        let whole = try #require(marks.dropFirst().reduce(marks.first) { $0?.union($1) })
        let found = before + [whole.grown(by: 4), Rect(x: 136, y: 145, width: 200, height: 50)]
        #expect(sheet(marks).picture.places(toRead: found.map(Quad.init)).map(\.bounds) == found)
    }

    @Test func aShortWordIsNoStroke() {
        var sheet = sheet([])
        sheet.draw("WORD", at: 280, 160)
        #expect(sheet.picture.loneMark != nil)
        #expect(sheet.picture.places(toRead: []).isEmpty)
    }
}
