import Testing
import TextSpotting

@testable import NeuralOCR

struct LineLayoutTests {
    func readings(_ text: String, peaks: [Double], confidence: Double = 1) -> [CTCDecoder.Letter] {
        zip(text, peaks).map { CTCDecoder.Letter(character: $0, peak: $1, confidence: confidence) }
    }

    @Test func wordsEndAtSpacesAndCharactersMidwayBetweenPeaks() {
        let words = LineLayout.words(readings("ab c", peaks: [1, 3, 5, 8]), steps: 10)
        #expect(words.map { String($0.characters.map(\.character)) } == ["ab", "c"])
        #expect(words[0].start == 0)
        #expect(words[0].end == 0.4)
        #expect(words[1].start == 0.65)
        #expect(words[1].end == 1)
        #expect(words[0].characters.map(\.start) == [0, 0.5])
        #expect(words[0].characters.map(\.end) == [0.5, 1])
    }

    @Test func spacesAloneAreNoWords() {
        #expect(LineLayout.words(readings("  ", peaks: [1, 2]), steps: 4).isEmpty)
        #expect(LineLayout.words(readings(" a ", peaks: [1, 2, 3]), steps: 4).count == 1)
    }

    @Test func oneDoubtfulCharacterMakesTheWordDoubtful() {
        #expect(abs(LineLayout.geometricMean([1, 1, 0.125]) - 0.5) < 1e-9)
        #expect(LineLayout.geometricMean([0.5, 0]) < 1e-3)
        #expect(LineLayout.geometricMean([]) == 0)
    }

    @Test func charactersStayInPlaceWhenTheWordIsFittedToItsStrokes() throws {
        let words = LineLayout.words(readings("ab", peaks: [3, 7]), steps: 10)
        // 100 columns; strokes from 20 to 80, rows 10 to 30 of 48, dark on light.
        var samples = [UInt8](repeating: 250, count: 100 * 48)
        for y in 10..<30 { for x in 20..<80 { samples[y * 100 + x] = 10 } }
        let ink = LineInk(width: 100, height: 48, samples: samples)
        let line = FittedLine(words: words, ink: ink).line(
            in: Quad(Rect(x: 100, y: 200, width: 100, height: 48)), confidence: 1)
        #expect(line.quad.bounds == Rect(x: 120, y: 210, width: 60, height: 20))
        let word = try #require(line.words.first)
        #expect(word.quad == line.quad)
        // The border between the characters was at 50 of 100 columns, which is the middle of 20 to 80.
        #expect(abs(word.characters[0].end - 0.5) < 1e-9)
        #expect(word.characters[0].start == 0)
        #expect(word.characters[1].end == 1)
    }
}

struct LineInkTests {
    /// Two words as blocks: columns 20 to 40 and 60 to 90, rows 12 to 36.
    func ink(ground: UInt8, stroke: UInt8, extra: (inout [UInt8]) -> Void = { _ in }) -> LineInk {
        var samples = [UInt8](repeating: ground, count: 120 * 48)
        for y in 12..<36 {
            for x in 20..<40 where x % 4 < 2 { samples[y * 120 + x] = stroke }
            for x in 60..<90 where x % 4 < 2 { samples[y * 120 + x] = stroke }
        }
        extra(&samples)
        return LineInk(width: 120, height: 48, samples: samples)
    }

    @Test(arguments: [(UInt8(250), UInt8(10)), (UInt8(20), UInt8(240)), (UInt8(120), UInt8(160))])
    func strokesAreFoundDarkOnLightAndLightOnDark(ground: UInt8, stroke: UInt8) {
        let ink = ink(ground: ground, stroke: stroke)
        let box = ink.strokes(columns: 0..<50, first: 25, last: 35, reach: 0..<70)
        #expect(box == LineInk.Box(left: 20, right: 38, top: 12, bottom: 36))
        let next = ink.strokes(columns: 50..<120, first: 65, last: 85, reach: 35..<120)
        #expect(next == LineInk.Box(left: 60, right: 90, top: 12, bottom: 36))
    }

    @Test func withoutContrastThereIsNoAnswer() {
        #expect(ink(ground: 100, stroke: 110).strokes(columns: 0..<50, first: 25, last: 35, reach: 0..<70) == nil)
        #expect(ink(ground: 100, stroke: 200).strokes(columns: 0..<0, first: 0, last: 0, reach: 0..<0) == nil)
    }

    @Test func aNeighboringLineIsNotTakenIn() {
        let ink = ink(ground: 250, stroke: 10) { samples in
            for y in 42..<48 { for x in 0..<120 where x % 3 == 0 { samples[y * 120 + x] = 10 } }
        }
        #expect(ink.strokes(columns: 0..<50, first: 25, last: 35, reach: 0..<70)?.bottom == 36)
    }

    @Test func groundThatReachesTheEdgeIsNotTakenForStrokes() {
        let ink = ink(ground: 250, stroke: 10) { samples in
            for y in 0..<48 { samples[y * 120 + 28] = 10 }
        }
        #expect(ink.strokes(columns: 0..<50, first: 25, last: 35, reach: 0..<70) == nil)
    }
}
