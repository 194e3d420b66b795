extension Matcher {
    /// The matches in a line with what their scores were made of: for measuring and fitting scores only.
    ///
    /// - Parameter least: doubtful matches with a lower score are left out.
    package func measuredMatches(
        in line: RecognizedText, least: Double
    ) -> [(match: TextMatch, features: MatchFeatures)] {
        searches.flatMap { search in
            let folded = FoldedLine(line, folding: search.folding)
            return search.spans(in: folded, least: least).compactMap { span in
                span.features.map { (match(span, folded), $0) }
            }
        }
    }
}
