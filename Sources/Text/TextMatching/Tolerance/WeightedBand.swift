import Glibc

/// The table of ``WeightedAlignment``: for each unit of a pattern, the least cost at the few places of the line where it may be.
///
/// Row p, column j stands for the first p units of the pattern and the line up to unit p + `diagonal` + j - `middle`.
struct WeightedBand {
    private typealias Step = WeightedAlignment.Step

    /// The chosen path through the table.
    struct Way {
        /// Units of the line.
        var units: Range<Int>
        var edits = 0
        var figures = 0
        var losesEnd = false
        /// Whether the match has a gap that the pattern does not have.
        var splits = false
    }

    private let wanted: [FoldedText.Unit]
    private let line: FoldedLine
    private let doubt: LineDoubt
    private let learnt = ConfusionCosts.learnt
    private let most: Float
    private let diagonal: Int
    private let width: Int
    private let middle: Int
    private var costs: [Float]
    private var steps: [UInt8]

    /// - Parameters:
    ///   - wanted: the pattern; not empty.
    ///   - diagonal: the approximate position of its first unit in the line, within `slack` units.
    ///   - most: alignments that cost more are ignored.
    init(
        _ wanted: [FoldedText.Unit], _ line: FoldedLine, _ doubt: LineDoubt, diagonal: Int, slack: Int, most: Float
    ) {
        (self.wanted, self.line, self.doubt, self.most, self.diagonal) = (wanted, line, doubt, most, diagonal)
        (width, middle) = (2 * slack + 3, slack + 1)
        costs = [Float](repeating: .infinity, count: (wanted.count + 1) * width)
        steps = [UInt8](repeating: 0, count: costs.count)
    }

    /// Computes the table; returns false as soon as no alignment can be cheap enough.
    mutating func fill() -> Bool {
        let count = line.units.count
        for j in 0..<width where (0...count).contains(diagonal + j - middle) { costs[j] = 0 }
        var leastBefore: Float = 0
        for p in 1...wanted.count {
            var leastOfRow = Float.infinity
            for j in 0..<width {
                let t = p + diagonal + j - middle
                guard t >= 0, t <= count else { continue }
                let (cost, step) = least(p, j, t)
                costs[p * width + j] = cost
                steps[p * width + j] = step.rawValue
                leastOfRow = min(leastOfRow, cost)
            }
            // Two letters read as one skip a row, so a path may continue without a cell in this row.
            guard leastOfRow <= most || (leastBefore <= most && p < wanted.count) else { return false }
            leastBefore = leastOfRow
        }
        return true
    }

    /// Returns the cheapest way into a cell.
    @inline(__always)
    private func least(_ p: Int, _ j: Int, _ t: Int) -> (cost: Float, step: Step) {
        let meant = wanted[p - 1]
        let above = (p - 1) * width
        var best = Float.infinity
        var step = Step.none
        func offer(_ cost: Float, _ new: Step) {
            if cost < best { (best, step) = (cost, new) }
        }
        if t > 0 {
            let read = line.units[t - 1]
            let before = costs[above + j] + gapCost(of: t - 1, p)
            if read.code == meant.code {
                offer(before, .same)
            } else if before < most {
                offer(before + doubt.costs[t - 1] + learnt.cost(read: read.glyph, meant: meant.code), .other)
            }
            if j > 0, costs[p * width + j - 1] < most {
                offer(costs[p * width + j - 1] + doubt.costs[t - 1] + learnt.cost(read: read.glyph, meant: 0), .added)
            }
            if j > 0, t > 1, costs[above + j - 1] < most, !read.afterGap,
                let pair = learnt.cost(readPair: line.units[t - 2].glyph, read.glyph, meant: meant.code)
            {
                let doubt = min(doubt.costs[t - 2], doubt.costs[t - 1])
                offer(costs[above + j - 1] + gapCost(of: t - 2, p) + doubt + pair, .pairRead)
            }
            if p > 1, j + 1 < width, !meant.afterGap, costs[above - width + j + 1] < most,
                let pair = learnt.cost(read: read.glyph, meantPair: wanted[p - 2].code, meant.code)
            {
                offer(costs[above - width + j + 1] + gapCost(of: t - 1, p - 1) + doubt.costs[t - 1] + pair, .pairMeant)
            }
        }
        if j + 1 < width, costs[above + j + 1] < most {
            // A lost letter is between two that were read; the less certain of them counts.
            let left = t > 0 ? doubt.costs[t - 1] : .infinity
            let right = t < line.units.count ? doubt.costs[t] : .infinity
            offer(costs[above + j + 1] + min(left, right) + learnt.cost(read: 0, meant: meant.code), .lost)
        }
        return (best, step)
    }

