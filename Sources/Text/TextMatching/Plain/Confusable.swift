/// The characters that engines confuse, and the cost of assuming such a mistake.
///
/// The pairs are the classic ones of OCR (digits for letters, strokes, two narrow letters for a wide one). Costs are in
/// characters: 1 would be as bad as a missing character. They are a first guess, not yet calibrated.
enum Confusable {
    /// Pairs of single characters, in both directions.
    private static let pairs: [(Character, String, Double)] = [
        ("0", "Oo", 0.4), ("0", "Q", 0.6), ("1", "Il|", 0.4), ("1", "i!", 0.6), ("5", "Ss", 0.4), ("8", "B", 0.4),
        ("2", "Zz", 0.4),
        ("6", "Gb", 0.6), ("9", "gq", 0.6), ("|", "Il", 0.4), ("!", "Il", 0.5), ("!", "i|", 0.6),
    ]

    /// Read scalar in the upper half, meant scalar in the lower.
    private static let singles: [UInt64: Double] = {
        var table: [UInt64: Double] = [:]
        for (one, others, cost) in pairs {
            for other in others {
                guard let a = one.unicodeScalars.first?.value, let b = other.unicodeScalars.first?.value else {
                    continue
                }
                for (read, meant) in [(a, b), (b, a)] {
                    for form in Set([meant, lowercase(meant)]) {
                        let key = UInt64(read) << 32 | UInt64(form)
                        table[key] = min(table[key] ?? .infinity, cost)
                    }
                }
            }
        }
        return table
    }()

    private static let capitalI: UInt32 = 0x49
    private static let smallI: UInt32 = 0x69
    private static let smallL: UInt32 = 0x6C

    /// The confidence below which an engine is in doubt. A misreading that turns one real word into another (`modern`,
    /// `modem`) is assumed only then.
    static let doubt = 0.9

    /// Returns the cost of taking unit `index` of `line` for `meant`; nil if they do not look alike.
    static func cost(ofReading index: Int, in line: FoldedLine, as meant: UInt32) -> Double? {
        let read = line.units[index].glyph
        if let cost = singles[UInt64(read) << 32 | UInt64(meant)] { return cost }
        // Capital I and small l are the same stroke, but mall is not mail, so the capital must fit its neighbors.
        if read == smallL, meant == capitalI || meant == smallI { return capitalFits(index, in: line) ? 0.4 : nil }
        if read == capitalI, meant == smallL { return smallFits(index, in: line) ? 0.4 : nil }
        return nil
    }

    /// Returns the cost of taking the units of `line` from `index` on for a wide letter: rn for m, cl for d, vv for w.
    static func cost(ofReadingPair index: Int, in line: FoldedLine, as meant: UInt32) -> Double? {
        guard index + 1 < line.units.count, !line.units[index + 1].afterGap else { return nil }
        return wide(
            line.units[index].glyph, line.units[index + 1].glyph, meant,
            uncertain: min(line.letter(ofUnit: index).confidence, line.letter(ofUnit: index + 1).confidence) < doubt)
    }

    /// Returns the cost of taking unit `index` of `line` for the two narrow letters `first` and `second`.
    static func cost(ofReading index: Int, in line: FoldedLine, asPair first: UInt32, _ second: UInt32) -> Double? {
        wide(first, second, line.units[index].glyph, uncertain: line.letter(ofUnit: index).confidence < doubt)
    }

    private static func wide(_ first: UInt32, _ second: UInt32, _ whole: UInt32, uncertain: Bool) -> Double? {
        switch (first, second, whole) {
        case (0x72, 0x6E, 0x6D), (0x63, 0x6C, 0x64): uncertain ? 0.6 : nil  // rn m, cl d
        case (0x76, 0x76, 0x77), (0x56, 0x56, 0x57), (0x56, 0x56, 0x77), (0x76, 0x76, 0x57): 0.5  // vv w
        default: nil
        }
    }

    /// Returns one letter for each class of confusable letters and two for each wide letter, so that confusable texts
    /// have the same skeleton. The reverse is not true, so texts with the same skeleton must still be compared.
    static func skeleton(_ code: UInt32) -> (UInt32, UInt32?) {
        switch code {
        case 0x30, 0x4F, 0x51, 0x6F, 0x71, 0x36, 0x47, 0x67, 0x62, 0x42, 0x38, 0x39: (0x6F, nil)  // 0Oo Qq 6Gg Bb8 9
        case 0x31, 0x49, 0x69, 0x6C, 0x7C, 0x21: (0x6C, nil)  // 1Iil|!
        case 0x35, 0x53, 0x73: (0x73, nil)  // 5Ss
        case 0x32, 0x5A, 0x7A: (0x7A, nil)  // 2Zz
        case 0x6D: (0x72, 0x6E)  // m: rn
        case 0x64: (0x63, 0x6C)  // d: cl
        case 0x77, 0x57, 0x56, 0x76: code == 0x56 || code == 0x76 ? (0x76, nil) : (0x76, 0x76)  // w: vv
        default: (code, nil)
        }
    }

