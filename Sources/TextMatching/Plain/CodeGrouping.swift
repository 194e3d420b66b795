/// Checks that the marks in a line do not change a code: 12.5 is not 125, and 2-4 May is not 24 May.
///
/// Between a letter and a digit every mark is free. Where a pattern says by gaps or marks of its own how it is grouped, letters and digits
/// are parted there and nowhere else. One without may be parted anywhere between letters; digits only into groups of two and more
/// (the first may be one digit, as in `1-800-555-0199`). A full stop between digits is a decimal point unless there are two of them.
struct CodeGrouping {
    let pattern: PlainPattern
    let line: FoldedLine

    /// - Parameters:
    ///   - line: in which marks are gaps.
    ///   - letters: the match, as indices in its letters.
    func allows(_ letters: Range<Int>) -> Bool {
        guard !line.partingMarks.isEmpty, line.partingMarks.contains(where: letters.contains) else { return true }
        let units = line.units.indices.filter { letters.contains(Int(line.units[$0].character)) }
        guard let first = units.first, let last = units.last, first < last else { return true }
        let marked = (first + 1...last).filter { !line.marks(before: $0).isEmpty }
        let stops = marked.count { line.marks(before: $0).contains(".") }
        return marked.allSatisfy { index in
            let (before, after) = (isDigit(index - 1), isDigit(index))
            guard before == after else { return true }
            if pattern.hasGap { return hasGap(index - first, orFromEnd: last + 1 - index) }
            guard before else { return true }
            let marks = line.marks(before: index)
            guard marks.allSatisfy({ $0 != "." || stops > 1 }), marks.allSatisfy(Self.mayPartDigits) else {
                return false
            }
            return isGroup(from: index, through: last) && (isGroup(before: index, from: first) || isFirst(index, first))
        }
    }

    private static func mayPartDigits(_ mark: Character) -> Bool {
        mark.unicodeScalars.allSatisfy { CodeMark.isMark(FoldingTable.plain($0.value)) }
    }

    private func isDigit(_ index: Int) -> Bool { CodeMark.isDigit(line.units[index].glyph) }

    /// The pattern has a gap this many units from its beginning or its end: a letter read as two moves one of them.
    private func hasGap(_ index: Int, orFromEnd end: Int) -> Bool {
        let units = pattern.folded.units
        return [index, units.count - end].contains { units.indices.contains($0) && units[$0].afterGap }
    }

    /// At least two digits follow one another from `index` on.
    private func isGroup(from index: Int, through last: Int) -> Bool {
        index < last && isDigit(index + 1) && !line.units[index + 1].afterGap
    }

    /// At least two digits stand before `index`.
    private func isGroup(before index: Int, from first: Int) -> Bool {
        index - 2 >= first && isDigit(index - 2) && !line.units[index - 1].afterGap
    }

    /// The digit before `index` is all that comes before it, in a number of digits alone.
    private func isFirst(_ index: Int, _ first: Int) -> Bool { index - 1 == first && pattern.isNumber }
}
