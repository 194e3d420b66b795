/// In which way a pattern is searched for.
public enum PatternKind: Hashable, Sendable {
    /// A piece of text, found in spite of what engines are known to misread.
    case plain
    /// A piece of text that must have been read letter by letter, gap by gap; case and accents as the options say.
    case exact
    /// A regular expression in the syntax of Swift's `Regex`, without what has no bound on its cost.
    case expression
    /// Anything of one kind, such as a date.
    case content(ContentKind)
}

/// What a person may look for without knowing how it is written: `:url`, `:date` and their like.
public enum ContentKind: String, Hashable, Sendable, CaseIterable {
    case url, email, phone, date, time, number, ip, money

    /// As it is typed.
    public var notation: String { ":" + rawValue }

    /// The kind that `text` names; nil where it names none and is a text like any other.
    public init?(notation text: String) {
        guard text.hasPrefix(":") else { return nil }
        self.init(rawValue: String(text.dropFirst()))
    }
}
