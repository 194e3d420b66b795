import Synchronization
import Testing

@testable import TextSpotting

/// How a still picture is looked at and read.
struct StillReaderTests {
    @Test(arguments: [
        (1, 1), (40, 3000), (320, 240), (960, 540), (1600, 1200), (1920, 1080), (4000, 3000), (12_000, 9000),
    ])
    func everyPlaceIsLookedAt(width: Int, height: Int) {
        let plan = StillPlan(width: width, height: height)
        #expect(plan.looks[0].part == Rect(x: 0, y: 0, width: Double(width), height: Double(height)))
        for scale in Set(plan.looks.dropFirst().map(\.scale)) {
            let parts = plan.looks.dropFirst().filter { $0.scale == scale }.map(\.part)
            for x in stride(from: 0.5, to: Double(width), by: max(1, Double(width) / 97)) {
                for y in stride(from: 0.5, to: Double(height), by: max(1, Double(height) / 89)) {
                    #expect(parts.contains { $0.holds(Point(x, y)) }, "\(scale): nobody looks at \(x), \(y)")
                }
            }
            #expect(parts.allSatisfy { $0.maxX <= Double(width) && $0.maxY <= Double(height) && $0.minX >= 0 })
        }
        // Bounded, whatever the size: a little more than what is meant, for parts overlap.
        let seen = Double(plan.width * plan.height)
        #expect(Double(plan.looks.count { !$0.isQuick }) * seen <= 1.5 * StillPlan.most + seen)
        #expect(Double(plan.looks.count { $0.isQuick }) * seen <= 1.5 * StillPlan.mostQuick)
    }

    @Test func twoMegapixelsAreSeenWholeAtTheirSizeAndEnlarged() {
        let plan = StillPlan(width: 1600, height: 1200)
        #expect(Set(plan.looks.dropFirst().map(\.scale)) == [1, 2])
        #expect(plan.width % 32 == 0 && plan.height % 32 == 0)
    }

    private func region(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> TextRegion {
        TextRegion(quad: Quad(Rect(x: x, y: y, width: width, height: height)), score: 1)
    }

    /// A line that two parts cut is one place; one that a part cuts and another one has whole is that one.
    @Test func halvesOfALineAreOne() throws {
        let plan = StillPlan(width: 1600, height: 1200)
        let native = plan.looks.indices.filter { plan.looks[$0].scale == 1 && plan.looks[$0].part.minY == 0 }
        let (left, right) = (plan.looks[native[0]].part, plan.looks[native[1]].part)
        var found = [[TextRegion]](repeating: [], count: plan.looks.count)
        found[native[0]] = [region(left.maxX - 300, 100, 300, 20), region(left.maxX - 40, 300, 40, 20)]
        found[native[1]] = [region(right.minX, 100, 280, 20), region(right.minX, 300, 150, 20)]
        // The second line was seen whole when all of the picture was looked at.
        found[0] = [region(right.minX - 60, 300, 210 + 0, 20)]
        let places = StillPlaces(found, plan, in: Rect(x: 0, y: 0, width: 1600, height: 1200), most: 100).places
        let bounds = places.map { $0[0].bounds }.sorted { $0.minY < $1.minY }
        #expect(bounds.count == 2, "\(bounds)")
        let first = try #require(bounds.first)
        #expect(abs(first.minX - (left.maxX - 300)) < 1 && abs(first.maxX - (right.minX + 280)) < 1, "\(first)")
    }

    @Test func whatIsFoundAtTwoSizesIsOnePlace() throws {
        let plan = StillPlan(width: 1600, height: 1200)
        let enlarged = try #require(plan.looks.firstIndex { $0.scale == 2 })
        let part = plan.looks[enlarged].part
        var found = [[TextRegion]](repeating: [], count: plan.looks.count)
        found[0] = [region(part.minX + 60, part.minY + 60, 200, 40)]
        found[enlarged] = [region(part.minX + 62, part.minY + 63, 194, 36)]
        let places = StillPlaces(found, plan, in: Rect(x: 0, y: 0, width: 1600, height: 1200), most: 100).places
        #expect(places.count == 1 && places.first?.count == 2, "\(places)")
    }

    private static func line(_ text: String, at rect: Rect, _ confidence: Double) -> TextLine {
        let quad = Quad(rect)
        return TextLine(
            quad: quad, words: [TextWord(text: text, quad: quad, confidence: confidence)], confidence: confidence)
    }

    @Test func ofLinesInOnePlaceTheOneCountsThatSaysMost() {
        let whole = Self.line("PLATFORM", at: Rect(x: 0, y: 0, width: 160, height: 20), 0.95)
        let part = Self.line("PLAT", at: Rect(x: 0, y: 1, width: 80, height: 18), 0.99)
        let garbled = Self.line("PIATF0RMS", at: Rect(x: 2, y: 0, width: 160, height: 20), 0.6)
        let other = Self.line("EXIT", at: Rect(x: 0, y: 40, width: 80, height: 20), 0.9)
        #expect(StillReader.merged([part, garbled, other, whole]).map(\.text) == ["PLATFORM", "EXIT"])
    }

    /// Reads what is written for the way in which a quad is held; counts how often it was asked.
    private final class Turning: LineRecognizer {
        let pictureFormat = Picture.Format.luma
        let upright: (text: String, confidence: Double)
        let onItsHead: (text: String, confidence: Double)
        let mirrored: (text: String, confidence: Double)
        let asked = Mutex(0)

        init(
            _ upright: (String, Double), onItsHead: (String, Double) = ("uo", 0.55),
            mirrored: (String, Double) = ("rim", 0.55)
        ) {
            (self.upright, self.onItsHead, self.mirrored) = (upright, onItsHead, mirrored)
        }

        func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
            asked.withLock { $0 += quads.count }
            return quads.map { quad in
                let isLeft = quad.topLeft.x > quad.topRight.x
                let isDown = quad.topLeft.y > quad.bottomLeft.y
                let read = !isLeft ? upright : isDown ? onItsHead : mirrored
                return TextLine(
                    quad: quad, words: [TextWord(text: read.text, quad: quad, confidence: read.confidence)],
                    confidence: read.confidence)
            }
        }
    }

