/// Decides which characters turn the same digits into another number: a sign in front of them, and a mark between two
/// of them.
///
/// `-12.5` is another number than `12.5`, `-1.25` and `125`. Marks at the ends of words are sometimes read by mistake
/// and mean nothing.
package enum NumberMark {
    private static let signs: Set<Character> = ["-", "\u{2212}", "+"]
    private static let points: Set<Character> = [".", ","]

    /// Returns whether a character can be such a mark, depending on its context.
    static func mayBe(_ character: Character) -> Bool { signs.contains(character) || points.contains(character) }

    /// Returns whether the character at an index of a word is such a mark.
    package static func isMark(_ index: Int, of word: [Character]) -> Bool {
        func isDigit(_ index: Int) -> Bool { word.indices.contains(index) && word[index].isNumber }
        guard isDigit(index + 1), !isDigit(index) else { return false }
        return isDigit(index - 1) || index == 0 && signs.contains(word[0])
    }

    /// Returns whether the character at an index of a word continues the number that the one before it belongs to.
    static func goesOn(_ index: Int, of word: [Character]) -> Bool {
        guard index > 0 else { return false }
        guard !word[index].isLetter, !word[index - 1].isLetter else { return false }
        return word[index].isNumber && word[index - 1].isNumber || isMark(index, of: word)
            || isMark(index - 1, of: word)
    }
}
