/// Explains why a pattern matches a text or does not, for `framegrep explain`.
public struct Explanation: Hashable, Sendable {
    /// One step of laying the pattern over the text.
    public struct Step: Hashable, Sendable {
        /// The pattern's letters at this step, folded; empty if only the text has some.
        public var searched: String
        /// The letters that were read there, before case folding; empty if only the pattern has some.
        public var read: String
        /// In characters; 0 if both are the same.
        public var cost = 0.0
        /// The reason for the cost, in a few words; empty if it costs nothing.
        public var reason = ""
    }

    /// The pattern and the text as they are compared: folded, one space for each gap.
    public var comparedPattern = ""
    public var comparedText = ""
    /// Every match; empty if there is none.
    public var matches: [TextMatch] = []
    /// The pattern aligned with the best place of the text, even if that is not good enough; empty if there is none.
    public var steps: [Step] = []
    /// The decisive reasons, as full sentences.
    public var reasons: [String] = []
    /// For a pattern by meaning, its closeness to each line and, if there are several, to all of them together.
    public var meanings: [MeaningExplanation] = []
    /// The cost of assuming that the rest was misread; nil if nothing was, or if it costs too much.
    public var uncertain: UncertainExplanation?

    /// Sum of the steps' costs, in characters.
    public var cost: Double { steps.reduce(0) { $0 + $1.cost } }
}

extension Matcher {
    /// Explains why each pattern matches these lines or does not.
    ///
    /// - Parameters:
    ///   - lines: the lines of one block, as an engine would read them.
    ///   - blocks: the order in which they continue in one another.
    public func explanations(in lines: [RecognizedText], blocks: TextBlocks) -> [Explanation] {
        let found = matches(in: lines, blocks: blocks)
        return patterns.indices.map { number in
            var explanation = Explanation()
            let matches = found.filter { $0.patternIndex == number }
            let folding = TextFolding(
                caseSensitive: patterns[number].options.caseSensitive || !patterns[number].hasLetters)
            var all = Self.together(lines, folding, partedByHyphens: matches.contains { $0.runsOverHyphen })
            switch patterns[number].form {
            case .plain(let pattern):
                if pattern.isCode { all = all.withoutCodeMarks() }
                explanation = TolerantExplanation.explanation(of: pattern, in: all, isFound: !matches.isEmpty)
            case .exact(let pattern):
                explanation = ExactSearch.explanation(of: pattern, in: all, isFound: !matches.isEmpty)
            case .expression(let expression):
                explanation = expression.explanation(
                    in: lines.map { FoldedLine($0, folding: folding) }, isFound: !matches.isEmpty)
            case .content(let kind):
                explanation = kind.explanation(
                    in: lines.map { FoldedLine($0, folding: folding) }, isFound: !matches.isEmpty)
            case .meaning:
                explanation = meanings?.explanation(of: number, in: lines.map(\.text)) ?? Explanation()
            }
            explanation.comparedPattern = patterns[number].plain?.folded.text ?? patterns[number].text
            explanation.comparedText = FoldedText(units: all.units).text
            explanation.matches = matches
            return explanation
        }
    }

    /// Returns all lines as one, so that a pattern that continues on the next line can be aligned with it.
    private static func together(_ lines: [RecognizedText], _ folding: TextFolding, partedByHyphens: Bool) -> FoldedLine
    {
        if partedByHyphens, let joined = JoinedLine(lines, reach: .max) {
            return FoldedLine(joined.text, folding: folding, goingOn: joined.hyphenated)
        }
        var all = RecognizedText()
        for line in lines { all.append(line.words.indices, of: line) }
        return FoldedLine(all, folding: folding)
    }
}

extension TextMatch {
    /// Whether its text has a hyphen at the end of a line that its pattern does not have.
    fileprivate var runsOverHyphen: Bool { text.contains("- ") && !pattern.contains("-") }
}

extension Pattern {
    /// Whether its letters are compared with those read; kinds of content examine the line itself.
    fileprivate var hasLetters: Bool {
        switch form {
        case .content, .meaning: false
        case .plain, .exact, .expression: true
        }
    }
}

