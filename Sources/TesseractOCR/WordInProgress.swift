internal import TextSpotting

/// A word whose symbols are being collected.
struct WordInProgress {
    let bounds: Rect
    let confidence: Double
    private var characters: [CharacterSpan] = []

    init(bounds: Rect, confidence: Double) {
        self.bounds = bounds
        self.confidence = confidence
    }

    /// Adds one symbol of Tesseract's, which may be several characters, or a mark that belongs to the one before.
    ///
    /// - Parameter bounds: of the symbol; nil where Tesseract has none, which leaves it no width.
    mutating func add(_ symbol: String, bounds symbolBounds: Rect?, confidence: Double) {
        let edge = characters.last?.end ?? 0
        let start = symbolBounds.map { fraction($0.minX) } ?? edge
        let end = symbolBounds.map { max(start, fraction($0.maxX)) } ?? edge
        if let last = characters.last {
            let joined = String(last.character) + symbol
            if joined.count == 1, let character = joined.first {
                characters[characters.count - 1] = CharacterSpan(
                    character: character, start: min(last.start, start), end: max(last.end, end),
                    confidence: min(last.confidence, confidence))
                return
            }
        }
        let visible = symbol.filter { !$0.isWhitespace }
        let step = (end - start) / Double(max(1, visible.count))
        for (index, character) in visible.enumerated() {
            characters.append(
                CharacterSpan(
                    character: character, start: start + Double(index) * step, end: start + Double(index + 1) * step,
                    confidence: confidence))
        }
    }

    /// Puts the word at the end of the last line, unless nothing visible was read.
    func finish(into lines: inout [[TextWord]]) {
        guard !characters.isEmpty, !lines.isEmpty else { return }
        lines[lines.count - 1].append(TextWord(quad: Quad(bounds), characters: characters, confidence: confidence))
    }

    private func fraction(_ x: Double) -> Double { min(1, max(0, (x - bounds.minX) / bounds.width)) }
}

extension TextLine {
    /// A line of upright words: their common bounds, and their mean confidence, each character counting once.
    ///
    /// - Precondition: `words` is not empty.
    init(upright words: [TextWord]) {
        let bounds = words.dropFirst().reduce(words[0].quad.bounds) { $0.union($1.quad.bounds) }
        let count = words.reduce(0) { $0 + $1.characters.count }
        let sum = words.reduce(0) { $0 + $1.confidence * Double($1.characters.count) }
        self.init(quad: Quad(bounds), words: words, confidence: sum / Double(max(1, count)))
    }

    /// The line with all its places moved by `transform`.
    func mapped(_ transform: (Point) -> Point) -> TextLine {
        TextLine(
            quad: quad.mapped(transform),
            words: words.map {
                TextWord(quad: $0.quad.mapped(transform), characters: $0.characters, confidence: $0.confidence)
            }, confidence: confidence)
    }
}