    /// Returns whether a capital fits: it is at the beginning of a word or beside other capitals.
    private static func capitalFits(_ index: Int, in line: FoldedLine) -> Bool {
        if line.isBoundary(index) { return true }
        return !isSmall(line.units[index - 1].glyph)
    }

    /// Returns whether a small letter fits: it is beside small letters.
    private static func smallFits(_ index: Int, in line: FoldedLine) -> Bool {
        if !line.isBoundary(index) { return isSmall(line.units[index - 1].glyph) }
        return index + 1 < line.units.count && isSmall(line.units[index + 1].glyph)
    }

    private static func isSmall(_ value: UInt32) -> Bool {
        if value < 0x80 { return (0x61...0x7A).contains(value) }
        return Unicode.Scalar(value)?.properties.isLowercase ?? false
    }

    private static func lowercase(_ value: UInt32) -> UInt32 {
        (0x41...0x5A).contains(value) ? value + 0x20 : value
    }
}

/// A pattern aligned with a place in a line, unit by unit, and the cost.
///
/// The two texts have the same skeleton at this place (``Confusable/skeleton(_:)``), so there is only one alignment,
/// and it is found in one pass.
struct Alignment {
    /// Units of the line.
    var units: Range<Int>
    /// In characters; see ``Confusable``.
    var cost: Double

    /// The cost of a gap that only one of the two has: the engine split a word or joined two.
    static let gapCost = 0.1

    /// Aligns `pattern` with `line` from unit `start` on; nil if they differ by more than ``PlainPattern`` allows.
    init?(_ pattern: PlainPattern, over line: FoldedLine, from start: Int) {
        let wanted = pattern.folded.units
        var misreadingsLeft = pattern.allowedMisreadings
        var cost = 0.0
        var splits = false
        var p = 0
        var t = start
        while p < wanted.count {
            guard t < line.units.count else { return nil }
            if p > 0, line.units[t].afterGap != wanted[p].afterGap {
                cost += Self.gapCost
                splits = splits || (line.units[t].afterGap && Self.gapMatters(before: t, in: line))
            }
            if wanted[p].code == line.units[t].code {
                p += 1
                t += 1
                continue
            }
            guard misreadingsLeft > 0 else { return nil }
            misreadingsLeft -= 1
            guard let misreading = Self.misreading(of: wanted, at: p, in: line, at: t) else { return nil }
            cost += misreading.cost
            p += misreading.wanted
            t += misreading.read
        }
        // "big low" is not "glow": only whole words are joined across a gap that was not searched for.
        if splits || pattern.options.wholeWords {
            guard line.isBoundary(start), line.isBoundary(t) else { return nil }
        }
        self.units = start..<t
        self.cost = cost
    }

    /// Returns the cost of units of the pattern being read as units of the line, and the number of each; nil if they
    /// cannot be.
    private static func misreading(
        of wanted: [FoldedText.Unit], at p: Int, in line: FoldedLine, at t: Int
    ) -> (cost: Double, wanted: Int, read: Int)? {
        let hasNext = p + 1 < wanted.count
        // C6G2 is not CG62: two swapped characters were both read correctly.
        if hasNext, t + 1 < line.units.count, wanted[p].code == line.units[t + 1].code,
            wanted[p + 1].code == line.units[t].code
        {
            return nil
        }
        if let cost = Confusable.cost(ofReading: t, in: line, as: wanted[p].code) { return (cost, 1, 1) }
        if let cost = Confusable.cost(ofReadingPair: t, in: line, as: wanted[p].code) { return (cost, 1, 2) }
        guard hasNext, !wanted[p + 1].afterGap else { return nil }
        return Confusable.cost(ofReading: t, in: line, asPair: wanted[p].code, wanted[p + 1].code).map { ($0, 2, 1) }
    }

    static func gapMatters(before index: Int, in line: FoldedLine) -> Bool {
        !FoldingTable.isUnspaced(line.units[index - 1].glyph) || !FoldingTable.isUnspaced(line.units[index].glyph)
    }
}
