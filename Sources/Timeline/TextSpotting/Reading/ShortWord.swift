import Glibc
import TextMatching

extension TextLine {
    /// The confidence in the line; for a word of two letters that stands alone, the confidence in the shapes of its
    /// letters, if that is greater.
    ///
    /// Nothing beside them tells a reader whether `So` or `SO` is written, or `It` or `lt`, so that it is sure of neither,
    /// however clear they are. Strokes, circles and arcs do not count as letters, because textures have them.
    var confidenceOfShapes: Double {
        let letters = words.flatMap(\.characters)
        let shapes = letters.map { Self.shape(of: $0.character) }
        guard words.count == 1, shapes.count == 2, shapes[0] != shapes[1],
            letters.contains(where: \.character.isLetter),
            letters.allSatisfy({ $0.character.isLetter || "01|".contains($0.character) }),
            !shapes.allSatisfy(Self.ofTextures.contains)
        else { return confidence }
        let readings = evidence.filter { $0.peaks.count == 2 }.map { reading in
            zip(letters, reading.peaks).reduce(0) { sum, letter in
                sum + min(1, letter.0.confidence + Self.twins(of: letter.0.character, at: letter.1, in: reading)) / 2
            }
        }
        return max(confidence, readings.reduce(0, +) / Double(max(1, readings.count)))
    }

    /// Returns the probability of the other letters of a letter's shape at its peak.
    private static func twins(of letter: Character, at peak: Float, in reading: ReadingEvidence) -> Double {
        guard peak >= 0, peak < Float(reading.count) else { return 0 }
        return reading.candidates(at: Int(peak)).reduce(0) { sum, candidate in
            guard let other = Unicode.Scalar(candidate.scalar).map(Character.init), other != letter,
                shape(of: other) == shape(of: letter)
            else { return sum }
            return sum + exp(Double(candidate.logarithm))
        }
    }

    private static let ofTextures: Set<Character> = ["o", "l", "c"]

    /// Returns one letter for all of the same shape.
    private static func shape(of character: Character) -> Character {
        switch character {
        case "0", "O": "o"
        case "I", "1", "|": "l"
        case "C", "S", "U", "V", "W", "X", "Z", "K", "P", "Y", "J": Character(character.lowercased())
        default: character
        }
    }
}
