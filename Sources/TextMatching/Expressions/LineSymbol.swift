/// One character of a folded line as expressions see it: a letter with the marks that belong to it, or a gap.
struct LineSymbol: Sendable {
    /// The folded scalar; a space for a gap.
    var code: UInt32
    /// The same before its case was folded.
    var glyph: UInt32
    /// Vowel signs, viramas and other marks that make one character with it; mostly none.
    var marks: [UInt32] = []
    /// Index of its first unit in the line; for a gap, of the unit after it.
    var unit: Int

    static let gapCode: UInt32 = 0x20

    var isGap: Bool { code == Self.gapCode }
    var isWordPart: Bool { !isGap && FoldedLine.isWordPart(glyph) }
}

extension FoldedLine {
    /// The line as a sequence of characters, a gap before each word but the first.
    var symbols: [LineSymbol] {
        var result: [LineSymbol] = []
        result.reserveCapacity(units.count + units.count / 4)
        for (index, unit) in units.enumerated() {
            if unit.afterGap, index > 0 {
                result.append(LineSymbol(code: LineSymbol.gapCode, glyph: LineSymbol.gapCode, unit: index))
            } else if index > 0, units[index - 1].character == unit.character, Self.isMark(unit.code) {
                result[result.count - 1].marks.append(unit.code)
                continue
            }
            result.append(LineSymbol(code: unit.code, glyph: unit.glyph, unit: index))
        }
        return result
    }

    /// A scalar that makes one character with the letter before it.
    static func isMark(_ value: UInt32) -> Bool {
        guard value >= 0x300, let scalar = Unicode.Scalar(value) else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
