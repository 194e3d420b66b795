/// Numbers of payment cards (ISO/IEC 7812): 13 to 19 digits with a valid check digit (Luhn's formula), in groups of
/// four, `4-6-5` or none.
struct CardRule: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard text.isDigit(start), text.isFree(before: start) || text.followsLabel(start) else { return .none }
        guard !(["-", ".", ","].contains(text[start - 1]) && text.isDigit(start - 2)) else { return .none }
        var (digits, index, groups): ([Int], Int, [Int]) = ([], start, [])
        while let value = text.digits(1, at: index) {
            let end = text.endOfDigits(index)
            digits += (index..<end).compactMap { text.digits(1, at: $0) }
            groups.append(end - index)
            guard value >= 0, digits.count < 19, let next = Self.next(end, in: text) else {
                index = end
                break
            }
            index = next
        }
        guard (13...19).contains(digits.count), ("3"..."6").contains(text[start]) || text[start] == "2",
            groups.count == 1 || groups.dropLast().allSatisfy({ (3...6).contains($0) }), text.isFree(at: index)
        else { return .none }
        return Self.isValid(digits)
            ? .found(end: index) : .refused("Its last digit is not the one that Luhn's formula gives.")
    }

    /// Returns the beginning of the next group, after a gap, a hyphen or both.
    private static func next(_ end: Int, in text: ContentText) -> Int? {
        var next = text.afterGap(end)
        if text[next] == "-" { next = text.afterGap(next + 1) }
        return next > end && text.isDigit(next) ? next : nil
    }

    /// H. P. Luhn, US patent 2,950,048: from the right every second digit counts twice.
    static func isValid(_ digits: [Int]) -> Bool {
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = digit.offset.isMultiple(of: 2) ? digit.element : 2 * digit.element
            return sum + value / 10 + value % 10
        }
        return sum.isMultiple(of: 10)
    }
}

/// International bank account numbers (ISO 13616): two letters, two digits, up to 30 more of both, with a remainder of
/// 1 modulo 97.
struct IBANRule: ContentRule {
    /// The number of characters in each country, from the registry of SWIFT.
    static let lengths: [String: Int] = [
        "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
        "CH": 21, "CR": 22,
        "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27,
        "GB": 22, "GE": 22,
        "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27,
        "JO": 30, "KW": 30,
        "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
        "MK": 19, "MR": 27,
        "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
        "SA": 24, "SC": 31,
        "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22,
        "VG": 24, "XK": 20,
    ]

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard let (characters, end, length) = Self.number(at: start, in: text) else { return .none }
        guard characters.count == length, text.isFree(at: end) else { return .none }
        return Self.isValid(characters) ? .found(end: end) : .refused("Its two check digits are not those of the rest.")
    }

    /// Returns the characters of a number that begins there, as far as it goes, and the length that it should have.
    ///
    /// - Parameter marks: marks that may be between two characters.
    static func number(
        at start: Int, in text: ContentText, marks: Set<Unicode.Scalar> = []
    ) -> (characters: [Unicode.Scalar], end: Int, length: Int)? {
        guard text.isFree(before: start), let length = lengths[text.text(start..<start + 2).uppercased()],
            text.digits(2, at: text.afterGap(start + 2)) != nil
        else { return nil }
        var (characters, index, end): ([Unicode.Scalar], Int, Int) = ([], start, start)
        while characters.count < length {
            guard text[index].isASCII, text.isLetter(index) || text.isDigit(index) else { break }
            characters.append(text[index])
            end = index + 1
            index = text.afterGap(marks.contains(text[end]) ? end + 1 : end)
        }
        return (characters, end, length)
    }

    /// Checks the number, with its first four characters moved to the end, by ISO 7064, MOD 97-10.
    static func isValid(_ characters: [Unicode.Scalar]) -> Bool {
        let moved = characters.dropFirst(4) + characters.prefix(4)
        var rest = 0
        for scalar in moved {
            guard let value = Int(String(Character(scalar)), radix: 36) else { return false }
            rest = (value < 10 ? 10 * rest : 100 * rest) + value
            rest %= 97
        }
        return rest == 1
    }
}

/// Finds incomplete or misread account numbers: a country, two digits and four more characters.
struct IBANRuleForHiding: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard let (characters, end, _) = IBANRule.number(at: start, in: text, marks: ["-", "."]), characters.count >= 8,
            characters.count(where: { ("0"..."9").contains($0) }) >= 6
        else { return .none }
        return .found(end: end)
    }
}
