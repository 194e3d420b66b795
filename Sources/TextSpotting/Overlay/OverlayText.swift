/// Makes text safe to draw: it may have been read from a picture, and so be chosen by an attacker.
public enum OverlayText {
    /// More scalars than this in one character are noise (stacked accents), not writing.
    static let scalarsPerCharacter = 8

    /// `text` as one bounded line: control and line-breaking characters become single spaces, invisible formatting
    /// (among it the marks that reverse the direction of what follows) is dropped, unassigned and private characters
    /// become U+FFFD, and what is longer than `limit` characters ends in an ellipsis.
    ///
    /// The joiners U+200C and U+200D stay: Persian and Indic writing needs them.
    public static func singleLine(_ text: String, limit: Int = 40) -> String {
        var result = ""
        var count = 0
        var endsInSpace = true
        for character in text {
            let safe = printable(character)
            if safe.isEmpty || (safe == " " && endsInSpace) { continue }
            guard count < limit else { return trimmed(result, to: max(0, limit - 1)) + "…" }
            endsInSpace = safe == " "
            result += safe
            count += 1
        }
        return trimmed(result, to: limit)
    }

    private static func trimmed(_ text: String, to count: Int) -> String {
        var result = text.prefix(count)
        while result.last == " " { result.removeLast() }
        return String(result)
    }

    private static func printable(_ character: Character) -> String {
        if character.isNewline || character.isWhitespace { return " " }
        var result = String.UnicodeScalarView()
        for scalar in character.unicodeScalars.prefix(scalarsPerCharacter) {
            switch scalar.properties.generalCategory {
            case .control: return " "
            case .format:
                if scalar == "\u{200C}" || scalar == "\u{200D}" { result.append(scalar) }
            case .lineSeparator, .paragraphSeparator, .spaceSeparator: return " "
            case .unassigned, .privateUse, .surrogate: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// About how wide `text` is when drawn, in ems, for planning where labels go: full-width characters count as one
    /// em, all others as 0.62 (the mean advance of bold DejaVu Sans, rounded up).
    public static func estimatedWidth(_ text: String) -> Double {
        text.unicodeScalars.reduce(0) { width, scalar in
            switch scalar.value {
            case 0x0300...0x036F, 0x200C, 0x200D: width
            case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
                0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                width + 1
            default: width + 0.62
            }
        }
    }
}
