import OverlayDrawing
import Painting
import Testing
import TextSpotting

/// The places that drawing reports are those of the pixels.
@Suite struct CanvasTextTests {
    @Test(arguments: [
        "Exit", "gypsy, jumping", "RESISTORS 10K", "출구 안내", "出口は右側", "非常口", "مخرج الطوارئ", "Выход №5", "Üñîçødé",
        "e\u{301}a\u{308}", "office ffi",
    ])
    func inkIsWhereThePixelsAre(text: String) throws {
        let canvas = try Canvas(width: 640, height: 120)
        let drawn = canvas.draw(CanvasText(text, size: 48), at: .move(to: Point(30.4, 40.7)))
        let reported = try #require(drawn.ink).bounds
        let seen = try #require(canvas.ink())
        #expect(reported.isWithin(1.5, of: seen), "\(reported) and \(seen)")
        // Anchored at the ink's top-left corner.
        #expect(abs(reported.minX - 30.4) < 1e-6 && abs(reported.minY - 40.7) < 1e-6)
    }

    @Test(arguments: [0.0, 30, 90, 137, 180, 270])
    func turnedInkIsWhereThePixelsAre(degrees: Double) throws {
        let canvas = try Canvas(width: 400, height: 400)
        let text = CanvasText("HIM", font: .sansBold, size: 60, anchor: .center)
        let drawn = canvas.draw(text, at: .place(Point(200, 200), scale: 1.3, degrees: degrees))
        let quad = try #require(drawn.ink)
        let seen = try #require(canvas.ink())
        // H and M reach into their corners, so the rotated box and the pixels have the same extents.
        #expect(quad.bounds.isWithin(2, of: seen), "\(quad.bounds) and \(seen)")
        #expect((quad.center - Point(200, 200)).length < 1e-6)
    }

    @Test func partsAndWordsHaveTheirOwnInk() throws {
        let text = CanvasText("FUSES 5A HERE", font: .sansBold, size: 40)
        let whole = try Canvas(width: 500, height: 80)
        let drawn = whole.draw(text, at: .move(to: Point(20, 20)))
        #expect(drawn.words.map(\.text) == ["FUSES", "5A", "HERE"])
        let part = try #require(drawn.ink(of: "5A"))
        #expect(part == drawn.words[1].ink)
        #expect(drawn.ink(of: "8A") == nil && drawn.ink(of: "") == nil)
        let crop = try Canvas(whole.picture(.rgb).cropped(to: part.bounds.grown(by: 4)))
        let seen = try #require(crop.ink())
        #expect(Rect(x: 4, y: 4, width: part.width, height: part.height).isWithin(2, of: seen), "\(seen)")
    }

    @Test func measuringIsDrawingWithoutInk() throws {
        let canvas = try Canvas(width: 300, height: 100)
        let text = CanvasText("Measure", size: 40, anchor: .baseline)
        let placement = Affine.place(Point(20, 60), scale: 1.1, degrees: 5)
        let measured = canvas.measure(text, at: placement)
        #expect(canvas.ink() == nil)
        #expect(canvas.draw(text, at: placement) == measured)
        #expect(canvas.ink() != nil)
    }

    @Test func spacesHaveNoInk() throws {
        let canvas = try Canvas(width: 50, height: 50)
        #expect(canvas.draw(CanvasText("   ", size: 20), at: .move(to: Point(10, 10))).ink == nil)
        #expect(canvas.draw(CanvasText("", size: 20), at: .move(to: Point(10, 10))).ink == nil)
        #expect(canvas.ink() == nil)
    }
}
