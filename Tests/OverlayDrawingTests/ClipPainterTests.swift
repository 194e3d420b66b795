import ClipRendering
import OverlayDrawing
import Painting
import Testing
import TextSpotting

/// Frames match the truth before any encoder has touched them.
@Suite struct ClipPainterTests {
    private static func scene(_ texts: [ClipText], seconds: Double = 1) -> ClipScene {
        ClipScene(width: 320, height: 180, frameRate: 20, seconds: seconds, texts: texts)
    }

    private static let motions = [
        ClipMotion(Point(160, 90)), ClipMotion(Point(120, 90), velocity: Point(75, -13)),
        ClipMotion(Point(160, 90), scale: 0.7, growth: 1.5), ClipMotion(Point(160, 90), degreesPerSecond: 90),
        ClipMotion(Point(100, 60), velocity: Point(40, 30), growth: 1.2, degrees: -20, degreesPerSecond: 30),
    ]

    @Test(arguments: motions) func inkIsWhereTheTruthSays(motion: ClipMotion) throws {
        let scene = Self.scene([ClipText("HIM", size: 40, motion: motion)])
        let truth = try ClipTruth(of: scene)
        let painter = try ClipPainter(scene)
        #expect(truth.texts[0].places.count == 20)
        for frame in [0, 7, 13, 19] {
            let place = try #require(truth.texts[0].place(inFrame: frame))
            let seen = try #require(try painter.picture(ofFrame: frame).ink())
            #expect(place.quad.bounds.isWithin(2, of: seen), "frame \(frame): \(place.quad.bounds) and \(seen)")
        }
    }

    @Test func cutsAreExactToTheFrame() throws {
        let scene = Self.scene([ClipText("CUT", at: Point(160, 90), frames: 5..<12)])
        let painter = try ClipPainter(scene)
        let visible = try (0..<20).filter { try painter.picture(ofFrame: $0).ink() != nil }
        #expect(visible == Array(5..<12))
        let text = try #require(try ClipTruth(of: scene).text("CUT"))
        #expect(text.start == StreamTime(seconds: 0.25) && text.end == StreamTime(seconds: 0.6))
        #expect(text.places.map(\.frame) == Array(5..<12) && text.spans.map(\.frames) == [5..<12])
    }

    @Test func flickeringTextHasASpanForEachTimeItIsOn() throws {
        let scene = Self.scene([
            ClipText("ON", at: Point(160, 90), appearance: .flicker(on: 2, off: 3), frames: 4..<16)
        ])
        let text = try ClipTruth(of: scene).texts[0]
        #expect(text.spans.map(\.frames) == [4..<6, 9..<11, 14..<16])
        let painter = try ClipPainter(scene)
        let visible = try (0..<20).filter { try painter.picture(ofFrame: $0).ink() != nil }
        #expect(visible == text.places.map(\.frame))
    }

    @Test func fadingTextIsWholeFromHalfOpacityOn() throws {
        let scene = Self.scene([
            ClipText("FADE", at: Point(160, 90), appearance: .fade(in: 3, out: 3), frames: 0..<10)
        ])
        let text = try ClipTruth(of: scene).texts[0]
        #expect(text.places.map(\.opacity) == [0.25, 0.5, 0.75, 1, 1, 1, 1, 0.75, 0.5, 0.25])
        #expect(text.spans.map(\.frames) == [1..<9])
        let painter = try ClipPainter(scene)
        func darkest(_ frame: Int) throws -> UInt8 {
            try painter.picture(ofFrame: frame).picture(.luma).bytes.min() ?? 0
        }
        #expect(try (188...194).contains(darkest(0)) && (124...130).contains(darkest(1)) && darkest(4) == 0)
    }

    @Test func typedTextGrowsFromTheLeftAndStaysWhereItIs() throws {
        let scene = Self.scene([
            ClipText("HHHHH", at: Point(160, 90), appearance: .typed(charactersPerSecond: 5))
        ])
        let text = try ClipTruth(of: scene).texts[0]
        #expect(text.spans.map(\.frames) == [16..<20])
        let painter = try ClipPainter(scene)
        let full = try #require(text.place(inFrame: 19)).quad.bounds
        for (frame, share) in [(0, 0.05...0.3), (8, 0.5...0.65), (19, 0.97...1.03)] {
            let place = try #require(text.place(inFrame: frame))
            let seen = try #require(try painter.picture(ofFrame: frame).ink())
            #expect(place.quad.bounds.isWithin(1.5, of: seen), "frame \(frame)")
            #expect(abs(seen.minX - full.minX) <= 1.5)
            #expect(share.contains(seen.width / full.width), "frame \(frame): \(seen.width) of \(full.width)")
        }
    }

    @Test func textThatPassesIsWholeOnlyInsideThePicture() throws {
        let scene = Self.scene(
            [ClipText("PASS", size: 30, motion: ClipMotion(Point(-60, 90), velocity: Point(440, 0)))])
        let text = try ClipTruth(of: scene).texts[0]
        let whole = try #require(text.spans.first)
        #expect(text.spans.count == 1)
        let frames = text.places.map(\.frame)
        #expect(frames.first.map { $0 < whole.frames.lowerBound } == true)
        #expect(frames.last.map { $0 >= whole.frames.upperBound } == true)
        for place in text.places {
            let inside = place.quad.bounds.minX >= 0 && place.quad.bounds.maxX <= 320
            #expect(place.isWhole == inside && place.isWhole == whole.frames.contains(place.frame))
        }
    }

    @Test func theSameSceneIsTheSameBytesInAnyOrder() throws {
        var scene = Self.scene([
            ClipText("SEED", motion: ClipMotion(Point(100, 90), velocity: Point(50, 0)), plate: ClipPlate(.white))
        ])
        scene.background = .texture(from: .black, to: .white, velocity: Point(33, 11))
        scene.noise = 0.2
        scene.blur = 1
        let (first, second) = (try ClipPainter(scene), try ClipPainter(scene))
        let forward = try [0, 1, 2].map { try first.bgra(ofFrame: $0) }
        let backward = try [2, 1, 0].map { try second.bgra(ofFrame: $0) }
        #expect(forward == backward.reversed())
        #expect(Set(forward).count == 3)
        scene.seed += 1
        #expect(try ClipPainter(scene).bgra(ofFrame: 0) != forward[0])
    }

    @Test func theWallMovesWithItsTexts() throws {
        var scene = Self.scene([])
        let mark = Rect(x: 200, y: 60, width: 40, height: 30)
        scene.background = .wall(
            ClipWall(
                width: 600, height: 180, color: .white, shapes: [ClipWall.Shape(mark, .black)], velocity: Point(-100, 0)
            ))
        let seen = try #require(try ClipPainter(scene).picture(ofFrame: 10).ink())
        #expect(seen.isWithin(1, of: Rect(x: 150, y: 60, width: 40, height: 30)))
    }
}