    /// Returns the cost if only one of a unit of the line and the pattern's p-th unit follows a gap; before the first
    /// unit there is none.
    @inline(__always)
    private func gapCost(of unit: Int, _ p: Int) -> Float {
        p > 1 && line.units[unit].afterGap != wanted[p - 1].afterGap ? WeightedAlignment.gapCost : 0
    }

    /// The cheapest column of the last row; nil if all cost too much.
    var end: Int? {
        (0..<width).min { cost(ofEnd: $0) < cost(ofEnd: $1) }.flatMap { cost(ofEnd: $0) <= most ? $0 : nil }
    }

    func cost(ofEnd column: Int) -> Float { costs[wanted.count * width + column] }

    /// Traces the path back through the table; returns nil if there is none.
    ///
    /// - Parameter visit: see ``WeightedAlignment``.
    func trace(from end: Int, _ visit: ((WeightedAlignment.Visit) -> Void)?) -> Way? {
        var (p, j) = (wanted.count, end)
        let stop = p + diagonal + j - middle
        var way = Way(units: 0..<0)
        // The last unit after a gap that was not searched for.
        var split = -1
        while p > 0 {
            let t = p + diagonal + j - middle
            let step = Step(rawValue: steps[p * width + j]) ?? .none
            let (pEnd, here) = (p, costs[p * width + j])
            var (first, begins) = (t - 1, p - 1)
            if step != .same { way.edits += 1 }
            switch step {
            case .none: return nil
            case .same: p -= 1
            case .other:
                p -= 1
                if Self.isFigure(line.units[first].glyph), !Self.isFigure(wanted[begins].code) { way.figures += 1 }
            case .lost:
                way.losesEnd = way.losesEnd || p == 1 || p == wanted.count
                (p, j, first) = (p - 1, j + 1, -1)
            case .added: (j, first) = (j - 1, -1)
            case .pairRead: (p, j, first) = (p - 1, j - 1, t - 2)
            case .pairMeant: (p, j, begins) = (p - 2, j + 1, p - 2)
            }
            visit?((step, p..<pEnd, p + diagonal + j - middle..<t, here - costs[p * width + j]))
            if first > max(0, split), p > 0, line.units[first].afterGap, !wanted[begins].afterGap,
                Alignment.gapMatters(before: first, in: line)
            {
                split = first
            }
        }
        let start = diagonal + j - middle
        guard start < stop else { return nil }
        way.units = start..<stop
        way.splits = split > start
        return way
    }

    private static func isFigure(_ value: UInt32) -> Bool { (0x30...0x39).contains(value) }
}

/// A pattern aligned with a part of a line at the least cost, where letters may have been misread, added and lost.
///
/// This is the approximate matching of P. H. Sellers (1980) with learnt costs (``ConfusionCosts``, ``LineDoubt``), in a
/// narrow band around the place where a piece of the pattern was found. A letter may also have been read as two, or two
/// as one.
struct WeightedAlignment {
    /// Units of the line; not empty.
    var units: Range<Int>
    /// The cost, as a natural logarithm.
    var cost: Float
    /// The number of letters that were misread, added or lost.
    var edits: Int
    /// Whether the pattern's first or last letter was not read at all.
    var losesEnd: Bool
    /// The number of letters that were read as figures.
    var figures: Int

    /// The cost of a gap that only one of the two has.
    static let gapCost: Float = 0.4

    enum Step: UInt8 { case none, same, other, lost, added, pairRead, pairMeant }

    /// One step on the way back from the pattern's end: units of the pattern and of the line, and its cost.
    typealias Visit = (step: Step, pattern: Range<Int>, line: Range<Int>, cost: Float)

    /// Aligns `pattern` with `line` so that its first unit is within `slack` of unit `diagonal`.
    ///
    /// Takes time in proportion to the pattern's length and `slack`.
    ///
    /// - Parameter visit: called with each step, from the pattern's end to its beginning.
    /// - Returns: nil if it costs more than `most`, or if a match must not begin or end there.
    init?(
        _ pattern: PlainPattern, over line: FoldedLine, _ doubt: LineDoubt, diagonal: Int, slack: Int, most: Float,
        visit: ((Visit) -> Void)? = nil
    ) {
        var band = WeightedBand(pattern.folded.units, line, doubt, diagonal: diagonal, slack: slack, most: most)
        guard band.fill(), let end = band.end, let way = band.trace(from: end, visit) else { return nil }
        if way.splits || pattern.options.wholeWords {
            guard line.isBoundary(way.units.lowerBound), line.isBoundary(way.units.upperBound) else { return nil }
        }
        self.units = way.units
        self.cost = band.cost(ofEnd: end)
        self.edits = way.edits
        self.figures = way.figures
        self.losesEnd = way.losesEnd
    }
}

