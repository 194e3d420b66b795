/// The marks within a code or a number that may be left out: `RK-115 AN`, `079.123.45.67`.
///
/// Plates, part numbers and telephone numbers are written with all kinds of marks, and people search for them without
/// marks or with others. In codes (``PlainPattern/isCode``) a mark between letters and digits therefore counts as white
/// space: the searches get lines in which it is a gap. Words of prose keep their marks: `reform` is not `re-form`.
enum CodeMark {
    /// Returns whether a scalar, folded as in ``FoldingTable/plain(_:)``, is a hyphen, full stop, slash, underscore or
    /// middle dot.
    static func isMark(_ code: UInt32) -> Bool {
        switch code {
        case 0x2D, 0x2E, 0x2F, 0x5F, 0xB7, 0x2022, 0x2219, 0x22C5, 0x30FB: true
        default: false
        }
    }

    /// Returns whether a character is one that engines read instead of a middle dot. They count only in lines, without
    /// a gap beside them, and never between digits, so that times are not affected.
    static func isMisreadMark(_ code: UInt32) -> Bool {
        switch code {
        case 0x3A, 0x27, 0x2A, 0x2B, 0xB0: true
        default: false
        }
    }

    static func mayPart(_ code: UInt32) -> Bool { isMark(code) || isMisreadMark(code) }

    /// Returns whether it is a mark that people set or leave out as they like: those of codes, commas, colons,
    /// semicolons, quotes and parentheses.
    static func isFree(_ code: UInt32) -> Bool {
        switch code {
        case 0x22, 0x27, 0x28, 0x29, 0x2C, 0x3A, 0x3B: true
        default: isMark(code)
        }
    }

    static func isDigit(_ glyph: UInt32) -> Bool { (0x30...0x39).contains(glyph) }

    /// Returns whether it is a letter or a digit.
    static func isPart(_ glyph: UInt32) -> Bool { glyph != 0x5F && FoldedLine.isWordPart(glyph) }

    /// Returns the one or two marks that begin at unit `index` between two letters or digits; empty if there is
    /// something else.
    ///
    /// - Parameter isRead: whether the units belong to a line rather than a pattern.
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
    /// Removes the marks within codes; text after a mark follows a gap.
    ///
    /// - Parameter isRead: whether it belongs to a line rather than a pattern.
    /// - Returns: the text, and the units left out.
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

extension FoldedText {
    /// Removes all free marks; text after a mark follows a gap.
    ///
    /// - Returns: the text, and the units left out.
    func withoutFreeMarks() -> (text: FoldedText, marks: [Int]) {
        var kept: [Unit] = []
        var marks: [Int] = []
        for (index, unit) in units.enumerated() {
            guard !CodeMark.isFree(unit.code) else {
                marks.append(index)
                continue
            }
            var unit = unit
            unit.afterGap = unit.afterGap || marks.last == index - 1 && index > 0
            kept.append(unit)
        }
        return (FoldedText(units: kept), marks)
    }
}

extension FoldedLine {
    /// Returns the line in the form in which codes are searched for: a mark between letters and digits is a gap.
    /// Without such marks it is unchanged.
    func withoutCodeMarks() -> FoldedLine { without(FoldedText(units: units).withoutCodeMarks(isRead: true)) }

    /// Returns the line with each free mark as a gap; without such marks it is unchanged.
    func withoutFreeMarks() -> FoldedLine { without(FoldedText(units: units).withoutFreeMarks()) }

    private func without(_ parted: (text: FoldedText, marks: [Int])) -> FoldedLine {
        let (text, marks) = parted
        guard !marks.isEmpty else { return self }
        var line = self
        line.units = text.units
        line.partingMarks.formUnion(marks.map { Int(units[$0].character) })
        return line
    }

