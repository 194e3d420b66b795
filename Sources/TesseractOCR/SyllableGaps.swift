internal import TextSpotting

/// The words of a line put together where there is no gap between them in the picture.
///
/// Tesseract takes each syllable of Korean for a word, or each letter of Chinese and Japanese, where they stand a little apart; and the places
/// that it gives to letters are too rough to tell. What tells is how wide the widest stretch without strokes is between the two.
struct SyllableGaps {
    private let picture: Picture

    /// How wide a space of Korean is at least, as a part of the letters' height: letters stand up to 0.17 of it apart, words from 0.33 on.
    private static let leastSpace = 0.25
    /// Chinese and Japanese have no spaces; what is further apart belongs to something else.
    private static let leastBreak = 1.0
    /// How far from the paper a stroke is at least, as a part of the line's contrast.
    private static let leastContrast = 0.3

    /// - Parameter picture: luma; the one that was read.
    init(of picture: Picture) { self.picture = picture }

    /// The line with those words put together; one that leans as it is.
    func closed(_ line: TextLine) -> TextLine {
        guard line.words.count > 1, line.quad.direction.y == 0 else { return line }
        var line = line
        line.words = line.words.dropFirst().reduce(into: [line.words[0]]) { words, word in
            let last = words[words.count - 1]
            if isClosed(between: last, word) {
                words[words.count - 1] = last.joined(with: word)
            } else {
                words.append(word)
            }
        }
        return line
    }

    private func isClosed(between left: TextWord, _ right: TextWord) -> Bool {
        guard let before = left.characters.last, let after = right.characters.first else { return false }
        let least: Double
        switch (Self.script(of: before.character), Self.script(of: after.character)) {
        case (.hangul, .hangul): least = Self.leastSpace
        case (.unspaced, .unspaced): least = Self.leastBreak
        default: return false
        }
        let (from, to) = (left.center(of: before), right.center(of: after))
        let height = max(left.quad.height, right.quad.height)
        return from < to && Double(widestGap(between: Int(from), Int(to), of: left.quad, right.quad)) < least * height
    }

    /// The most columns without strokes in a row, in pixels.
    private func widestGap(between left: Int, _ right: Int, of first: Quad, _ second: Quad) -> Int {
        let bounds = [first.bounds, second.bounds]
        let rows =
            max(0, Int(bounds.map(\.minY).min() ?? 0))..<min(picture.height, Int(bounds.map(\.maxY).max() ?? 0) + 1)
        let columns = max(0, left)..<min(picture.width, right)
        guard !rows.isEmpty, !columns.isEmpty else { return 0 }
        func value(_ x: Int, _ y: Int) -> Int { Int(picture.bytes[y * picture.bytesPerRow + x]) }
        let all = rows.flatMap { y in columns.map { value($0, y) } }.sorted()
        let paper = Self.paper(of: all)
        let contrast = max(paper - all[0], all[all.count - 1] - paper)
        var (widest, width) = (0, 0)
        for x in columns {
            let isStroke = rows.contains { Double(abs(value(x, $0) - paper)) > Self.leastContrast * Double(contrast) }
            width = isStroke ? 0 : width + 1
            widest = max(widest, width)
        }
        return widest
    }

    /// The most frequent brightness, within eight levels.
    private static func paper(of sorted: [Int]) -> Int {
        var counts = [Int](repeating: 0, count: 32)
        for value in sorted { counts[value / 8] += 1 }
        let most = counts.indices.max { counts[$0] < counts[$1] } ?? 0
        let those = sorted.filter { $0 / 8 == most }
        return those[those.count / 2]
    }

    private enum Script { case hangul, unspaced, other }

    private static func script(of character: Character) -> Script {
        guard let scalar = character.unicodeScalars.first else { return .other }
        if (0xAC00...0xD7A3).contains(scalar.value) { return .hangul }
        return scalar.properties.isIdeographic || (0x3041...0x30FF).contains(scalar.value) ? .unspaced : .other
    }
}

extension TextWord {
    /// Where a character's middle is, in pixels from the left.
    fileprivate func center(of character: CharacterSpan) -> Double {
        quad.topLeft.x + (quad.topRight.x - quad.topLeft.x) * (character.start + character.end) / 2
    }

    /// Both as one, of words on a level line.
    fileprivate func joined(with other: TextWord) -> TextWord {
        let place = quad.bounds.union(other.quad.bounds)
        func moved(_ characters: [CharacterSpan], of word: TextWord) -> [CharacterSpan] {
            let (start, width) = (word.quad.topLeft.x - place.minX, word.quad.width)
            return characters.map { span in
                var span = span
                span.start = (start + span.start * width) / place.width
                span.end = (start + span.end * width) / place.width
                return span
            }
        }
        let (mine, others) = (Double(characters.count), Double(other.characters.count))
        return TextWord(
            quad: Quad(place), characters: moved(characters, of: self) + moved(other.characters, of: other),
            confidence: (confidence * mine + other.confidence * others) / (mine + others))
    }
}
