import Testing
import TextSpotting

@Suite struct TextPatchTests {
    private func patch(of word: String, at x: Int = 40, _ y: Int = 30) throws -> TextPatch {
        try #require(
            TextPatch(.showing(word, at: x, y), quad: Sheet.quad(of: word, at: x, y), characters: word.count))
    }

    @Test func theSamePictureIsTheSame() throws {
        let similarity = try #require(try patch(of: "EXIT").similarity(in: .showing("EXIT"), movedBy: 0, 0))
        #expect(similarity.isSame)
        #expect(similarity.mean > 0.99 && similarity.worst > 0.99 && abs(similarity.gain - 1) < 0.01)
    }

    @Test(arguments: [(1, 0), (0, 1), (-17, 9), (100, -20), (23, 23)])
    func movedByWholePixelsItIsTheSameThereOnly(dx: Int, dy: Int) throws {
        let patch = try patch(of: "EXIT")
        let moved = Picture.showing("EXIT", at: 40 + dx, 30 + dy)
        let there = try #require(patch.similarity(in: moved, movedBy: dx, dy))
        #expect(there.isSame && there.mean > 0.99)
        if abs(dx) + abs(dy) > 4 {
            #expect(patch.similarity(in: moved, movedBy: 0, 0)?.isSame != true)
        }
    }

    @Test(arguments: ["AXIT", "EBIT", "EXAT", "EXIA", "EXI ", " XIT"])
    func oneChangedOrMissingLetterIsNotTheSame(other: String) throws {
        #expect(try patch(of: "EXIT").similarity(in: .showing(other), movedBy: 0, 0)?.isSame == false)
    }

    @Test func noiseDoesNotHideIt() throws {
        var sheet = Sheet()
        sheet.draw("EXIT", at: 40, 30)
        let patch = try patch(of: "EXIT")
        for seed in 0..<8 as Range<UInt64> {
            #expect(patch.similarity(in: sheet.noisy(25, seed: seed), movedBy: 0, 0)?.isSame == true)
        }
    }

    @Test func fadedToNextToNothingItIsGone() throws {
        let patch = try patch(of: "EXIT")
        #expect(patch.similarity(in: .showing("EXIT", opacity: 0.7), movedBy: 0, 0)?.isSame == true)
        #expect(patch.similarity(in: .showing("EXIT", opacity: 0.4), movedBy: 0, 0)?.isSame == true)
        #expect(patch.similarity(in: .showing("EXIT", opacity: 0.08), movedBy: 0, 0)?.isSame == false)
        #expect(patch.similarity(in: .showing(nil), movedBy: 0, 0)?.isSame == false)
    }

    @Test func theNegativeIsNotTheSame() throws {
        var sheet = Sheet(background: 220)
        sheet.draw("EXIT", at: 40, 30, brightness: 40)
        #expect(try patch(of: "EXIT").similarity(in: sheet.picture, movedBy: 0, 0)?.isSame == false)
    }

    @Test func darkOnLightWorksAlike() throws {
        var sheet = Sheet(background: 230)
        sheet.draw("EXIT", at: 40, 30, brightness: 10)
        let patch = try #require(TextPatch(sheet.picture, quad: Sheet.quad(of: "EXIT", at: 40, 30), characters: 4))
        #expect(patch.similarity(in: sheet.picture, movedBy: 0, 0)?.isSame == true)
    }

    @Test func aFlatPlaceGivesNone() {
        #expect(TextPatch(.showing(nil), quad: Sheet.quad(of: "EXIT", at: 40, 30), characters: 4) == nil)
    }

    @Test func aPlaceOutsideGivesNone() {
        let picture = Picture.showing("EXIT")
        #expect(TextPatch(picture, quad: Sheet.quad(of: "EXIT", at: 2000, 30), characters: 4) == nil)
        #expect(TextPatch(picture, quad: Sheet.quad(of: "EXIT", at: -500, -500), characters: 4) == nil)
        let huge = Quad(Rect(x: -1e12, y: -1e12, width: 1e13, height: 1e13))
        _ = TextPatch(picture, quad: huge, characters: 4)
    }

    @Test func oddQuadsDoNotTrap() {
        let picture = Picture.showing("EXIT")
        let point = Quad(Rect(x: 45, y: 35, width: 0, height: 0))
        for characters in [-1, 0, 1, 1000] {
            _ = TextPatch(picture, quad: point, characters: characters)
            _ = TextPatch(picture, quad: Sheet.quad(of: "EXIT", at: 40, 30), characters: characters)
        }
    }

    @Test func movedMostlyOutOfThePictureItCannotBeTold() throws {
        let patch = try patch(of: "EXIT")
        #expect(patch.similarity(in: .showing("EXIT"), movedBy: -100, 0) == nil)
        #expect(patch.similarity(in: .showing("EXIT"), movedBy: Int.max, Int.min) == nil)
    }

    @Test func turnedTextIsRememberedAlongItsOwnDirection() throws {
        // A quad whose text runs down the picture.
        var sheet = Sheet(120, 160)
        sheet.draw("ABCD", at: 20, 20)
        let down = Quad(
            topLeft: Point(92, 20), topRight: Point(92, 41), bottomRight: Point(20, 41), bottomLeft: Point(20, 20))
        let patch = try #require(TextPatch(sheet.picture, quad: down, characters: 1))
        #expect(patch.similarity(in: sheet.picture, movedBy: 0, 0)?.isSame == true)
    }
}
