/// How many columns text takes on a terminal.
enum DisplayWidth {
    /// Characters that take two columns whatever the font: East Asian Width W and F (Unicode Standard Annex #11), in whole blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]

    /// The most columns that a terminal gives `text`, which has no control characters: one that puts a cluster of emoji
    /// together takes fewer.
    static func columns(of text: some StringProtocol) -> Int { text.unicodeScalars.reduce(0) { $0 + columns(of: $1) } }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        guard scalar.value >= 0x300 else { return 1 }
        // Asks for the colored form of a symbol, which is wide.
        if scalar.value == 0xFE0F { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// `text` where it fits into this many columns, else its end behind `…`, which is what names differ in.
    static func shortened(_ text: String, to columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var rest = Substring(text)
        while self.columns(of: rest) > columns - 1 { rest = rest.dropFirst() }
        return "…" + rest
    }
}
