/// Sums of money: an amount with a currency's sign, code or name before or after it.
struct MoneyRule: ContentRule {
    /// The most common codes of ISO 4217, in capitals only.
    private static let codes: Set<String> = [
        "USD", "EUR", "GBP", "JPY", "KRW", "CNY", "RMB", "CHF", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "INR", "RUB",
        "UAH", "PLN", "CZK", "HUF", "RON", "BGN", "SEK", "NOK", "DKK", "ISK", "TRY", "ILS", "AED", "SAR", "EGP", "ZAR",
        "NGN", "KES", "BRL", "MXN", "ARS", "CLP", "COP", "PEN", "THB", "VND", "IDR", "MYR", "PHP", "PKR", "BTC", "ETH",
    ]
    private static let namesBefore = ["rs.", "rs", "fr.", "kr.", "kr"]
    private static let namesBehind = [
        "원", "円", "元", "zł", "kč", "ft", "kr.", "kr", "лв.", "лв", "руб.", "руб", "грн", "lei", "dollars", "dollar",
        "euros", "euro",
        "cents", "cent", "pounds", "yen", "won", "yuan", "rupees", "francs", "franken", "dirham", "baht",
    ]
    private static let magnitudes = [
        "million", "billion", "trillion", "mio.", "mrd.", "mio", "mrd", "bn", "mn", "억", "만", "万", "億", "亿",
    ]

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        let signed = ["-", "+"].contains(text[start]) && text.isFree(before: start) ? start + 1 : start
        if let end = currencyBefore(signed, in: text) {
            let begin = text.afterGap(end)
            let digits = ["-", "+"].contains(text[begin]) ? begin + 1 : begin
            guard text.isDigit(digits) else { return .none }
            guard let amount = amount(digits, in: text) else {
                return .refused("The amount's marks do not make it a number.")
            }
            return .found(end: withMagnitude(amount, in: text))
        }
        guard text.isDigit(signed), text.isFree(before: start) else { return .none }
        let before = text[start - 1]
        if [".", ",", "'", ":", "/"].contains(before), text.isDigit(start - 2) { return .none }
        guard let amount = amount(signed, in: text) else { return .none }
        let end = withMagnitude(amount, in: text)
        guard let last = currencyBehind(text.afterGap(end), in: text) ?? currencyBehind(end, in: text) else {
            return .none
        }
        return .found(end: last)
    }

    /// Returns the end of an amount, with `,-` or `.-` for no cents and a `k` or `M` after it.
    private func amount(_ start: Int, in text: ContentText) -> Int? {
        guard var end = Amount.end(at: start, in: text) else { return nil }
        if [",", "."].contains(text[end]), text[end + 1] == "-" {
            end += text[end + 2] == "-" ? 3 : 2
        } else if ["k", "K", "M", "B", "m"].contains(text[end]), text.isFree(at: end + 1) {
            end += 1
        }
        return [":", "/"].contains(text[end]) && text.isDigit(end + 1) ? nil : end
    }

    private func withMagnitude(_ end: Int, in text: ContentText) -> Int {
        let begin = text.afterGap(end)
        for name in Self.magnitudes {
            if let last = text.end(of: name, at: begin), text.isFree(at: last) { return last }
        }
        return end
    }

    /// Returns the end of a currency that begins at `start`, before an amount: `$`, `US$`, `EUR`, `Rs.`
    private func currencyBefore(_ start: Int, in text: ContentText) -> Int? {
        guard text.isFree(before: start) || isSign(start, in: text) else { return nil }
        if isSign(start, in: text) {
            // The second sign of two, or the letters before it, begin earlier.
            return isSign(start - 1, in: text) ? nil : start + 1
        }
        guard text.isLetter(start) else { return nil }
        for length in 1...2 where isSign(start + length, in: text) {
            let letters = (start..<start + length).allSatisfy { ("A"..."Z").contains(text[$0]) }
            return letters ? start + length + 1 : nil
        }
        return code(start, in: text)
            ?? Self.namesBefore.lazy.compactMap { text.end(of: $0, at: start) }
            .first { !text.isWordLetter($0) }
    }

    private func currencyBehind(_ start: Int, in text: ContentText) -> Int? {
        if isSign(start, in: text) { return text.isDigit(start + 1) ? nil : start + 1 }
        if text[start] == "\u{A2}" { return start + 1 }
        if let end = code(start, in: text), text.isFree(at: end) { return end }
        return Self.namesBehind.lazy.compactMap { text.end(of: $0, at: start) }.first { text.isFree(at: $0) }
    }

    private func code(_ start: Int, in text: ContentText) -> Int? {
        guard text.isLetter(start), !text.isWordLetter(start + 3), Self.codes.contains(text.text(start..<start + 3))
        else {
            return nil
        }
        return start + 3
    }

    private func isSign(_ index: Int, in text: ContentText) -> Bool {
        let scalar = text[index]
        return scalar == "$" || !scalar.isASCII && scalar.properties.generalCategory == .currencySymbol
    }
}

/// Numbers as people write them: with thousands separators and a decimal mark, in the English, continental or Indian
/// style.
enum Amount {
    /// Returns the end of the number whose digits begin at `start`; nil if its marks do not fit a number (`1.2.3`).
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

    /// Returns the end of the groups of three digits that follow, and their separator; Indian groups have two digits,
    /// the last one three.
    private static func groups(from index: Int, in text: ContentText) -> (end: Int, mark: Unicode.Scalar?) {
        let mark = text[index]
        guard [",", ".", "'", " "].contains(mark) else { return (index, nil) }
        var end = index
        var last = 0
        while text[end] == mark {
            let next = text.endOfDigits(end + 1)
            let count = next - end - 1
            guard count == 3 || mark == "," && count == 2, last != 3 || count == 3 else { break }
            // Digits after a gap may be a separate number, with its own marks or letters.
            if mark == " ", text.isWordLetter(next) || [":", "/", "-"].contains(text[next]) { break }
            last = count
            end = next
        }
        guard last == 3 else { return (index, nil) }
        return (end, mark)
    }
}