    private struct OneLine: TextDetector {
        let pictureFormat = Picture.Format.luma
        func detect(in picture: Picture) async throws -> [TextRegion] {
            [TextRegion(quad: Quad(Rect(x: 100, y: 50, width: 200, height: 30)), score: 1)]
        }
    }

    private struct Nothing: TextReader {
        let name = "nothing"
        let pictureFormat = Picture.Format.luma
        let concurrency = 1
        func read(_ picture: Picture) async throws -> [TextLine] { [] }
    }

    private func read(_ recognizer: Turning) async throws -> [TextLine] {
        let reader = StillReader(
            name: "still", first: Nothing(), detector: OneLine(), quickDetector: OneLine(), quick: recognizer,
            careful: recognizer, concurrency: 1)
        let bytes = [UInt8](repeating: 0, count: 400 * 200)
        return try await reader.read(Picture(format: .luma, width: 400, height: 200, bytes: bytes))
    }

    @Test func whatMakesNoSenseIsTurned() async throws {
        let upsideDown = try await read(Turning(("LIXƎ", 0.6), onItsHead: ("EXIT", 0.98)))
        #expect(upsideDown.map(\.text) == ["EXIT"])
        // Its place begins where the text does.
        #expect(upsideDown.first?.quad.topLeft == Point(300, 80))
        let mirrored = try await read(Turning(("TIXƎ", 0.6), mirrored: ("EXIT", 0.98)))
        #expect(mirrored.map(\.text) == ["EXIT"] && mirrored.first?.quad.topLeft == Point(300, 50))
        // A reading turned or mirrored counts only if it makes sense.
        #expect(try await read(Turning(("EX?T", 0.6), onItsHead: ("LIX3", 0.8))).map(\.text) == ["EX?T"])
    }

    @Test func whatMakesSenseIsNotTurned() async throws {
        let recognizer = Turning(("EXIT", 0.98), onItsHead: ("HOW", 0.999))
        #expect(try await read(recognizer).map(\.text) == ["EXIT"])
        #expect(recognizer.asked.withLock { $0 } == 1)
    }
}
