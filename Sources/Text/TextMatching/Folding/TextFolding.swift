// Unicode's compatibility forms (NFKC, NFD) are not public in the standard library; Foundation is used only for them.
internal import Foundation

/// Converts texts to the form in which patterns and lines are compared.
///
/// In order: compatibility forms (full-width letters, ligatures, composed and decomposed Hangul), curly quotes and
/// dashes to plain ones, invisible characters dropped, white space turned into gaps; unless case matters also optional
/// diacritics dropped (São is Sao; kana's voicing and й stay), digits of all scripts unified, and case folded (lower
/// case of the upper case, so that ß is ss and ς is σ).
struct TextFolding: Hashable, Sendable {
    var caseSensitive: Bool

    /// The largest number of scalars of a character, a limit for malicious input; the longest in real text has ten.
    static let longestCharacter = 32

    func fold(_ text: String) -> FoldedText {
        var folded = FoldedText()
        var gap = false
        for (index, character) in text.enumerated() {
            append(character, from: Int32(index), afterGap: &gap, to: &folded)
        }
        return folded
    }

    /// Folds one letter, keeping in `gap` whether there was white space since the last unit.
    func append(
        _ letter: RecognizedText.Letter, from index: Int32, afterGap gap: inout Bool, to folded: inout FoldedText
    ) {
        // Most letters are in the table, so that the character itself need not be examined.
        if letter.isOneScalar, letter.scalar < Self.tableEnd,
            let piece = (caseSensitive ? Self.exactSingles : Self.looseSingles)[Int(letter.scalar)]
        {
            folded.units.append(.init(code: piece.code, glyph: piece.glyph, character: index, afterGap: gap))
            gap = false
            return
        }
        append(letter.character, from: index, afterGap: &gap, to: &folded)
    }

    /// Folds one character, keeping in `gap` whether there was white space since the last unit.
    func append(_ character: Character, from index: Int32, afterGap gap: inout Bool, to folded: inout FoldedText) {
        for piece in pieces(of: character) {
            guard let piece else {
                gap = true
                continue
            }
            folded.units.append(.init(code: piece.code, glyph: piece.glyph, character: index, afterGap: gap))
            gap = false
        }
    }

    /// Returns the form in which a single scalar is compared; nil if it has several scalars, or none.
    func code(of scalar: UInt32) -> UInt32? {
        // Most letters are in the table, so no character is created for them.
        if scalar < Self.tableEnd {
            return (caseSensitive ? Self.exactSingles : Self.looseSingles)[Int(scalar)]?.code
        }
        guard let scalar = Unicode.Scalar(scalar) else { return nil }
        let pieces = pieces(of: Character(scalar))
        return pieces.count == 1 ? pieces[0]?.code : nil
    }

    struct Piece: Hashable, Sendable {
        var code: UInt32
        var glyph: UInt32
    }

    /// Returns the pieces of one character; nil stands for white space.
    private func pieces(of character: Character) -> [Piece?] {
        let scalars = character.unicodeScalars
        let first = scalars[scalars.startIndex].value
        if scalars.index(after: scalars.startIndex) == scalars.endIndex {
            if first < Self.tableEnd {
                return caseSensitive ? Self.exactTable[Int(first)] : Self.looseTable[Int(first)]
            }
            if FoldingTable.isItsOwnForm(first) { return [Piece(code: first, glyph: first)] }
        }
        return slowPieces(of: String(String.UnicodeScalarView(scalars.prefix(Self.longestCharacter))))
    }

    private static let tableEnd: UInt32 = 0x600
    private static let exactTable = table(TextFolding(caseSensitive: true))
    private static let looseTable = table(TextFolding(caseSensitive: false))

    /// The piece of each character that is one piece and not white space.
    private static let exactSingles = exactTable.map { $0.count == 1 ? $0[0] : nil }
    private static let looseSingles = looseTable.map { $0.count == 1 ? $0[0] : nil }

    private static func table(_ folding: TextFolding) -> [[Piece?]] {
        (0..<tableEnd).map { value in
            Unicode.Scalar(value).map { folding.slowPieces(of: String(Character($0))) } ?? []
        }
    }

