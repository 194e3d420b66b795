import TextMatching
import TextSpotting

/// A line as an engine would give it: ten pixels a character and ten a gap, thirty high, read with confidence 1.
func line(_ text: String, confidence: Double = 1, at origin: Point = Point(0, 0)) -> TextLine {
    var words: [TextWord] = []
    var x = origin.x
    for part in text.split(separator: " ") {
        let width = Double(part.count) * 10
        let quad = Quad(Rect(x: x, y: origin.y, width: width, height: 30))
        words.append(TextWord(text: String(part), quad: quad, confidence: confidence))
        x += width + 10
    }
    return TextLine(
        quad: Quad(Rect(x: origin.x, y: origin.y, width: x - origin.x - 10, height: 30)), words: words,
        confidence: confidence)
}

func find(
    _ pattern: String, in text: String, caseSensitive: Bool = false, wholeWords: Bool = false, confidence: Double = 1
) throws -> [Match] {
    let options = MatchOptions(caseSensitive: caseSensitive, wholeWords: wholeWords)
    return Matcher(patterns: [try Pattern(text: pattern, options: options)])
        .matches(in: line(text, confidence: confidence))
}

extension Quad {
    /// The greatest distance between corresponding corners, in pixels.
    func distance(to other: Quad) -> Double {
        zip(corners, other.corners).map { ($0 - $1).length }.max() ?? 0
    }
}
