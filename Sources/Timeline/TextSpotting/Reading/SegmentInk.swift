/// The pixels of a place that differ from its background. If the digits lean, rows are shifted so that they stand upright.
struct SegmentInk {
    /// Columns of ink without a gap, and the rows that they have ink in.
    struct Run {
        var columns: Range<Int>
        var rows: Range<Int>
    }

    /// The rows with ink, first to last.
    private(set) var rows = 0..<0
    private let width: Int
    private let lit: [Bool]
    /// How far each row is to be moved to the left, so that letters stand upright.
    private var moved: [Int]

    /// The least difference between ink and ground, in levels.
    private static let leastContrast = 24
    /// The largest share of ink, and the most dimmer pixels away from it.
    private static let mostInk = 0.45
    private static let mostStrays = 3

    init?(_ levels: [UInt8], width: Int) {
        guard width > 8, levels.count >= 8 * width else { return nil }
        var counts = [Int](repeating: 0, count: 256)
        for level in levels { counts[Int(level)] += 1 }
        var rest = levels.count / 2
        let ground =
            counts.firstIndex { count in
                rest -= count
                return rest < 0
            } ?? 0
        var apart = [Int](repeating: 0, count: 256)
        for level in counts.indices { apart[abs(level - ground)] += counts[level] }
        var most = max(16, levels.count / 500)
        let contrast =
            apart.lastIndex { count in
                most -= count
                return most < 0
            } ?? 0
        guard contrast >= Self.leastContrast else { return nil }
        let apartness = levels.map { abs(Int($0) - ground) }
        let height = levels.count / width
        self.width = width
        lit = apartness.map { 2 * $0 > contrast }
        moved = [Int](repeating: 0, count: height)
        let full = (0..<height).filter { row in lit[row * width..<(row + 1) * width].contains(true) }
        // A display that touches the edge may continue beyond it.
        guard let first = full.first, let last = full.last, first > 0, last < height - 1,
            !full.contains(where: { lit[$0 * width] || lit[($0 + 1) * width - 1] }),
            Double(lit.count { $0 }) <= Self.mostInk * Double(lit.count)
        else { return nil }
        rows = first..<last + 1
        let dim = max(Self.leastContrast, contrast / 6)
        let places = apartness.indices.filter { apartness[$0] >= dim && !lit[$0] }
        guard !isMore(at: places) else { return nil }
    }

    /// Returns whether there is dimmer ink away from the edges of the bars, such as a point or letters in another color.
    private func isMore(at places: [Int]) -> Bool {
        let reach = max(2, rows.count / 20)
        let height = moved.count
        // The number of lit pixels above and to the left of each corner.
        var sums = [Int32](repeating: 0, count: (width + 1) * (height + 1))
        for row in 0..<height {
            var sum: Int32 = 0
            for column in 0..<width {
                if lit[row * width + column] { sum += 1 }
                sums[(row + 1) * (width + 1) + column + 1] = sums[row * (width + 1) + column + 1] + sum
            }
        }
        let strays = places.count { place in
            let (x, y) = (place % width, place / width)
            let (left, right) = (max(0, x - reach), min(width, x + reach + 1))
            let (top, bottom) = (max(0, y - reach) * (width + 1), min(height, y + reach + 1) * (width + 1))
            return sums[bottom + right] - sums[bottom + left] - sums[top + right] + sums[top + left] == 0
        }
        return strays > Self.mostStrays
    }

    func isLit(_ column: Int, _ row: Int) -> Bool {
        guard moved.indices.contains(row) else { return false }
        let x = column + moved[row]
        return x >= 0 && x < width && lit[row * width + x]
    }

    /// Returns where columns are in the picture, at their middle height.
    func upright(_ columns: Range<Int>) -> Range<Int> {
        let move = moved[(rows.lowerBound + rows.upperBound) / 2]
        let start = min(width, columns.lowerBound + move)
        return start..<max(start, min(width, columns.upperBound + move))
    }

    /// The likeliest leans, in columns per row, the best first: those at which upright bars fill the fewest columns.
    func likelyLeans(_ count: Int) -> [Double] {
        let leans = (0...16).map { 0.0125 * Double($0) }
        // A sample of the rows is enough.
        let rows = stride(from: rows.lowerBound, to: rows.upperBound, by: max(1, rows.count / 24))
        let filled = leans.map { lean in
            let ink = leaning(lean)
            return (0..<width).reduce(0) { sum, column in
                let count = rows.reduce(0) { $0 + (ink.isLit(column, $1) ? 1 : 0) }
                return sum + count * count
            }
        }
        return Array(leans.indices.sorted { (filled[$1], $0) < (filled[$0], $1) }.prefix(count)).map { leans[$0] }
    }

    /// Returns the same ink, upright if its letters lean to the right by so many columns per row.
    func leaning(_ lean: Double) -> SegmentInk {
        var ink = self
        for row in rows { ink.moved[row] = Int((lean * Double(rows.upperBound - 1 - row)).rounded()) }
        return ink
    }

    /// Returns the ink from left to right, in one piece where no more than `gap` columns are empty.
    func runs(gap: Int) -> [Run] {
        var runs: [Run] = []
        for column in 0..<width {
            let full = rows.filter { isLit(column, $0) }
            guard let first = full.first, let last = full.last else { continue }
            if let run = runs.last, column - run.columns.upperBound <= gap {
                runs[runs.count - 1] = Run(
                    columns: run.columns.lowerBound..<column + 1,
                    rows: min(first, run.rows.lowerBound)..<max(last + 1, run.rows.upperBound))
            } else {
                runs.append(Run(columns: column..<column + 1, rows: first..<last + 1))
            }
        }
        return runs
    }

    /// Returns the rows of each separate piece of a run, from top to bottom.
    func rows(of run: Run) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        for row in run.rows where run.columns.contains(where: { isLit($0, row) }) {
            if let last = pieces.last, last.upperBound == row {
                pieces[pieces.count - 1] = last.lowerBound..<row + 1
            } else {
                pieces.append(row..<row + 1)
            }
        }
        return pieces
    }
}
