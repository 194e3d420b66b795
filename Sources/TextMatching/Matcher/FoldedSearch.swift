/// The searches for all patterns that are compared in one folding.
struct FoldedSearch: Sendable {
    let folding: TextFolding
    private let tolerant: TolerantSearch?
    /// For codes, in lines whose marks are gaps.
    private let codes: TolerantSearch?
    private let codePatterns: [Int: PlainPattern]
    private let exact: ExactSearch?
    private let expressions: ExpressionSearch

    /// One for the patterns that tell case and one for those that do not, as far as there are any.
    static func all(of patterns: [Pattern], _ chosen: some Sequence<Int>) -> [FoldedSearch] {
        let chosen = Array(chosen)
        return [false, true].compactMap { caseSensitive in
            let search = FoldedSearch(
                patterns, chosen.filter { patterns[$0].options.caseSensitive == caseSensitive },
                TextFolding(caseSensitive: caseSensitive))
            return search.isEmpty ? nil : search
        }
    }

    private init(_ patterns: [Pattern], _ chosen: [Int], _ folding: TextFolding) {
        var plain: [(number: Int, pattern: PlainPattern)] = []
        var codes: [(number: Int, pattern: PlainPattern)] = []
        var exact: [(number: Int, pattern: PlainPattern)] = []
        var expressions: [(number: Int, expression: Expression)] = []
        for number in chosen {
            switch patterns[number].form {
            case .plain(let pattern):
                if pattern.isCode { codes.append((number, pattern)) } else { plain.append((number, pattern)) }
            case .exact(let pattern): exact.append((number, pattern))
            case .expression(let expression): expressions.append((number, expression))
            case .content, .meaning: continue
            }
        }
        self.folding = folding
        tolerant = plain.isEmpty ? nil : TolerantSearch(plain)
        self.codes = codes.isEmpty ? nil : TolerantSearch(codes)
        codePatterns = Dictionary(codes.map { ($0.number, $0.pattern) }) { first, _ in first }
        self.exact = exact.isEmpty ? nil : ExactSearch(exact)
        self.expressions = ExpressionSearch(expressions)
    }

    private var isEmpty: Bool { tolerant == nil && codes == nil && exact == nil && expressions.isEmpty }

    /// - Parameters:
    ///   - folded: in ``folding``.
    ///   - least: doubtful matches with a lower score are dropped.
    func spans(in folded: FoldedLine, least: Double = MatchScore.least) -> [FoundSpan] {
        var found = tolerant?.spans(in: folded, least: least) ?? []
        if let codes { found += spans(of: codes, in: folded.withoutCodeMarks(), least) }
        if let exact { found += exact.spans(in: folded) }
        if !expressions.isEmpty { found += expressions.spans(in: folded) }
        return found
    }
    /// - Parameter line: its marks are gaps.
    private func spans(of codes: TolerantSearch, in line: FoldedLine, _ least: Double) -> [FoundSpan] {
        codes.spans(in: line, least: least).filter { span in
            guard let pattern = codePatterns[span.number] else { return false }
            return CodeGrouping(pattern: pattern, line: line).allows(span.letters)
        }
    }
}
