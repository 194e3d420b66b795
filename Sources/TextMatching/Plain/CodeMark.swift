/// The marks that part a code or a number, and may be left out: `RK-115 AN`, `079.123.45.67`.
///
/// Plates, part numbers and telephone numbers are written with all kinds of marks, and people search for them with none, or with others.
/// In codes (``PlainPattern/isCode``) a mark between letters and digits therefore counts as white space does: the searches get lines
/// in which it is a gap. Words of prose keep their marks: `reform` is not `re-form`.
enum CodeMark {
    /// Folded as in ``FoldingTable/plain(_:)``: hyphen, full stop, slash, underscore, and the dots that stand in the middle.
    static func isMark(_ code: UInt32) -> Bool {
        switch code {
        case 0x2D, 0x2E, 0x2F, 0x5F, 0xB7, 0x2022, 0x2219, 0x22C5, 0x30FB: true
        default: false
        }
    }

    /// Characters for which engines mistake a dot in the middle. Only in lines, where no gap is beside it, and never between digits, so
    /// that a time is not affected.
    static func isMisreadMark(_ code: UInt32) -> Bool {
        switch code {
        case 0x3A, 0x27, 0x2A, 0x2B, 0xB0: true
        default: false
        }
    }

    static func mayPart(_ code: UInt32) -> Bool { isMark(code) || isMisreadMark(code) }

    static func isDigit(_ glyph: UInt32) -> Bool { (0x30...0x39).contains(glyph) }

    /// A letter or a digit.
    static func isPart(_ glyph: UInt32) -> Bool { glyph != 0x5F && FoldedLine.isWordPart(glyph) }

    /// The marks, one or two, that begin at unit `index` between two letters or digits; none where something else stands there.
    ///
    /// - Parameter isRead: the units are of a line and not of a pattern.
    static func parting(from index: Int, in units: [FoldedText.Unit], isRead: Bool) -> Range<Int> {
        let none = index..<index
        guard index > 0, isPart(units[index - 1].glyph) else { return none }
        var end = index
        while end < units.count, end - index < (isRead ? 2 : 1) {
            let code = units[end].code
            let isTight = !units[end].afterGap && end + 1 < units.count && !units[end + 1].afterGap
            guard isMark(code) || isRead && isTight && isMisreadMark(code) else { break }
            end += 1
        }
        return end < units.count && isPart(units[end].glyph) ? index..<end : none
    }
}

extension FoldedText {
    /// Without the marks that part codes: text after one follows a gap.
    ///
    /// - Parameter isRead: it is of a line and not of a pattern.
    /// - Returns: that, and the units left out.
    func withoutCodeMarks(isRead: Bool) -> (text: FoldedText, marks: [Int]) {
        var kept: [Unit] = []
        var marks: [Int] = []
        var index = 0
        while index < units.count {
            let parting = CodeMark.parting(from: index, in: units, isRead: isRead)
            marks += parting
            index = parting.upperBound
            var unit = units[index]
            unit.afterGap = unit.afterGap || !parting.isEmpty
            kept.append(unit)
            index += 1
        }
        return (FoldedText(units: kept), marks)
    }
}

extension FoldedLine {
    /// The line as codes are searched for in it: a mark between letters and digits is a gap. Itself where it has none.
    func withoutCodeMarks() -> FoldedLine {
        let (text, marks) = FoldedText(units: units).withoutCodeMarks(isRead: true)
        guard !marks.isEmpty else { return self }
        var line = self
        line.units = text.units
        line.partingMarks.formUnion(marks.map { Int(units[$0].character) })
        return line
    }

    /// Those of ``partingMarks`` that stand directly before unit `index`.
    func marks(before index: Int) -> [Character] {
        guard index > 0, units[index].afterGap, !partingMarks.isEmpty else { return [] }
        let between =
            Int(units[index - 1].character)
            + 1..<max(
                Int(units[index].character), Int(units[index - 1].character) + 1)
        return between.filter(partingMarks.contains).map { letters[$0].character }
    }
}
