/// Numbers, and `true` and `false`.
enum TOMLNumber {
    /// - Returns: nil if the word is none of them.
    static func content(of word: String) -> TOMLValue.Content? {
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "inf", "+inf": return .float(.infinity)
        case "-inf": return .float(-.infinity)
        case "nan", "+nan", "-nan": return .float(.nan)
        default: return based(word) ?? decimal(word)
        }
    }

    /// `0xFF`, `0o17`, `0b1`: without a sign.
    private static func based(_ word: String) -> TOMLValue.Content? {
        let bases: [(prefix: String, radix: Int)] = [("0x", 16), ("0o", 8), ("0b", 2)]
        guard let base = bases.first(where: { word.hasPrefix($0.prefix) }),
            let digits = digits(word.dropFirst(2), { $0.isASCII && $0.isHexDigit })
        else { return nil }
        return Int(digits, radix: base.radix).map { .integer($0) }
    }

    private static func decimal(_ word: String) -> TOMLValue.Content? {
        let sign = word.hasPrefix("-") ? "-" : ""
        let rest = word.hasPrefix("-") || word.hasPrefix("+") ? word.dropFirst() : word[...]
        let whole = rest.prefix { !".eE".contains($0) }
        guard let number = digits(whole, isDigit), number == "0" || !number.hasPrefix("0") else { return nil }
        guard whole.endIndex != rest.endIndex else { return Int(sign + number).map { .integer($0) } }
        guard let tail = fraction(rest[whole.endIndex...]) else { return nil }
        return Double(sign + number + tail).map { .float($0) }
    }

    /// `.5`, `e-3` or `.5e-3`, without underscores.
    private static func fraction(_ text: Substring) -> String? {
        var (rest, result) = (text, "")
        if rest.hasPrefix(".") {
            let part = rest.dropFirst().prefix { !"eE".contains($0) }
            guard let number = digits(part, isDigit) else { return nil }
            result += "." + number
            rest = rest[part.endIndex...]
        }
        guard let mark = rest.first else { return result }
        guard "eE".contains(mark) else { return nil }
        var power = rest.dropFirst()
        result += "e"
        if let sign = power.first, "+-".contains(sign) {
            result.append(sign)
            power = power.dropFirst()
        }
        return digits(power, isDigit).map { result + $0 }
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    /// The digits without the underscores, each of which stands between two digits.
    private static func digits(_ text: Substring, _ isDigit: (Character) -> Bool) -> String? {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isDigit) } ? parts.joined() : nil
    }
}
