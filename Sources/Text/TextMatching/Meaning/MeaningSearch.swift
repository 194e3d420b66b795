/// Finds lines, and groups of consecutive lines, with the meaning of a question. A value; safe to use from several
/// threads at once.
package struct MeaningSearch: Sendable {
    /// The questions, with the numbers under which matches report them.
    package let questions: [(number: Int, point: MeaningPoint)]
    private let memory: MeaningMemory

    /// The least score of a match.
    private static let least = 0.02
    /// The largest number of lines that are judged together, and of their characters.
    private static let mostLines = 4
    /// The least mean of the closeness of lines that are judged together, and the least closeness of the best of them.
    /// Few unrelated lines reach this.
    package static let leastTogether = (mean: 0.05, best: 0.12)
    /// The least gain of one more line: of two groups that are equally close, the smaller one counts.
    private static let lineCost = 0.03

    /// - Parameter questions: the questions, with the numbers under which matches report them.
    init(_ questions: [(number: Int, point: MeaningPoint)], _ memory: MeaningMemory) {
        self.questions = questions
        self.memory = memory
    }

    /// Lines with the meaning of a question, alone or together.
    package struct Finding: Sendable {
        /// The question's number.
        package var number: Int
        /// The lines as indices, in reading order.
        package var lines: [Int]
        /// See ``MeaningCloseness/value``.
        package var closeness: Double
        /// The score of a closeness, 0 to 1.
        package var probability: Double
    }

    /// Returns the lines of one picture with the meaning of a question: the closest of overlapping groups, and each
    /// line only once for each question.
    ///
    /// - Parameters:
    ///   - blocks: the order in which lines continue in one another.
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

    /// Returns the single lines with the meaning of a question.
    ///
    /// - Parameter values: the closeness of each line (``MeaningCloseness/value``); nil for one without a meaning.
    private func findings(of number: Int, _ values: [Double?]) -> [Finding] {
        values.enumerated().compactMap { line, value in value.flatMap { finding(of: number, [line], $0) } }
    }

    /// Returns lines that continue in one another and are close enough one by one that they may match a question
    /// together.
    ///
    /// - Parameters:
    ///   - values: the closeness of each line (``MeaningCloseness/value``); nil for one without a meaning.
    ///   - lengths: the lengths of the lines, in characters.
    package func chains(_ values: [Double?], _ lengths: [Int], _ blocks: @autoclosure () -> TextBlocks) -> [[Int]] {
        guard values.contains(where: { $0 ?? 0 >= Self.leastTogether.best }) else { return [] }
        return blocks().chains(lengths: lengths, longest: MeaningForm.longest).filter { chain in
            guard chain.count <= Self.mostLines, chain.reduce(0, { $0 + lengths[$1] }) <= MeaningForm.longest else {
                return false
            }
            // A line without letters is close to nothing, but does not separate the others.
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

    /// Returns the closest of overlapping findings in one picture, so that each line appears once for each question.
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

    /// Returns the meanings of some texts, in each of their forms; empty for those without a meaning.
    package func points(of texts: [String]) -> [[MeaningPoint]] {
        var all = Int.max
        return memory.points(of: texts, allowance: &all)
    }

    /// Returns the least closeness with this probability, to within a thousandth.
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

    /// Returns how close each question is to some lines together; nil if they have no meaning.
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
