/// A folded line as the rules for kinds of content read it: scalars, with one space for each gap and decimal digits of
/// every script as ASCII ones.
struct ContentText: Sendable {
    let scalars: [Unicode.Scalar]
    /// For each scalar its unit in the line; for a gap, that of the unit after it.
    let units: [Int]

    /// - Parameter folded: in the folding that tells case.
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

    /// The scalar there, or NUL outside of the line.
    subscript(_ index: Int) -> Unicode.Scalar { scalars.indices.contains(index) ? scalars[index] : "\0" }

    func isGap(_ index: Int) -> Bool { self[index] == " " }
    func isDigit(_ index: Int) -> Bool { ("0"..."9").contains(self[index]) }
    func isHexDigit(_ index: Int) -> Bool {
        isDigit(index) || ("a"..."f").contains(self[index]) || ("A"..."F").contains(self[index])
    }

    /// A letter of any script.
    func isLetter(_ index: Int) -> Bool {
        let scalar = self[index]
        if scalar.isASCII { return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) }
        return scalar.properties.isAlphabetic
    }

    /// A letter or an underscore that makes one word with its neighbors: not one of a script in which words are not set
    /// apart, and not Hangul, whose counters follow digits directly.
    func isWordLetter(_ index: Int) -> Bool {
        self[index] == "_" || isLetter(index) && !FoldingTable.isUnspaced(self[index].value)
    }

    /// No word or number goes on before `index`.
    func isFree(before index: Int) -> Bool { !isWordLetter(index - 1) && !isDigit(index - 1) }
    /// No word or number goes on at `index`.
    func isFree(at index: Int) -> Bool { !isWordLetter(index) && !isDigit(index) }

    /// A word of at least two letters ends directly before `index`: the text there begins after a gap that an engine may have dropped.
    func followsWord(_ index: Int) -> Bool { lettersBefore(index) >= 2 }

    /// Whether a word and its colon stand directly before `index`: `Plate:`, without the gap behind it. Letters that could be hexadecimal
    /// digits do not count.
    func followsLabel(_ index: Int) -> Bool {
        let count = self[index - 1] == ":" ? lettersBefore(index - 1) : 0
        return count >= 2 && (index - 1 - count..<index - 1).contains { !isHexDigit($0) }
    }

    /// A word of at least two letters begins at `index`, where an engine may have dropped a gap.
    func beginsWord(_ index: Int) -> Bool {
        var end = index
        while isLetter(end) { end += 1 }
        return end - index >= 2 && self[end] != "_" && !isDigit(end)
    }

    /// How many letters stand directly before `index`; none where they belong to something that has digits too.
    private func lettersBefore(_ index: Int) -> Int {
        var start = index
        while isLetter(start - 1) { start -= 1 }
        return self[start - 1] == "_" || isDigit(start - 1) ? 0 : index - start
    }

    /// The end of the digits that begin at `index`.
    func endOfDigits(_ index: Int) -> Int {
        var end = index
        while isDigit(end) { end += 1 }
        return end
    }

    /// The digits' value; nil if there are none, or more than nine.
    func value(_ range: Range<Int>) -> Int? {
        guard !range.isEmpty, range.count <= 9 else { return nil }
        return range.reduce(0) { $0 * 10 + Int(self[$1].value) - 0x30 }
    }

    /// The value of this many digits at `index`; nil if there are fewer.
    func digits(_ count: Int, at index: Int) -> Int? {
        (index..<index + count).allSatisfy(isDigit) ? value(index..<index + count) : nil
    }

    /// The index behind a gap at `index`, if there is one.
    func afterGap(_ index: Int) -> Int { isGap(index) ? index + 1 : index }

    /// The end of `word` if it stands at `index`, in upper or lower case.
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