    /// Returns the ``partingMarks`` directly before unit `index`.
    func marks(before index: Int) -> [Character] {
        guard index > 0, units[index].afterGap, !partingMarks.isEmpty else { return [] }
        let between =
            Int(units[index - 1].character)
            + 1..<max(
                Int(units[index].character), Int(units[index - 1].character) + 1)
        return between.filter(partingMarks.contains).map { letters[$0].character }
    }
}

/// A plain pattern for ``TolerantSearch``: folded, with the bounds of its tolerance.
struct PlainPattern: Sendable {
    let folded: FoldedText
    let options: MatchOptions
    /// Whether it is a code or a number, in which marks between letters and digits are as free as white space
    /// (``CodeMark``).
    var isCode = false

    /// The pattern with marks in codes ignored.
    static func tolerant(_ folded: FoldedText, _ options: MatchOptions) -> PlainPattern {
        let bare = folded.withoutCodeMarks(isRead: false).text
        return isCode(bare.units, marked: folded.units)
            ? PlainPattern(folded: bare, options: options, isCode: true)
            : PlainPattern(folded: folded, options: options)
    }

    /// The pattern with all free marks as gaps, for hiding; nil if too little is left of it to be anything by itself, or
    /// if marks in it are ignored anyway.
    var withoutFreeMarks: PlainPattern? {
        let bare = folded.withoutFreeMarks().text
        let letters = bare.units.count { CodeMark.isPart($0.glyph) }
        let isNumber = bare.units.allSatisfy { CodeMark.isDigit($0.glyph) }
        guard !isCode, letters >= (isNumber ? 7 : 4) else { return nil }
        return PlainPattern(folded: bare, options: options)
    }

    /// Returns whether it is a code: it has a digit, at least four letters and digits, and nothing else, and no more
    /// than five letters in a row, because that would be a word. A code of digits alone has at least six. A pattern
    /// with a full stop between digits is a decimal number, a version or an address, in which the mark counts.
    private static func isCode(_ units: [FoldedText.Unit], marked: [FoldedText.Unit]) -> Bool {
        let digits = units.count { CodeMark.isDigit($0.glyph) }
        guard digits > 0, units.count >= (digits == units.count ? 6 : 4),
            units.allSatisfy({ CodeMark.isPart($0.glyph) })
        else { return false }
        let stops = marked.indices.dropFirst().dropLast().contains { index in
            marked[index].code == 0x2E && CodeMark.isDigit(marked[index - 1].glyph)
                && CodeMark.isDigit(marked[index + 1].glyph)
        }
        return !stops && !units.split(whereSeparator: { CodeMark.isDigit($0.glyph) }).contains(where: isWord)
    }

    /// Returns whether letters without a digit between them form a word: more than five without a gap.
    private static func isWord(_ letters: ArraySlice<FoldedText.Unit>) -> Bool {
        var run = 0
        for unit in letters {
            run = unit.afterGap ? 1 : run + 1
            if run > 5 { return true }
        }
        return false
    }

    var isNumber: Bool { folded.units.allSatisfy { CodeMark.isDigit($0.glyph) } }

    /// The number of characters that may be confusable with those of the pattern: one in three. One or two characters must be
    /// read as they are.
    var allowedMisreadings: Int { folded.units.count / 3 }

    /// The number of letters of a doubtful reading that may be misread, lost or added, not counting confusable letters:
    /// none of three, one of five, two of eight.
    var allowedEdits: Int {
        switch folded.units.count {
        case ..<4: 0
        case ..<6: 1
        case ..<9: 2
        default: 3
        }
    }

    /// The same if the reader reports only its best reading: none of five, one of six, two of ten. It is 0 for a code,
    /// because another letter makes another valid code.
    var editsWithoutEvidence: Int {
        if isCode { return 0 }
        return switch folded.units.count {
        case ..<6: 0
        case ..<10: 1
        default: 2
        }
    }

    /// The number of letters that may be misread, lost or added in total.
    var mostEdits: Int { folded.units.count / 2 }

