/// Finds lines, and groups of consecutive lines, that mean what is searched for. A value; safe to use from several threads at once.
package struct MeaningSearch: Sendable {
    /// The questions, by the numbers under which matches report them.
    package let questions: [(number: Int, point: MeaningPoint)]
    private let memory: MeaningMemory

    /// A match is at least so sure.
    private static let least = 0.02
    /// The most lines that are judged together, and the most characters.
    private static let mostLines = 4
    /// Lines are judged together if the mean of their closeness is at least the first, and that of one of them the second. Few lines that
    /// have nothing to do with a question reach this.
    package static let leastTogether = (mean: 0.05, best: 0.12)
    /// The least gain of one more line: of two groups that are equally close, the smaller one counts.
    private static let lineCost = 0.03

    /// - Parameter questions: by the numbers under which matches report them.
    init(_ questions: [(number: Int, point: MeaningPoint)], _ memory: MeaningMemory) {
        self.questions = questions
        self.memory = memory
    }

    /// Lines that mean a question, alone or together.
    package struct Finding: Sendable {
        /// The question's number.
        package var number: Int
        /// As indices, in reading order.
        package var lines: [Int]
        /// See ``MeaningCloseness/value``.
        package var closeness: Double
        /// The score of a closeness, 0 to 1.
        package var probability: Double
    }

    /// Where the lines of one picture mean a question: of lines that overlap the closest; each line once for each question.
    ///
    /// - Parameters:
    ///   - blocks: which lines continue in which others.
    ///   - allowance: see ``MeaningMemory/points(of:allowance:)``.
    func findings(in texts: [String], blocks: () -> TextBlocks, allowance: Int?) -> [Finding] {
        var left = allowance ?? .max
        let points = memory.points(of: texts, allowance: &left)
        guard points.contains(where: { !$0.isEmpty }) else { return [] }
        var candidates: [Finding] = []
        var wanted: [(question: Int, chain: [Int], text: String)] = []
        var known: TextBlocks?
        func joined() -> TextBlocks {
            let joined = known ?? blocks()
            known = joined
            return joined
        }
        for (index, question) in questions.enumerated() {
            let values = points.map { question.point.closeness(to: $0)?.value }
            candidates += findings(of: question.number, values)
            guard texts.count > 1 else { continue }
            for chain in chains(values, texts.map(\.count), joined()) {
                wanted.append((index, chain, chain.map { texts[$0] }.joined(separator: " ")))
            }
        }
        if !wanted.isEmpty {
            let points = memory.points(of: wanted.map(\.text), allowance: &left)
            for (candidate, point) in zip(wanted, points) {
                let question = questions[candidate.question]
                guard let closeness = question.point.closeness(to: point)?.value else { continue }
                candidates += finding(of: question.number, candidate.chain, closeness).map { [$0] } ?? []
            }
        }
        return chosen(candidates)
    }

    /// The lines that mean a question each for itself.
    ///
    /// - Parameter values: how close each line is (``MeaningCloseness/value``); nil for one that means nothing.
    private func findings(of number: Int, _ values: [Double?]) -> [Finding] {
        values.enumerated().compactMap { line, value in value.flatMap { finding(of: number, [line], $0) } }
    }

    /// Lines that continue in one another, where the lines alone make it likely enough that they mean a question together.
    ///
    /// - Parameters:
    ///   - values: how close each line is (``MeaningCloseness/value``); nil for one that means nothing.
    ///   - lengths: of the lines, in characters.
    package func chains(_ values: [Double?], _ lengths: [Int], _ blocks: @autoclosure () -> TextBlocks) -> [[Int]] {
        guard values.contains(where: { $0 ?? 0 >= Self.leastTogether.best }) else { return [] }
        return blocks().chains(lengths: lengths, longest: MeaningForm.longest).filter { chain in
            guard chain.count <= Self.mostLines, chain.reduce(0, { $0 + lengths[$1] }) <= MeaningForm.longest else {
                return false
            }
            // A line without letters is near to nothing, but does not separate the others.
            let values = chain.map { values[$0] ?? 0 }
            return values.contains { $0 >= Self.leastTogether.best }
                && values.reduce(0, +) / Double(chain.count) >= Self.leastTogether.mean
        }
    }

    /// - Returns: nil if it is not a match.
    package func finding(of number: Int, _ lines: [Int], _ closeness: Double) -> Finding? {
        let probability = memory.model.probability(ofCloseness: closeness)
        guard probability >= Self.least else { return nil }
        return Finding(number: number, lines: lines, closeness: closeness, probability: probability)
    }

    /// Of findings in one picture that overlap the closest: each line once for each question.
    package func chosen(_ candidates: [Finding]) -> [Finding] {
        func worth(_ finding: Finding) -> Double {
            finding.closeness - Self.lineCost * Double(finding.lines.count - 1)
        }
        let sorted = candidates.sorted { a, b in
            let (mine, theirs) = (worth(a), worth(b))
            if mine != theirs { return mine > theirs }
            return (a.number, a.lines.count, a.lines[0]) < (b.number, b.lines.count, b.lines[0])
        }
        var taken: [Int: Set<Int>] = [:]
        return sorted.filter { finding in
            guard taken[finding.number, default: []].isDisjoint(with: finding.lines) else { return false }
            taken[finding.number, default: []].formUnion(finding.lines)
            return true
        }
    }

    /// The meanings of some texts, in each of their forms; empty for those that mean nothing.
    package func points(of texts: [String]) -> [[MeaningPoint]] {
        var all = Int.max
        return memory.points(of: texts, allowance: &all)
    }

    /// The least closeness that is worth a probability, to within a thousandth.
    package func closeness(ofProbability probability: Double) -> Double {
        var (low, high) = (-1.0, 2.0)
        while high - low > 0.001 {
            let middle = (low + high) / 2
            if memory.model.probability(ofCloseness: middle) >= max(probability, Self.least) {
                high = middle
            } else {
                low = middle
            }
        }
        return low
    }

    /// See ``MeaningSource/vectorName()``.
    package var vectorName: String { memory.model.vectorName }

    /// How close each question is to some lines taken together; nil if they mean nothing.
    func closeness(of text: String) -> [(number: Int, closeness: MeaningCloseness, probability: Double)]? {
        var all = Int.max
        let point = memory.points(of: [text], allowance: &all)[0]
        let found = questions.compactMap { question in
            question.point.closeness(to: point).map {
                (question.number, $0, memory.model.probability(ofCloseness: $0.value))
            }
        }
        return found.isEmpty ? nil : found
    }
}
