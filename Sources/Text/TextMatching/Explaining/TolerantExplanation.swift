/// Aligns a plain pattern with the place of a line where that costs least, even if it is not a match.
///
/// This is the approximate matching of P. H. Sellers (1980): confusable characters have the cost given by
/// ``Confusable``, and any other difference costs a whole character.
enum TolerantExplanation {
    static func explanation(of pattern: PlainPattern, in line: FoldedLine, isFound: Bool) -> Explanation {
        let (start, steps) = steps(of: pattern.folded.units, in: line)
        let others = steps.filter { $0.cost >= 1 }
        let uncertain =
            others.isEmpty ? nil : UncertainExplanation(pattern, in: line, from: start, source: line.source)
        guard !isFound else {
            var explanation = Explanation(steps: steps)
            explanation.uncertain = uncertain
            return explanation
        }
        let misread = steps.count { $0.cost > 0 && $0.cost < 1 && $0.searched.first != " " && $0.read.first != " " }
        var reasons: [String] = []
        if line.units.isEmpty {
            reasons.append("The text has nothing in it that could be compared.")
        } else if !others.isEmpty {
            reasons.append(
                "\(others.count) of \(pattern.folded.units.count) characters \(others.count == 1 ? "is another" : "are others"), more than look-alikes explain."
            )
        } else if misread > pattern.allowedMisreadings {
            reasons.append(
                "\(misread) \(misread == 1 ? "character is" : "characters are") misread; in a pattern of \(pattern.folded.units.count), at most \(pattern.allowedMisreadings) may be."
            )
        } else {
            reasons.append(
                "The letters are there, but not where a match may begin and end: as whole words, or in lines that continue each other."
            )
        }
        var explanation = Explanation(steps: steps, reasons: reasons)
        explanation.uncertain = uncertain
        return explanation
    }

    /// The step that led to a cell of the table: the numbers of characters of the pattern and of the line.
    private struct Cell {
        var cost: Double
        var pattern: Int
        var line: Int
        var reason: String
    }

    /// The steps, and the line's unit at which they begin.
    private static func steps(
        of wanted: [FoldedText.Unit], in line: FoldedLine
    ) -> (start: Int, steps: [Explanation.Step]) {
        let count = line.units.count
        guard count > 0 else { return (0, []) }
        var table = [[Cell]](
            repeating: [Cell](repeating: Cell(cost: 0, pattern: 0, line: 0, reason: ""), count: count + 1),
            count: wanted.count + 1)
        for p in 1...wanted.count {
            for t in 0...count {
                var best = Cell(cost: table[p - 1][t].cost + 1, pattern: 1, line: 0, reason: "not read")
                func offer(_ cost: Double?, pattern: Int, taken: Int, reason: String) {
                    guard let cost else { return }
                    let begin = t - taken
                    let isGap = p - pattern > 0 && wanted[p - pattern].afterGap != line.units[begin].afterGap
                    let sum = table[p - pattern][begin].cost + cost + (isGap ? Alignment.gapCost : 0)
                    guard sum < best.cost else { return }
                    let gap = isGap ? (wanted[p - pattern].afterGap ? "gap not read" : "gap read") : ""
                    best = Cell(
                        cost: sum, pattern: pattern, line: taken,
                        reason: [reason, gap].filter { !$0.isEmpty }.joined(separator: ", "))
                }
                if t > 0 {
                    for way in ways(of: wanted, p, in: line, t) {
                        offer(way.cost, pattern: way.pattern, taken: way.line, reason: way.reason)
                    }
                    let extra = table[p][t - 1].cost + 1
                    if extra < best.cost { best = Cell(cost: extra, pattern: 0, line: 1, reason: "not searched for") }
                }
                table[p][t] = best
            }
        }
        return steps(back: table, wanted, line)
    }

    /// Returns the ways in which the last letters of the pattern up to `p` may have been read in the line up to `t`,
    /// with the cost of each; nil if there is none.
    private static func ways(
        of wanted: [FoldedText.Unit], _ p: Int, in line: FoldedLine, _ t: Int
    ) -> [(cost: Double?, pattern: Int, line: Int, reason: String)] {
        let code = wanted[p - 1].code
        let isSame = code == line.units[t - 1].code
        let pair = p > 1 ? Confusable.cost(ofReading: t - 1, in: line, asPair: wanted[p - 2].code, code) : nil
        let double = t > 1 ? Confusable.cost(ofReadingPair: t - 2, in: line, as: code) : nil
        return [
            (isSame ? 0 : nil, 1, 1, ""),
            (Confusable.cost(ofReading: t - 1, in: line, as: code), 1, 1, "look alike"),
            (isSame ? nil : 1, 1, 1, "another letter"),
            (pair, 2, 1, "two look like one"),
            (double, 1, 2, "one looks like two"),
        ]
    }

    /// Follows the table back from the cheapest end.
    private static func steps(
        back table: [[Cell]], _ wanted: [FoldedText.Unit], _ line: FoldedLine
    ) -> (start: Int, steps: [Explanation.Step]) {
        var p = wanted.count
        guard var t = table[p].indices.min(by: { table[p][$0].cost < table[p][$1].cost }) else { return (0, []) }
        var steps: [Explanation.Step] = []
        while p > 0 {
            let cell = table[p][t]
            let before = table[p - cell.pattern][t - cell.line].cost
            steps.append(
                Explanation.Step(
                    searched: text(wanted[(p - cell.pattern)..<p].map(\.code)),
                    read: text(line.units[(t - cell.line)..<t].map(\.glyph)), cost: cell.cost - before,
                    reason: cell.reason))
            p -= cell.pattern
            t -= cell.line
        }
        return (t, steps.reversed())
    }

    private static func text(_ values: [UInt32]) -> String {
        String(String.UnicodeScalarView(values.compactMap(Unicode.Scalar.init)))
    }
}
