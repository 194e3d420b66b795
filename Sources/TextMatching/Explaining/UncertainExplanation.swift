/// Explains a pattern that was not read letter by letter: the cost of assuming that letters were misread.
///
/// It is what ``UncertainSearch`` reckons with if nothing is known but the best reading and how sure it is; a network's
/// evidence, which no typed text has, may speak for a pattern or against it.
public struct UncertainExplanation: Hashable, Sendable {
    /// How sure the text's characters were taken to be, 0 to 1.
    public var confidence: Double
    /// From the pattern's beginning to its end; costs are natural logarithms.
    public var steps: [Explanation.Step]
    /// Of all steps, and the most that is believed.
    public var cost: Double
    public var mostCost: Double
    /// Letters misread, added or lost, and how many may be.
    public var edits: Int
    public var mostEdits: Int
    /// A full sentence: whether it is believed.
    public var verdict: String

    /// - Parameter start: the unit of the line at which the pattern is best laid over it.
    /// - Returns: nil if nothing is misread, or where the pattern is too far from the text to be laid over it.
    init?(_ pattern: PlainPattern, in line: FoldedLine, from start: Int, source: ReadingSource) {
        guard pattern.allowedEdits > 0, !line.units.isEmpty else { return nil }
        var steps: [Explanation.Step] = []
        let wanted = pattern.folded.units
        let alignment = WeightedAlignment(
            pattern, over: line, LineDoubt(line), diagonal: start, slack: min(8, 1 + wanted.count / 2), most: 60
        ) { visit in
            steps.append(
                Explanation.Step(
                    searched: Self.text(wanted[visit.pattern].map(\.code)),
                    read: Self.text(line.units[visit.line].map(\.glyph)), cost: Double(visit.cost),
                    reason: visit.step.reason))
        }
        guard let alignment, alignment.edits > 0 else { return nil }
        self.steps = steps.reversed()
        let letters = line.letters[line.letters(ofUnits: alignment.units)]
        confidence = MatchFeatures.confidence(of: letters)
        cost = Double(alignment.cost)
        mostCost = Double(UncertainSearch.mostCost)
        edits = alignment.edits
        mostEdits = pattern.editsWithoutEvidence
        let score = MatchScore.score(
            MatchFeatures(
                way: .uncertain, confidence: confidence, cost: cost, ratio: nil, length: wanted.count, edits: edits,
                figures: alignment.figures), source)
        if alignment.losesEnd {
            verdict = "Not believed: the first or the last letter is missing, and half a word may become another one."
        } else if edits > mostEdits {
            verdict =
                "Not believed: of \(wanted.count) letters at most \(mostEdits) may be misread where only the best reading is known."
        } else if cost > mostCost {
            verdict = "Not believed: it costs more than any doubt explains."
        } else {
            let percent = Int((100 * score).rounded())
            verdict =
                score < MatchScore.least
                ? "Not believed: it is right in \(percent) of 100 such cases."
                : "Believed with a score of 0.\(percent < 10 ? "0" : "")\(min(99, percent))."
        }
    }

    private static func text(_ values: [UInt32]) -> String {
        String(String.UnicodeScalarView(values.compactMap(Unicode.Scalar.init)))
    }
}

extension WeightedAlignment.Step {
    fileprivate var reason: String {
        switch self {
        case .none, .same: ""
        case .other: "misread"
        case .lost: "lost"
        case .added: "added"
        case .pairRead: "read as two"
        case .pairMeant: "two read as one"
        }
    }
}
