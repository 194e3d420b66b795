import Errors
import Synchronization
import Testing
import TextMatching
import TextSpotting

/// Reads every line as a fixed text, and counts what it was asked for.
private struct FixedRecognizer: LineRecognizer {
    let texts: [String]
    let confidence: Double
    let pictureFormat = Picture.Format.luma

    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        quads.map { quad in
            let text = texts[Int(quad.topLeft.y)]
            let word = TextWord(text: text, quad: quad, confidence: confidence)
            return TextLine(quad: quad, words: [word], confidence: confidence)
        }
    }
}

/// Cannot read: its network is damaged, or the reading is not wanted any more.
private struct FailingRecognizer: LineRecognizer {
    let error: any Error
    let pictureFormat = Picture.Format.luma

    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] { throw error }
}

struct CascadeTests {
    private let picture = Picture(format: .luma, width: 4, height: 4, bytes: [UInt8](repeating: 0, count: 16))

    private func quads(_ count: Int) -> [Quad] {
        (0..<count).map { Quad(Rect(x: 0, y: Double($0), width: 10, height: 1)) }
    }

    @Test func onlyDoubtfulLinesAreReadAgain() async throws {
        let cascade = CascadeRecognizer(
            quick: FixedRecognizer(texts: ["Vioe", "plain"], confidence: 0.6),
            careful: FixedRecognizer(texts: ["Vice", "WRONG"], confidence: 0.9)
        ) { $0.text == "Vioe" }
        let lines = try await cascade.recognize(quads(2), in: picture)
        #expect(lines.map { $0?.text } == ["Vice", "plain"])
    }

    @Test func whereTheCarefulOneFailsTheQuickOneCounts() async throws {
        let quick = FixedRecognizer(texts: ["Vioe"], confidence: 0.6)
        let failure = FramegrepError(.engineUnavailable, "The dictionary does not belong to its model.")
        let said = Mutex<[String]>([])
        let failing = CascadeRecognizer(
            quick: quick, careful: FailingRecognizer(error: failure),
            failed: { error in said.withLock { $0.append(error.message) } }, isDoubtful: { _ in true })
        for _ in 0..<3 { #expect(try await failing.recognize(quads(1), in: picture).map { $0?.text } == ["Vioe"]) }
        #expect(said.withLock { $0 } == [failure.message], "said once")
        let cancelled = CascadeRecognizer(quick: quick, careful: FailingRecognizer(error: CancellationError())) { _ in
            true
        }
        await #expect(throws: CancellationError.self) { try await cancelled.recognize(quads(1), in: picture) }
    }

    @Test func theSurerReadingCounts() async throws {
        let cascade = CascadeRecognizer(
            quick: FixedRecognizer(texts: ["right"], confidence: 0.7),
            careful: FixedRecognizer(texts: ["worse"], confidence: 0.5)
        ) { _ in true }
        #expect(try await cascade.recognize(quads(1), in: picture).map { $0?.text } == ["right"])
    }

    @Test(arguments: [
        ("Vioe Presidont", true), ("Vice President", false), ("nothing of the kind", false),
        ("xx Vice Presldnt yy", true),
        ("", false),
    ])
    func nearTextIsDoubtful(text: String, isDoubtful: Bool) throws {
        let matcher = Matcher(patterns: [try Pattern(text: "Vice President")])
        let quad = Quad(Rect(x: 0, y: 0, width: 100, height: 10))
        let words = text.split(separator: " ").map { TextWord(text: String($0), quad: quad, confidence: 0.95) }
        let line = TextLine(quad: quad, words: words, confidence: 0.95)
        #expect(NearMatches(matcher).isDoubtful(line) == isDoubtful)
    }
}

/// Finds the same places in every picture, and counts the pictures.
private final class FixedDetector: TextDetector {
    let pictureFormat = Picture.Format.luma
    let searched = Atomic(0)
    private let found: Result<[TextRegion], any Error>

    init(_ found: [TextRegion]) { self.found = .success(found) }
    init(failing error: any Error) { found = .failure(error) }

    func detect(in picture: Picture) async throws -> [TextRegion] {
        searched.add(1, ordering: .relaxed)
        return try found.get()
    }
}

struct DetectorCascadeTests {
    private static func line(_ x: Double, _ y: Double, width: Double, height: Double = 20, score: Double = 0.6)
        -> TextRegion
    {
        TextRegion(quad: Quad(Rect(x: x, y: y, width: width, height: height)), score: score)
    }

