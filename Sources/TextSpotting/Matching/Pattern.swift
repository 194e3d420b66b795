/// What is searched for: a piece of text of at most ``maximumLength`` characters, ready to be compared.
///
/// White space in it is a place where the line may have a gap between words, not something that must be read: engines
/// split and join words wrongly.
public struct Pattern: Hashable, Sendable {
    /// In characters.
    public static let maximumLength = 1_000

    /// As it was given.
    public let text: String
    public let options: MatchOptions
    let plain: PlainPattern

    /// - Throws: ``FramegrepError`` `badPattern` when `text` has nothing in it that could be read, or is too long.
    public init(text: String, options: MatchOptions = MatchOptions()) throws {
        // A character may be made of any number of scalars; both are bounded.
        guard text.unicodeScalars.count <= 4 * Self.maximumLength, text.count <= Self.maximumLength else {
            throw FramegrepError(
                .badPattern,
                "A pattern of more than \(Self.maximumLength) characters cannot be searched for; shorten it.")
        }
        let folded = TextFolding(caseSensitive: options.caseSensitive).fold(text)
        guard !folded.units.isEmpty else {
            throw FramegrepError(
                .badPattern,
                text.isEmpty
                    ? "The pattern is empty, so there is nothing to search for; give at least one character."
                    : "The pattern holds only white space or invisible characters; give at least one visible one.")
        }
        self.text = text
        self.options = options
        plain = PlainPattern(folded: folded, options: options)
    }

    public static func == (a: Pattern, b: Pattern) -> Bool { a.text == b.text && a.options == b.options }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(options)
    }
}
