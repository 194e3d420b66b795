internal import CTesseract
import TextMatching
internal import TextSpotting

/// Walks over Tesseract's result symbol by symbol; owns its iterator.
struct ResultWalk: ~Copyable {
    private let iterator: OpaquePointer
    /// The same object as an iterator over places; freed with ``iterator``.
    private let page: OpaquePointer?

    init(takingOwnershipOf iterator: OpaquePointer) {
        self.iterator = iterator
        page = TessResultIteratorGetPageIteratorConst(iterator)
    }

    deinit { TessResultIteratorDelete(iterator) }

    /// The lines that have at least one word, in Tesseract's order.
    consuming func lines() -> [TextLine] {
        var lines: [TextLine] = []
        var line = LineInProgress()
        repeat {
            if TessPageIteratorIsAtBeginningOf(page, RIL_TEXTLINE) != 0 {
                if let finished = line.finished() { lines.append(finished) }
                line = LineInProgress()
            }
            if TessPageIteratorIsAtBeginningOf(page, RIL_WORD) != 0 {
                line.beginWord(bounds: bounds(RIL_WORD), confidence: confidence(RIL_WORD))
            }
            if let text = text(RIL_SYMBOL) {
                line.add(text, bounds: bounds(RIL_SYMBOL), confidence: confidence(RIL_SYMBOL))
            }
        } while TessResultIteratorNext(iterator, RIL_SYMBOL) != 0
        if let finished = line.finished() { lines.append(finished) }
        return lines
    }

    private func bounds(_ level: TessPageIteratorLevel) -> Rect? {
        var left: CInt = 0
        var top: CInt = 0
        var right: CInt = 0
        var bottom: CInt = 0
        guard TessPageIteratorBoundingBox(page, level, &left, &top, &right, &bottom) != 0, right > left, bottom > top
        else { return nil }
        return Rect(x: Double(left), y: Double(top), width: Double(right - left), height: Double(bottom - top))
    }

    private func text(_ level: TessPageIteratorLevel) -> String? {
        guard let text = TessResultIteratorGetUTF8Text(iterator, level) else { return nil }
        defer { TessDeleteText(text) }
        return String(cString: text)
    }

    /// The confidence, 0 to 1; Tesseract counts to 100.
    private func confidence(_ level: TessPageIteratorLevel) -> Double {
        min(1, max(0, Double(TessResultIteratorConfidence(iterator, level)) / 100))
    }
}

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

/// A word whose symbols are being collected.
struct WordInProgress {
    let bounds: Rect
    let confidence: Double
    private var characters: [CharacterSpan] = []
    /// The place of each symbol on the line: the middle of its bottom edge.
    private(set) var feet: [Point] = []

    init(bounds: Rect, confidence: Double) {
        self.bounds = bounds
        self.confidence = confidence
    }

    /// Adds one Tesseract symbol, which may be several characters, or a mark that belongs to the previous one.
    ///
    /// - Parameters:
    ///   - symbolBounds: the bounds of the symbol; nil if Tesseract has none, which leaves it no width.
    ///   - symbolConfidence: the confidence of the symbol by itself, which is near 1 in noise too, while that of the
    ///     word is sometimes near 0 for a correct word: the character gets their mean.
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

/// Determines the slope of a line of text from the places of its letters.
///
/// The baseline that Tesseract gives is too level: of 6 degrees it shows 1. This is the median of the slopes between
/// letters (Theil, 1950; Sen, 1968), which letters below the baseline (g, p, a comma) do not disturb.
enum TextSlope {
    /// Lines with a smaller slope, 1 pixel in 40, count as level, because it may come from rounding.
    private static let leastSlope = 0.025
    /// The least number of letters for an estimate.
    private static let fewestLetters = 5
    /// The largest number of letters of a line that are used, evenly spread.
    private static let mostLetters = 40

    /// The direction of the text, of length 1; (1, 0) for a line that is level or too short to tell.
    ///
    /// - Parameter feet: the middles of the letters' bottom edges, in pixels.
    static func direction(ofFeet feet: [Point]) -> Point {
        let level = Point(1, 0)
        guard feet.count >= fewestLetters else { return level }
        let step = max(1, feet.count / mostLetters)
        let sample = stride(from: 0, to: feet.count, by: step).map { feet[$0] }
        let xs = sample.map(\.x)
        let length = (xs.max() ?? 0) - (xs.min() ?? 0)
        var slopes: [Double] = []
        for (index, a) in sample.enumerated() {
            for b in sample[(index + 1)...] where abs(b.x - a.x) > length / 3 {
                slopes.append((b.y - a.y) / (b.x - a.x))
            }
        }
        guard slopes.count >= 3 else { return level }
        slopes.sort()
        let slope = slopes[slopes.count / 2]
        guard abs(slope) > leastSlope else { return level }
        let along = Point(1, slope)
        return along * (1 / along.length)
    }
}

extension Quad {
    /// The quad of a word whose baseline runs along `direction` and whose axis-aligned bounds are `bounds`.
    ///
    /// A rectangle of w by h turned by an angle a has bounds of w cos a + h sin a by w sin a + h cos a; solved for w
    /// and h. If that has no sensible solution, from about 30 degrees on or if the letters leave corners empty,
    /// the bounds themselves are returned.
    init(inside bounds: Rect, along direction: Point) {
        let cosine = abs(direction.x)
        let sine = abs(direction.y)
        let determinant = cosine * cosine - sine * sine
        let width = (bounds.width * cosine - bounds.height * sine) / determinant
        let height = (bounds.height * cosine - bounds.width * sine) / determinant
        guard sine > 0, determinant > 0.5, width > 0.3 * bounds.width, height > 0.3 * bounds.height else {
            self.init(bounds)
            return
        }
        let right = direction * (width / 2)
        let down = Point(-direction.y, direction.x) * (height / 2)
        let center = bounds.center
        self.init(
            topLeft: center - right - down, topRight: center + right - down,
            bottomRight: center + right + down, bottomLeft: center - right + down)
    }
}

extension TextLine {
    /// Creates a line from words along `direction`, with a quad that contains all of theirs and their mean confidence,
    /// weighted by characters. Nil if there are no words.
    init?(_ words: [TextWord], along direction: Point) {
        guard let quad = Quad.spanning(words.map(\.quad), along: direction) else { return nil }
        let count = words.reduce(0) { $0 + $1.characters.count }
        let sum = words.reduce(0) { $0 + $1.confidence * Double($1.characters.count) }
        self.init(quad: quad, words: words, confidence: sum / Double(max(1, count)), source: .tesseract)
    }
}
