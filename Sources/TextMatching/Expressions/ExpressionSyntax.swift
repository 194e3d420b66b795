/// A parsed regular expression.
indirect enum ExpressionSyntax: Sendable {
    case empty
    /// One character.
    case symbol(SymbolSet)
    case assertion(ExpressionAssertion)
    case sequence([ExpressionSyntax])
    /// Alternatives, the first that fits counts.
    case choice([ExpressionSyntax])
    /// - `most`: nil for any number.
    case repeated(ExpressionSyntax, least: Int, most: Int?, isGreedy: Bool)

    /// How many steps a program for it has, and how much work making it is, at most: known before anything is made, so
    /// that repetitions of repetitions cannot use up time or memory.
    var weight: Int {
        switch self {
        case .empty, .symbol, .assertion: return 1
        case .sequence(let parts), .choice(let parts):
            return parts.reduce(1) { Self.sum($0, Self.sum($1.weight, 2)) }
        case .repeated(let body, let least, let most, _):
            let (weight, overflow) = Self.sum(body.weight, 1).multipliedReportingOverflow(by: most ?? least + 1)
            return overflow ? .max : Self.sum(weight, 1)
        }
    }

    /// It can take at least one character.
    var canTakeSomething: Bool {
        switch self {
        case .empty, .assertion: false
        case .symbol: true
        case .sequence(let parts), .choice(let parts): parts.contains(where: \.canTakeSomething)
        case .repeated(let body, _, let most, _): most != 0 && body.canTakeSomething
        }
    }

    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}

/// A condition between two characters.
enum ExpressionAssertion: Sendable, Hashable {
    case lineStart
    case lineEnd
    /// A word begins or ends here: `\b`.
    case wordBoundary
    case notWordBoundary
    /// No word goes on over this place: what `-w` asks for at both ends.
    case edge
}
