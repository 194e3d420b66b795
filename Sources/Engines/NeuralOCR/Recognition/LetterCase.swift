/// Tells small letters from capitals of the same shape, and an o from a zero, by their heights in the picture.
///
/// The network sees every line at one height and reads a short one by the shapes of its letters (`NoW`, `BuS`, `Z00`,
/// `Saas`). A letter whose shape both cases have is compared with the others of its word: those that have an ascender or
/// are capitals of their own shape, small ones, and others like it. What the comparison does not tell stays as it was
/// read, and so do letters that touch their neighbors.
struct LetterCase {
    /// The small letters with the shape of their capitals, which have neither ascender nor descender.
    private static let alike = Set<Character>("cosuvwxz")
    /// Other letters of that height, and letters of the height of capitals.
    private static let short = Set<Character>("aemnr")
    private static let ascending = Set<Character>("bdfhkl")
    /// Small letters of common fonts have 0.66 to 0.78 of the height of capitals, and capitals 0.87 of that of ascenders or
    /// more. Of two letters, one is small and the other is not if the ratio of their heights is at most this.
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

    /// Returns the characters of a word.
    private func settle(_ word: ArraySlice<CTCDecoder.Letter>) -> [Character] {
        let characters = word.map(\.character)
        let kinds = characters.map(Self.kind)
        // A zero beside other digits is one.
        guard kinds.count > 1, kinds.contains(.alike), characters.allSatisfy({ $0 == "0" || !$0.isNumber }),
            characters.contains(where: \.isLetter)
        else { return characters }
        let heights = ink.heights(at: word.map { Int($0.peak * Double(CTCPosteriors.columnsPerStep)) })
        func all(_ kind: Kind) -> [Double] { zip(kinds, heights).compactMap { $0 == kind ? $1 : nil } }
        let (tall, short, alike) = (all(.tall), all(.short), all(.alike))
        return zip(characters, zip(kinds, heights)).map { character, known in
            guard known.0 == .alike, let height = known.1 else { return character }
            // In small capitals, some capitals are small as well.
            let isSmall =
                (tall + alike).contains { height <= Self.ratio * $0 } && tall.allSatisfy { height <= Self.ratio * $0 }
                && (short + alike).allSatisfy { Self.ratio * height < $0 }
            if isSmall { return character == "0" ? "o" : Character(character.lowercased()) }
            // With the dot of an i that it touches, a small letter is as tall as a capital.
            let isCapital =
                !heights.contains(nil)
                && (short + alike).contains { $0 <= Self.ratio * height }
                && short.allSatisfy { $0 <= Self.ratio * height }
                && (tall + alike).allSatisfy { Self.ratio * $0 < height }
            return isCapital && character != "0" ? Character(character.uppercased()) : character
        }
    }
}
