import Synchronization
import Testing
import TextSpotting

@Suite("Reading a picture that moved")
struct MovedReadingTests {
    /// Finds the lines it was told of and counts what it is asked for.
    private final class Pair: TextDetector, LineRecognizer {
        let pictureFormat = Picture.Format.luma
        let quads: [Quad]
        let recognized = Mutex<[Quad]>([])

        init(_ quads: [Quad]) { self.quads = quads }

        func detect(in picture: Picture) async throws -> [TextRegion] {
            quads.map { TextRegion(quad: $0, score: 1) }
        }

        func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
            recognized.withLock { $0 += quads }
            return quads.map { quad in
                TextLine(quad: quad, words: [TextWord(text: "new", quad: quad, confidence: 1)], confidence: 1)
            }
        }
    }

    private let picture = Picture(
        format: .luma, width: 640, height: 320, bytes: [UInt8](repeating: 9, count: 640 * 320))
    private let grid = TileGrid(width: 320, height: 160, side: 16)

    private func line(_ words: [(String, Double)], _ y: Double) -> TextLine {
        let parts = words.map {
            TextWord(text: $0.0, quad: Quad(Rect(x: $0.1, y: y, width: 80, height: 20)), confidence: 1)
        }
        let left = words[0].1
        let quad = Quad(Rect(x: left, y: y, width: words[words.count - 1].1 + 80 - left, height: 20))
        return TextLine(quad: quad, words: parts, confidence: 1)
    }

    @Test("lines outside of what changed move along and are not read again")
    func linesMove() async throws {
        // The thumbnail moved 40 to the left, the picture itself 80; its rightmost tiles are new.
        let flags = grid.indices.map { $0 % grid.columns >= 17 }
        let known = [
            line([("stays", 200)], 100), line([("leaves", 20), ("follows", 120)], 160), line([("gone", 10)], 220),
        ]
        let entering = Quad(Rect(x: 560, y: 40, width: 70, height: 20))
        let pair = Pair([entering])
        let reader = DetectingReader(name: "pair", detector: pair, recognizer: pair, concurrency: 1)
        var before = TextTracker()
        before.add(known, in: nil, at: frameTime(0))
        let tracker = before
        let lines = try await reader.read(
            picture, at: frameTime(5),
            after: PreviousReading(
                changed: TileMask(grid: grid, flags: flags), displacement: Displacement(dx: -40, dy: 0)
            ) { tracker }
        ).lines
        #expect(lines.map(\.text) == ["new", "stays", "follows"])
        #expect(lines.map(\.quad.bounds.minX) == [560, 120, 40])
        #expect(pair.recognized.withLock { $0 } == [entering])
    }
}