/// The costs of misreadings, learnt from readings of rendered text (``LearntConfusions``).
///
/// Costs are natural logarithms: that a character read as `r` was really an `m` costs `-log P(m | r, misread)` and,
/// added by ``LineDoubt``, the cost of assuming that it was misread at all. Other characters than the learnt ones cost
/// ``unseen``.
struct ConfusionCosts: Sendable {
    static let learnt = ConfusionCosts(LearntConfusions.costs)

    /// The cost of a mistake that was never seen.
    static let unseen: Float = 7
    private static let tableSide = 128

    /// For ASCII, the characters read in rows and the characters meant in columns; 0 is no character.
    private var singles = [Float](repeating: unseen, count: tableSide * tableSide)
    /// The costs of a wide letter read as two, or two read as a wide one: see ``key(_:_:_:)``.
    private var readPairs: [UInt64: Float] = [:]
    private var meantPairs: [UInt64: Float] = [:]
    /// Whether each pair of letters is in ``readPairs`` or ``meantPairs``, as a table like ``singles``: most pairs are
    /// in neither, which this shows quickly.
    private var mayBeRead = [Bool](repeating: false, count: tableSide * tableSide)
    private var mayBeMeant = [Bool](repeating: false, count: tableSide * tableSide)

    /// - Parameter table: triples of read, meant and ten times the cost, all separated by white space; ∅ is no letter.
    init(_ table: String) {
        let fields = table.split(whereSeparator: \.isWhitespace)
        for start in stride(from: 0, to: fields.count - 2, by: 3) {
            guard let tenths = Float(fields[start + 2]) else { continue }
            let read = fields[start].unicodeScalars.map { $0 == "∅" ? 0 : $0.value }
            let meant = fields[start + 1].unicodeScalars.map { $0 == "∅" ? 0 : $0.value }
            guard (read + meant).allSatisfy({ $0 < Self.tableSide }) else { continue }
            switch (read.count, meant.count) {
            case (1, 1): singles[Int(read[0]) * Self.tableSide + Int(meant[0])] = tenths / 10
            case (2, 1):
                readPairs[Self.key(read[0], read[1], meant[0])] = tenths / 10
                mayBeRead[Int(read[0]) * Self.tableSide + Int(read[1])] = true
            case (1, 2):
                meantPairs[Self.key(meant[0], meant[1], read[0])] = tenths / 10
                mayBeMeant[Int(meant[0]) * Self.tableSide + Int(meant[1])] = true
            default: continue
            }
        }
    }

    /// Returns the cost of reading `meant` as `read`; 0 means no character at all.
    func cost(read: UInt32, meant: UInt32) -> Float {
        guard read < Self.tableSide, meant < Self.tableSide else { return Self.unseen }
        return singles[Int(read) * Self.tableSide + Int(Self.lowercase(meant))]
    }

    /// Returns the cost of reading one letter as two; nil if that is not known to happen.
    func cost(readPair first: UInt32, _ second: UInt32, meant: UInt32) -> Float? {
        guard Self.has(mayBeRead, first, second) else { return nil }
        return readPairs[Self.key(first, second, Self.lowercase(meant))]
    }

    /// Returns the cost of reading two letters as one; nil if that is not known to happen.
    func cost(read: UInt32, meantPair first: UInt32, _ second: UInt32) -> Float? {
        let (first, second) = (Self.lowercase(first), Self.lowercase(second))
        guard Self.has(mayBeMeant, first, second) else { return nil }
        return meantPairs[Self.key(first, second, read)]
    }

    @inline(__always)
    private static func has(_ pairs: [Bool], _ first: UInt32, _ second: UInt32) -> Bool {
        first < tableSide && second < tableSide && pairs[Int(first) * tableSide + Int(second)]
    }

    private static func key(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt64 {
        UInt64(a) << 42 | UInt64(b) << 21 | UInt64(c)
    }

    private static func lowercase(_ value: UInt32) -> UInt32 { (0x41...0x5A).contains(value) ? value + 0x20 : value }
}
