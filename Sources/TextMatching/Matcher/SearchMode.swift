import Errors

/// How typed text is searched for: the same for every pattern of one search, also for those typed later.
public struct SearchMode: Hashable, Sendable {
    /// How text is searched for that names no kind of content.
    public var kind: PatternKind
    public var options: MatchOptions
    /// Matches count only while all patterns are in view at the same time.
    public var requiresAll: Bool
    /// What tells meanings; nil where nothing can be searched for by its meaning.
    public var meaning: MeaningSource?

    /// All expressions of one search together have at most this many steps (``ExpressionProgram``): a bound on the work.
    static let maximumSteps = 50_000

    /// All patterns of one search together have at most this many bytes: looking for them at once takes some 200 bytes of
    /// memory for each.
    public static let maximumBytes = 1_000_000

    public init(
        kind: PatternKind = .plain, options: MatchOptions = MatchOptions(), requiresAll: Bool = false,
        meaning: MeaningSource? = nil
    ) {
        self.kind = kind
        self.options = options
        self.requiresAll = requiresAll
        self.meaning = meaning
    }

    /// - Throws: ``FramegrepError`` where meanings are asked for and cannot be told.
    private func meanings(of patterns: [Pattern]) throws -> MeaningSearch? {
        let asked = patterns.enumerated().compactMap { number, pattern in pattern.question.map { (number, $0) } }
        guard !asked.isEmpty else { return nil }
        guard let meaning else {
            throw FramegrepError(
                .badArgument,
                "Nothing is searched for by its meaning here; to search for a text that begins with ~ and a space, write \\~ and a space."
            )
        }
        let memory = try meaning.memory()
        return MeaningSearch(try asked.map { (number: $0, point: try memory.question($1)) }, memory)
    }

    /// The matcher for typed texts, in that order, each pattern once.
    ///
    /// - Throws: ``FramegrepError`` `badPattern` when one of them cannot be searched for, or all are too much together;
    ///   `engineUnavailable` or `badArgument` where one is to be searched for by its meaning and that is not possible.
    public func matcher(for texts: [String]) throws -> Matcher {
        let bytes = texts.reduce(0) { $0 + $1.utf8.count }
        guard bytes <= Self.maximumBytes else {
            throw FramegrepError(
                .badPattern,
                "The patterns have \(bytes) bytes together; at most \(Self.maximumBytes) can be searched for at once.")
        }
        var seen = Set<String>()
        let patterns = try texts.filter { seen.insert($0).inserted }
            .map { try Pattern(typed: $0, as: kind, options: options) }
        let steps = patterns.reduce(0) { sum, pattern in
            guard case .expression(let expression) = pattern.form else { return sum }
            return sum + expression.program.steps.count
        }
        guard steps <= Self.maximumSteps else {
            throw FramegrepError(
                .badPattern,
                "The regular expressions are too large together: they have \(steps) steps of at most \(Self.maximumSteps); give fewer, or repeat less."
            )
        }
        return Matcher(patterns: patterns, manner: self, meanings: try meanings(of: patterns))
    }
}