extension FoldedText {
    /// The folded letters, one space for each gap.
    var text: String {
        var scalars = String.UnicodeScalarView()
        for (index, unit) in units.enumerated() {
            if unit.afterGap, index > 0 { scalars.append(" ") }
            if let scalar = Unicode.Scalar(unit.code) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}

extension ExactSearch {
    static func explanation(of pattern: PlainPattern, in folded: FoldedLine, isFound: Bool) -> Explanation {
        guard !isFound else {
            return Explanation(reasons: ["Every letter and every gap was read as it is searched for."])
        }
        var explanation = TolerantExplanation.explanation(of: pattern, in: folded, isFound: false)
        let search = ExactSearch([(0, pattern)])
        explanation.reasons = [
            search.spans(in: folded).isEmpty
                ? "An exact text must have been read letter by letter, gap by gap; without --exact, known misreadings are allowed for."
                : "The letters are there, but not as whole words, or not in lines that continue each other."
        ]
        return explanation
    }
}

extension Expression {
    func explanation(in lines: [FoldedLine], isFound: Bool) -> Explanation {
        guard !isFound else {
            return Explanation(reasons: ["The expression matches; each match stands within one line."])
        }
        var best = ""
        for line in lines {
            let symbols = line.symbols
            var run = ExpressionRun(program, over: symbols, of: line)
            _ = run.matches()
            guard let (start, end) = run.farthest else { continue }
            let reached = String(
                String.UnicodeScalarView(symbols[start..<end].compactMap { Unicode.Scalar($0.glyph) }))
            if reached.count >= best.count { best = reached }
        }
        return Explanation(reasons: [
            best.isEmpty
                ? "Nothing in the text can begin a match."
                : "The longest beginning of a match is '\(best)'; what follows it does not continue as the expression does, or the match would not end where it must."
        ])
    }
}

extension ContentKind {
    func explanation(in lines: [FoldedLine], isFound: Bool) -> Explanation {
        let findings = lines.map { line in
            let text = ContentText(line)
            return (text: text, refused: self.findings(in: text).refused)
        }
        let reasons = findings.flatMap { text, refused in
            refused.map { start, reason in
                let words = text.text(start..<min(text.count, start + 24))
                return "Not from '\(words.prefix { $0 != " " })' on: \(reason)"
            }
        }
        guard isFound || !reasons.isEmpty else {
            return Explanation(reasons: ["Nothing in the text looks like what \(notation) stands for."])
        }
        return Explanation(reasons: reasons)
    }
}

/// Explains a pattern that was not read letter by letter: the cost of assuming that letters were misread.
///
/// It is the cost that ``UncertainSearch`` assumes if only the best reading and its confidence are known; a network's
/// evidence, which typed text does not have, may count for or against a pattern.
public struct UncertainExplanation: Hashable, Sendable {
    /// The confidence assumed for the text's characters, 0 to 1.
    public var confidence: Double
    /// The steps from the pattern's beginning to its end; costs are natural logarithms.
    public var steps: [Explanation.Step]
    /// The cost of all steps, and the limit above which a match is rejected.
    public var cost: Double
    public var mostCost: Double
    /// The number of letters misread, added or lost, and the number allowed.
    public var edits: Int
    public var mostEdits: Int
    /// A full sentence on whether it counts as a match.
    public var verdict: String

    /// - Parameter start: the unit of the line at which the pattern is best aligned with it.
    /// - Returns: nil if nothing is misread, or if the pattern is too far from the text to be aligned with it.
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

/// The terms of a question's closeness to some lines.
public struct MeaningExplanation: Hashable, Sendable {
    /// The lines that are judged together, as one text.
    public var text: String
    public var closeness: MeaningCloseness
    /// The share of lines this close that are what was meant, 0 to 1.
    public var probability: Double
}

extension MeaningSearch {
    /// Explains how close a question is to each of some lines, and to all of them together.
    func explanation(of number: Int, in texts: [String]) -> Explanation {
        let all = texts.count > 1 ? texts + [texts.joined(separator: " ")] : texts
        var explanation = Explanation()
        for text in all {
            guard let found = closeness(of: text)?.first(where: { $0.number == number }) else {
                explanation.reasons.append("'\(text)' has too few letters to mean anything.")
                continue
            }
            explanation.meanings.append(
                MeaningExplanation(text: text, closeness: found.closeness, probability: found.probability))
        }
        return explanation
    }
}
