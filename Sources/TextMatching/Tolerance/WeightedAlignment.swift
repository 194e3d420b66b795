/// A pattern laid over a part of a line at the least cost, when letters may have been misread, added and lost.
///
/// The approximate matching of P. H. Sellers (1980) with learnt costs (``ConfusionCosts``, ``LineDoubt``), in a narrow band
/// about the place where a piece of the pattern was found. A letter may also have been read as two, or two as one.
struct WeightedAlignment {
    /// Units of the line; not empty.
    var units: Range<Int>
    /// Natural logarithm.
    var cost: Float
    /// How many letters were misread, added or lost.
    var edits: Int
    /// The pattern's first or last letter was not read at all.
    var losesEnd: Bool
    /// How many letters were read as figures.
    var figures: Int

    /// A gap that only one of the two has.
    static let gapCost: Float = 0.4

    enum Step: UInt8 { case none, same, other, lost, added, pairRead, pairMeant }

    /// One step on the way back from the pattern's end: units of the pattern and of the line, and what it costs.
    typealias Visit = (step: Step, pattern: Range<Int>, line: Range<Int>, cost: Float)

    /// Lays `pattern` over `line` so that its first unit is within `slack` of unit `diagonal`.
    ///
    /// Takes time in proportion to the pattern's length and `slack`.
    ///
    /// - Parameter visit: is told each step, from the pattern's end to its beginning.
    /// - Returns: nil where it costs more than `most`, or where a match must not begin or end.
    init?(
        _ pattern: PlainPattern, over line: FoldedLine, _ doubt: LineDoubt, diagonal: Int, slack: Int, most: Float,
        visit: ((Visit) -> Void)? = nil
    ) {
        let wanted = pattern.folded.units
        let count = line.units.count
        let width = 2 * slack + 3
        let middle = slack + 1
        let learnt = ConfusionCosts.learnt
        var costs = [Float](repeating: .infinity, count: (wanted.count + 1) * width)
        var steps = [UInt8](repeating: 0, count: costs.count)
        for j in 0..<width where (0...count).contains(diagonal + j - middle) { costs[j] = 0 }
        for p in 1...wanted.count {
            let meant = wanted[p - 1]
            var leastOfRow = Float.infinity
            for j in 0..<width {
                let t = p + diagonal + j - middle
                guard t >= 0, t <= count else { continue }
                var best = Float.infinity
                var step = Step.none
                func offer(_ cost: Float, _ new: Step) {
                    if cost < best { (best, step) = (cost, new) }
                }
                let above = (p - 1) * width
                if t > 0 {
                    let read = line.units[t - 1]
                    let gap = p > 1 && read.afterGap != meant.afterGap ? Self.gapCost : 0
                    let before = costs[above + j] + gap
                    if read.code == meant.code {
                        offer(before, .same)
                    } else if before < most {
                        offer(before + doubt.costs[t - 1] + learnt.cost(read: read.glyph, meant: meant.code), .other)
                    }
                    if j > 0 {
                        let added = costs[p * width + j - 1]
                        if added < most {
                            offer(added + doubt.costs[t - 1] + learnt.cost(read: read.glyph, meant: 0), .added)
                        }
                        if t > 1, costs[above + j - 1] < most, !read.afterGap,
                            let pair = learnt.cost(
                                readPair: line.units[t - 2].glyph, read.glyph, meant: meant.code)
                        {
                            let gap = p > 1 && line.units[t - 2].afterGap != meant.afterGap ? Self.gapCost : 0
                            offer(
                                costs[above + j - 1] + gap + min(doubt.costs[t - 2], doubt.costs[t - 1]) + pair,
                                .pairRead)
                        }
                    }
                    if p > 1, j + 1 < width, !meant.afterGap, costs[above - width + j + 1] < most,
                        let pair = learnt.cost(
                            read: read.glyph, meantPair: wanted[p - 2].code, meant.code)
                    {
                        let gap = p > 2 && read.afterGap != wanted[p - 2].afterGap ? Self.gapCost : 0
                        offer(costs[above - width + j + 1] + gap + doubt.costs[t - 1] + pair, .pairMeant)
                    }
                }
                if j + 1 < width, costs[above + j + 1] < most {
                    // A letter is lost between two that were read: the less sure one tells.
                    let left = t > 0 ? doubt.costs[t - 1] : .infinity
                    let right = t < count ? doubt.costs[t] : .infinity
                    offer(costs[above + j + 1] + min(left, right) + learnt.cost(read: 0, meant: meant.code), .lost)
                }
                costs[p * width + j] = best
                steps[p * width + j] = step.rawValue
                leastOfRow = min(leastOfRow, best)
            }
            // Two letters read as one skip a row, at a cost above 0: the bound holds for the row after, too.
            guard leastOfRow <= most || p < wanted.count else { return nil }
        }
        let last = wanted.count * width
        guard let end = (0..<width).min(by: { costs[last + $0] < costs[last + $1] }), costs[last + end] <= most else {
            return nil
        }
        var (p, j, edits, figures) = (wanted.count, end, 0, 0)
        // The last unit after a gap that was not searched for.
        var split = -1
        var losesEnd = false
        let stop = p + diagonal + j - middle
        while p > 0 {
            let t = p + diagonal + j - middle
            let step = Step(rawValue: steps[p * width + j]) ?? .none
            let (pEnd, here) = (p, costs[p * width + j])
            var first = t - 1
            var begins = p - 1
            switch step {
            case .none: return nil
            case .same: p -= 1
            case .other:
                (p, edits) = (p - 1, edits + 1)
                if Self.isFigure(line.units[first].glyph), !Self.isFigure(wanted[begins].code) { figures += 1 }
            case .lost:
                losesEnd = losesEnd || p == 1 || p == wanted.count
                (p, j, edits, first) = (p - 1, j + 1, edits + 1, -1)
            case .added: (j, edits, first) = (j - 1, edits + 1, -1)
            case .pairRead: (p, j, edits, first) = (p - 1, j - 1, edits + 1, t - 2)
            case .pairMeant: (p, j, edits, begins) = (p - 2, j + 1, edits + 1, p - 2)
            }
            visit?((step, p..<pEnd, p + diagonal + j - middle..<t, here - costs[p * width + j]))
            if first > split, p > 0, line.units[first].afterGap, !wanted[begins].afterGap,
                first > 0, Alignment.gapMatters(before: first, in: line)
            {
                split = first
            }
        }
        let start = diagonal + j - middle
        guard start < stop else { return nil }
        if split > start || pattern.options.wholeWords {
            guard line.isBoundary(start), line.isBoundary(stop) else { return nil }
        }
        self.units = start..<stop
        self.cost = costs[last + end]
        self.edits = edits
        self.figures = figures
        self.losesEnd = losesEnd
    }

    private static func isFigure(_ value: UInt32) -> Bool { (0x30...0x39).contains(value) }
}
