import Testing

@testable import TextSpotting

@Suite struct LinePictureTests {
    private func look(_ word: String = "EXIT") throws -> LinePicture {
        try #require(LinePicture(.showing(word), of: Sheet.quad(of: word, at: 40, 30)))
    }

    private func likeness(_ look: LinePicture, in picture: Picture, _ dx: Double = 0, _ dy: Double = 0, reach: Int = 4)
        -> LinePicture.Likeness?
    {
        look.likeness(in: picture, near: Point(dx, dy), reach: reach)
    }

    @Test func theSamePictureIsTheSame() throws {
        let found = try #require(likeness(try look(), in: .showing("EXIT")))
        #expect(found.isSame)
        #expect(found.difference < 0.1 && found.worst < 0.01 && found.offset.length < 0.01)
    }

    @Test(arguments: [(3, 0), (-4, 2), (0, -3), (60, 20)])
    func movedItIsFoundNearTheGuess(dx: Int, dy: Int) throws {
        let guess = abs(dx) > 4 ? Point(Double(dx) - 2, Double(dy) + 1) : Point(0, 0)
        let found = try #require(
            try look().likeness(in: .showing("EXIT", at: 40 + dx, 30 + dy), near: guess, reach: 4))
        #expect(found.isSame)
        #expect((found.offset - Point(Double(dx), Double(dy))).length < 0.1)
    }

    @Test func halfAPixelIsMeasured() throws {
        let whole = Picture.showing("EXIT")
        var half = whole
        for index in half.bytes.indices.dropFirst() {
            half.bytes[index] = UInt8((Int(whole.bytes[index]) + Int(whole.bytes[index - 1])) / 2)
        }
        let found = try #require(likeness(try look(), in: half))
        #expect(found.isSame)
        #expect((found.offset - Point(0.5, 0)).length < 0.1)
    }

    @Test(arguments: ["AXIT", "EBIT", "EXAT", "EXIA", "EXI", "EXITS"])
    func anotherTextIsNotTheSame(other: String) throws {
        #expect(likeness(try look(), in: .showing(other))?.isSame == false)
    }

    @Test func oneSquareMoreIsSeen() throws {
        // The smallest difference that could make another letter of one: a fifth of its width, a seventh of its height.
        var picture = Picture.showing("EXIT")
        let pattern = try #require(SheetReader.pattern(of: "I"))
        let free = try #require((0..<35).first { pattern >> UInt64($0) & 1 == 0 })
        for y in 0..<Sheet.square {
            for x in 0..<Sheet.square {
                let column = 40 + (2 * 6 + free % 5) * Sheet.square + x
                picture.bytes[(30 + free / 5 * Sheet.square + y) * picture.width + column] = 220
            }
        }
        #expect(likeness(try look(), in: picture)?.isSame == false)
    }

    @Test func noiseDoesNotHideIt() throws {
        var sheet = Sheet()
        sheet.draw("EXIT", at: 42, 31)
        for seed in 0..<8 as Range<UInt64> {
            let found = try #require(likeness(try look(), in: sheet.noisy(25, seed: seed)))
            #expect(found.isSame)
            #expect((found.offset - Point(2, 1)).length < 0.2)
            #expect(found.difference > 5)
        }
    }

    @Test func noiseDoesNotHideAnotherLetterEither() throws {
        for other in ["AXIT", "EXAT", "EXIA"] {
            var sheet = Sheet()
            sheet.draw(other, at: 40, 30)
            for seed in 0..<8 as Range<UInt64> {
                #expect(likeness(try look(), in: sheet.noisy(25, seed: seed))?.isSame == false)
            }
        }
    }

    @Test func halfFadedItIsWorthReadingAgain() throws {
        #expect(likeness(try look(), in: .showing("EXIT", opacity: 0.8))?.isSame == true)
        #expect(likeness(try look(), in: .showing("EXIT", opacity: 0.4))?.isSame == false)
        #expect(likeness(try look(), in: .showing(nil))?.isSame != true)
    }

    @Test func colorPicturesCompareByBrightness() throws {
        let luma = Picture.showing("EXIT")
        let rgb = Picture(
            format: .rgb, width: luma.width, height: luma.height, bytes: luma.bytes.flatMap { [$0, $0, $0] })
        let look = try #require(LinePicture(rgb, of: Sheet.quad(of: "EXIT", at: 40, 30)))
        #expect(likeness(look, in: rgb)?.isSame == true)
        #expect(likeness(look, in: luma)?.isSame == true)
    }

    @Test func blurLowersTheSharpness() throws {
        let sharp = Picture.showing("EXIT")
        var blurred = sharp
        for index in 2..<(sharp.bytes.count - 2) {
            blurred.bytes[index] = UInt8((index - 2...index + 2).reduce(0) { $0 + Int(sharp.bytes[$1]) } / 5)
        }
        let quad = Sheet.quad(of: "EXIT", at: 40, 30)
        let before = try #require(LinePicture(sharp, of: quad)).sharpness
        #expect(try #require(LinePicture(blurred, of: quad)).sharpness < 0.7 * before)
    }

    @Test func oddPlacesDoNotTrap() throws {
        let picture = Picture.showing("EXIT")
        for box in [
            Rect(x: 0, y: 0, width: 0, height: 0), Rect(x: -500, y: -500, width: 10, height: 10),
            Rect(x: -1e12, y: 0, width: 1e13, height: 20), Rect(x: 318, y: 94, width: 40, height: 40),
            Rect(x: .nan, y: 0, width: 10, height: 10), Rect(x: 0, y: 0, width: .infinity, height: 10),
        ] {
            _ = LinePicture(picture, of: Quad(box))
        }
        let look = try look()
        for guess in [Point(1e9, 0), Point(-1e300, .nan), Point(.infinity, 0), Point(300, 60), Point(-45, -35)] {
            _ = look.likeness(in: picture, near: guess, reach: 8)
        }
        _ = look.likeness(in: Picture(format: .luma, width: 0, height: 0, bytes: []), near: Point(0, 0), reach: 2)
        _ = look.likeness(in: Picture(format: .luma, width: 1, height: 1, bytes: [9]), near: Point(-40, -30), reach: 2)
    }
}
