import TextMatching

/// Makes the English word `I`, alone and in contractions, of an `l` as which it was read, and `ll` of what is read for it after an
/// apostrophe (`l'm`, `Il'm`, `I'Il`, `they'l`).
///
/// In most fonts without serifs both letters have one shape, and the network decides between them by their neighbors, of which a letter
/// that stands alone has none. An `l` alone is a word in no language; but it is a unit after a number, and a name in formulas and
/// program text.
struct EnglishI {
    /// The least logarithm of the probability that the network gave to an I where it read an l that stands alone: 0.005.
    private static let least: Float = -5.3
    private static let apostrophes: Set<Character> = ["'", "’"]
    private static let closing: Set<Character> = [".", ",", "?", "!", "…", ":", "\"", "”", "'", "’"]
    private static let opening: Set<Character> = ["\"", "“", "'", "‘", "¡", "¿", "♪"]
    /// The signs of formulas and program text.
    private static let ofCode: Set<Character> = [
        "=", "{", "}", "[", "]", "<", ">", "_", ";", "|", "\\", "/", "+", "*", "$", "#",
    ]
    /// The words before `'ll`. Others, as in `dell'II`, may be followed by a number.
    private static let before: Set<String> = [
        "he", "she", "it", "we", "you", "they", "that", "there", "who", "what", "this",
    ]

    private let characters: [Character]
    private let words: [Range<Int>]
    private let isProse: Bool

    /// - Parameters:
    ///   - characters: the characters of the line, without gaps.
    ///   - words: the places of its words.
    init(of characters: [Character], words: [Range<Int>]) {
        (self.characters, self.words) = (characters, words)
        isProse = !characters.contains(where: Self.ofCode.contains)
    }

    /// Returns the characters with these words, each as what it stands for: two are read as one, and one as two.
    ///
    /// - Parameter mayBe: returns with which logarithm of its probability the reader saw an `I` at a place.
    func settled(_ mayBe: (Int) -> Float) -> [String] {
        var settled = characters.map { String($0) }
        for (number, word) in words.enumerated() {
            let core = core(of: word)
            guard let first = core.first else { continue }
            if core.count == 1, characters[first] == "l", isProse, isBesideWords(number), mayBe(first) >= Self.least {
                settled[first] = "I"
            } else if let mark = core.first(where: { Self.apostrophes.contains(characters[$0]) }) {
                contract(core, at: mark, in: &settled)
            }
        }
        return settled
    }

    /// The places of a word without the punctuation around it.
    private func core(of word: Range<Int>) -> Range<Int> {
        let start = word.first { !Self.opening.contains(characters[$0]) } ?? word.upperBound
        let end = word.last { !Self.closing.contains(characters[$0]) }.map { $0 + 1 } ?? word.upperBound
        return start..<max(start, end)
    }

    /// Returns whether there are words of letters on both sides of a word, or on its side in the line.
    private func isBesideWords(_ number: Int) -> Bool {
        let beside = [number - 1, number + 1].filter(words.indices.contains).map { core(of: words[$0]) }
        // A dash, or a row of points, is no word.
        return !beside.isEmpty
            && beside.allSatisfy { word in
                word.contains { characters[$0].isLetter } && !word.contains { characters[$0].isNumber }
            }
    }

    private func contract(_ word: Range<Int>, at mark: Int, in settled: inout [String]) {
        let (head, tail) = (characters[word.lowerBound..<mark], characters[mark + 1..<max(mark + 1, word.upperBound)])
        let isTwo = (1...2).contains(tail.count) && tail.allSatisfy { $0 == "l" || $0 == "I" }
        let isOne = head == ["I"] || head == ["l"]
        let isShort = tail == ["m"] || tail == ["d"] || tail == ["v", "e"]
        if isShort, isOne || head == ["I", "l"] {
            settled[word.lowerBound] = "I"
            for place in head.indices.dropFirst() { settled[place] = "" }
        }
        let isPronoun = Self.before.contains(String(head).lowercased())
        guard isTwo, isOne && tail.count == 2 && (head == ["I"] || tail.contains("l")) || isPronoun else { return }
        if isOne { settled[word.lowerBound] = "I" }
        for place in tail.indices { settled[place] = tail.count == 1 ? "ll" : "l" }
    }
}
