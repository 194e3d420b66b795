/// Finds expressions in folded lines: runs only those whose letters the line has.
///
/// Most expressions have letters that every match must have (``Expression/literal``). These are looked for all at once, so
/// that the time for a line grows with its length and not with the number of expressions.
struct ExpressionSearch: Sendable {
    private let expressions: [(number: Int, expression: Expression)]
    private let literals: SkeletonAutomaton
    /// Those that have no such letters, as indices.
    private let others: [Int]

    var isEmpty: Bool { expressions.isEmpty }

    /// - Parameter expressions: by the number under which ``spans(in:)`` reports each.
    init(_ expressions: [(number: Int, expression: Expression)]) {
        self.expressions = expressions
        others = expressions.indices.filter { expressions[$0].expression.literal.isEmpty }
        literals = SkeletonAutomaton(
            expressions.indices.map { (number: $0, skeleton: expressions[$0].expression.literal) }
                .filter { !$0.skeleton.isEmpty })
    }

    func spans(in folded: FoldedLine) -> [FoundSpan] {
        var chosen = Set(others)
        if !literals.isEmpty {
            literals.places(in: folded.units.map { SymbolSet.lowercase($0.code) }) { index, _ in chosen.insert(index) }
        }
        guard !chosen.isEmpty else { return [] }
        let symbols = folded.symbols
        return chosen.sorted().flatMap { index in
            expressions[index].expression.spans(number: expressions[index].number, in: folded, symbols)
        }
    }
}

extension ExpressionSyntax {
    /// See ``Expression/literal``.
    var literal: [UInt32] {
        var run: [UInt32] = []
        var longest: [UInt32] = []
        collect(&run, &longest)
        return run.count > longest.count ? run : longest
    }

    /// - Parameters:
    ///   - run: the letters that end here.
    ///   - longest: the longest run that has ended.
    private func collect(_ run: inout [UInt32], _ longest: inout [UInt32]) {
        switch self {
        case .empty, .assertion: return
        case .symbol(let set):
            if let letter = set.letter { run.append(letter) } else { Self.end(&run, &longest) }
        case .sequence(let parts): for part in parts { part.collect(&run, &longest) }
        case .choice: Self.end(&run, &longest)
        case .repeated(let body, let least, _, _):
            Self.end(&run, &longest)
            if least > 0 { body.collect(&run, &longest) }
            Self.end(&run, &longest)
        }
    }

    private static func end(_ run: inout [UInt32], _ longest: inout [UInt32]) {
        if run.count > longest.count { longest = run }
        run = []
    }
}

extension SymbolSet {
    /// The one letter that it takes, in lower case; nil if it takes others or none, or marks with it.
    fileprivate var letter: UInt32? {
        guard !isNegated, members.count == 1, case .character(let code, _, let marks) = members[0], marks.isEmpty else {
            return nil
        }
        return SymbolSet.lowercase(code)
    }
}
