import Glibc
import TextMatching

extension TextLine {
    /// The confidence in the line; for a word of two letters that stands alone, the confidence in the shapes of its letters.
    ///
    /// Nothing beside them tells a reader whether `So` or `SO` is written, or `It` or `lt`, so that it is sure of neither,
    /// however clear they are. Strokes and circles do not count as letters, because textures have them.
    var confidenceOfShapes: Double {
        let characters = words.flatMap(\.characters).map(\.character)
        let shapes = characters.map(Self.shape(of:))
        guard shapes.count == 2, shapes[0] != shapes[1], characters.contains(where: \.isLetter),
            characters.allSatisfy({ $0.isLetter || "01|".contains($0) }), !shapes.allSatisfy(Self.ofTextures.contains)
        else { return confidence }
        let readings = evidence.filter { $0.peaks.count == 2 }.map { reading in
            zip(shapes, reading.peaks).reduce(0) { sum, letter in
                guard letter.1 >= 0, Int(letter.1) < reading.count else { return sum }
                let own = reading.candidates(at: Int(letter.1)).filter { candidate in
                    Unicode.Scalar(candidate.scalar).map { Self.shape(of: Character($0)) == letter.0 } ?? false
                }
                return sum + own.reduce(0) { $0 + exp(Double($1.logarithm)) } / 2
            }
        }
        return max(confidence, readings.reduce(0, +) / Double(max(1, readings.count)))
    }

    /// The shapes of a circle and a stroke.
    private static let ofTextures: Set<Character> = ["o", "l"]

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
