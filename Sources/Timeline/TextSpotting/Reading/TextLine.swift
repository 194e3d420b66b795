public import Errors
import Synchronization
public import TextMatching

/// A line of text as an engine read it in one picture.
public struct TextLine: Hashable, Sendable {
    /// The place of the whole line, in pixels of the picture that was read.
    public var quad: Quad
    /// The line's words in reading order; never empty.
    public var words: [TextWord]
    /// The confidence of the engine in the whole line, 0 to 1.
    public var confidence: Double
    /// The evidence of each reading of the line beyond ``words``, the best reading first; empty if the engine provides
    /// none. The peaks of each correspond to the characters of ``words``, in order.
    public var evidence: [ReadingEvidence]
    /// The kind of its reader, which determines how confidences are weighed.
    public var source: ReadingSource

    public init(
        quad: Quad, words: [TextWord], confidence: Double, evidence: [ReadingEvidence] = [],
        source: ReadingSource = .other
    ) {
        self.quad = quad
        self.words = words
        self.confidence = confidence
        self.evidence = evidence
        self.source = source
    }

    /// The words joined by single spaces.
    public var text: String { words.map(\.text).joined(separator: " ") }

    /// Whether the reader is sure of the line and it has two different letters or digits: shapes are often read as one
    /// letter, or as a row of it.
    var isClear: Bool {
        let characters = words.flatMap(\.characters).map(\.character).filter { $0.isLetter || $0.isNumber }
        return confidence >= 0.9 && Set(characters).count > 1
    }

    /// Returns the same line at another place.
    public func moved(by offset: Point) -> TextLine { mapped { $0.moved(by: offset) } }

    /// Returns the same line with `transform` applied to its place and to those of its words.
    package func mapped(_ transform: (Quad) -> Quad) -> TextLine {
        var line = self
        line.quad = transform(quad)
        for index in words.indices { line.words[index].quad = transform(words[index].quad) }
        return line
    }

    /// Returns the part of the line that lies completely inside `rect`: the whole line, or those of its words; nil if
    /// there are none.
    func inside(_ rect: Rect) -> TextLine? {
        // Places are a little larger than the text in them.
        let rect = rect.grown(by: 0.2 * quad.height)
        guard !rect.holds(quad.bounds) else { return self }
        let left = words.indices.filter { rect.holds(words[$0].quad.bounds) }
        guard let first = left.first, let last = left.last else { return nil }
        let isOnePiece = last - first + 1 == left.count
        var line = isOnePiece ? part(ofWords: first..<last + 1) : self
        if !isOnePiece {
            line.words = left.map { words[$0] }
            line.evidence = []
        }
        line.quad = Quad.spanning(line.words.map(\.quad), along: quad.direction) ?? quad
        return line
    }

    /// Returns some words of the line with their evidence; the quad stays that of the whole line.
    ///
    /// - Precondition: there is a word in `range`.
    func part(ofWords range: Range<Int>) -> TextLine {
        func count(_ words: ArraySlice<TextWord>) -> Int { words.reduce(0) { $0 + $1.characters.count } }
        let first = count(words[..<range.lowerBound])
        let characters = first..<first + count(words[range])
        var line = self
        line.words = Array(words[range])
        line.evidence = evidence.compactMap { $0.part(ofCharacters: characters) }
        return line
    }
}

extension Rect {
    fileprivate func holds(_ other: Rect) -> Bool {
        other.minX >= minX && other.minY >= minY && other.maxX <= maxX && other.maxY <= maxY
    }
}

/// Combines two recognizers: a quick one reads every line, a careful one reads doubtful lines again.
///
/// The quick one reads most lines correctly, and the others are seldom the ones searched for, so the careful one has
/// little to do. The more confident of the two readings counts; if the careful one fails, the quick one's.
public struct CascadeRecognizer: LineRecognizer {
    private let quick: any LineRecognizer
    private let careful: any LineRecognizer
    private let prepare: @Sendable () -> Void
    private let isDoubtful: @Sendable (TextLine) -> Bool
    private let isComparable: @Sendable (_ quick: TextLine, _ careful: TextLine) -> Bool
    private let failed: @Sendable (FramegrepError) -> Void
    private let failure = FirstTime()