    private func slowPieces(of text: String) -> [Piece?] {
        let plain = String(String.UnicodeScalarView(text.unicodeScalars.map(Self.plainScalar)))
        // This takes two steps, because Foundation's single step to NFKC leaves half-width kana separate from their
        // voicing marks.
        let form = plain.decomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
        return form.unicodeScalars.flatMap { scalar -> [Piece?] in
            if scalar.properties.isWhitespace { return [nil] }
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate: return []
            default: break
            }
            let value = FoldingTable.plain(scalar.value)
            if caseSensitive { return [Piece(code: value, glyph: value)] }
            return withoutMarks(FoldingTable.usual(value)).flatMap { glyph in
                Self.caseFolded(glyph).map { Piece(code: $0, glyph: glyph) }
            }
        }
    }

    private static func plainScalar(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        Unicode.Scalar(FoldingTable.plain(scalar.value)) ?? scalar
    }

    private func withoutMarks(_ value: UInt32) -> [UInt32] {
        if let letters = FoldingTable.unstroked(value) { return letters }
        if FoldingTable.isOptionalMark(value) { return [] }
        guard FoldingTable.mayLoseMarks(value), let scalar = Unicode.Scalar(value) else { return [value] }
        return String(Character(scalar)).decomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
            .filter { !FoldingTable.isOptionalMark($0) }
    }

    private static func caseFolded(_ value: UInt32) -> [UInt32] {
        guard let scalar = Unicode.Scalar(value) else { return [value] }
        // Lowercase first: the capital ẞ is its own uppercase form, and that of ß is SS.
        let capitals = scalar.properties.lowercaseMapping.unicodeScalars.flatMap {
            $0.properties.uppercaseMapping.unicodeScalars
        }
        return capitals.flatMap { $0.properties.lowercaseMapping.unicodeScalars.map(\.value) }
    }
}

/// The scalars that are folded in addition to those of Unicode's own properties.
enum FoldingTable {
    /// Returns the plain form of marks that are not on keyboards and that engines confuse. The compatibility forms of
    /// Unicode (NFKC) leave these apart on purpose.
    static func plain(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x02B9, 0x02BC, 0x02BB, 0x00B4, 0x0060, 0xFF07, 0x2039,
            0x203A, 0x05F3:
            0x27  // '
        case 0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0x02BA, 0x301D, 0x301E, 0x301F, 0xAB, 0xBB, 0x05F4: 0x22  // "
        case 0x2010...0x2015, 0x2043, 0x2212, 0x2E3A, 0x2E3B, 0xFE58, 0x05BE: 0x2D  // -
        case 0x2044, 0x2215: 0x2F  // /
        default: scalar
        }
    }

    /// Returns the letters that people type instead of letters with a stroke and ligatures, which Unicode does not
    /// decompose.
    static func unstroked(_ scalar: UInt32) -> [UInt32]? {
        switch scalar {
        case 0xD8: [0x4F]  // Ø
        case 0xF8: [0x6F]
        case 0x110: [0x44]  // Đ
        case 0x111: [0x64]
        case 0x126: [0x48]  // Ħ
        case 0x127: [0x68]
        case 0x141: [0x4C]  // Ł
        case 0x142: [0x6C]
        case 0x166: [0x54]  // Ŧ
        case 0x167: [0x74]
        case 0xC6: [0x41, 0x45]  // Æ
        case 0xE6: [0x61, 0x65]
        case 0x152: [0x4F, 0x45]  // Œ
        case 0x153: [0x6F, 0x65]
        default: nil
        }
    }

    /// Unifies letters that differ on Arabic and Persian keyboards but look the same in most positions of a word, and
    /// the decimal digits of every script.
    static func usual(_ value: UInt32) -> UInt32 {
        guard value >= 0x660 else { return value }
        switch value {
        case 0x06A9: return 0x0643
        case 0x06CC: return 0x064A
        case 0x06C1: return 0x0647
        default: break
        }
        guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory == .decimalNumber,
            let number = scalar.properties.numericValue, let digit = UInt32(exactly: number), digit < 10
        else { return value }
        return 0x30 + digit
    }

    /// Returns whether a mark may be left out in writing: the accents of Latin, Greek and Cyrillic letters, Hebrew
    /// points and Arabic vowel signs. Kana's voicing and the vowel signs of Indic scripts are marks too, but form
    /// different letters.
    static func isOptionalMark(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0300...0x036F, 0x0483...0x0487, 0x0591...0x05BD, 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7,
            0x0610...0x061A, 0x0640, 0x064B...0x065F, 0x0670, 0x06D6...0x06DC, 0x06DF...0x06E4, 0x1AB0...0x1AFF,
            0x1DC0...0x1DFF, 0x20D0...0x20F0:
            true
        default: false
        }
    }

    /// Returns whether a scalar is in a script in which ``isOptionalMark(_:)`` also applies to precomposed letters.
    /// Cyrillic й is excluded: it is a separate letter.
    static func mayLoseMarks(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0419, 0x0439: false
        case 0x00C0...0x06FF, 0x1E00...0x1FFF, 0xFB1D...0xFB4F: true
        default: false
        }
    }

    /// Returns whether a character is the same in every form that is compared: Hangul syllables, kana and ideographs.
    static func isItsOwnForm(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xAC00...0xD7A3, 0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF: true
        default: false
        }
    }

    /// Returns whether a script is written without gaps between words or with gaps placed freely, so that a gap does
    /// not show where a word ends.
    static func isUnspaced(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x2FDF, 0x3005...0x3007, 0x3041...0x30FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}

