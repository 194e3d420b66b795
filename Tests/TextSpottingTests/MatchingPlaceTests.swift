import Testing
import TextMatching
import TextSpotting

@Suite("Matching: where a match stands")
struct MatchingPlaceTests {
    @Test("whole words, part of a word, across words")
    func upright() throws {
        let read = line("gum skate glow", at: Point(100, 50))
        func quad(_ pattern: String) throws -> Rect? {
            Matcher(patterns: [try Pattern(text: pattern)]).matches(in: read).first?.quad.bounds
        }
        #expect(try quad("skate") == Rect(x: 140, y: 50, width: 50, height: 30))
        #expect(try quad("kat") == Rect(x: 150, y: 50, width: 30, height: 30))
        #expect(try quad("gum skate") == Rect(x: 100, y: 50, width: 90, height: 30))
        #expect(try quad("te glow") == Rect(x: 170, y: 50, width: 70, height: 30))
    }

    @Test("character spans, not their count, place a part of a word")
    func spans() throws {
        let characters = zip("Will", [(0.0, 0.5), (0.5, 0.6), (0.65, 0.8), (0.85, 1.0)]).map {
            CharacterSpan(character: $0, start: $1.0, end: $1.1, confidence: 1)
        }
        let quad = Quad(Rect(x: 0, y: 0, width: 100, height: 20))
        let read = TextLine(
            quad: quad, words: [TextWord(quad: quad, characters: characters, confidence: 1)], confidence: 1)
        let match = try #require(Matcher(patterns: [try Pattern(text: "ill")]).matches(in: read).first)
        #expect(match.quad.distance(to: Quad(Rect(x: 50, y: 0, width: 50, height: 20))) < 1e-9)
    }

    @Test("in turned text the quad turns with the line", arguments: [10.0, 45, 90, 180, -30])
    func turned(degrees: Double) throws {
        let (sine, cosine) = sineAndCosine(degrees)
        func turn(_ p: Point) -> Point { Point(200 + p.x * cosine - p.y * sine, 300 + p.x * sine + p.y * cosine) }
        let read = line("gum skate glow").mapped { $0.mapped(turn) }
        func quad(_ pattern: String) throws -> Quad {
            try #require(Matcher(patterns: [try Pattern(text: pattern)]).matches(in: read).first).quad
        }
        func turned(_ x: Double, _ width: Double) -> Quad {
            Quad(Rect(x: x, y: 0, width: width, height: 30)).mapped(turn)
        }
        #expect(try quad("skate glow").distance(to: turned(40, 100)) < 1e-9)
        #expect(try quad("te glow").distance(to: turned(70, 70)) < 1e-9)
        #expect(try quad("kat").distance(to: turned(50, 30)) < 1e-9)
    }

    @Test("words of different height are held by one box")
    func heights() throws {
        var read = line("gum skate")
        read.words[0].quad = read.words[0].quad.moved(by: Point(0, -4))
        let match = try #require(Matcher(patterns: [try Pattern(text: "gum skate")]).matches(in: read).first)
        #expect(match.quad.bounds == Rect(x: 0, y: -4, width: 90, height: 34))
    }

    @Test("text from right to left: spans fall as reading goes on")
    func rightToLeft() throws {
        let letters = Array("سلام")
        let characters = letters.enumerated().map { index, letter in
            let end = 1 - Double(index) / 4
            return CharacterSpan(character: letter, start: end - 0.25, end: end, confidence: 1)
        }
        let quad = Quad(Rect(x: 0, y: 0, width: 40, height: 20))
        let read = TextLine(
            quad: quad, words: [TextWord(quad: quad, characters: characters, confidence: 1)], confidence: 1)
        let match = try #require(Matcher(patterns: [try Pattern(text: "سل")]).matches(in: read).first)
        #expect(match.quad.distance(to: Quad(Rect(x: 20, y: 0, width: 20, height: 20))) < 1e-9)
    }

    @Test("a quad that spans none is none, and one of zero size does no harm")
    func degenerate() {
        #expect(Quad.spanning([], along: Point(1, 0)) == nil)
        #expect(Quad(Rect(x: 3, y: 4, width: 0, height: 0)).direction == Point(1, 0))
    }

    private func sineAndCosine(_ degrees: Double) -> (Double, Double) {
        switch degrees {
        case 10: (0.17364817766693033, 0.984807753012208)
        case 45: (0.7071067811865476, 0.7071067811865476)
        case 90: (1, 0)
        case 180: (0, -1)
        default: (-0.5, 0.8660254037844386)
        }
    }
}
