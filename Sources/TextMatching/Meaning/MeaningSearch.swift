/// Finds lines, and lines that read on from one to the next, that mean what is searched for. A value; safe to use from several threads
/// at once.
struct MeaningSearch: Sendable {
    private let questions: [(number: Int, point: MeaningPoint)]
    private let memory: MeaningMemory

    /// What is less sure than this is no match.
    private static let least = 0.02
    /// So many lines are judged together at most, and so many characters.
    private static let mostLines = 4
    /// Lines are judged together where the mean of their own closeness is at least the first, and that of one of them the second: of lines
    /// that have nothing to do with a question few have.
    private static let leastTogether = (mean: 0.05, best: 0.12)
    /// What a line more must bring: of two that are as close the one with fewer lines is meant.
    private static let lineCost = 0.03

    /// - Parameter questions: by the numbers under which matches report them.
    init(_ questions: [(number: Int, point: MeaningPoint)], _ memory: MeaningMemory) {
        self.questions = questions
        self.memory = memory
    }

    /// Lines that mean a question, alone or together.
    struct Finding: Sendable {
        /// The question's number.
        var number: Int
        /// As indices, in reading order.
        var lines: [Int]
        var closeness: MeaningCloseness
        /// What the closeness is worth, 0 to 1.
        var probability: Double
    }

    /// Where the lines of one picture mean a question: of lines that overlap the closest; each line once for each question.
    ///
    /// - Parameters:
    ///   - blocks: which lines go on in which others.
    ///   - allowance: see ``MeaningMemory/points(of:allowance:)``.
    func findings(in texts: [String], blocks: () -> TextBlocks, allowance: Int?) -> [Finding] {
        var left = allowance ?? .max
        let points = memory.points(of: texts, allowance: &left)
        guard points.contains(where: { !$0.isEmpty }) else { return [] }
        var candidates: [Finding] = []
        var single = [[Double?]](repeating: [], count: questions.count)
        for (index, question) in questions.enumerated() {
            let found = points.map { question.point.closeness(to: $0) }
            single[index] = found.map { $0?.value }
            for (line, closeness) in found.enumerated() {
                append(question.number, [line], closeness, to: &candidates)
            }
        }
        if texts.count > 1 { candidates += together(texts, single, blocks(), &left) }
        return chosen(candidates)
    }

    /// Lines that go on in one another, where the lines alone make it likely enough.
    private func together(_ texts: [String], _ single: [[Double?]], _ blocks: TextBlocks, _ left: inout Int)
        -> [Finding]
    {
        let lengths = texts.map(\.count)
        let chains = blocks.chains(lengths: lengths, longest: MeaningForm.longest).filter { chain in
            chain.count <= Self.mostLines && chain.reduce(0) { $0 + lengths[$1] } <= MeaningForm.longest
        }
        var wanted: [(question: Int, chain: [Int], text: String)] = []
        for chain in chains {
            for question in questions.indices {
                // A line that has no letters is near to nothing, but does not part the others.
                let values = chain.map { single[question][$0] ?? 0 }
                guard values.contains(where: { $0 >= Self.leastTogether.best }),
                    values.reduce(0, +) / Double(chain.count) >= Self.leastTogether.mean
                else { continue }
                wanted.append((question, chain, chain.map { texts[$0] }.joined(separator: " ")))
            }
        }
        guard !wanted.isEmpty else { return [] }
        let points = memory.points(of: wanted.map(\.text), allowance: &left)
        var found: [Finding] = []
        for (candidate, point) in zip(wanted, points) {
            let question = questions[candidate.question]
            append(question.number, candidate.chain, question.point.closeness(to: point), to: &found)
        }
        return found
    }

    private func append(_ number: Int, _ lines: [Int], _ closeness: MeaningCloseness?, to findings: inout [Finding]) {
        guard let closeness else { return }
        let probability = memory.model.probability(ofCloseness: closeness.value)
        guard probability >= Self.least else { return }
        findings.append(Finding(number: number, lines: lines, closeness: closeness, probability: probability))
    }

    private func chosen(_ candidates: [Finding]) -> [Finding] {
        func worth(_ finding: Finding) -> Double {
            finding.closeness.value - Self.lineCost * Double(finding.lines.count - 1)
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

    /// How close each question is to some lines taken together; nil where they mean nothing.
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
