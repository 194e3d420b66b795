/// Numbers as they are written: with thousands set apart, a decimal mark, in English, continental or Indian ways.
enum Amount {
    /// The end of the number whose digits begin at `start`; nil if its marks make no number of it (`1.2.3`).
    static func end(at start: Int, in text: ContentText) -> Int? {
        var end = text.endOfDigits(start)
        guard end > start, end - start <= 30 else { return nil }
        var mark: Unicode.Scalar?
        if end - start <= 3 {
            (end, mark) = groups(from: end, in: text)
        }
        if [".", ","].contains(text[end]), text[end] != mark, text.isDigit(end + 1) {
            end = text.endOfDigits(end + 1)
        }
        return [".", ",", "'"].contains(text[end]) && text.isDigit(end + 1) ? nil : end
    }

    /// The end of the groups of three digits that follow, and what sets them apart; Indian ones are of two, the last of
    /// three.
    private static func groups(from index: Int, in text: ContentText) -> (end: Int, mark: Unicode.Scalar?) {
        let mark = text[index]
        guard [",", ".", "'", " "].contains(mark) else { return (index, nil) }
        var end = index
        var last = 0
        while text[end] == mark {
            let next = text.endOfDigits(end + 1)
            let count = next - end - 1
            guard count == 3 || mark == "," && count == 2, last != 3 || count == 3 else { break }
            // Digits behind a gap may be a number of their own, with marks or letters of its own.
            if mark == " ", text.isWordLetter(next) || [":", "/", "-"].contains(text[next]) { break }
            last = count
            end = next
        }
        guard last == 3 else { return (index, nil) }
        return (end, mark)
    }
}
