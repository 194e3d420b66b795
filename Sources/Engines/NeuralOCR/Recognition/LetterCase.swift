/// Makes small letters of capitals, and an o of a zero, where their heights in the picture show that they are small.
///
/// The network sees every line at one height and reads a short one by the shapes of its letters (`NoW`, `BuS`, `D00r`). A
/// letter whose capital has the same shape is compared with the others of its word. It is small if it is clearly lower
/// than all tall letters and not lower than the small ones. What the comparison does not tell stays as it was read, and so
/// do letters that touch their neighbors. The opposite is not concluded: marks that the network does not know
/// (`học`) make a small letter as tall as a capital.
struct LetterCase {
    /// The small letters with the shape of their capitals, which have neither ascender nor descender.
    private static let alike = Set<Character>("cosuvwxz")
    /// Other letters of that height, and letters of the height of capitals.
    private static let short = Set<Character>("aemnr")
    private static let ascending = Set<Character>("bdfhkl")
    /// The largest ratio of the height of a small letter to that of a tall one. In common fonts it is 0.66 to 0.78 for
    /// capitals, and capitals have 0.87 of the height of ascenders or more.
    private static let ratio = 0.83

    private let ink: LineInk
    private let letters: [CTCDecoder.Letter]

    /// - Parameter letters: the letters of the whole line, with its gaps.
    init(of letters: [CTCDecoder.Letter], in ink: LineInk) { (self.letters, self.ink) = (letters, ink) }

    /// The letters in the case that they have in the picture.
    var settled: [CTCDecoder.Letter] {
        var settled = letters
        for word in letters.split(whereSeparator: \.character.isWhitespace) {
            let characters = settle(word)
            for (index, character) in zip(word.indices, characters) { settled[index].character = character }
        }
        return settled
    }

    private enum Kind { case tall, short, alike, other }

    private static func kind(of character: Character) -> Kind {
        if character == "0" { return .alike }
        guard character.isASCII, let small = character.lowercased().first else { return .other }
        if alike.contains(small) { return .alike }
        if character.isUppercase { return character == "J" || character == "Q" ? .other : .tall }
        return short.contains(character) ? .short : ascending.contains(character) ? .tall : .other
    }

    /// Returns whether a letter of a word may turn out to be small: in a word that begins with a capital or has small
    /// letters. A zero beside capitals or other digits is one; some fonts have small ones.
    private static func isDoubtful(_ characters: [Character]) -> Bool {
        let rest = characters.dropFirst().filter(\.isLetter)
        return rest.contains { $0.isUppercase } || characters.contains("0") && rest.contains(where: \.isLowercase)
    }

    /// Returns the characters of a word.
    private func settle(_ word: ArraySlice<CTCDecoder.Letter>) -> [Character] {
        let characters = word.map(\.character)
        let kinds = characters.map(Self.kind)
        let hasSmall = characters.contains(where: \.isLowercase)
        guard Self.isDoubtful(characters), characters.allSatisfy({ $0 == "0" && hasSmall || !$0.isNumber }) else {
            return characters
        }
        let heights = ink.heights(at: word.map { Int($0.peak * Double(CTCPosteriors.columnsPerStep)) })
        func all(_ kind: Kind) -> [Double] { zip(kinds, heights).compactMap { $0 == kind ? $1 : nil } }
        let (tall, low, alike) = (all(.tall), all(.short), all(.alike))
        // In small capitals, and in a name of capitals of two sizes, some capitals are small as well.
        guard !tall.isEmpty || hasSmall else { return characters }
        return zip(characters, zip(kinds, heights)).map { character, known in
            guard known.0 == .alike, let height = known.1 else { return character }
            let isSmall =
                (tall + alike).contains { height <= Self.ratio * $0 } && tall.allSatisfy { height <= Self.ratio * $0 }
                && (low + alike).allSatisfy { Self.ratio * height < $0 }
            return isSmall ? character == "0" ? "o" : Character(character.lowercased()) : character
        }
    }
}
