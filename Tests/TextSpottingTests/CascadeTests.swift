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
