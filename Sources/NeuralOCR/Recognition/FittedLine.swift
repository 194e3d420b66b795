import TextSpotting

/// The words of a straightened line fitted to their strokes, and carried back into the picture.
struct FittedLine {
    /// A rectangle in fractions of the straightened line.
    private struct Part {
        var left: Double
        var right: Double
        var top: Double
        var bottom: Double
    }

    /// The usual place of text in the detector's grown quad, for strokes that cannot be told from the ground, as
    /// fractions of the quad's height: measured on rendered text (docs/NEURAL.md).
    static let usualTop = 0.2
    static let usualBottom = 0.8

    private var parts: [Part] = []
    private var words: [LineLayout.Word] = []

    init(words: [LineLayout.Word], ink: LineInk) {
        let width = Double(ink.width)
        let height = Double(ink.height)
        for (index, word) in words.enumerated() {
            let before = index == 0 ? 0 : words[index - 1].lastPeak
            let after = index == words.count - 1 ? 1 : words[index + 1].firstPeak
            let strokes = ink.strokes(
                columns: Int(
                    word.start * width)..<max(Int(word.start * width) + 1, Int((word.end * width).rounded(.up))),
                first: Int(word.firstPeak * width), last: Int(word.lastPeak * width),
                reach: Int(before * width)..<max(Int(before * width) + 1, Int((after * width).rounded(.up))))
            if let strokes {
                append(
                    word,
                    Part(
                        left: Double(strokes.left) / width, right: Double(strokes.right) / width,
                        top: Double(strokes.top) / height, bottom: Double(strokes.bottom) / height))
            } else {
                append(word, Part(left: word.start, right: word.end, top: Self.usualTop, bottom: Self.usualBottom))
            }
        }
    }

    /// Keeps the characters where they are in the line while the word's edges move to `part`.
    private mutating func append(_ word: LineLayout.Word, _ part: Part) {
        let length = word.end - word.start
        let fitted = max(part.right - part.left, .leastNonzeroMagnitude)
        func carried(_ fraction: Double) -> Double {
            min(1, max(0, (word.start + fraction * length - part.left) / fitted))
        }
        var word = word
        let last = word.characters.count - 1
        for index in word.characters.indices {
            word.characters[index].start = index == 0 ? 0 : carried(word.characters[index].start)
            word.characters[index].end = index == last ? 1 : carried(word.characters[index].end)
        }
        words.append(word)
        parts.append(part)
    }

    /// The line in the picture, when the straightened line was cut out of `quad`.
    func line(in quad: Quad, confidence: Double) -> TextLine {
        let whole = Part(
            left: parts.first?.left ?? 0, right: parts.last?.right ?? 1, top: parts.map(\.top).min() ?? 0,
            bottom: parts.map(\.bottom).max() ?? 1)
        return TextLine(
            quad: Self.place(whole, in: quad),
            words: zip(words, parts).map {
                TextWord(quad: Self.place($1, in: quad), characters: $0.characters, confidence: $0.confidence)
            }, confidence: confidence)
    }

    private static func place(_ part: Part, in quad: Quad) -> Quad {
        let columns = quad.slice(from: part.left, to: part.right)
        return Quad(
            topLeft: columns.topLeft.interpolated(to: columns.bottomLeft, at: part.top),
            topRight: columns.topRight.interpolated(to: columns.bottomRight, at: part.top),
            bottomRight: columns.topRight.interpolated(to: columns.bottomRight, at: part.bottom),
            bottomLeft: columns.topLeft.interpolated(to: columns.bottomLeft, at: part.bottom))
    }
}
