import Errors

/// In which form texts are given to a ``MeaningModel``.
///
/// Signs are written in capitals, and the model minds case: both sides are made small. It takes a text with a mark at its end for a
/// sentence, and finds more so. What is a number and nothing else becomes one and the same number: platform 4 means what platform 17 does;
/// and a line counts without its numbers too, because EXIT 12 is an exit.
/// Syllables of Hangul that stand each for itself in a line are joined, because Tesseract reads gaps between them where there are none.
/// All of it was measured (docs/MEANING.md).
package enum MeaningForm {
    /// Which forms these are: part of the name under which vectors of lines are kept, so that those of other forms are not taken for these.
    package static let version = 1
    /// In characters; of longer lines the beginning counts.
    static let longest = 200

    /// The forms of a line as it was read, of which the closest to a question counts; none where there is too little in it that could mean
    /// anything.
    package static func line(_ text: String) -> [String] {
        let forms = [words(of: text), words(of: text, number: nil)].map { plain(joiningSyllables(of: $0)) }
            .filter(hasMeaning).map { $0 + "?" }
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
        let plain = plain(words(of: text))
        guard hasMeaning(plain) else {
            throw FramegrepError(
                .badPattern,
                "A search by meaning needs words, and there are none in “\(text)”; without --meaning (or ~) it is searched for as it is written."
            )
        }
        return [plain + "?", plain + ".", plain + ", " + plain]
    }

    /// - Parameter number: what stands for each word that is a number and nothing else; nil for nothing.
    private static func words(of text: String, number: String? = "0") -> [String] {
        text.prefix(longest).split(whereSeparator: \.isWhitespace).compactMap { word in
            word.contains(where: \.isNumber) && !word.contains(where: \.isLetter) ? number : String(word)
        }
    }

    private static func plain(_ words: [String]) -> String { words.joined(separator: " ").lowercased() }

    /// Words of one syllable of Hangul each that follow each other become one.
    private static func joiningSyllables(of words: [String]) -> [String] {
        var result: [String] = []
        var isAfterSyllable = false
        for word in words {
            let isSyllable = isSyllable(word)
            if isSyllable, isAfterSyllable {
                result[result.count - 1] += word
            } else {
                result.append(word)
            }
            isAfterSyllable = isSyllable
        }
        return result
    }

    private static func isSyllable(_ word: String) -> Bool {
        guard let first = word.unicodeScalars.first, word.count == 1 else { return false }
        // Hangul Syllables, and the letters that they may be written in.
        return (0xAC00...0xD7A3).contains(first.value) || (0x1100...0x11FF).contains(first.value)
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
