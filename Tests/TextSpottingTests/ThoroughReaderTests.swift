import Synchronization
import Testing
import TextMatching

@testable import TextSpotting

/// Another look at a picture: turned, mirrored, with more contrast, beyond its edges.
@Suite struct ThoroughReaderTests {
    /// Reads a line only as it is held in one way, as real ones do: what it says of others is doubtful.
    private struct OneWayReader: LineRecognizer {
        let pictureFormat = Picture.Format.luma
        let isRight: @Sendable (Quad) -> Bool
        var confidence = 0.99

        func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
            quads.map { quad in
                let isRight = isRight(quad)
                let words = ["jane", "doe"].enumerated().map { index, text in
                    TextWord(
                        text: isRight ? text : "xq",
                        quad: quad.slice(from: 0.5 * Double(index), to: 0.5 * Double(index) + 0.4),
                        confidence: isRight ? confidence : 0.6)
                }
                return TextLine(quad: quad, words: words, confidence: isRight ? confidence : 0.6)
            }
        }
    }

    private let quad = Quad(Rect(x: 20, y: 40, width: 100, height: 20))
    private let picture = Picture(format: .luma, width: 200, height: 100, bytes: [UInt8](repeating: 90, count: 20_000))

    private func read(_ reader: OneWayReader, others: [OneWayReader] = []) async throws -> TextLine? {
        try await ThoroughRecognizer(reader, others: others) { $0.text == "jane doe" ? LineFindings() : nil }.recognize(
            [quad], in: picture)[0]
    }

    @Test func aLineThatStandsOnItsHeadIsReadThere() async throws {
        let line = try await read(OneWayReader { $0.direction.x < 0 && $0.topLeft.y > $0.bottomLeft.y })
        #expect(line?.text == "jane doe" && line?.quad == quad.onItsHead)
    }

    /// The place of each word is where it is seen, though it was read from the other side.
    @Test func aLineInAMirrorHasItsWordsWhereTheyAreSeen() async throws {
        let line = try #require(try await read(OneWayReader { $0.direction.x < 0 && $0.topLeft.y < $0.bottomLeft.y }))
        #expect(line.text == "jane doe" && line.quad == quad)
        #expect(line.words[0].quad.center.x > line.words[1].quad.center.x)
        #expect(line.words.allSatisfy { $0.quad.direction.x > 0 && $0.quad.topLeft.y < $0.quad.bottomLeft.y })
        let first = try #require(line.words[0].characters.first)
        #expect(first.end == 1, "\(first)")
    }

    @Test func aReflectionIsReadOnItsHeadInAMirror() async throws {
        let line = try await read(OneWayReader { $0.direction.x > 0 && $0.topLeft.y > $0.bottomLeft.y })
        #expect(line?.text == "jane doe")
    }

    @Test func whatIsReadSurelyIsLeftAsItIs() async throws {
        let line = try await ThoroughRecognizer(OneWayReader { _ in true }) { _ in nil }.recognize(
            [quad], in: picture)[0]
        #expect(line?.text == "jane doe" && line?.quad == quad)
    }

    /// Another pixel in or just beside a line may be another text; one elsewhere is not.
    @Test func aLineIsReadAgainIfAnyPixelOfItIsAnother() async throws {
        let count = Mutex(0)
        let reader = OneWayReader { _ in
            count.withLock { $0 += 1 }
            return true
        }
        let recognizer = ThoroughRecognizer(reader) { _ in nil }
        func reads(_ x: Int, _ y: Int) async throws -> Int {
            var picture = picture
            picture.bytes[y * picture.width + x] = 91
            count.withLock { $0 = 0 }
            #expect(try await recognizer.recognize([quad], in: picture)[0]?.text == "jane doe")
            return count.withLock { $0 }
        }
        #expect(try await reads(190, 90) == 1)
        #expect(try await reads(190, 90) == 0)
        #expect(try await reads(180, 5) == 0)
        #expect(try await reads(70, 50) == 1)
        #expect(try await reads(70, 25) == 1)
        #expect(try await reads(70, 50) == 0)
    }

    /// Letters in the middle of a place, and a stroke through them.
    private static func crossed(over rows: Range<Int>) -> Picture {
        var bytes = [UInt8](repeating: 200, count: 400 * 100)
        for y in rows { for x in stride(from: 20, to: 380, by: 6) { bytes[y * 400 + x] = 40 } }
        for y in 16..<86 { for x in 150..<156 { bytes[y * 400 + x] = 90 } }
        return Picture(format: .luma, width: 400, height: 100, bytes: bytes)
    }

    @Test func aLineIsAsHighAsItsLettersAndNotAsAStrokeThroughIt() {
        let place = Quad(Rect(x: 16, y: 5, width: 368, height: 90))
        func bounds(_ text: String, in picture: Picture) -> Rect {
            let word = TextWord(text: text, quad: place, confidence: 0.95)
            let line = TextLine(quad: place, words: [word], confidence: 0.95).asHighAsItsLetters(in: picture)
            #expect(line.words[0].quad == line.quad)
            return line.quad.bounds
        }
        let found = bounds("jane.doe@example.com", in: Self.crossed(over: 40..<60))
        #expect(found.minY < 39 && found.maxY > 61 && found.height < 36, "\(found)")
        // Letters that fill the place, a text of large letters, and a place with two lines keep their height.
        #expect(bounds("jane.doe@example.com", in: Self.crossed(over: 12..<88)) == place.bounds)
        #expect(bounds("Jane", in: Self.crossed(over: 40..<60)) == place.bounds)
        #expect(bounds("jane.doe@example.com", in: Self.crossed(over: 5..<30)) == place.bounds)
    }

    /// Of a line with a stroke through it, a reader may make some letters that have a usual width for such a tall place.
    @Test func lettersAreReadWithoutTheStrokeThroughThem() async throws {
        let place = Quad(Rect(x: 16, y: 5, width: 300, height: 90))
        let reader = ThoroughRecognizer(OneWayReader { $0.direction.x > 0 && $0.height < 36 }) {
            $0.text == "jane doe" ? LineFindings() : nil
        }
        #expect(try await reader.recognize([place], in: Self.crossed(over: 40..<60))[0]?.text == "jane doe")
        // The place of the words is that of the letters, wherever in it they stand.
        for rows in [16..<34, 40..<60, 64..<82] {
            let line = try await reader.recognize(
                [Quad(Rect(x: 16, y: 5, width: 240, height: 90))], in: Self.crossed(over: rows))[0]
            let word = try #require(line?.words.first?.quad.bounds)
            #expect(
                word.minY < Double(rows.lowerBound) && word.maxY > Double(rows.upperBound) && word.height < 36,
                "\(rows): \(word)")
        }
        // Letters that fill the place are read as they stand there.
        #expect(try await reader.recognize([place], in: Self.crossed(over: 12..<88))[0]?.text != "jane doe")
    }

    @Test func anotherReaderIsAskedWhereTheFirstIsNotSure() async throws {
        let line = try await read(
            OneWayReader { _ in false }, others: [OneWayReader { _ in false }, OneWayReader { _ in true }])
        #expect(line?.text == "jane doe")
    }

    @Test func aPlaceOfWhichNothingCanBeMadeIsCounted() async throws {
        struct Blind: LineRecognizer {
            let pictureFormat = Picture.Format.luma
            func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] { quads.map { _ in nil } }
        }
        let small = Quad(Rect(x: 0, y: 0, width: 8, height: 5))
        let lines = try await ThoroughRecognizer(Blind()) { _ in nil }.recognize([quad, small], in: picture)
        #expect(lines[0]?.text == String(ThoroughRecognizer.unread) && lines[0]?.confidence == 0 && lines[1] == nil)
    }

    /// Sees a piece of a faint line, and all of it where there is more contrast: as networks do.
    private struct FaintDetector: TextDetector {
        let pictureFormat = Picture.Format.luma
        let whole = Quad(Rect(x: 20, y: 40, width: 100, height: 20))

        func detect(in picture: Picture) async throws -> [TextRegion] {
            guard picture.width > 200 else {
                return [TextRegion(quad: Quad(Rect(x: 22, y: 41, width: 30, height: 18)), score: 0.6)]
            }
            return [
                TextRegion(quad: whole.moved(by: Point(40, 40)), score: 0.9),
                TextRegion(quad: Quad(Rect(x: 62, y: 81, width: 30, height: 18)), score: 0.9),
                TextRegion(quad: Quad(Rect(x: 100, y: 5, width: 80, height: 20)), score: 0.9),
            ]
        }
    }

    @Test func aLineOfWhichAPieceIsKnownIsFoundWhole() async throws {
        let found = try await ThoroughDetector(FaintDetector()).detect(in: picture).map(\.quad)
        // What lies beyond the edge is none, and what is known is not found twice.
        #expect(found.count == 2 && found.contains(FaintDetector().whole), "\(found)")
    }

    /// Levels that differ by twelve are as far apart as black and white, and what has contrast keeps its order.
    @Test(arguments: [Picture.Format.luma, .rgb]) func faintPartsGetContrast(format: Picture.Format) {
        let (width, height, step) = (192, 96, format.bytesPerPixel)
        let bytes = (0..<height).flatMap { y in
            (0..<width).flatMap { x in
                [UInt8](repeating: x < 96 ? (x % 8 < 3 ? 140 : 128) : (x % 8 < 3 ? 250 : 5), count: step)
            }
        }
        let picture = Picture(format: format, width: width, height: height, bytes: bytes)
        let result = picture.withLocalContrast()
        func level(_ x: Int) -> Int { Int(result.bytes[(48 * width + x) * step]) }
        #expect(level(24) - level(29) > 150, "\(level(24)) \(level(29))")
        #expect(level(160) > 240 && level(165) < 15)
    }

    /// Reads nothing, and remembers the widths of the pictures in which it looked.
    private struct WidthReader: LineRecognizer {
        let pictureFormat = Picture.Format.luma
        let widths: @Sendable (Int) -> Void

        func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
            widths(picture.width)
            return quads.map { _ in nil }
        }
    }

    /// The same pixels are not read twice; faint letters and those at the edge of the picture are other pixels.
    @Test(arguments: [
        (dark: 5, light: 250, x: 60.0, isReadAgain: false), (dark: 90, light: 90, x: 60, isReadAgain: false),
        (dark: 128, light: 140, x: 60, isReadAgain: true), (dark: 5, light: 250, x: 10, isReadAgain: true),
    ])
    func aLineIsReadWithContrastIfThatChangesAnyPixel(dark: Int, light: Int, x: Double, isReadAgain: Bool) async throws
    {
        let bytes = (0..<20_000).map { UInt8($0 % 8 < 3 ? dark : light) }
        let picture = Picture(format: .luma, width: 200, height: 100, bytes: bytes)
        let widths = Mutex<[Int]>([])
        let reader = WidthReader { width in widths.withLock { $0.append(width) } }
        _ = try await ThoroughRecognizer(reader) { _ in nil }.recognize(
            [Quad(Rect(x: x, y: 40, width: 100, height: 20))], in: picture)
        #expect(widths.withLock { $0.contains { $0 != 200 } } == isReadAgain)
    }

    /// The lowest letters that are read have four rows, so a smaller place than this holds at most one.
    @Test func aSpeckIsReadOnce() async throws {
        func readings(width: Double, height: Double) async throws -> Int {
            let widths = Mutex<[Int]>([])
            let reader = WidthReader { width in widths.withLock { $0.append(width) } }
            let quad = Quad(Rect(x: 60, y: 40, width: width, height: height))
            _ = try await ThoroughRecognizer(reader, others: [reader]) { _ in nil }.recognize([quad], in: picture)
            return widths.withLock { $0.count }
        }
        #expect(try await readings(width: 6, height: 6) == 1)
        #expect(try await readings(width: 12, height: 6) > 2)
        #expect(try await readings(width: 5, height: 12) > 2)
    }

    @Test func noiseStaysSmall() {
        var bytes = [UInt8](repeating: 128, count: 9600)
        for index in bytes.indices { bytes[index] += UInt8(index * 7919 % 3) }
        let result = Picture(format: .luma, width: 120, height: 80, bytes: bytes).withLocalContrast()
        #expect((result.bytes.max() ?? 0) - (result.bytes.min() ?? 0) < 60)
    }
}
