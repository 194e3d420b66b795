import OverlayDrawing
import Painting
import Testing
import TextMatching
import TextSpotting
import Threads

@testable import TesseractOCR

@Suite("Tesseract: whole pictures")
struct TesseractEngineTests {
    private func engine(_ languages: String = "eng", threads: Int = 1) throws -> TesseractEngine {
        try TesseractEngine.load(TesseractSettings(languages: languages, threads: threads))
    }

    @Test("reads rendered lines, every word where it stands")
    func places() async throws {
        let page = try RenderedPage.lines(["Source Code Ready", "Kitchen sink 42", "RUE DE LONDRES"])
        let lines = try await engine().read(page.picture)
        #expect(lines.text == ["Source Code Ready", "Kitchen sink 42", "RUE DE LONDRES"])
        for (read, drawn) in zip(lines.words, page.words) {
            #expect(read.text == drawn.text)
            #expect(read.quad.bounds.overlap(drawn.ink.bounds) >= 0.7, "\(drawn.text)")
            #expect(read.confidence > 0.5 && read.confidence <= 1)
        }
    }

    @Test("the spans of the characters place a part of a word")
    func spans() async throws {
        let canvas = try Canvas(width: 640, height: 360)
        let drawn = canvas.draw(CanvasText("Application Verified", size: 40), at: .move(to: Point(60, 150)))
        let lines = try await engine().read(canvas.picture(.luma))
        for word in lines.words {
            #expect(word.characters.allSatisfy { 0 <= $0.start && $0.start <= $0.end && $0.end <= 1 })
        }
        let match = try #require(
            lines.flatMap { Matcher(patterns: [(try? Pattern(text: "cation veri"))].compactMap { $0 }).matches(in: $0) }
                .first)
        let truth = try #require(drawn.ink(of: "cation Veri")).bounds
        #expect(match.quad.bounds.overlap(truth) >= 0.7)
    }

    @Test("reads light on dark, and small pictures")
    func lightAndSmall() async throws {
        let dark = try RenderedPage.lines(["Models Downloaded"], ink: .white, paper: .black)
        #expect(try await engine().read(dark.picture).text == ["Models Downloaded"])
        let small = try RenderedPage.lines(["Vice President"], size: 14, width: 240, height: 120)
        let lines = try await engine().read(small.picture)
        #expect(lines.text == ["Vice President"])
        for (read, drawn) in zip(lines.words, small.words) {
            #expect(read.quad.bounds.overlap(drawn.ink.bounds) >= 0.6)
        }
    }

    @Test("reads Korean beside English", .enabled(if: TesseractEngine.installedLanguages().contains("kor")))
    func korean() async throws {
        let font = FontFace("Noto Sans CJK KR")
        let page = try RenderedPage.lines(["한국어 문서", "English text"], size: 40, font: font)
        let lines = try await engine("eng+kor").read(page.picture)
        let matcher = Matcher(patterns: [try Pattern(text: "한국어"), try Pattern(text: "English")])
        #expect(Set(lines.flatMap(matcher.matches).map(\.pattern)) == ["한국어", "English"])
    }

    @Test("takes a color picture by its brightness")
    func color() async throws {
        let page = try RenderedPage.lines(["Middle East"], format: .rgb)
        #expect(try await engine().read(page.picture).text == ["Middle East"])
    }

    @Test("reads the same on two instances as on one, in any order")
    func parallel() async throws {
        let pictures = try ["Software Engineer", "GOOGLE PARIS", "bubbles and glow", "structured action plan"]
            .map { try RenderedPage.lines([$0, "second line 17"]).picture }
        let one = try engine()
        var expected: [[TextLine]] = []
        for picture in pictures { expected.append(try await one.read(picture)) }
        var backwards: [[TextLine]] = []
        for picture in pictures.reversed() { backwards.append(try await one.read(picture)) }
        #expect(backwards.reversed() == expected)

        let two = try engine(threads: 2)
        #expect(two.concurrency == 2)
        let read = try await withThrowingTaskGroup(of: (Int, [TextLine]).self) { group in
            for (index, picture) in (pictures + pictures).enumerated() {
                group.addTask { (index, try await two.read(picture)) }
            }
            return try await group.reduce(into: [Int: [TextLine]]()) { $0[$1.0] = $1.1 }
        }
        for (index, lines) in (expected + expected).enumerated() { #expect(read[index] == lines) }
    }

    @Test("cancelling stops the reading, also of what waits, and the engine goes on")
    func cancellation() async throws {
        let engine = try engine()
        let full = try RenderedPage.lines(
            (0..<70).map { "\($0) the quick brown fox jumps over the lazy dog again and again" }, size: 16, width: 1280,
            height: 2100)
        let running = Task { try await engine.read(full.picture) }
        let waiting = Task { try await engine.read(full.picture) }
        // Soon: on a busy machine the sleep may last long enough for a whole reading.
        try await Task.sleep(for: .milliseconds(100))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        let page = try RenderedPage.lines(["still here"])
        #expect(try await engine.read(page.picture).text == ["still here"])
    }

    @Test("Tesseract breaks off in the middle of a page when it is told to")
    func breaksOff() throws {
        let page = try RenderedPage.lines(["one two three", "four five six"])
        let data = try TesseractData.find(in: nil)
        var instance = try TesseractInstance.load(languages: "eng", folder: data.folder, userWords: nil)
        let flag = CancellationFlag()
        let whole = instance.recognize(page.picture, mode: .block, cancellation: flag)
        flag.cancel()
        let broken = instance.recognize(page.picture, mode: .block, cancellation: flag)
        #expect(whole && !broken)
        let lines = try instance.read(page.picture, mode: .block, cancellation: CancellationFlag())
        #expect(lines.text == ["one two three", "four five six"])
    }

    @Test("text that leans has quads that lean", arguments: [4.0, -3])
    func leaning(degrees: Double) async throws {
        let canvas = try Canvas(width: 640, height: 360)
        let place = Affine.place(Point(80, 160), degrees: degrees)
        let drawn = canvas.draw(CanvasText("Danger zone ahead", size: 36), at: place)
        let lines = try await engine().read(canvas.picture(.luma))
        #expect(lines.text == ["Danger zone ahead"])
        let truth = try #require(drawn.ink)
        let read = try #require(lines.first).quad
        #expect(zip(read.corners, truth.corners).allSatisfy { ($0 - $1).length < 8 })
        for (word, drawn) in zip(lines.words, drawn.words) {
            #expect((word.quad.center - drawn.ink.center).length < 6)
        }
    }

    @Test("pictures with nothing to read give nothing", arguments: [(0, 0), (1, 1), (5, 400), (400, 3), (64, 64)])
    func empty(width: Int, height: Int) async throws {
        let bytes = [UInt8](repeating: 200, count: width * height)
        let picture = Picture(format: .luma, width: width, height: height, bytes: bytes)
        #expect(try await engine().read(picture).isEmpty)
    }

    @Test("an enormous picture is read at a bounded size")
    func enormous() async throws {
        let picture = Picture(
            format: .luma, width: 40_000, height: 40, bytes: [UInt8](repeating: 255, count: 1_600_000))
        #expect(try await engine().read(picture).isEmpty)
        let plan = try #require(PagePlan(width: 100_000, height: 100_000, layout: .automatic))
        #expect(plan.width * plan.height <= PagePlan.mostPixels)
    }
}
