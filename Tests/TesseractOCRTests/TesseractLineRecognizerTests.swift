import OverlayDrawing
import Painting
import Testing
import TextSpotting

@testable import TesseractOCR

@Suite("Tesseract: single lines")
struct TesseractLineRecognizerTests {
    private func recognizer(_ format: Picture.Format = .luma) throws -> TesseractLineRecognizer {
        TesseractLineRecognizer(
            try TesseractEngine.load(TesseractSettings(languages: "eng", threads: 2)), pictureFormat: format)
    }

    @Test("reads each quad's line, upright and turned", arguments: [0.0, 12, -25], [Picture.Format.luma, .rgb])
    func lines(degrees: Double, format: Picture.Format) async throws {
        let canvas = try Canvas(width: 800, height: 600)
        let texts = ["Kitchen sink", "RUE DE LONDRES", "Platform four"]
        var quads: [Quad] = []
        var words: [(text: String, ink: Quad)] = []
        for (index, text) in texts.enumerated() {
            let place = Affine.place(Point(150, 200 + 90 * Double(index)), degrees: degrees)
            let drawn = canvas.draw(CanvasText(text, size: 34), at: place)
            quads.append(try #require(drawn.ink))
            words += drawn.words
        }
        let recognizer = try recognizer(format)
        #expect(recognizer.pictureFormat == format)
        let lines = try await recognizer.recognize(quads, in: canvas.picture(format))
        #expect(lines.map { $0?.text } == texts)
        #expect(lines.compactMap { $0?.quad } == quads)
        for (read, drawn) in zip(lines.compactMap { $0 }.words, words) {
            #expect((read.quad.center - drawn.ink.center).length < 6)
            #expect(abs(read.quad.width - drawn.ink.width) < 12)
        }
    }

    /// The syllables of a word stay together, and words apart: not always (13 of these 16), but in two thirds of the lines.
    @Test(
        "keeps Korean words together",
        .enabled(if: TesseractEngine.installedLanguages().contains("kor"), "tesseract-ocr-kor is not installed"))
    func korean() async throws {
        let texts = ["오늘은 날씨가 좋네요", "감사합니다", "서울역 출구", "다음 역은 강남역입니다"]
        let engine = try TesseractEngine.load(TesseractSettings(languages: "kor", threads: 1))
        var whole = 0
        for (text, size) in texts.flatMap({ text in [24.0, 32, 40, 56].map { (text, $0) } }) {
            let canvas = try Canvas(width: 900, height: 140)
            let drawn = canvas.draw(CanvasText(text, size: size), at: .move(to: Point(40, 40)))
            let quad = try #require(drawn.ink).grown(by: 0.2 * size)
            let line = try await TesseractLineRecognizer(engine).recognize([quad], in: canvas.picture(.luma))[0]
            whole += line?.text == text ? 1 : 0
            #expect(line?.text.filter { $0 != " " } == text.filter { $0 != " " })
            // Letters stand in order in their words.
            for word in line?.words ?? [] {
                #expect(zip(word.characters, word.characters.dropFirst()).allSatisfy { $0.start <= $1.start })
                #expect(word.characters.allSatisfy { $0.start >= 0 && $0.end <= 1.001 })
            }
        }
        #expect(whole > 10, "\(whole) of 16")
    }

    @Test("reads light on dark and small")
    func small() async throws {
        let page = try RenderedPage.lines(
            ["lower third"], size: 13, width: 200, height: 120, ink: .white, paper: .black)
        let ink = page.words[0].ink.bounds.union(page.words[1].ink.bounds).grown(by: 2)
        #expect(try await recognizer().recognize([Quad(ink)], in: page.picture).map { $0?.text } == ["lower third"])
    }

    @Test("quads without area, outside the picture or without text give nil")
    func odd() async throws {
        let page = try RenderedPage.lines(["text"])
        let quads = [
            Quad(Rect(x: 10, y: 10, width: 0, height: 0)), Quad(Rect(x: 5_000, y: 0, width: 50, height: 20)),
            Quad(Rect(x: .nan, y: 0, width: 50, height: 20)), Quad(Rect(x: 300, y: 250, width: 100, height: 30)),
        ]
        #expect(try await recognizer().recognize(quads, in: page.picture) == [nil, nil, nil, nil])
        #expect(try await recognizer().recognize([], in: page.picture).isEmpty)
    }
}