    /// - Parameters:
    ///   - prepare: called, perhaps more than once and on any thread, when it turns out that the careful one will be
    ///     needed while the quick one is still at work; returns at once.
    ///   - failed: called once, on any thread, when the careful one first fails to read; less is found from then on.
    ///   - isDoubtful: returns whether a line, as the quick one read it, is worth reading again.
    ///   - isComparable: returns whether the careful reading may replace the quick one if it is more confident.
    /// - Precondition: both need the same picture format.
    public init(
        quick: any LineRecognizer, careful: any LineRecognizer, prepare: @escaping @Sendable () -> Void = {},
        failed: @escaping @Sendable (FramegrepError) -> Void = { _ in },
        isDoubtful: @escaping @Sendable (TextLine) -> Bool,
        isComparable: @escaping @Sendable (_ quick: TextLine, _ careful: TextLine) -> Bool = { _, _ in true }
    ) {
        precondition(quick.pictureFormat == careful.pictureFormat, "a cascade reads the same pictures")
        self.quick = quick
        self.careful = careful
        self.prepare = prepare
        self.failed = failed
        self.isDoubtful = isDoubtful
        self.isComparable = isComparable
    }

    public var pictureFormat: Picture.Format { quick.pictureFormat }

    public func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        let found = DoubtfulLines()
        var lines = try await quick.recognize(quads, in: picture) { [isDoubtful, prepare] index, line in
            guard isDoubtful(line) else { return }
            found.add(index)
            prepare()
        }
        let doubtful = found.sorted
        guard !doubtful.isEmpty else { return lines }
        let again: [TextLine?]
        do {
            again = try await careful.recognize(doubtful.map { quads[$0] }, in: picture)
        } catch let error as FramegrepError {
            if failure.isNow() { failed(error) }
            return lines
        }
        for (index, line) in zip(doubtful, again) {
            guard let line, line.confidence > (lines[index]?.confidence ?? 0),
                lines[index].map({ isComparable($0, line) }) ?? true
            else { continue }
            lines[index] = line
        }
        return lines
    }
}

/// Distinguishes the first time from later ones. Thread-safe.
final class FirstTime: Sendable {
    private let isRaised = Atomic(false)

    /// Returns whether this call is the first.
    func isNow() -> Bool { !isRaised.exchange(true, ordering: .relaxed) }
}

/// Collects the indices of doubtful lines from several threads. Thread-safe.
private final class DoubtfulLines: Sendable {
    private let numbers = Mutex<[Int]>([])

    var sorted: [Int] { numbers.withLock { $0.sorted() } }

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}

/// Reads single lines whose places are known.
public protocol LineRecognizer: Sendable {
    var pictureFormat: Picture.Format { get }

    /// Reads the text in each of `quads`; nil if nothing could be read. Gives the same guarantees as
    /// ``TextReader/read(_:)``.
    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?]

    /// Does the same, reporting each line as soon as it is read: `see` is called with the index of its quad and the
    /// line, on any thread. Recognizers that cannot report earlier do so at the end.
    func recognize(
        _ quads: [Quad], in picture: Picture, _ see: @escaping @Sendable (Int, TextLine) -> Void
    ) async throws -> [TextLine?]
}

extension LineRecognizer {
    public func recognize(
        _ quads: [Quad], in picture: Picture, _ see: @escaping @Sendable (Int, TextLine) -> Void
    ) async throws -> [TextLine?] {
        let lines = try await recognize(quads, in: picture)
        for (index, line) in lines.enumerated() {
            if let line { see(index, line) }
        }
        return lines
    }
}

/// A run of characters without white space, as an engine read it.
public struct TextWord: Hashable, Sendable {
    /// The place of the word, in pixels of the picture that was read.
    public var quad: Quad
    /// The word's characters in reading order; never empty.
    public var characters: [CharacterSpan]
    /// The confidence of the engine in the whole word, 0 to 1.
    public var confidence: Double

