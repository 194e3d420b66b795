/// Telephone numbers: international (`+49 30 123456`, ITU-T E.164: 7 to 15 digits), national with a leading 0 or a code
/// in parentheses, or of North America (`415-555-2671`, `1 800 555 0199`).
///
/// Digits alone may be anything: a telephone number needs a plus sign, a leading 0, parentheses or the North American
/// groups. Dates and addresses are rejected. A gap that an engine dropped before a plus sign or a code in parentheses
/// does not matter (`Tel+49 30 123456`).
struct PhoneRule: ContentRule {
    private struct Groups {
        var groups: [Range<Int>] = []
        var end = 0
        var hasCode = false
        var digits: Int { groups.reduce(0) { $0 + $1.count } }
    }

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        let first = text[start]
        let isMarked = first == "+" || first == "("
        guard isMarked || text.isDigit(start), text.isFree(before: start) || isMarked && text.followsWord(start) else {
            return .none
        }
        let before = text[start - 1]
        guard
            ![".", "-", "/", ":", "+", ",", "("].contains(before) || !text.isDigit(start - 2) && before == "("
                || before == ":" && !text.isDigit(start - 2)
        else { return .none }
        let isInternational = first == "+"
        let parsed = groups(isInternational ? text.afterGap(start + 1) : start, in: text)
        guard parsed.groups.count > 0, parsed.digits >= 7 else { return .none }
        guard parsed.digits <= 15 else { return .refused("A telephone number has at most 15 digits.") }
        guard text.isFree(at: parsed.end), text[parsed.end] != ":" || !text.isDigit(parsed.end + 1) else {
            return .none
        }
        if isInternational {
            guard text[parsed.groups[0].lowerBound] != "0" else { return .refused("No country's code begins with 0.") }
            return .found(end: withExtension(parsed.end, in: text))
        }
        if case .found(let end) = DateRule().verdict(at: start, in: text), end >= parsed.end {
            return .refused("It is a date.")
        }
        if let address = IPRule.dotted(at: start, in: text), address.end >= parsed.end {
            return .refused("It is an Internet address.")
        }
        let isPhone = isNational(parsed, in: text) || isNorthAmerican(parsed, in: text)
        return isPhone ? .found(end: withExtension(parsed.end, in: text)) : .none
    }

    /// Returns groups of digits with one mark or gap between them, or with an area code in parentheses.
    private func groups(_ start: Int, in text: ContentText) -> Groups {
        var result = Groups()
        var index = start
        while result.groups.count < 8 {
            var begin = index
            if !result.groups.isEmpty {
                begin = text.afterGap(begin)
                if ["-", ".", "/"].contains(text[begin]) { begin = text.afterGap(begin + 1) }
            }
            let isCode = text[begin] == "(" && !result.hasCode
            // In +44 (0)20, the zero in parentheses is not dialed from abroad.
            if isCode { begin = text.afterGap(begin + 1) }
            let end = text.endOfDigits(begin)
            guard end > begin, begin > index || result.groups.isEmpty || isCode else { break }
            if isCode {
                guard text[text.afterGap(end)] == ")" else { break }
                result.hasCode = true
                result.groups.append(begin..<end)
                index = text.afterGap(end) + 1
                // There may be no mark after the code: (415)555-2671.
                let next = text.endOfDigits(index)
                if next > index {
                    result.groups.append(index..<next)
                    index = next
                }
            } else {
                result.groups.append(begin..<end)
                index = end
            }
            result.end = index
        }
        return result
    }

    private func isNational(_ parsed: Groups, in text: ContentText) -> Bool {
        guard let first = parsed.groups.first else { return false }
        if parsed.hasCode { return parsed.groups.count > 1 && first.count <= 5 }
        guard text[first.lowerBound] == "0", first.count > 1 || parsed.groups.count > 1 else { return false }
        if parsed.groups.count == 1 { return (10...11).contains(first.count) }
        // A trunk code, then at least two digits a group: 030 12 34 56 78.
        return parsed.digits >= 8 && first.count <= 6 && parsed.groups.dropFirst().allSatisfy { $0.count >= 2 }
    }

    private func isNorthAmerican(_ parsed: Groups, in text: ContentText) -> Bool {
        var groups = parsed.groups[...]
        if groups.count == 4, let first = groups.first, first.count == 1, text[first.lowerBound] == "1" {
            groups = groups.dropFirst()
        }
        guard groups.map(\.count) == [3, 3, 4] else { return false }
        return groups.prefix(2).allSatisfy { ("2"..."9").contains(text[$0.lowerBound]) }
    }

    /// Returns the end of the number with `ext. 12` or `x12` after it.
    private func withExtension(_ end: Int, in text: ContentText) -> Int {
        for name in ["ext.", "ext", "x", "#"] {
            guard let mark = text.end(of: name, at: text.afterGap(end)) else { continue }
            let begin = text.afterGap(mark)
            let last = text.endOfDigits(begin)
            if (1...6).contains(last - begin), text.isFree(at: last) { return last }
        }
        return end
    }
}
