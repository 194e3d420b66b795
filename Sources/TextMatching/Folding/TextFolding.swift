// Unicode's compatibility forms (NFKC, NFD) have no public place in the standard library; of Foundation only they
// are used.
internal import Foundation

/// Brings a text into the one form in which patterns and lines are compared.
///
/// In order: compatibility forms (full-width letters, ligatures, composed and decomposed Hangul), curly quotes and
/// dashes to plain ones, invisible characters dropped, white space turned into gaps; unless case matters also optional
/// diacritics dropped (São is Sao; kana's voicing and й stay), digits of all scripts made one, and case folded (lower case of the upper case, so that
/// ß is ss and ς is σ).
struct TextFolding: Hashable, Sendable {
    var caseSensitive: Bool

    /// A character of more scalars than this is cut: a bound for hostile input; the longest that is written has ten.
    static let longestCharacter = 32

    func fold(_ text: String) -> FoldedText {
        var folded = FoldedText()
        var gap = false
        for (index, character) in text.enumerated() {
            append(character, from: Int32(index), afterGap: &gap, to: &folded)
        }
        return folded
    }

    /// Folds one character, keeping in `gap` whether white space was met since the last unit.
    func append(_ character: Character, from index: Int32, afterGap gap: inout Bool, to folded: inout FoldedText) {
        let scalars = character.unicodeScalars
        let first = scalars[scalars.startIndex].value
        if first < Self.tableEnd, scalars.index(after: scalars.startIndex) == scalars.endIndex,
            let piece = (caseSensitive ? Self.exactSingles : Self.looseSingles)[Int(first)]
        {
            folded.units.append(.init(code: piece.code, glyph: piece.glyph, character: index, afterGap: gap))
            gap = false
            return
        }
        for piece in pieces(of: character) {
            guard let piece else {
                gap = true
                continue
            }
            folded.units.append(.init(code: piece.code, glyph: piece.glyph, character: index, afterGap: gap))
            gap = false
        }
    }

    /// The form in which a single scalar is compared; nil if that is several, or none.
    func code(of scalar: UInt32) -> UInt32? {
        // Most letters are in the table, where no character need be made of them.
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

    /// The pieces of one character; nil stands for white space.
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

    /// The piece of each character that is one piece, and no white space.
    private static let exactSingles = exactTable.map { $0.count == 1 ? $0[0] : nil }
    private static let looseSingles = looseTable.map { $0.count == 1 ? $0[0] : nil }

    private static func table(_ folding: TextFolding) -> [[Piece?]] {
        (0..<tableEnd).map { value in
            Unicode.Scalar(value).map { folding.slowPieces(of: String(Character($0))) } ?? []
        }
    }

    private func slowPieces(of text: String) -> [Piece?] {
        let plain = String(String.UnicodeScalarView(text.unicodeScalars.map(Self.plainScalar)))
        // In two steps: Foundation's one step to NFKC leaves half-width kana apart from their voicing.
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
        return scalar.properties.uppercaseMapping.unicodeScalars.flatMap {
            $0.properties.lowercaseMapping.unicodeScalars.map(\.value)
        }
    }
}