    public init(quad: Quad, characters: [CharacterSpan], confidence: Double) {
        self.quad = quad
        self.characters = characters
        self.confidence = confidence
    }

    /// Creates a word whose characters are assumed to be equally wide, for engines that give no exact places.
    public init(text: String, quad: Quad, confidence: Double) {
        let step = 1 / Double(max(1, text.count))
        let characters = text.enumerated().map { index, character in
            CharacterSpan(
                character: character, start: Double(index) * step, end: Double(index + 1) * step, confidence: confidence
            )
        }
        self.init(quad: quad, characters: characters, confidence: confidence)
    }

    public var text: String { String(characters.map(\.character)) }
}

/// One character of a word, and its place along the word.
public struct CharacterSpan: Hashable, Sendable {
    public var character: Character
    /// The start as a fraction of the word's quad, 0 (its left edge) to 1 (its right); `start <= end`.
    public var start: Double
    public var end: Double
    /// The confidence of the engine in this character, 0 to 1.
    public var confidence: Double

    public init(character: Character, start: Double, end: Double, confidence: Double) {
        self.character = character
        self.start = start
        self.end = end
        self.confidence = confidence
    }
}

extension TextLine {
    /// The text that is compared with patterns: the line without its places.
    public var recognized: RecognizedText {
        var text = RecognizedText(evidence: evidence, source: source)
        text.reserve(letters: words.reduce(0) { $0 + $1.characters.count })
        for word in words {
            text.beginWord()
            for span in word.characters { text.append(span.character, confidence: span.confidence) }
        }
        return text
    }
}

/// The order in which text is read: rows from the top, each from left to right; columns of Chinese or Japanese from the
/// right.
public enum ReadingOrder {
    /// Sorts things in reading order. Things in one row are no further below the middle of the row's first than half of
    /// its height.
    ///
    /// - Parameter quad: returns the place of one of `things`.
    public static func sorted<Thing>(_ things: [Thing], by quad: (Thing) -> Quad) -> [Thing] {
        let fromTop = things.map { (thing: $0, quad: quad($0)) }.sorted { a, b in
            (a.quad.center.y, a.quad.center.x) < (b.quad.center.y, b.quad.center.x)
        }
        var rows: [[(thing: Thing, quad: Quad)]] = []
        for next in fromTop {
            if let first = rows.last?.first?.quad, !(next.quad.center.y - first.center.y > first.bounds.height / 2) {
                rows[rows.count - 1].append(next)
            } else {
                rows.append([next])
            }
        }
        let inRows = rows.flatMap { $0.sorted { $0.quad.center.x < $1.quad.center.x } }
        return turningColumns(inRows, by: \.quad, areTogether: { _, _ in true }).map(\.thing)
    }

    /// Reorders adjacent columns that follow each other in a list from the right; everything else stays in its place.
    ///
    /// - Parameters:
    ///   - quad: returns the place of one of `things`.
    ///   - areTogether: returns whether two of them may change places.
    public static func turningColumns<Thing>(
        _ things: [Thing], by quad: (Thing) -> Quad, areTogether: (Thing, Thing) -> Bool
    ) -> [Thing] {
        var result: [Thing] = []
        var columns: [Thing] = []
        func isBeside(_ thing: Thing, _ first: Thing) -> Bool {
            let (a, b) = (quad(thing).bounds, quad(first).bounds)
            return 2 * (min(a.maxY, b.maxY) - max(a.minY, b.minY)) > min(a.height, b.height)
                && areTogether(thing, first)
        }
        func flush() {
            result += columns.sorted { quad($0).center.x > quad($1).center.x }
            columns = []
        }
        for thing in things {
            let isColumn = quad(thing).isColumn
            if let first = columns.first, !isColumn || !isBeside(thing, first) { flush() }
            if isColumn { columns.append(thing) } else { result.append(thing) }
        }
        flush()
        return result
    }
}
