import Errors

/// A pattern of at most ``maximumLength`` characters, checked and ready to be compared.
///
/// White space in plain text is a place where the line may have a gap between words, not something that must be read,
/// because engines split and join words wrongly. A value; safe to use from several threads at once.
public struct Pattern: Hashable, Sendable {
    /// The largest length, in characters.
    public static let maximumLength = 1_000

    /// The pattern as it was given.
    public let text: String
    public let kind: PatternKind
    public let options: MatchOptions
    let form: Form

    /// The prepared form for each kind of search.
    enum Form: Sendable {
        case plain(PlainPattern)
        case exact(PlainPattern)
        case expression(Expression)
        case content(ContentKind)
        /// The question, without its mark.
        case meaning(String)
    }

    /// - Throws: ``FramegrepError`` `badPattern` if `text` contains nothing readable, is too long, or is not a valid
    ///   expression.
    public init(text: String, kind: PatternKind = .plain, options: MatchOptions = MatchOptions()) throws {
        try self.init(text: text, searching: text, kind, options)
    }

    /// Parses what the user typed: `:url` and the like are kinds of content, even with white space around them, and
    /// `\:url` is the text ":url"; `~ way out` searches by meaning (``meaningMark``), and `\~ way out` is the text "~
    /// way out".
    ///
    /// - Parameter kind: the kind of text that does not name a kind of content; only plain text can name one.
    /// - Throws: ``FramegrepError`` `badPattern`, as for ``init(text:kind:options:)``, and for an unknown kind.
    public init(typed text: String, as kind: PatternKind, options: MatchOptions = MatchOptions()) throws {
        guard kind == .plain else {
            try self.init(text: text, kind: kind, options: options)
            return
        }
        let word = String(
            text.trimmingPrefix(while: \.isWhitespace).reversed().trimmingPrefix(while: \.isWhitespace).reversed())
        if let question = Self.question(in: word) {
            try self.init(text: text, searching: question, .meaning, options)
        } else if text.hasPrefix("\\"), Self.question(in: String(text.dropFirst())) != nil {
            try self.init(text: text, searching: String(text.dropFirst()), kind, options)
        } else if let content = ContentKind(notation: word) {
            try self.init(text: text, searching: text, .content(content), options)
        } else if ContentKind.isNotation(word) {
            throw ContentKind.unknown(word)
        } else if text.hasPrefix("\\"), ContentKind.isNotation(String(text.dropFirst())) {
            try self.init(text: text, searching: String(text.dropFirst()), kind, options)
        } else {
            try self.init(text: text, kind: kind, options: options)
        }
    }

    /// The mark before a text that is searched for by its meaning, with white space after it: `~/src` is ordinary text.
    public static let meaningMark: Character = "~"

    /// Returns the question by meaning; nil if `text` is not one.
    private static func question(in text: String) -> String? {
        guard text.first == meaningMark, text.dropFirst().first?.isWhitespace == true else { return nil }
        let question = text.dropFirst().drop(while: \.isWhitespace)
        return question.isEmpty ? nil : String(question)
    }

    /// - Throws: ``FramegrepError`` `badPattern` for an invalid question.
    private static func meaning(_ question: String) throws -> Form {
        _ = try MeaningForm.question(question)
        return .meaning(question)
    }

    private init(text: String, searching wanted: String, _ kind: PatternKind, _ options: MatchOptions) throws {
        // A character may consist of any number of scalars, so both are bounded.
        guard text.unicodeScalars.count <= 4 * Self.maximumLength, text.count <= Self.maximumLength else {
            throw FramegrepError(
                .badPattern,
                "A pattern of more than \(Self.maximumLength) characters cannot be searched for; shorten it.")
        }
        guard !text.unicodeScalars.contains(where: Self.isNoText) else {
            throw FramegrepError(
                .badPattern,
                "The pattern contains bytes that are not UTF-8 text, so no text in a picture can match; write it in UTF-8."
            )
        }
        let folded = TextFolding(caseSensitive: options.caseSensitive).fold(wanted)
        guard !folded.units.isEmpty else {
            throw FramegrepError(
                .badPattern,
                text.isEmpty
                    ? "The pattern is empty, so there is nothing to search for; give at least one character."
                    : "The pattern has only white space or invisible characters; give at least one visible one.")
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
            case .meaning: try Self.meaning(wanted)
            }
    }

    /// Returns whether a scalar stands for bytes that were not valid text: the replacement character, and the scalars
    /// in which arguments keep such bytes.
    private static func isNoText(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{FFFD}" || scalar.value >= 0x10FF80 }

    public static func == (a: Pattern, b: Pattern) -> Bool {
        a.text == b.text && a.kind == b.kind && a.options == b.options
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(kind)
        hasher.combine(options)
    }

    /// The letters that are searched for, folded; nil for an expression or a kind of content, which has none.
    var plain: PlainPattern? {
        switch form {
        case .plain(let plain), .exact(let plain): plain
        case .expression, .content, .meaning: nil
        }
    }

    /// The question by meaning, without its mark; nil for all other patterns.
    public var question: String? {
        guard case .meaning(let question) = form else { return nil }
        return question
    }

    /// Whether it is plain text, so that its words may be passed to an engine.
    public var isText: Bool { plain != nil }

    /// Whether it is a kind of content, so that its name is not a secret.
    public var isContentKind: Bool { if case .content = form { true } else { false } }
}

/// The way in which a pattern is searched for.
public enum PatternKind: Hashable, Sendable, Codable {
    /// A piece of text, found despite known misreadings of engines.
    case plain
    /// A piece of text that must have been read letter by letter, gap by gap; the options determine whether case and
    /// accents matter.
    case exact
    /// A regular expression in the syntax of Swift's `Regex`, without the parts whose cost is unbounded.
    case expression
    /// Anything of one kind, such as a date.
    case content(ContentKind)
    /// Text with this meaning, in other words or another language (``MeaningModel``).
    case meaning
}
