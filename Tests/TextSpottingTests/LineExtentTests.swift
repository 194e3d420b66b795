import Testing
import TextMatching

@testable import TextSpotting

/// How far a line goes on where a detector ended it: its ground changes color there, or its letters grow pale.
@Suite struct LineExtentTests {
    private static let (width, height) = (400, 100)
    private static let letters = Array("jane.doe@example.com")

    /// The place of a letter: 12 pixels each, from 40 on.
    private static func place(_ index: Int) -> Quad {
        Quad(Rect(x: 40 + 12 * Double(index), y: 40, width: 10, height: 20))
    }

    /// The place of some letters in a row.
    private static func place(_ range: Range<Int>) -> Quad {
        Quad(Rect(x: 40 + 12 * Double(range.lowerBound), y: 40, width: 12 * Double(range.count) - 2, height: 20))
    }

    /// A ground with a bright half behind it, on which strokes stand where letters are, and an edge at the right that goes from top to bottom.
    private static let picture: Picture = {
        var bytes = [UInt8](repeating: 60, count: width * height)
        for y in 0..<height {
            for x in 200..<width { bytes[y * width + x] = x < 290 ? 150 : 20 }
            guard (42..<58).contains(y) else { continue }
            for index in letters.indices {
                for x in 40 + 12 * index..<44 + 12 * index { bytes[y * width + x] += 60 }
            }
        }
        return Picture(format: .luma, width: width, height: height, bytes: bytes)
    }()

    /// Reads the letters that lie in a place, and an edge of the ground as a 1, as networks do.
    private struct LetterReader: LineRecognizer {
        let pictureFormat = Picture.Format.luma
        var sees: Range<Int> = 0..<20

        func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
            // Parts that are cut out for their contrast are passed over: they say nothing of their own place.
            guard picture.width == LineExtentTests.width else { return quads.map { _ in nil } }
            return quads.map { quad in
                let bounds = quad.bounds.grown(by: 3)
                var found = LineExtentTests.letters.indices.filter { index in
                    let place = LineExtentTests.place(index).bounds
                    return sees.contains(index) && bounds.minX <= place.minX && bounds.maxX >= place.maxX
                }.map { (LineExtentTests.letters[$0], LineExtentTests.place($0)) }
                if bounds.maxX > 297 { found.append(("1", Quad(Rect(x: 284, y: 40, width: 10, height: 20)))) }
                guard let first = found.first, let last = found.last else { return nil }
                let whole = Quad.spanning([first.1, last.1], along: Point(1, 0)) ?? quad
                let left = whole.bounds.minX
                let spans = found.map { letter, place in
                    CharacterSpan(
                        character: letter, start: (place.bounds.minX - left) / whole.width,
                        end: (place.bounds.maxX - left) / whole.width, confidence: 0.95)
                }
                let word = TextWord(quad: whole, characters: spans, confidence: 0.95)
                return TextLine(quad: quad, words: [word], confidence: 0.95)
            }
        }
    }

    private func read(
        _ quads: [Quad], by reader: LetterReader = LetterReader(),
        wanted: @escaping @Sendable (TextLine) -> LineFindings?
    ) async throws -> [TextLine] {
        try await ThoroughRecognizer(reader, wanted: wanted).recognize(quads, in: Self.picture).compactMap { $0 }
    }

    private static let address: @Sendable (TextLine) -> LineFindings? = { line in
        line.text.contains("@") ? LineFindings(openEnds: [.start, .end]) : nil
    }

    /// Ten letters are missing at the end, then eight at the beginning: further than is looked at once.
    @Test(arguments: [0..<10, 8..<20, 5..<12]) func whatADetectorLeftOutBelongsToTheLine(found: Range<Int>) async throws
    {
        let line = try #require(try await read([Self.place(found)], wanted: Self.address).first)
        #expect(line.text.hasPrefix("jane.doe@example.com"))
        let (bounds, whole) = (line.quad.bounds, Self.place(0..<20).bounds)
        #expect(bounds.minX <= whole.minX && bounds.maxX >= whole.maxX, "\(bounds)")
        // The edge that goes on above and below it is no letter.
        #expect(bounds.maxX < 284 && bounds.minX > 20, "\(bounds)")
    }

    @Test func aLineEndsWhereNothingMoreOfItIsLookedFor() async throws {
        let line = try await read([Self.place(0..<10)]) { $0.text.contains("@") ? LineFindings() : nil }.first
        #expect(line?.quad == Self.place(0..<10))
        let other = try await read([Self.place(0..<10)]) { _ in nil }.first
        #expect(other?.quad == Self.place(0..<10))
    }

    @Test func aLongerReadingCountsOnlyIfEverythingIsFoundInIt() async throws {
        // The longer reading no longer has the second pattern, as if its letters had become others there.
        let line = try #require(
            try await read([Self.place(0..<12)]) { line in
                guard line.text.contains("@") else { return nil }
                return LineFindings(patterns: line.text.count > 12 ? [0] : [0, 1], openEnds: [.end])
            }.first)
        #expect(line.text == "jane.doe@exa")
        // Yet what stands there belongs to the line.
        #expect(line.quad.bounds.maxX >= Self.place(0..<20).bounds.maxX)
    }

    @Test func twoPiecesInARowAreReadAsOne() async throws {
        let pieces = [Self.place(0..<12), Self.place(12..<20)]
        let lines = try await read(pieces) { $0.text == "jane.doe@example.com" ? LineFindings() : nil }
        #expect(lines.contains { $0.text == "jane.doe@example.com" }, "\(lines.map(\.text))")
    }

    @Test func onlyWhatStandsBehindALineInItsRowContinuesIt() {
        let line = Quad(Rect(x: 100, y: 40, width: 100, height: 20))
        func at(_ x: Double, _ y: Double = 40, width: Double = 60, height: Double = 20) -> Bool {
            Quad(Rect(x: x, y: y, width: width, height: height)).continues(line)
        }
        #expect(at(205) && at(195) && at(210, 43, height: 14))
        #expect(!at(230) && !at(205, 60) && !at(205, 35, height: 60) && !at(20) && !at(110, width: 60))
    }
}
