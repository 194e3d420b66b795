internal import TextSpotting

/// A word whose symbols are being collected.
struct WordInProgress {
    let bounds: Rect
    let confidence: Double
    private var characters: [CharacterSpan] = []
    /// Where each symbol stands on the line: the middle of its bottom edge.
    private(set) var feet: [Point] = []

    init(bounds: Rect, confidence: Double) {
        self.bounds = bounds
        self.confidence = confidence
    }

    /// Adds one symbol of Tesseract's, which may be several characters, or a mark that belongs to the one before.
    ///
    /// - Parameters:
    ///   - symbolBounds: of the symbol; nil if Tesseract has none, which leaves it no width.
    ///   - symbolConfidence: of the symbol by itself, which is near 1 in noise too, while the word's own is now and
    ///     then near 0 for a word that is right: the character gets their mean.
    mutating func add(_ symbol: String, bounds symbolBounds: Rect?, confidence symbolConfidence: Double) {
        let confidence = (confidence + symbolConfidence) / 2
        if let box = symbolBounds { feet.append(Point(box.center.x, box.maxY)) }
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

    /// The word, on a line in the direction `direction`; nil if nothing visible was read.
    func finished(along direction: Point) -> TextWord? {
        guard !characters.isEmpty else { return nil }
        return TextWord(
            quad: Quad(inside: bounds, along: direction), characters: characters, confidence: confidence)
    }

    private func fraction(_ x: Double) -> Double { min(1, max(0, (x - bounds.minX) / bounds.width)) }
}