/// A text in the form used for comparison: without white space, with one form of each letter, and with the origin of
/// each unit.
struct FoldedText: Sendable {
    struct Unit: Hashable, Sendable {
        /// The scalar that is compared: case-folded and without diacritics unless case matters.
        var code: UInt32
        /// The same scalar before its case was folded: letters are confused by their shapes.
        var glyph: UInt32
        /// The index of its character; white space counts as a character in a pattern but not in a line.
        var character: Int32
        /// Whether white space or the boundary of two words precedes it.
        var afterGap: Bool
    }

    var units: [Unit] = []
}

/// A read line in the form used for comparison, with a mapping back to its words and characters.
struct FoldedLine {
    /// The number of characters up to which a line is compared, a limit for malicious input. An 8K picture full of
    /// six-pixel letters has lines of 1,300.
    static let maximumLength = 2_000

    var units: [FoldedText.Unit] = []
    /// The characters of the line that are compared, in reading order.
    let letters: [RecognizedText.Letter]
    /// The readers' alternatives to the best reading, if they report any; the peaks of each are those of ``letters``.
    let evidence: [ReadingEvidence]
    /// Characters that are not compared: hyphens that divide a word at the end of a line, and marks within codes when
    /// those are searched for.
    var partingMarks: Set<Int> = []
    /// Words that continue with the word before them.
    private let goingOn: Set<Int>
    let source: ReadingSource
    let folding: TextFolding

    /// - Parameters:
    ///   - goingOn: indices of words that continue with the word before them, which ends in a hyphen.
    ///   - keepingHyphens: whether those hyphens are compared too.
    init(
        _ line: RecognizedText, folding: TextFolding, goingOn: Set<Int> = [], keepingHyphens: Bool = false
    ) {
        self.goingOn = goingOn
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
            folding.append(letter, from: Int32(number), afterGap: &gap, to: &folded)
        }
        units = folded.units
        if !units.isEmpty { units[0].afterGap = true }
    }

    func letter(ofUnit index: Int) -> RecognizedText.Letter { letters[Int(units[index].character)] }

    /// Returns the characters from the first to the last of the units; `units` must not be empty.
    func letters(ofUnits units: Range<Int>) -> Range<Int> {
        Int(self.units[units.lowerBound].character)..<Int(self.units[units.upperBound - 1].character) + 1
    }

    /// Returns whether a word of the line begins at unit `index` or ends just before it.
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

    /// Returns whether a word follows the one before it without a space, as in Chinese and Japanese at the end of a
    /// line.
    func isUnspaced(before word: Int) -> Bool {
        goingOn.contains(word)
            && letters.first { $0.word == word }.map { letter in
                letter.character.unicodeScalars.first.map { Self.isChineseOrJapanese($0.value) } ?? false
            } ?? false
    }

    /// Returns whether a letter is an ideograph or kana: lines of these may break anywhere and have no gaps at all,
    /// while other scripts only place theirs freely (``FoldingTable/isUnspaced(_:)``).
    static func isChineseOrJapanese(_ scalar: UInt32) -> Bool {
        (0x3005...0x30FF).contains(scalar) && !(0x3008...0x3020).contains(scalar) || isIdeograph(scalar)
    }

    static func isIdeograph(_ value: UInt32) -> Bool {
        value >= 0x3400 && (Unicode.Scalar(value)?.properties.isIdeographic ?? false)
    }
}
