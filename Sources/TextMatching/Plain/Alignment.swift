/// A pattern laid over a place in a line, unit by unit, and what that costs.
///
/// The two texts have the same skeleton at this place (``Confusable/skeleton(_:)``), so there is one way to lay them
/// over each other, and it is found in one pass.
struct Alignment {
    /// Units of the line.
    var units: Range<Int>
    /// In characters; see ``Confusable``.
    var cost: Double

    /// A gap that only one of the two has: the engine split a word or joined two.
    static let gapCost = 0.1

    /// Lays `pattern` over `line` from unit `start` on; nil if they differ by more than ``PlainPattern`` allows.
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
            // C6G2 is not CG62: two that changed places were both read as they are.
            if p + 1 < wanted.count, t + 1 < line.units.count, wanted[p].code == line.units[t + 1].code,
                wanted[p + 1].code == line.units[t].code
            {
                return nil
            }
            if let one = Confusable.cost(ofReading: t, in: line, as: wanted[p].code) {
                cost += one
                p += 1
                t += 1
            } else if let pair = Confusable.cost(ofReadingPair: t, in: line, as: wanted[p].code) {
                cost += pair
                p += 1
                t += 2
            } else if p + 1 < wanted.count, !wanted[p + 1].afterGap,
                let pair = Confusable.cost(ofReading: t, in: line, asPair: wanted[p].code, wanted[p + 1].code)
            {
                cost += pair
                p += 2
                t += 1
            } else {
                return nil
            }
        }
        // "big low" is not "glow": only whole words are put together over a gap that was not searched for.
        if splits || pattern.options.wholeWords {
            guard line.isBoundary(start), line.isBoundary(t) else { return nil }
        }
        self.units = start..<t
        self.cost = cost
    }

    static func gapMatters(before index: Int, in line: FoldedLine) -> Bool {
        !FoldingTable.isUnspaced(line.units[index - 1].glyph) || !FoldingTable.isUnspaced(line.units[index].glyph)
    }
}
