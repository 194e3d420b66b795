import Glibc
import Testing
import TextMatching

@testable import TextSpotting

/// In a word of two letters, a reader knows the shapes of the letters but not their case.
@Suite struct ShortWordTests {
    /// Returns a line whose letters were read with some probability each, besides others.
    private static func line(_ letters: [[(Character, Double)]]) -> TextLine {
        let quad = Quad(Rect(x: 0, y: 0, width: 40, height: 20))
        var evidence = ReadingEvidence()
        for letter in letters {
            evidence.append(
                blank: -5, letter.map { .init(scalar: $0.0.unicodeScalars.first!.value, logarithm: Float(log($0.1))) })
            evidence.append(blank: -0.01)
        }
        evidence.peaks = letters.indices.map { 2 * Float($0) + 0.5 }
        let characters = letters.enumerated().map { index, letter in
            CharacterSpan(
                character: letter[0].0, start: Double(index) / Double(letters.count),
                end: Double(index + 1) / Double(letters.count), confidence: letter[0].1)
        }
        let confidence = letters.reduce(1) { $0 * $1[0].1 }
        return TextLine(
            quad: quad, words: [TextWord(quad: quad, characters: characters, confidence: confidence)],
            confidence: confidence,
            evidence: [evidence])
    }

    @Test(
        arguments: [
            ([[("S", 0.55), ("s", 0.43)], [("O", 0.5), ("o", 0.3), ("0", 0.18)]], 0.95),
            ([[("I", 0.6), ("l", 0.3)], [("t", 0.99)]], 0.92),
            ([[("|", 0.6), ("I", 0.35)], [("s", 0.6), ("S", 0.38)]], 0.93),
        ] as [([[(Character, Double)]], Double)])
    func theShapesCount(letters: [[(Character, Double)]], least: Double) {
        let line = Self.line(letters)
        #expect(line.confidence < 0.8 && line.confidenceOfShapes >= least)
    }

    /// Circles, strokes and arcs, the same shape twice, other alternatives, one letter and three.
    @Test(
        arguments: [
            [[("O", 0.5), ("o", 0.45)], [("l", 0.5), ("I", 0.45)]],
            [[("S", 0.5), ("s", 0.45)], [("s", 0.5), ("S", 0.45)]],
            [[("S", 0.5), ("5", 0.45)], [("t", 0.9)]], [[("S", 0.5), ("s", 0.45)]],
            [[("S", 0.5), ("s", 0.45)], [("u", 0.5), ("U", 0.45)], [("X", 0.5), ("x", 0.45)]],
            [[("1", 0.5), ("I", 0.45)], [("0", 0.5), ("O", 0.45)]],
            [[("O", 0.5), ("o", 0.45)], [("c", 0.5), ("C", 0.45)]],
            [[("i", 0.7)], [("e", 0.7)]],
        ] as [[[(Character, Double)]]])
    func nothingElseDoes(letters: [[(Character, Double)]]) {
        let line = Self.line(letters)
        #expect(line.confidenceOfShapes < 0.8)
    }
}
