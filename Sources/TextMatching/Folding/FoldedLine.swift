/// A read line in the form in which it is compared, and the way back to its words and characters.
struct FoldedLine {
    /// A line of more characters than this is compared only so far: a bound for hostile input. An 8K picture full of
    /// six-pixel letters has lines of 1,300.
    static let maximumLength = 2_000

    var units: [FoldedText.Unit] = []
    /// The characters of the line that are looked at, in reading order.
    let letters: [RecognizedText.Letter]
    /// The readers' alternatives to the best reading, where they give them; the peaks of each are those of ``letters``.
    let evidence: [ReadingEvidence]
    /// Characters that are not compared: hyphens that part a word at the end of a line, and marks that part codes where those are
    /// searched for.
    var partingMarks: Set<Int> = []
    let source: ReadingSource
    let folding: TextFolding

    /// - Parameters:
    ///   - goingOn: indices of words that go on with the word before them, which ends in a hyphen.
    ///   - keepingHyphens: those hyphens are compared too.
    init(
        _ line: RecognizedText, folding: TextFolding, goingOn: Set<Int> = [], keepingHyphens: Bool = false
    ) {
        evidence = line.evidence
        source = line.source
        self.folding = folding
        letters =
            line.letters.count <= Self.maximumLength ? line.letters : Array(line.letters.prefix(Self.maximumLength))
        var folded = FoldedText()
        folded.units.reserveCapacity(letters.count)
        var gap = false
        for (number, letter) in letters.enumerated() {
            if letter.index == 0 { gap = letter.word > 0 && !goingOn.contains(letter.word) }
            if !keepingHyphens, goingOn.contains(letter.word + 1), number + 1 == line.words[letter.word].upperBound {
                partingMarks.insert(number)
                continue
            }
            folding.append(letter.character, from: Int32(number), afterGap: &gap, to: &folded)
        }
        units = folded.units
        if !units.isEmpty { units[0].afterGap = true }
    }

    func letter(ofUnit index: Int) -> RecognizedText.Letter { letters[Int(units[index].character)] }

    /// The characters that the units came from, all that stand between the first and the last of them; `units` is not
    /// empty.
    func letters(ofUnits units: Range<Int>) -> Range<Int> {
        Int(self.units[units.lowerBound].character)..<Int(self.units[units.upperBound - 1].character) + 1
    }

    /// A word of the line begins at unit `index`, or one ends just before it.
    ///
    /// As in grep, letters, digits and the underscore make words; each ideograph is a word (Unicode's UAX #29).
    func isBoundary(_ index: Int) -> Bool {
        if index == 0 || index == units.count || units[index].afterGap { return true }
        let before = units[index - 1].glyph
        let after = units[index].glyph
        return !Self.isWordPart(before) || !Self.isWordPart(after) || Self.isIdeograph(before)
            || Self.isIdeograph(after)
    }

    static func isWordPart(_ value: UInt32) -> Bool {
        if value < 0x80 {
            return (0x30...0x39).contains(value) || (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value)
                || value == 0x5F
        }
        guard let scalar = Unicode.Scalar(value) else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark, .connectorPunctuation:
            return true
        default: return false
        }
    }

    static func isIdeograph(_ value: UInt32) -> Bool {
        value >= 0x3400 && (Unicode.Scalar(value)?.properties.isIdeographic ?? false)
    }
}
