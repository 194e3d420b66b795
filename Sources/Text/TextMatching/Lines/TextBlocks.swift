/// The order in which lines continue in one another: a phrase may extend over a line break, or over a gap at which a
/// detector cut a line in two.
///
/// Reading continues in the line just below, or in the piece just beside it on the same row. A value.
public struct TextBlocks: Sendable {
    /// For each line, the one just below it and the piece just beside it, as indices.
    private let below: [Int?]
    private let beside: [Int?]

    /// The largest number of lines that a phrase extends over.
    static let longestChain = 6

    /// - Parameters:
    ///   - below: the line just below each line.
    ///   - beside: the piece just beside each line.
    /// - Precondition: both have the same count.
    public init(below: [Int?], beside: [Int?]) {
        precondition(below.count == beside.count, "each line has both neighbors")
        self.below = below
        self.beside = beside
    }

    /// Returns blocks in which each line continues in the next.
    public static func consecutive(_ count: Int) -> TextBlocks {
        TextBlocks(
            below: (0..<count).map { $0 + 1 < count ? $0 + 1 : nil }, beside: [Int?](repeating: nil, count: count))
    }

    /// Returns chains of at least two lines that continue in one another, as indices.
    ///
    /// - Parameters:
    ///   - lengths: the lengths of the lines, in characters.
    ///   - longest: the length of the longest pattern: lines between the first and the last are shorter.
    func chains(lengths: [Int], longest: Int) -> [[Int]] {
        var chains: [[Int]] = []
        for first in below.indices {
            for second in next(after: first) {
                extend([first, second], between: 0, lengths: lengths, longest: longest, chains: &chains)
            }
        }
        return chains
    }

    private func extend(_ chain: [Int], between: Int, lengths: [Int], longest: Int, chains: inout [[Int]]) {
        chains.append(chain)
        guard chain.count < Self.longestChain, let last = chain.last, between + lengths[last] <= longest else { return }
        for third in next(after: last) where !chain.contains(third) {
            extend(
                chain + [third], between: between + lengths[last], lengths: lengths, longest: longest, chains: &chains)
        }
    }

    private func next(after line: Int) -> [Int] {
        guard let below = below[line], let beside = beside[line] else {
            return [below[line], beside[line]].compactMap { $0 }
        }
        return below == beside ? [below] : [min(below, beside), max(below, beside)]
    }
}

/// Lines that continue in one another as one line, with only as much of the first and the last as a searched phrase
/// could reach.
struct JoinedLine {
    /// The way in which two lines are joined.
    enum Seam: Hashable {
        /// A gap: the next line begins a word, and a hyphen before it is a character like any other.
        case gap
        /// The word continues in the next line, and the hyphen belongs to it: well-known.
        case hyphenStays
        /// The word continues in the next line without the hyphen: recog-nition.
        case hyphenGoes
        /// Nothing is between the lines: Chinese and Japanese have no spaces and may break anywhere.
        case nothing
        /// Nothing is between the lines, whatever their letters are: a long word is broken where its line is full.
        case anywhere
    }

    /// The words within reach.
    let text: RecognizedText
    /// The number of words of the first line before those.
    private let skipped: Int
    /// The number of characters before them, with a space after each word.
    let offset: Int
    /// The index in ``text`` of the first word of each line but the first.
    let breaks: [Int]
    /// The ``breaks`` before which a word ends in a hyphen.
    let hyphenated: Set<Int>
    /// The ``breaks`` with letters of a script without spaces on both sides.
    let unspaced: Set<Int>

