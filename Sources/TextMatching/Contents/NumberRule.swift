/// Numbers: whole, decimal, with thousands set apart, signed, with an exponent, a percent sign or a unit behind them.
///
/// Digits that are part of something else are rejected: of a word (M3), a date, a time, an address, a version (1.2.3).
struct NumberRule: ContentRule {
    /// Letters that may stand directly behind a number.
    private static let units: Set<String> = [
        "A", "mA", "V", "mV", "kV", "W", "kW", "kWh", "Wh", "mAh", "Ah", "Hz", "kHz", "MHz", "GHz", "m", "mm", "cm",
        "km",
        "nm", "in", "ft", "g", "kg", "mg", "lb", "oz", "l", "L", "ml", "mL", "s", "ms", "min", "h", "d", "B", "KB",
        "kB",
        "MB", "GB", "TB", "KiB", "MiB", "GiB", "bit", "px", "pt", "dB", "fps", "rpm", "Ω", "F", "C", "K", "M", "k", "x",
        "bar", "Pa", "kPa", "hPa", "N", "Nm", "kn", "mph", "lm", "lx", "ppm",
    ]

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        let isSigned = ["+", "-"].contains(text[start])
        let begin = isSigned ? start + 1 : start
        guard text.isDigit(begin) || text[begin] == "." && text.isDigit(begin + 1) else { return .none }
        let before = text[start - 1]
        guard text.isFree(before: start), !["+", "-", "#"].contains(before) || !isSigned else { return .none }
        if [".", ",", ":", "/", "'", "-"].contains(before), text.isDigit(start - 2),
            before != "-" || isInLongerRun(start, in: text)
        {
            return .none
        }
        let digits = text[begin] == "." ? begin + 1 : begin
        guard let end = digits > begin ? text.endOfDigits(digits) : Amount.end(at: digits, in: text) else {
            return .refused("Its marks make no number of it: it may be a version, an address or a list.")
        }
        let last = withExponent(end, in: text)
        if [":", "/"].contains(text[last]), text.isDigit(last + 1) {
            return .refused("It is part of a time, a date or a fraction.")
        }
        if text[last] == "-", text.isDigit(last + 1), isInLongerRun(last + 1, in: text) {
            return .refused("It is part of a date or of another number with hyphens.")
        }
        if text[last] == "%" { return .found(end: last + 1) }
        guard text.isWordLetter(last) else { return .found(end: last) }
        var unit = last
        while text.isWordLetter(unit), unit - last < 5 { unit += 1 }
        guard Self.units.contains(text.text(last..<unit)), text.isFree(at: unit) else {
            return .refused("It is part of a word.")
        }
        return .found(end: last)
    }

    /// The digits at `index`, behind a hyphen, are not just the second of two numbers of a range.
    private func isInLongerRun(_ index: Int, in text: ContentText) -> Bool {
        let marks: [Unicode.Scalar] = ["-", ".", ",", ":", "/"]
        var begin = index
        while begin > 0, index - begin < 40, text.isDigit(begin - 1) || marks.contains(text[begin - 1]) { begin -= 1 }
        var end = index
        while end - index < 40, text.isDigit(end) || marks.contains(text[end]) && text.isDigit(end + 1) { end += 1 }
        return (begin..<end).count { ["-", ":", "/"].contains(text[$0]) } > 1
    }

    private func withExponent(_ end: Int, in text: ContentText) -> Int {
        guard text[end] == "e" || text[end] == "E" else { return end }
        let sign = ["+", "-"].contains(text[end + 1]) ? end + 2 : end + 1
        let last = text.endOfDigits(sign)
        return last > sign && text.isFree(at: last) ? last : end
    }
}
