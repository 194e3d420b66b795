import Errors

/// A kind of content that can be searched for without knowing how it is written: `:url`, `:date` and so on.
public enum ContentKind: String, Hashable, Sendable, CaseIterable {
    case url, email, phone, date, time, number, ip, money, plate, code

    /// As it is typed.
    public var notation: String { ":" + rawValue }

    /// Whether `text` has the form of a kind, a colon and a word: then it is one or an error, so that a slip of the finger is not
    /// searched for in vain.
    static func isNotation(_ text: String) -> Bool {
        text.hasPrefix(":") && text.count > 1 && text.dropFirst().allSatisfy(\.isLetter)
    }

    /// That there is no kind of this name, with those that there are.
    static func unknown(_ text: String) -> FramegrepError {
        let close = allCases.first { $0.notation == text.lowercased() }
        let kinds = allCases.map(\.notation).joined(separator: " ")
        let hint = close.map { " Kinds are written in small letters: \($0.notation)." } ?? ""
        return FramegrepError(
            .badPattern,
            "“\(text)” is no kind of content.\(hint) There are: \(kinds). To search for the text itself, write \\\(text)."
        )
    }

    /// The kind that `text` names; nil if it names none and is a text like any other.
    public init?(notation text: String) {
        guard text.hasPrefix(":") else { return nil }
        self.init(rawValue: String(text.dropFirst()))
    }
}
