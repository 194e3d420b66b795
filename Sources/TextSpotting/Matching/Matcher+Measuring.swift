extension Matcher {
    /// The matches in a line with what their scores were made of: for measuring and fitting scores only.
    package func measuredMatches(in line: TextLine) -> [(match: Match, features: MatchFeatures)] {
        searches.flatMap { search in
            let folded = FoldedLine(line, folding: search.folding)
            return search.spans(in: folded).compactMap { span in
                span.features.map { (match(span, folded, line, line.text), $0) }
            }
        }
    }
}
