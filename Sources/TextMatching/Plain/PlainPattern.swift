/// A plain pattern as ``TolerantSearch`` takes it: folded, with the bounds of its tolerance.
struct PlainPattern: Sendable {
    let folded: FoldedText
    let options: MatchOptions
    /// It is a code or a number, in which marks between letters and digits are free as white space is (``CodeMark``).
    let isCode: Bool

    init(folded: FoldedText, options: MatchOptions, isCode: Bool = false) {
        self.folded = folded
        self.options = options
        self.isCode = isCode
    }

    /// As a user means it who minds no marks in codes.
    static func tolerant(_ folded: FoldedText, _ options: MatchOptions) -> PlainPattern {
        let bare = folded.withoutCodeMarks(isRead: false).text
        return isCode(bare.units, marked: folded.units)
            ? PlainPattern(folded: bare, options: options, isCode: true)
            : PlainPattern(folded: folded, options: options)
    }

    /// Codes have a digit, at least four letters and digits, and nothing else; no more than five letters in a row, for that would be a
    /// word. Of digits alone they have at least six. A pattern that has a full stop between digits itself is a decimal number, a
    /// version or an address: there the mark counts.
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

    /// Letters without a digit between them that make a word: more than five without a gap.
    private static func isWord(_ letters: ArraySlice<FoldedText.Unit>) -> Bool {
        var run = 0
        for unit in letters {
            run = unit.afterGap ? 1 : run + 1
            if run > 5 { return true }
        }
        return false
    }

    /// It has digits only.
    var isNumber: Bool { folded.units.allSatisfy { CodeMark.isDigit($0.glyph) } }

    /// How many characters may be confusable with those of the pattern: one in three. One or two characters must be
    /// read as they are.
    var allowedMisreadings: Int { folded.units.count / 3 }

    /// How many letters of a doubtful reading may be misread, lost or added, confusable letters not counted, for a pattern to be
    /// looked for there: none of three, one of five, two of eight.
    var allowedEdits: Int {
        switch folded.units.count {
        case ..<4: 0
        case ..<6: 1
        case ..<9: 2
        default: 3
        }
    }

    /// How many may where the reader tells no more than its best reading: none of five, one of six, two of ten. None of a code, for
    /// any other letter makes another code as good as it.
    var editsWithoutEvidence: Int {
        if isCode { return 0 }
        return switch folded.units.count {
        case ..<6: 0
        case ..<10: 1
        default: 2
        }
    }

    /// How many letters may be misread, lost or added in all.
    var mostEdits: Int { folded.units.count / 2 }

    /// It has a gap at which a line may break.
    var hasGap: Bool { folded.units.dropFirst().contains { $0.afterGap } }
}
