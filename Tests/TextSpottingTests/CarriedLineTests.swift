import Synchronization
import Testing

@testable import TextSpotting

/// Known lines that move, turn and grow are not looked for again, and whatever is not just that is.
@Suite struct CarriedLineTests {
    /// Counts how often it looks for lines, and reads each as "new".
    private final class Pair: TextDetector, LineRecognizer {
        let pictureFormat = Picture.Format.luma
        let looks = Mutex(0)
        let read = Mutex(0)

        func detect(in picture: Picture) async throws -> [TextRegion] {
            looks.withLock { $0 += 1 }
            return []
        }

        func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
            read.withLock { $0 += quads.count }
            return quads.map { quad in
                TextLine(quad: quad, words: [TextWord(text: "new", quad: quad, confidence: 1)], confidence: 1)
            }
        }
    }

    private struct Outcome {
        var tracker: TextTracker
        var looks: Int
        var read: Int
    }

    private let grid = TileGrid(width: 640, height: 320, side: 16)
    private let place = (x: 200, y: 140)
    private var quad: Quad { Sheet.quad(of: "EXIT42", at: place.x, place.y) }

    private func sheet(_ text: String = "EXIT42") -> Picture {
        var sheet = Sheet(640, 320)
        sheet.draw(text, at: place.x, place.y)
        return sheet.picture
    }

    /// The picture after a motion, each pixel the mean of nine places.
    private func moved(_ picture: Picture, by motion: PlanarMotion) -> Picture {
        guard let back = motion.inverse else { return picture }
        var result = picture
        picture.bytes.withUnsafeBufferPointer { bytes in
            let source = BrightnessSource(picture, bytes)
            for y in 0..<picture.height {
                for x in 0..<picture.width {
                    var sum: Float = 0
                    for step in 0..<9 {
                        let place = Point(
                            Double(x) + Double(step % 3) / 3 + 1.0 / 6, Double(y) + Double(step / 3) / 3 + 1.0 / 6)
                        sum += source.mean(around: back.apply(place), side: 1)
                    }
                    result.bytes[y * picture.width + x] = UInt8(max(0, min(255, sum / 9)))
                }
            }
        }
        return result
    }

    /// A turn (radians) and growth about the middle of the word, and a shift.
    private func motion(turn: Double = 0, growth: Double = 1, shift: Point = Point(0, 0)) -> PlanarMotion {
        let middle = quad.center
        let axis = Point(1 - turn * turn / 2, turn) * growth
        var motion = PlanarMotion(xAxis: axis, yAxis: Point(-axis.y, axis.x), shift: Point(0, 0))
        motion.shift = middle + shift - motion.apply(middle)
        return motion
    }

    /// Reads the word in the first picture, then the last one after the others.
    private func read(_ pictures: [Picture], known quad: Quad? = nil) async throws -> Outcome {
        let pair = Pair()
        let reader = DetectingReader(name: "pair", detector: pair, recognizer: pair, concurrency: 1)
        let quad = quad ?? self.quad
        let word = TextWord(text: "EXIT42", quad: quad, confidence: 1)
        var known = TextTracker()
        known.add([TextLine(quad: quad, words: [word], confidence: 1)], in: pictures[0], at: frameTime(0))
        let before = known
        let frames = pictures.enumerated().map { FrameHistory.Frame(time: frameTime($0), picture: $1) }
        let changed = grid.differences(pictures[0], pictures[pictures.count - 1]).map { $0 > 2 }
        let tracker = try await reader.read(
            pictures[pictures.count - 1], at: frameTime(pictures.count - 1),
            after: PreviousReading(changed: TileMask(grid: grid, flags: changed), frames: frames) { before })
        return Outcome(tracker: tracker, looks: pair.looks.withLock { $0 }, read: pair.read.withLock { $0 })
    }

    private func distance(_ a: Quad, _ b: Quad) -> Double {
        zip(a.corners, b.corners).map { ($0 - $1).length }.max() ?? 0
    }

    @Test(arguments: [(0.1, 1.0, 0.0), (-0.12, 1.0, 6.0), (0.0, 1.15, 0.0), (0.0, 0.86, -9.0), (0.05, 1.1, 14.0)])
    func aWordThatTurnsAndGrowsIsCarried(turn: Double, growth: Double, shift: Double) async throws {
        let first = sheet()
        let pictures = (0...6).map { step in
            let share = Double(step) / 6
            return moved(
                first,
                by: motion(
                    turn: turn * share, growth: 1 + (growth - 1) * share, shift: Point(shift * share, shift * share / 2)
                ))
        }
        let outcome = try await read(pictures)
        #expect(outcome.looks == 0)
        #expect(outcome.read == 0)
        let line = try #require(outcome.tracker.lines.first)
        #expect(line.text == "EXIT42")
        let expected = quad.mapped(motion(turn: turn, growth: growth, shift: Point(shift, shift / 2)).apply)
        #expect(distance(line.quad, expected) < 1)
    }

    @Test func aWordThatGrewALotIsReadAgainWhereItIs() async throws {
        let first = sheet()
        let outcome = try await read((0...14).map { moved(first, by: motion(growth: 1 + 0.03 * Double($0))) })
        #expect(outcome.looks == 0)
        #expect(outcome.read == 1)
    }

    @Test func aLetterThatChangedOnTheWayIsLookedFor() async throws {
        for text in ["EXIT43", "FXIT42", "EXAT42", "EXIT4", "EXIT421"] {
            let (first, other) = (sheet(), sheet(text))
            let pictures = (0...6).map { moved($0 < 3 ? first : other, by: motion(turn: 0.015 * Double($0))) }
            let outcome = try await read(pictures)
            #expect(outcome.looks > 0, "\(text)")
        }
    }

    @Test func whatComesWhereTheWordStoodIsLookedFor() async throws {
        let first = sheet()
        var last = moved(first, by: motion(shift: Point(0, 70)))
        var under = Sheet(640, 320)
        under.draw("AB", at: place.x, place.y)
        for (index, byte) in under.picture.bytes.enumerated() { last.bytes[index] = max(last.bytes[index], byte) }
        let between = (1...6).map { moved(first, by: motion(shift: Point(0, 10 * Double($0)))) }
        #expect(try await read([first] + between + [last]).looks > 0)
        let alone = moved(first, by: motion(shift: Point(0, 70)))
        #expect(try await read([first] + between + [alone]).looks == 0)
    }

    /// A word on a plate of its own, and perhaps something else beside it on the plate.
    private func sign(_ shift: Double, with text: String? = nil) -> Picture {
        var sheet = Sheet(640, 320, background: 60)
        let plate = quad.bounds.grown(by: 18).moved(by: Point(shift, shift / 2))
        sheet.fill(plate, brightness: 10)
        sheet.draw("EXIT42", at: place.x + Int(shift), place.y + Int(shift / 2))
        if let text { sheet.draw(text, at: place.x + Int(shift), place.y + Int(shift / 2) + Int(quad.height) + 12) }
        return sheet.picture
    }

    @Test func aPlateThatMovesWithItsWordIsNotLookedAtAnew() async throws {
        let outcome = try await read((0...6).map { sign(8 * Double($0)) })
        #expect(outcome.looks == 0)
        #expect(outcome.read == 0)
        #expect(outcome.tracker.lines.map(\.text) == ["EXIT42"])
    }

    @Test func whatComesBesideAWordThatMovesIsLookedFor() async throws {
        let pictures = (0...6).map { sign(8 * Double($0), with: $0 > 3 ? "AB" : nil) }
        #expect(try await read(pictures).looks > 0)
    }

    @Test func whatTheEndOfAPlateUncoversIsLookedFor() async throws {
        let pictures = (0...6).map { step in
            var sheet = Sheet(640, 320, background: 60)
            sheet.draw("AB", at: place.x - 16, place.y)
            let picture = sheet.picture
            let plate = quad.bounds.grown(by: 18).moved(by: Point(8 * Double(step), 0))
            var shown = Sheet(640, 320, background: 60)
            shown.fill(plate, brightness: 10)
            shown.draw("EXIT42", at: place.x + 8 * step, place.y)
            var result = shown.picture
            for y in 0..<320 {
                for x in 0..<Int(plate.minX) { result.bytes[y * 640 + x] = picture.bytes[y * 640 + x] }
            }
            return result
        }
        #expect(try await read(pictures).looks > 0)
    }

    @Test func aWordThatTheEdgeCutIsLookedFor() async throws {
        var sheet = Sheet(640, 320)
        sheet.draw("EXIT42", at: -20, place.y)
        let picture = sheet.picture
        let cut = Quad(Rect(x: 0, y: Double(place.y), width: quad.width - 20, height: quad.height))
        let pictures = (0...6).map { moved(picture, by: PlanarMotion(shift: Point(4 * Double($0), 0))) }
        #expect(try await read(pictures, known: cut).looks > 0)
    }

    @Test func aPictureThatComesNearerAsAWholeIsNotLookedAtAnew() async throws {
        var numbers = SeededNumbers(seed: 5)
        var sheet = Sheet(640, 320)
        for _ in 0..<60 {
            let (x, y) = (Double.random(in: 0..<600, using: &numbers), Double.random(in: 0..<300, using: &numbers))
            sheet.fill(Rect(x: x, y: y, width: 50, height: 30), brightness: UInt8.random(in: 30...110, using: &numbers))
        }
        sheet.fill(quad.bounds.grown(by: 14), brightness: 20)
        sheet.draw("EXIT42", at: place.x, place.y)
        let first = sheet.picture
        let pictures = (0...6).map {
            moved(first, by: motion(turn: 0.004 * Double($0), growth: 1 + 0.012 * Double($0)))
        }
        let outcome = try await read(pictures)
        #expect(outcome.looks == 0)
        let line = try #require(outcome.tracker.lines.first)
        #expect(distance(line.quad, quad.mapped(motion(turn: 0.024, growth: 1.072).apply)) < 1)
    }
}
