internal import TextSpotting

/// A line whose words are being collected.
struct LineInProgress {
    private var words: [WordInProgress] = []
    /// Whether symbols belong to the last of ``words``, or to a word without bounds, which is left out.
    private var isInWord = false

    /// - Parameter bounds: nil if Tesseract has none.
    mutating func beginWord(bounds: Rect?, confidence: Double) {
        isInWord = bounds != nil
        if let bounds { words.append(WordInProgress(bounds: bounds, confidence: confidence)) }
    }

    mutating func add(_ symbol: String, bounds: Rect?, confidence: Double) {
        guard isInWord else { return }
        words[words.count - 1].add(symbol, bounds: bounds, confidence: confidence)
    }

    /// The line; nil if nothing visible was read.
    func finished() -> TextLine? {
        let direction = TextSlope.direction(ofFeet: words.flatMap(\.feet))
        return TextLine(words.compactMap { $0.finished(along: direction) }, along: direction)
    }
}