    private func picture(_ width: Int = 640) -> Picture {
        Picture(format: .luma, width: width, height: 360, bytes: [UInt8](repeating: 0, count: width * 360))
    }

    private static let whole = line(100, 100, width: 190)
    private static let pieces = [line(100, 100, width: 80), line(210, 101, width: 80)]

    @Test(arguments: [
        ("two pieces in a row", pieces, 640, true),
        ("a short piece in a row", [line(100, 100, width: 80), line(185, 100, width: 18)], 640, true),
        ("pieces in a row, all sure", pieces.map { TextRegion(quad: $0.quad, score: 0.9) }, 640, false),
        ("lines below each other", [line(100, 100, width: 80), line(100, 140, width: 80)], 640, false),
        ("far apart", [line(100, 100, width: 80), line(300, 100, width: 80)], 640, false),
        ("a speck beside a line", [line(100, 100, width: 80), line(185, 104, width: 8, height: 8)], 640, false),
        ("one small line", [line(100, 100, width: 80, height: 9)], 640, true),
        ("one small line, sure", [line(100, 100, width: 80, height: 9, score: 0.9)], 640, false),
        ("a small speck", [line(100, 100, width: 9, height: 9)], 640, false),
        ("nothing", [], 640, false),
        ("a small picture", pieces, 320, false),
        ("much text", pieces + (0..<5).map { line(0, Double(150 + 30 * $0), width: 200) }, 640, false),
    ]) func doubtfulPlacesAreSearchedAgain(what: String, found: [TextRegion], width: Int, isDoubtful: Bool) async throws
    {
        let (quick, careful) = (FixedDetector(found), FixedDetector([Self.whole]))
        let cascade = CascadeDetector(quick: quick, careful: careful) { region, _ in region.quad.height < 12 }
        #expect(try await cascade.detect(in: picture(width)) == (isDoubtful ? [Self.whole] : found), "\(what)")
        #expect(careful.searched.load(ordering: .relaxed) == (isDoubtful ? 1 : 0))
    }

    @Test func onlyLinesOnAnEvenGroundAreSearchedForAgain() async throws {
        // Stripes as wide as letters.
        let striped = Picture(
            format: .luma, width: 640, height: 360, bytes: (0..<640 * 360).map { $0 / 20 % 2 == 0 ? 0 : 200 })
        let (quick, careful) = (FixedDetector(Self.pieces), FixedDetector([Self.whole]))
        let cascade = CascadeDetector(quick: quick, careful: careful) { _, _ in true }
        #expect(try await cascade.detect(in: striped) == Self.pieces)
        #expect(try await cascade.detect(in: picture()) == [Self.whole])
    }

    /// A quick network misses a letter that stands alone.
    @Test func aPictureWithOneMarkInWhichNothingWasFoundIsSearchedAgain() async throws {
        for (marks, isSearched) in [(0, false), (1, true), (2, false)] {
            var bytes = [UInt8](repeating: 30, count: 640 * 360)
            for mark in 0..<marks { for row in 0..<30 { bytes[(150 + row) * 640 + 100 + 300 * mark + row] = 220 } }
            let careful = FixedDetector([Self.whole])
            let cascade = CascadeDetector(quick: FixedDetector([]), careful: careful) { _, _ in false }
            let picture = Picture(format: .luma, width: 640, height: 360, bytes: bytes)
            #expect(try await cascade.detect(in: picture) == (isSearched ? [Self.whole] : []), "\(marks) marks")
        }
    }

    @Test func whereTheCarefulOneFindsNothingOrFailsTheQuickOneCounts() async throws {
        let error = FramegrepError(.engineUnavailable, "The network is damaged.")
        let said = Mutex<[String]>([])
        for careful in [FixedDetector([]), FixedDetector(failing: error)] {
            let cascade = CascadeDetector(
                quick: FixedDetector(Self.pieces), careful: careful,
                failed: { error in said.withLock { $0.append(error.message) } }, isSmall: { _, _ in false })
            for _ in 0..<2 { #expect(try await cascade.detect(in: picture()) == Self.pieces) }
        }
        #expect(said.withLock { $0 } == [error.message], "said once")
    }
}
