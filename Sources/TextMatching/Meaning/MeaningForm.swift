import Errors

/// In which form texts are given to a ``MeaningModel``.
///
/// Signs are written in capitals, and the model minds case: both sides are made small. It takes a text with a mark at its end for a
/// sentence, and finds more so. What is a number and nothing else becomes one and the same number: platform 4 means what platform 17 does;
/// and a line counts without its numbers too, because EXIT 12 is an exit.
/// All of it was measured (docs/MEANING.md).
enum MeaningForm {
    /// In characters; of longer lines the beginning counts.
    static let longest = 200

    /// The forms of a line as it was read, of which the closest to a question counts; none where there is too little in it that could mean
    /// anything.
    static func line(_ text: String) -> [String] {
        let forms = [plain(text), plain(text, number: nil)].filter(hasMeaning).map { $0 + "?" }
        return forms.count == 2 && forms[0] == forms[1] ? [forms[0]] : forms
    }

    /// The forms of a question, whose vectors are added up.
    ///
    /// - Throws: ``FramegrepError`` (`badPattern`) where nothing can be looked for.
    static func question(_ text: String) throws -> [String] {
        guard text.count <= longest else {
            throw FramegrepError(
                .badPattern,
                "A search by meaning takes at most \(longest) characters, and this one has \(text.count); say it in a few words."
            )
        }
        let plain = plain(text)
        guard hasMeaning(plain) else {
            throw FramegrepError(
                .badPattern,
                "A search by meaning needs words, and there are none in “\(text)”; without --meaning (or ~) it is searched for as it is written."
            )
        }
        return [plain + "?", plain + ".", plain + ", " + plain]
    }

    /// - Parameter number: what stands for each word that is a number and nothing else; nil for nothing.
    private static func plain(_ text: String, number: String? = "0") -> String {
        let words = text.prefix(longest).split(whereSeparator: \.isWhitespace).compactMap { word in
            word.contains(where: \.isNumber) && !word.contains(where: \.isLetter) ? number : String(word)
        }
        return words.joined(separator: " ").lowercased()
    }

    private static func hasMeaning(_ text: String) -> Bool {
        var letters = 0
        for character in text where character.isLetter {
            letters += 1
            // A sign of Chinese or Japanese is a word, a single letter of others is none.
            if letters > 1 || character.unicodeScalars.contains(where: { $0.properties.isIdeographic }) { return true }
        }
        return false
    }
}
