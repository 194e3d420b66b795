import Errors
import Glibc
import TextSpotting

/// Converts the characters of a line and the positions of their peaks to words with places.
enum LineLayout {
    /// A word and the part of the line it covers, in fractions of the line's width.
    struct Word: Hashable {
        var start: Double
        var end: Double
        /// The positions at which its first and last characters are strongest.
        var firstPeak: Double
        var lastPeak: Double
        var characters: [CharacterSpan]
        var confidence: Double
    }

    /// Splits at spaces. A character reaches from midway to the peak before it to midway to the peak after it, the
    /// line's first from its left edge and its last to its right edge.
    ///
    /// - Parameter steps: the width of the line in the unit of the peaks.
    static func words(_ readings: [CTCDecoder.Letter], steps: Double) -> [Word] {
        var words: [Word] = []
        var first = 0
        while first < readings.count {
            guard !readings[first].character.isWhitespace else {
                first += 1
                continue
            }
            var end = first + 1
            while end < readings.count, !readings[end].character.isWhitespace { end += 1 }
            words.append(word(first..<end, of: readings, steps: steps))
            first = end
        }
        return words
    }

    private static func word(_ range: Range<Int>, of readings: [CTCDecoder.Letter], steps: Double) -> Word {
        let inner = range.dropFirst().map { (readings[$0 - 1].peak + readings[$0].peak) / 2 }
        let edges =
            [edge(before: range.lowerBound, readings, steps)] + inner + [
                edge(after: range.upperBound - 1, readings, steps)
            ]
        let start = edges[0]
        let length = max(edges[edges.count - 1] - start, .leastNonzeroMagnitude)
        let characters = range.enumerated().map { offset, index in
            CharacterSpan(
                character: readings[index].character, start: (edges[offset] - start) / length,
                end: (edges[offset + 1] - start) / length, confidence: readings[index].confidence)
        }
        return Word(
            start: start / steps, end: (start + length) / steps, firstPeak: readings[range.lowerBound].peak / steps,
            lastPeak: readings[range.upperBound - 1].peak / steps, characters: characters,
            confidence: geometricMean(characters.map(\.confidence)))
    }

    private static func edge(before index: Int, _ readings: [CTCDecoder.Letter], _ steps: Double) -> Double {
        index == 0 ? 0 : (readings[index - 1].peak + readings[index].peak) / 2
    }

    private static func edge(after index: Int, _ readings: [CTCDecoder.Letter], _ steps: Double) -> Double {
        index == readings.count - 1 ? steps : (readings[index].peak + readings[index + 1].peak) / 2
    }

    /// The geometric mean: one doubtful character makes a word doubtful, however long it is.
    static func geometricMean(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        return exp(values.reduce(0) { $0 + log(max($1, .leastNormalMagnitude)) } / Double(values.count))
    }
}

/// Finds the text of a line in the recognizer's output: the best class of each step, repetitions joined, blanks dropped
/// (best-path decoding, Graves et al. 2006, "Connectionist Temporal Classification").
enum CTCDecoder {
    /// A character that was read.
    struct Letter: Hashable {
        var character: Character
        /// The position at which it is strongest, in steps from the line's left edge; the middle of the first step is 0.5.
        var peak: Double
        /// The mean probability over its steps, 0 to 1.
        var confidence: Double
    }

    /// The letters of signs whose circle the network may read twice, once as a sign of its own.
    private static let degrees: [Character: Character] = ["℃": "C", "℉": "F"]

    /// - Parameter steps: the number of steps of the output to read.
    static func read(_ posteriors: CTCPosteriors, _ dictionary: CharacterDictionary, steps: Int) -> [Letter] {
        let best = (0..<min(steps, posteriors.steps)).map(posteriors.best(at:))
        return read(best, dictionary)
    }

    /// Decodes the best class of each step and its probability.
    static func read(_ best: [(index: Int, probability: Float)], _ dictionary: CharacterDictionary) -> [Letter] {
        var readings: [Letter] = []
        var start = 0
        while start < best.count {
            var end = start + 1
            while end < best.count, best[end].index == best[start].index { end += 1 }
            if let character = dictionary[best[start].index] {
                var weight = 0.0
                var moment = 0.0
                for step in start..<end {
                    weight += Double(best[step].probability)
                    moment += Double(best[step].probability) * (Double(step) + 0.5)
                }
                let isUnit = readings.last?.character == "°"
                readings.append(
                    Letter(
                        character: isUnit ? degrees[character] ?? character : character,
                        peak: weight > 0 ? moment / weight : Double(start) + 0.5,
                        confidence: weight / Double(end - start)))
            }
            start = end
        }
        return readings
    }
}

/// The character for each class of the recognizer's output: 0 is CTC's blank, then the dictionary file's lines in
/// order, then the space.
struct CharacterDictionary: Sendable {
    /// The class that represents no character.
    static let blank = 0
    private let characters: [Character]
    /// The file that it was read from, for messages.
    let path: String

    /// The number of classes that the network must have.
    var classCount: Int { characters.count + 1 }

    /// - Parameter lines: the dictionary file's text, one character a line.
    init(lines: some Sequence<UInt8>, path: String = "") {
        self.path = path
        // Split by bytes: some of the characters are themselves line separators to Swift.
        characters =
            Array(lines).split(separator: UInt8(ascii: "\n")).compactMap { line in
                let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                return String(decoding: text, as: UTF8.self).first
            } + [" "]
    }

    /// - Throws: a ``FramegrepError`` naming the file when it cannot be read or is empty.
    init(reading path: String) throws {
        guard let file = fopen(path, "rb") else {
            throw FramegrepError.neuralUnavailable("The dictionary \(path) cannot be read.")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        self.init(lines: bytes, path: path)
        guard classCount > 2 else { throw FramegrepError.neuralUnavailable("The dictionary \(path) is empty.") }
    }

    func contains(_ character: Character) -> Bool { characters.contains(character) }

    /// The character of a class; nil for the blank and for numbers out of range.
    subscript(_ index: Int) -> Character? {
        index > Self.blank && index <= characters.count ? characters[index - 1] : nil
    }

    /// The scalar of a class that stands for a single one; nil for the blank, for the few others, and out of range.
    func scalar(_ index: Int) -> UInt32? {
        guard let scalars = self[index]?.unicodeScalars, scalars.count == 1 else { return nil }
        return scalars.first?.value
    }
}

/// The words of a straightened line fitted to their strokes, and mapped back to the picture.
struct FittedLine {
    /// A rectangle in fractions of the straightened line.
    private struct Part {
        var left: Double
        var right: Double
        var top: Double
        var bottom: Double
    }

    /// The usual place of text in the detector's grown quad, for strokes that cannot be told from the background, as
    /// fractions of the quad's height: measured on rendered text (docs/decisions/networks.md).
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

    /// Moves the word's edges to `part`; its characters keep their places in the line.
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

    /// Returns the line in the picture, if the straightened line was cut out of `quad`.
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
