import Errors

/// What is searched for, of at most ``maximumLength`` characters, checked and ready to be compared.
///
/// White space in plain text is a place where the line may have a gap between words, not something that must be read:
/// engines split and join words wrongly. A value; safe to use from several threads at once.
public struct Pattern: Hashable, Sendable {
    /// In characters.
    public static let maximumLength = 1_000

    /// As it was given.
    public let text: String
    public let kind: PatternKind
    public let options: MatchOptions
    let form: Form

    /// What each search takes.
    enum Form: Sendable {
        case plain(PlainPattern)
        case exact(PlainPattern)
        case expression(Expression)
        case content(ContentKind)
    }

    /// - Throws: ``FramegrepError`` `badPattern` when `text` has nothing in it that could be read, is too long, or is no
    ///   valid expression.
    public init(text: String, kind: PatternKind = .plain, options: MatchOptions = MatchOptions()) throws {
        try self.init(text: text, searching: text, kind, options)
    }

    /// What a person types: `:url` and its like are kinds of content, with white space around them too, `\:url` is the text ":url".
    ///
    /// - Parameter kind: how text is searched for that names no kind of content; only plain text can.
    /// - Throws: ``FramegrepError`` `badPattern`, as ``init(text:kind:options:)``, and for a kind that there is none of.
    public init(typed text: String, as kind: PatternKind, options: MatchOptions = MatchOptions()) throws {
        guard kind == .plain else {
            try self.init(text: text, kind: kind, options: options)
            return
        }
        let word = String(
            text.trimmingPrefix(while: \.isWhitespace).reversed().trimmingPrefix(while: \.isWhitespace).reversed())
        if let content = ContentKind(notation: word) {
            try self.init(text: text, searching: text, .content(content), options)
        } else if ContentKind.isNotation(word) {
            throw ContentKind.unknown(word)
        } else if text.hasPrefix("\\"), ContentKind.isNotation(String(text.dropFirst())) {
            try self.init(text: text, searching: String(text.dropFirst()), kind, options)
        } else {
            try self.init(text: text, kind: kind, options: options)
        }
    }

    private init(text: String, searching wanted: String, _ kind: PatternKind, _ options: MatchOptions) throws {
        // A character may be made of any number of scalars; both are bounded.
        guard text.unicodeScalars.count <= 4 * Self.maximumLength, text.count <= Self.maximumLength else {
            throw FramegrepError(
                .badPattern,
                "A pattern of more than \(Self.maximumLength) characters cannot be searched for; shorten it.")
        }
        guard !text.unicodeScalars.contains(where: Self.isNoText) else {
            throw FramegrepError(
                .badPattern,
                "The pattern holds bytes that are no UTF-8 text, which nothing in a picture is ever read as; write it in UTF-8."
            )
        }
        let folded = TextFolding(caseSensitive: options.caseSensitive).fold(wanted)
        guard !folded.units.isEmpty else {
            throw FramegrepError(
                .badPattern,
                text.isEmpty
                    ? "The pattern is empty, so there is nothing to search for; give at least one character."
                    : "The pattern holds only white space or invisible characters; give at least one visible one.")
        }
        self.text = text
        self.kind = kind
        self.options = options
        form =
            switch kind {
            case .plain: .plain(PlainPattern.tolerant(folded, options))
            case .exact: .exact(PlainPattern(folded: folded, options: options))
            case .expression: .expression(try Expression(wanted, options: options))
            case .content(let content): .content(content)
            }
    }

    /// What stands for bytes that were no text where they came from: the replacement character, and the scalars in which arguments
    /// keep such bytes.
    private static func isNoText(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{FFFD}" || scalar.value >= 0x10FF80 }

    public static func == (a: Pattern, b: Pattern) -> Bool {
        a.text == b.text && a.kind == b.kind && a.options == b.options
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(kind)
        hasher.combine(options)
    }

    /// The letters that are searched for, folded; nil for an expression or a kind of content, which has none of its own.
    var plain: PlainPattern? {
        switch form {
        case .plain(let plain), .exact(let plain): plain
        case .expression, .content: nil
        }
    }

    /// It is a piece of text, so that its words may be told to an engine.
    public var isText: Bool { plain != nil }

    /// It stands for a kind of content, so that its name is no secret.
    public var isContentKind: Bool { if case .content = form { true } else { false } }
}