    /// - Parameters:
    ///   - lines: at least two.
    ///   - reach: the number of characters of the first and the last line that a match could include.
    init?(_ lines: [RecognizedText], reach: Int) {
        guard lines.count > 1, let first = lines.first, let last = lines.last else { return nil }
        let head = Self.reachable(first.words.reversed(), reach)
        let tail = Self.reachable(last.words, reach)
        skipped = first.words.count - head
        offset = first.words[..<skipped].reduce(0) { $0 + $1.count + 1 }
        var text = RecognizedText(
            evidence: head > 0 && tail > 0 ? Self.evidence(of: lines, head: head, tail: tail) : [],
            source: first.source)
        text.append(skipped..<first.words.count, of: first)
        var breaks: [Int] = []
        for line in lines.dropFirst().dropLast() {
            breaks.append(text.words.count)
            text.append(line.words.indices, of: line)
        }
        breaks.append(text.words.count)
        text.append(0..<tail, of: last)
        let inner = breaks.filter { $0 > 0 && $0 < text.words.count }
        hyphenated = Set(inner.filter { Self.goesOn($0 - 1, in: text) })
        unspaced = Set(
            inner.filter { Self.isUnspaced(text.letters[text.words[$0]].first) }
                .filter { Self.isUnspaced(text.letters[text.words[$0 - 1]].last) })
        self.text = text
        self.breaks = breaks
    }

    /// Joins the evidence of the words within reach, line after line, for each reading that all lines have.
    private static func evidence(of lines: [RecognizedText], head: Int, tail: Int) -> [ReadingEvidence] {
        let last = lines.count - 1
        let parts = lines.enumerated().map { number, line in
            switch number {
            case 0: line.evidence(ofWords: line.words.count - head..<line.words.count)
            case last: line.evidence(ofWords: 0..<tail)
            default: line.evidence
            }
        }
        let readings = parts.map(\.count).min() ?? 0
        return (0..<readings).compactMap { reading in ReadingEvidence.joined(parts.map { $0[reading] }) }
    }

    /// Returns the origin of a word of ``text``: the joined line, and the word in it.
    func origin(ofWord word: Int) -> (line: Int, word: Int) {
        let line = breaks.lastIndex { $0 <= word }
        return line.map { ($0 + 1, word - breaks[$0]) } ?? (0, word + skipped)
    }

    /// Returns whether a match begins in the first of the lines and ends in the last.
    func isReached(by letters: ArraySlice<RecognizedText.Letter>) -> Bool {
        guard let first = letters.first, let last = letters.last, let begin = breaks.first, let end = breaks.last else {
            return false
        }
        return first.word < begin && last.word >= end
    }

    private static func reachable(_ words: some Sequence<Range<Int>>, _ reach: Int) -> Int {
        var count = 0
        var characters = 0
        for word in words {
            guard characters <= reach else { break }
            characters += word.count + 1
            count += 1
        }
        return count
    }

    /// Returns whether the text's last word may continue in another line: it ends in a hyphen that may come from the
    /// line break.
    static func mayGoOn(_ text: RecognizedText) -> Bool {
        text.words.last.map { endsInHyphen(text.letters[$0]) } ?? false
    }

    /// Returns whether the text ends in a letter of a script without spaces.
    static func endsUnspaced(_ text: RecognizedText) -> Bool { isUnspaced(text.letters.last) }

    private static func isUnspaced(_ letter: RecognizedText.Letter?) -> Bool {
        letter?.character.unicodeScalars.first.map { FoldedLine.isChineseOrJapanese($0.value) } ?? false
    }

    /// Returns whether the word ends in a hyphen that may come from the line break, and the next one begins with a
    /// letter.
    private static func goesOn(_ word: Int, in text: RecognizedText) -> Bool {
        endsInHyphen(text.letters[text.words[word]])
            && text.letters[text.words[word + 1]].first?.character.isLetter == true
    }

    private static func endsInHyphen(_ word: ArraySlice<RecognizedText.Letter>) -> Bool {
        guard word.count > 1, let hyphen = word.last?.character.unicodeScalars.first,
            FoldingTable.plain(hyphen.value) == 0x2D || hyphen.value == 0xAD || hyphen.value == 0xAC
        else { return false }
        return word[word.endIndex - 2].character.isLetter
    }
}
