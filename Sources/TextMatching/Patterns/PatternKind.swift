/// In which way a pattern is searched for.
public enum PatternKind: Hashable, Sendable {
    /// A piece of text, found in spite of what engines are known to misread.
    case plain
    /// A piece of text that must have been read letter by letter, gap by gap; case and accents as the options say.
    case exact
    /// A regular expression in the syntax of Swift's `Regex`, without the parts that have no bound on their cost.
    case expression
    /// Anything of one kind, such as a date.
    case content(ContentKind)
    /// Whatever means this, in other words or another language (``MeaningModel``).
    case meaning
}
