extension String {
    /// The signs that text cursors are read as and that are no letters.
    static let cursors: Set<Character> = ["|", "_", "■", "█", "▌", "▮"]

    /// The text without the bar or block at its end that may be a text cursor; nil if there is none. A letter after a gap
    /// is not taken for one.
    package var withoutCursor: String? {
        guard let last else { return nil }
        if "lI1i![]".contains(last), dropLast().last?.isLetter ?? false { return String(dropLast()) }
        guard Self.cursors.contains(last) else { return nil }
        var rest = dropLast()
        while rest.last?.isWhitespace ?? false { rest.removeLast() }
        return rest.isEmpty ? nil : String(rest)
    }
}
