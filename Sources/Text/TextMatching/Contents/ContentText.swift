/// A folded line in the form used by the rules for kinds of content: scalars, with one space for each gap and decimal
/// digits of every script as ASCII digits.
struct ContentText: Sendable {
    let scalars: [Unicode.Scalar]
    /// The unit of each scalar in the line; for a gap, the unit after it.
    let units: [Int]

    /// - Parameter folded: in the folding that preserves case.
    init(_ folded: FoldedLine) {
        var scalars: [Unicode.Scalar] = []
        var units: [Int] = []
        scalars.reserveCapacity(folded.units.count * 5 / 4)
        units.reserveCapacity(folded.units.count * 5 / 4)
        for (index, unit) in folded.units.enumerated() {
            if unit.afterGap, index > 0 {
                scalars.append(" ")
                units.append(index)
            }
            scalars.append(Self.plainDigit(unit.glyph))
            units.append(index)
        }
        self.scalars = scalars
        self.units = units
    }

    var count: Int { scalars.count }

    /// The scalar at an index, or NUL outside the line.
    subscript(_ index: Int) -> Unicode.Scalar { scalars.indices.contains(index) ? scalars[index] : "\0" }

    func isGap(_ index: Int) -> Bool { self[index] == " " }
    func isDigit(_ index: Int) -> Bool { ("0"..."9").contains(self[index]) }
    func isHexDigit(_ index: Int) -> Bool {
        isDigit(index) || ("a"..."f").contains(self[index]) || ("A"..."F").contains(self[index])
    }

    /// Returns whether there is a letter of any script.
    func isLetter(_ index: Int) -> Bool {
        let scalar = self[index]
        if scalar.isASCII { return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) }
        return scalar.properties.isAlphabetic
    }

    /// Returns whether there is a letter or an underscore that forms one word with its neighbors: not in a script
    /// without spaces between words, and not Hangul, whose counters follow digits directly.
    func isWordLetter(_ index: Int) -> Bool {
        self[index] == "_" || isLetter(index) && !FoldingTable.isUnspaced(self[index].value)
    }

    /// Returns whether no word or number ends directly before `index`.
    func isFree(before index: Int) -> Bool { !isWordLetter(index - 1) && !isDigit(index - 1) }
    /// Returns whether no word or number has a character at `index`.
    func isFree(at index: Int) -> Bool { !isWordLetter(index) && !isDigit(index) }

    /// Returns whether a word of at least two letters ends directly before `index`: an engine may have dropped a gap
    /// there.
    func followsWord(_ index: Int) -> Bool { lettersBefore(index) >= 2 }

    /// Returns whether a word and its colon are directly before `index`: `Plate:`, without the gap after it. Letters
    /// that could be hexadecimal digits do not count.
    func followsLabel(_ index: Int) -> Bool {
        let count = self[index - 1] == ":" ? lettersBefore(index - 1) : 0
        return count >= 2 && (index - 1 - count..<index - 1).contains { !isHexDigit($0) }
    }

    /// Returns whether a word of at least two letters begins at `index`, where an engine may have dropped a gap.
    func beginsWord(_ index: Int) -> Bool {
        var end = index
        while isLetter(end) { end += 1 }
        return end - index >= 2 && self[end] != "_" && !isDigit(end)
    }

    /// Returns the number of letters directly before `index`; 0 if they belong to something that also has digits.
    private func lettersBefore(_ index: Int) -> Int {
        var start = index
        while isLetter(start - 1) { start -= 1 }
        return self[start - 1] == "_" || isDigit(start - 1) ? 0 : index - start
    }

    /// Returns the end of the digits that begin at `index`.
    func endOfDigits(_ index: Int) -> Int {
        var end = index
        while isDigit(end) { end += 1 }
        return end
    }

    /// Returns the digits' value; nil if there are none, or more than nine.
    func value(_ range: Range<Int>) -> Int? {
        guard !range.isEmpty, range.count <= 9 else { return nil }
        return range.reduce(0) { $0 * 10 + Int(self[$1].value) - 0x30 }
    }

    /// Returns the value of this many digits at `index`; nil if there are fewer.
    func digits(_ count: Int, at index: Int) -> Int? {
        (index..<index + count).allSatisfy(isDigit) ? value(index..<index + count) : nil
    }

    /// Returns the index after a gap at `index`, or `index` if there is none.
    func afterGap(_ index: Int) -> Int { isGap(index) ? index + 1 : index }

    /// Returns the end of `word` if it is at `index`, in upper or lower case.
    func end(of word: String, at index: Int) -> Int? {
        var end = index
        for scalar in word.unicodeScalars {
            guard SymbolSet.lowercase(self[end].value) == scalar.value else { return nil }
            end += 1
        }
        return end
    }

    func text(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(range.map { self[$0] }))
    }

    private static func plainDigit(_ value: UInt32) -> Unicode.Scalar {
        let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
        guard value >= 0x660, scalar.properties.generalCategory == .decimalNumber,
            let number = scalar.properties.numericValue, let digit = UInt8(exactly: number), digit < 10
        else { return scalar }
        return Unicode.Scalar(0x30 + digit)
    }
}

/// Numbers: integers and decimals, with thousands separators, a sign, an exponent, or a percent sign or unit after
/// them.
///
/// Digits that are part of something else are rejected: a word (M3), a date, a time, an address or a version (1.2.3).
struct NumberRule: ContentRule {
    /// Letters that may directly follow a number.
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
            return .refused("Its marks do not make it a number: it may be a version, an address or a list.")
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

    /// Returns whether the digits at `index`, after a hyphen, are more than the second number of a range.
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