    /// Whether it has a gap at which a line may break.
    var hasGap: Bool { folded.units.dropFirst().contains { $0.afterGap } }
}

/// Finds texts that were read exactly as they are searched for, including gaps.
///
/// Folding determines which letters are equal; misreadings are not tolerated. In scripts written without gaps between
/// words (``FoldingTable/isUnspaced(_:)``) gaps are not compared. A value; safe to use from several threads at once.
struct ExactSearch: Sendable {
    private let patterns: [Int: PlainPattern]
    private let automaton: SkeletonAutomaton

    /// - Parameter patterns: the patterns, with the number under which ``spans(in:)`` reports each. All are folded as
    ///   the lines will be.
    init(_ patterns: [(number: Int, pattern: PlainPattern)]) {
        self.patterns = Dictionary(patterns.map { ($0.number, $0.pattern) }) { first, _ in first }
        automaton = SkeletonAutomaton(
            patterns.map { (number: $0.number, skeleton: $0.pattern.folded.units.map(\.code)) })
    }

    /// Returns every place of the line where a pattern occurs; places of one pattern do not overlap.
    func spans(in folded: FoldedLine) -> [FoundSpan] {
        guard !automaton.isEmpty else { return [] }
        var found: [FoundSpan] = []
        var free: [Int: Int] = [:]
        automaton.places(in: folded.units.map(\.code)) { number, start in
            guard start >= free[number] ?? 0, let pattern = patterns[number] else { return }
            let units = start..<start + pattern.folded.units.count
            guard Self.hasSameGaps(pattern, folded, units) else { return }
            if pattern.options.wholeWords {
                guard folded.isBoundary(units.lowerBound), folded.isBoundary(units.upperBound) else { return }
            }
            free[number] = units.upperBound
            let letters = folded.letters(ofUnits: units)
            found.append(
                FoundSpan(
                    number: number, letters: letters,
                    score: MatchScore.score(
                        of: folded.letters[letters], cost: 0, length: units.count, source: folded.source)))
        }
        return found
    }

    /// Returns whether the gaps are exactly those of the pattern.
    static func hasSameGaps(_ pattern: PlainPattern, _ folded: FoldedLine, _ units: Range<Int>) -> Bool {
        zip(pattern.folded.units, folded.units[units]).dropFirst().enumerated().allSatisfy { index, pair in
            pair.0.afterGap == pair.1.afterGap
                || FoldingTable.isUnspaced(pair.1.glyph)
                    && FoldingTable.isUnspaced(folded.units[units.lowerBound + index].glyph)
        }
    }
}

/// Checks that the marks in a line do not change a code: 12.5 is not 125, and 2-4 May is not 24 May.
///
/// Between a letter and a digit every mark is free. If a pattern has its own gaps or marks, letters and digits must be
/// divided there and nowhere else. One without them may be divided anywhere between letters, but digits only into
/// groups of two or more (the first may be one digit, as in `1-800-555-0199`). A full stop between digits is a decimal
/// point unless there are two of them.
struct CodeGrouping {
    let pattern: PlainPattern
    let line: FoldedLine

    /// - Parameters:
    ///   - line: the line, in which marks are gaps.
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

    /// Returns whether the pattern has a gap this many units from its beginning or its end; both count, because a
    /// letter read as two shifts one of them.
    private func hasGap(_ index: Int, orFromEnd end: Int) -> Bool {
        let units = pattern.folded.units
        return [index, units.count - end].contains { units.indices.contains($0) && units[$0].afterGap }
    }

    /// Returns whether at least two digits follow one another from `index` on.
    private func isGroup(from index: Int, through last: Int) -> Bool {
        index < last && isDigit(index + 1) && !line.units[index + 1].afterGap
    }

    /// Returns whether at least two digits are before `index`.
    private func isGroup(before index: Int, from first: Int) -> Bool {
        index - 2 >= first && isDigit(index - 2) && !line.units[index - 1].afterGap
    }

    /// Returns whether a single digit comes before `index`, in a number of digits alone.
    private func isFirst(_ index: Int, _ first: Int) -> Bool { index - 1 == first && pattern.isNumber }
}
