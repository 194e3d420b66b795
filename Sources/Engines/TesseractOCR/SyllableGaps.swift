internal import TextSpotting

/// Divides the words of a Korean line where there are gaps between them in the picture.
///
/// Tesseract splits words into single syllables, and their places are too rough to correct that. The stretches without
/// strokes show it: letters are up to 0.21 of their height apart, words 0.3 and more. Which letters are between two of them
/// follows from the widths, because all syllables have the same width.
struct SyllableGaps {
    private let picture: Picture

    /// The least width of a space, as a share of the letters' height.
    private static let leastSpace = 0.26
    /// The least difference between a stroke and the background, as a share of the line's contrast.
    private static let leastContrast = 0.3
    /// The largest rise from one end of a line to the other, as a share of its height, so that the columns of its gaps stay without strokes.
    private static let mostLean = 0.3
    /// Widths of letters, as shares of a syllable's, and the gap that belongs to each.
    private static let (narrow, slim, gap) = (0.6, 0.35, 0.12)
    /// The largest distance between the end of a word and the expected end of its letters, in syllables.
    private static let tolerance = 0.4

    /// - Parameter picture: the luma picture that was read.
    init(of picture: Picture) { self.picture = picture }

    /// Returns the line with its words divided in this way; unchanged if it leans much, is not Korean, or its letters do not fit the picture's words.
    func closed(_ line: TextLine) -> TextLine {
        let characters = line.words.flatMap(\.characters)
        let syllables = characters.count { Self.isSyllable($0.character) }
        let lean = abs(line.quad.direction.y) * line.quad.width
        guard line.words.count > 1, lean <= Self.mostLean * line.quad.height, syllables > 1,
            2 * syllables > characters.count
        else { return line }
        let bounds = line.words.map(\.quad.bounds)
        let rows =
            max(
                0, Int(bounds.map(\.minY).min() ?? 0))..<min(
                picture.height, Int((bounds.map(\.maxY).max() ?? 0).rounded(.up)))
        guard let words = words(in: rows), let parts = Self.parts(of: characters, in: words) else { return line }
        var line = line
        line.words = zip(words, parts).map { columns, part in
            Self.word(
                part,
                Rect(
                    x: Double(columns.lowerBound), y: Double(rows.lowerBound), width: Double(columns.count),
                    height: Double(rows.count)), confidence: line.confidence)
        }
        return line
    }

    private static func isSyllable(_ character: Character) -> Bool {
        character.unicodeScalars.first.map { (0xAC00...0xD7A3).contains($0.value) } ?? false
    }

    private static func width(of character: Character) -> Double {
        isSyllable(character) ? 1 : character.isLetter || character.isNumber ? narrow : slim
    }

    /// Returns the columns of each word; nil if strokes and background cannot be told apart.
    private func words(in rows: Range<Int>) -> [Range<Int>]? {
        guard !rows.isEmpty else { return nil }
        func value(_ x: Int, _ y: Int) -> Int { Int(picture.bytes[y * picture.bytesPerRow + x]) }
        var counts = [Int](repeating: 0, count: 256)
        for y in rows { for x in 0..<picture.width { counts[value(x, y)] += 1 } }
        let paper = counts.indices.max { counts[$0] < counts[$1] } ?? 0
        guard let darkest = counts.firstIndex(where: { $0 > 0 }), let lightest = counts.lastIndex(where: { $0 > 0 })
        else {
            return nil
        }
        let least = Self.leastContrast * Double(max(paper - darkest, lightest - paper))
        let strokes = (0..<picture.width).filter { x in rows.contains { Double(abs(value(x, $0) - paper)) > least } }
        guard let first = strokes.first, least > 8 else { return nil }
        let inked = rows.count { y in strokes.contains { Double(abs(value($0, y) - paper)) > least } }
        var words = [first..<first + 1]
        for x in strokes.dropFirst() {
            let last = words[words.count - 1]
            if Double(x - last.upperBound) < Self.leastSpace * Double(inked) {
                words[words.count - 1] = last.lowerBound..<x + 1
            } else {
                words.append(x..<x + 1)
            }
        }
        return words
    }

    /// Returns the characters of each word; nil if they do not fit.
    private static func parts(of characters: [CharacterSpan], in words: [Range<Int>]) -> [ArraySlice<CharacterSpan>]? {
        let widths = characters.map { width(of: $0.character) }
        // Each word is as wide as its letters, without the gap after the last one.
        let all = widths.reduce(0, +) - gap * Double(words.count)
        let syllable = Double(words.reduce(0) { $0 + $1.count }) / all
        guard all > 0, syllable > 0 else { return nil }
        var parts: [ArraySlice<CharacterSpan>] = []
        var start = 0
        for columns in words {
            let wanted = Double(columns.count) / syllable + gap
            var (end, width) = (start, 0.0)
            while end < characters.count, abs(width + widths[end] - wanted) <= abs(width - wanted) {
                width += widths[end]
                end += 1
            }
            guard end > start, abs(width - wanted) <= tolerance else { return nil }
            parts.append(characters[start..<end])
            start = end
        }
        return start == characters.count ? parts : nil
    }

    /// Returns a word whose letters are placed side by side.
    private static func word(_ characters: ArraySlice<CharacterSpan>, _ place: Rect, confidence: Double) -> TextWord {
        let widths = characters.map { width(of: $0.character) }
        let all = widths.reduce(0, +)
        var start = 0.0
        let spans = zip(characters, widths).map { span, width in
            defer { start += width / all }
            return CharacterSpan(
                character: span.character, start: start, end: min(1, start + width / all), confidence: span.confidence)
        }
        let sum = spans.reduce(0) { $0 + $1.confidence }
        return TextWord(
            quad: Quad(place), characters: spans, confidence: spans.isEmpty ? confidence : sum / Double(spans.count))
    }
}
