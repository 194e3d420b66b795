extension LookAlikeWords {
    private static let words: [(script: String, words: Set<Substring>)] = [
        ("Cyrillic", Set(cyrillic.split(whereSeparator: \.isWhitespace))),
        ("Greek", Set(greek.split(whereSeparator: \.isWhitespace))),
    ]
    private static let besideLatin = Set(cyrillicBesideLatin.split(whereSeparator: \.isWhitespace))

    /// Returns the script in which all words of a text are such words; nil if one is not, or all are numbers.
    static func script(of text: String) -> String? {
        let found = text.split { !$0.isLetter && !$0.isNumber }.filter { $0.contains(where: \.isLetter) }
        guard !found.isEmpty, found.count <= 12 else { return nil }
        return words.first { script, words in
            let isOwn = found.map { word in
                let capitals = word.uppercased().replacing("0", with: "O")
                return words.contains(capitals[...])
                    || script == "Cyrillic" && isOddlyCased(word) && besideLatin.contains(capitals[...])
            }
            // Prepositions and the like have one letter.
            return isOwn.contains(true)
                && zip(found, isOwn).allSatisfy { $1 || $0.count == 1 && "ABCKOYabckoy".contains($0) }
        }?.script
    }

    /// Returns whether a capital follows a small letter, as small Cyrillic letters have the shapes of capitals.
    private static func isOddlyCased(_ word: Substring) -> Bool {
        zip(word, word.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
    }
}
