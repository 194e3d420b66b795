import Testing

@testable import Spotter
@testable import TextSpotting

@Suite struct FrameGeometryTests {
    private let square = Quad(Rect(x: 10, y: 20, width: 30, height: 40))

    @Test func squarePixelsStayAsTheyAre() async throws {
        let geometry = try await FrameGeometry.ofCaps("width=640,height=360")
        #expect(geometry.displayed(square) == square)
        #expect(geometry.reduction == 1 && geometry.smallSize == (640, 360))
    }

    @Test func wideAndNarrowPixelsStretchTheWidth() async throws {
        let anamorphic = try await FrameGeometry.ofCaps("width=720,height=576,pixel-aspect-ratio=16/11")
        let shown = anamorphic.displayed(square).bounds
        #expect(abs(shown.x - 10 * 16 / 11.0) < 1e-9 && abs(shown.width - 30 * 16 / 11.0) < 1e-9)
        #expect(shown.y == 20 && shown.height == 40)
        let back = anamorphic.stored(anamorphic.displayed(square)).bounds
        #expect(abs(back.x - 10) < 1e-9 && abs(back.width - 30) < 1e-9)
    }

    @Test func aRegionMovesPlacesBackIntoThePicture() async throws {
        let geometry = try await FrameGeometry.ofCaps(
            "width=400,height=200,pixel-aspect-ratio=2/1", region: "25%,50%,50%,50%")
        #expect(geometry.region == Rect(x: 100, y: 100, width: 200, height: 100))
        #expect(geometry.displayed(square).bounds == Rect(x: 220, y: 120, width: 60, height: 40))
        #expect(geometry.smallSize == (200, 100))
    }

    @Test func largePicturesAreComparedSmaller() async throws {
        #expect(try await FrameGeometry.ofCaps("width=1280,height=720").reduction == 1)
        let hd = try await FrameGeometry.ofCaps("width=1920,height=1080")
        #expect(hd.reduction == 2 && hd.smallSize == (960, 540))
        let tall = try await FrameGeometry.ofCaps("width=2,height=3000")
        #expect(tall.reduction == 3 && tall.smallSize == (1, 1000))
        let tiny = try await FrameGeometry.ofCaps("width=1,height=1")
        #expect(tiny.smallSize == (1, 1))
    }

    @Test func sightingsAreMappedWithAllTheirBoxes() async throws {
        let geometry = try await FrameGeometry.ofCaps("width=400,height=200", region: "100,50,200,100")
        let time = FrameTime(index: 0, start: .zero, duration: StreamTime(seconds: 1))
        let box = Sighting.Box(time: time, quad: square)
        let sighting = Sighting(
            id: 1, patternIndex: 0, pattern: "a", text: "a", line: "a", start: .zero, end: time.end, score: 1,
            peak: box,
            boxes: [box, box])
        let shown = geometry.displayed(sighting)
        #expect(shown.peak.quad.topLeft == Point(110, 70))
        #expect(shown.boxes.map(\.quad.topLeft) == [Point(110, 70), Point(110, 70)])
    }

    @Test func anEnlargedPartLiesWhereItIsShown() {
        let part = EnlargedPart(part: Rect(x: 100, y: 50, width: 200, height: 100), width: 400, height: 200)
        let quad = Quad(Rect(x: 150, y: 75, width: 20, height: 10))
        #expect(part.shown(quad).bounds == Rect(x: 100, y: 50, width: 40, height: 20))
        #expect(part.original(part.shown(quad)) == quad)
        #expect(part.shows(quad) && part.shows(Quad(Rect(x: 90, y: 40, width: 20, height: 20))))
        #expect(!part.shows(Quad(Rect(x: 10, y: 75, width: 20, height: 10))))
    }
}
