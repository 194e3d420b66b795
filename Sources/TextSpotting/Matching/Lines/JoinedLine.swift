/// Lines that read on from one to the next as one line, with no more of the first and the last than a phrase that is
/// searched for could reach.
struct JoinedLine {
    /// What becomes of a hyphen at a line's end.
    enum Hyphen: Hashable {
        /// It is a character like any other, the next line begins a word.
        case ends
        /// The word goes on in the next line, and the hyphen belongs to it: well-known.
        case stays
        /// The word goes on in the next line without it: recog-nition.
        case goes
    }

    /// The words that can be reached.
    let line: TextLine
    /// The whole text of all lines.
    var text: String { lines.map(\.text).joined(separator: " ") }
    private let lines: [TextLine]
    /// Characters of ``text`` before the first word of ``line``.
    let offset: Int
    /// The index in ``line`` of each line's first word but the first one's.
    let breaks: [Int]
    /// Those of ``breaks`` before which a hyphen stands at the end of a word.
    let hyphenated: Set<Int>

    /// - Parameters:
    ///   - lines: at least two.
    ///   - reach: characters of the first and the last line that a match could take.
    init?(_ lines: [TextLine], reach: Int) {
        guard lines.count > 1, let first = lines.first, let last = lines.last else { return nil }
        let head = Self.reachable(first.words.reversed(), reach)
        let tail = Self.reachable(last.words, reach)
        var words = Array(first.words.suffix(head))
        offset = first.words.dropLast(head).reduce(0) { $0 + $1.characters.count + 1 }
        var breaks: [Int] = []
        for line in lines.dropFirst().dropLast() {
            breaks.append(words.count)
            words += line.words
        }
        breaks.append(words.count)
        words += last.words.prefix(tail)
        // Of its quad only the direction is asked for.
        line = TextLine(
            quad: first.quad, words: words, confidence: lines.map(\.confidence).min() ?? 0,
            evidence: head > 0 && tail > 0 ? Self.evidence(of: lines, head: head, tail: tail) : [],
            source: first.source)
        self.lines = lines
        self.breaks = breaks
        hyphenated = Set(breaks.filter { $0 > 0 && $0 < words.count && Self.goesOn(words[$0 - 1], in: words[$0]) })
    }

    /// What was seen of the words that can be reached, one line after the other: for each reading that all lines have.
    private static func evidence(of lines: [TextLine], head: Int, tail: Int) -> [ReadingEvidence] {
        var parts = lines
        let last = lines.count - 1
        parts[0] = lines[0].part(ofWords: lines[0].words.count - head..<lines[0].words.count)
        parts[last] = lines[last].part(ofWords: 0..<tail)
        let readings = parts.map(\.evidence.count).min() ?? 0
        return (0..<readings).compactMap { reading in ReadingEvidence.joined(parts.map { $0.evidence[reading] }) }
    }

    /// A match begins in the first of the lines and ends in the last.
    func isReached(by places: ArraySlice<FoldedLine.Place>) -> Bool {
        guard let first = places.first, let last = places.last, let begin = breaks.first, let end = breaks.last else {
            return false
        }
        return first.word < begin && last.word >= end
    }

    private static func reachable(_ words: some Sequence<TextWord>, _ reach: Int) -> Int {
        var count = 0
        var characters = 0
        for word in words {
            guard characters <= reach else { break }
            characters += word.characters.count + 1
            count += 1
        }
        return count
    }

    /// A word ends in a hyphen that may be the line break's, and the next line begins with a letter.
    static func goesOn(_ word: TextWord, in next: TextWord) -> Bool {
        guard word.characters.count > 1, let hyphen = word.characters.last?.character.unicodeScalars.first,
            FoldingTable.plain(hyphen.value) == 0x2D || hyphen.value == 0xAD || hyphen.value == 0xAC
        else { return false }
        let before = word.characters[word.characters.count - 2].character
        return before.isLetter && next.characters.first?.character.isLetter == true
    }
}
