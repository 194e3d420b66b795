/// A line of text as a reader returned it, without its places: the characters word by word, their confidences, and alternatives.
public struct RecognizedText: Hashable, Sendable {
    /// One character of the text.
    public struct Letter: Hashable, Sendable {
        public let character: Character
        /// The reader's confidence in it, 0 to 1.
        public let confidence: Double
        /// The number of its word.
        public let word: Int
        /// Its index among the word's characters.
        public let index: Int
        /// Its index among the whole text's characters, with one space between words.
        public let offset: Int
        /// The first scalar of the character, and whether it is the only one. They are needed more often than the
        /// character, and are faster to access.
        let scalar: UInt32
        let isOneScalar: Bool

        init(
            character: Character, confidence: Double, word: Int, index: Int, offset: Int,
            scalar: UInt32, isOneScalar: Bool
        ) {
            (self.character, self.confidence, self.word, self.index) = (character, confidence, word, index)
            (self.offset, self.scalar, self.isOneScalar) = (offset, scalar, isOneScalar)
        }

        init(character: Character, confidence: Double, word: Int, index: Int, offset: Int) {
            let scalars = character.unicodeScalars
            let first = scalars.startIndex
            self.init(
                character: character, confidence: confidence, word: word, index: index, offset: offset,
                scalar: scalars[first].value, isOneScalar: scalars.index(after: first) == scalars.endIndex)
        }
    }

    /// The first scalars of all letters, in their order.
    package var scalars: [UInt32] { letters.map(\.scalar) }

    /// The characters of all words in reading order.
    public private(set) var letters: [Letter] = []
    /// The range of ``letters`` of each word.
    public private(set) var words: [Range<Int>] = []
    /// The evidence of each reading of the text, the best reading first; empty if readers do not give any. The peaks of each belong to the
    /// letters, in order.
    public var evidence: [ReadingEvidence]
    /// The kind of its reader, which determines how confidences are weighed.
    public var source: ReadingSource

    /// Whether its words are so short that they may be pieces of letterspaced words.
    var isSetWide: Bool { words.count >= 3 && letters.count <= 3 * words.count }

    /// The same text with full stops for raised points: a point that stands alone, as in a line that is set wide, has no letter
    /// beside it that shows how high it is.
    var withLowPoints: RecognizedText {
        var text = self
        text.letters = letters.map {
            $0.character == "·" || $0.character == "•"
                ? Letter(character: ".", confidence: $0.confidence, word: $0.word, index: $0.index, offset: $0.offset)
                : $0
        }
        return text
    }

    /// Whether its words have 20 letters or more on average, like a line from the middle of a long address or key.
    var isOfLongWords: Bool { letters.count >= 20 * words.count }

    /// Creates a text without words.
    public init(evidence: [ReadingEvidence] = [], source: ReadingSource = .other) {
        self.evidence = evidence
        self.source = source
    }

    /// Creates a text that was typed or comes from elsewhere, divided into words at white space.
    ///
    /// - Parameter confidence: the confidence of all characters, 0 to 1.
    public init(_ text: String, confidence: Double = 1, source: ReadingSource = .other) {
        self.init(source: source)
        for word in text.split(whereSeparator: \.isWhitespace) {
            beginWord()
            for character in word { append(character, confidence: confidence) }
        }
    }

    /// Makes room for this many more letters.
    public mutating func reserve(letters count: Int) { letters.reserveCapacity(letters.count + count) }

    /// Begins another word: letters appended from now on belong to it.
    public mutating func beginWord() { words.append(letters.count..<letters.count) }

    /// Adds a character to the last word.
    ///
    /// - Parameter confidence: the reader's confidence in it, 0 to 1; NaN counts as 0.
    /// - Precondition: a word has been begun.
    public mutating func append(_ character: Character, confidence: Double) {
        let word = words.count - 1
        let range = words[word]
        letters.append(
            Letter(
                character: character, confidence: confidence.isNaN ? 0 : min(1, max(0, confidence)), word: word,
                index: range.count, offset: range.upperBound + word))
        words[word] = range.lowerBound..<range.upperBound + 1
    }

    /// Adds words letter by letter, as ``beginWord()`` and ``append(_:confidence:)`` do, for code that creates many
    /// texts.
    ///
    /// - Parameter confidences: the confidences of all letters in order, at least as many as there are letters, 0 to 1.
    public mutating func append(words more: [[Character]], confidences: [Double]) {
        letters.reserveCapacity(letters.count + confidences.count)
        words.reserveCapacity(words.count + more.count)
        var next = 0
        for characters in more {
            let (word, first) = (words.count, letters.count)
            for (index, character) in characters.enumerated() {
                letters.append(
                    Letter(
                        character: character, confidence: confidences[next], word: word, index: index,
                        offset: first + index + word))
                next += 1
            }
            words.append(first..<letters.count)
        }
    }

    /// The ASCII characters by their codes: creating one takes longer than looking it up.
    private static let ascii = (UInt8(0)..<0x80).map { Character(Unicode.Scalar($0)) }

    /// Adds the words of a text of printable ASCII, in which each byte is a character whatever is next to it.
    ///
    /// - Parameter confidences: the confidences of all letters in order, at least as many as there are letters, 0 to 1.
    package mutating func append(ascii bytes: UnsafeBufferPointer<UInt8>, confidences: [Double]) {
        letters.reserveCapacity(letters.count + confidences.count)
        var next = 0
        var place = 0
        while place < bytes.count {
            guard bytes[place] != 0x20 else {
                place += 1
                continue
            }
            let (word, first) = (words.count, letters.count)
            while place < bytes.count, bytes[place] != 0x20 {
                letters.append(
                    Letter(
                        character: Self.ascii[Int(bytes[place])], confidence: confidences[next], word: word,
                        index: letters.count - first, offset: letters.count + word, scalar: UInt32(bytes[place]),
                        isOneScalar: true))
                next += 1
                place += 1
            }
            words.append(first..<letters.count)
        }
    }

    /// The words joined by single spaces.
    public var text: String { words.map { String(letters[$0].map(\.character)) }.joined(separator: " ") }

    /// Adds words of another text, after the last one.
    mutating func append(_ more: Range<Int>, of other: RecognizedText) {
        for word in more {
            beginWord()
            for letter in other.letters[other.words[word]] { append(letter.character, confidence: letter.confidence) }
        }
    }

    /// Returns the evidence of each reading for some of the words.
    ///
    /// - Precondition: `range` is not empty.
    func evidence(ofWords range: Range<Int>) -> [ReadingEvidence] {
        let characters = words[range.lowerBound].lowerBound..<words[range.upperBound - 1].upperBound
        return evidence.compactMap { $0.part(ofCharacters: characters) }
    }
}

/// The kind of reader that a line comes from: different kinds have different confidences and mistakes.
public enum ReadingSource: Hashable, Sendable, CaseIterable {
    /// A CTC network small enough for every frame.
    case neuralFast
    /// A larger CTC network.
    case neuralAccurate
    case tesseract
    /// An unknown reader; its confidences are taken as probabilities.
    case other
}
