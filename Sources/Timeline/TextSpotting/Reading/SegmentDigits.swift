/// A display of seven-segment digits, as on meters, clocks and scoreboards, read by which bars are lit.
///
/// The networks were trained on printed letters: they miss such digits, or read an 8 as a B. This reader was not trained,
/// so it accepts a display only if everything fits: bars of one thickness that are completely lit or completely dark,
/// nothing between them, and gaps where two bars meet, which printed letters and frames do not have.
struct SegmentDigits {
    /// A character and its bounds, in pixels of the levels.
    struct Character {
        let character: Swift.Character
        let columns: Range<Int>
    }

    /// The digits, their points and colons, and a minus sign, from left to right.
    private(set) var characters: [Character] = []
    /// Where they are, in pixels of the levels.
    private(set) var rows: Range<Int>
    private var ink: SegmentInk
    /// The thickness of the bars.
    private var thickness = 0.0
    /// The number of places where bars meet, and how many of them have a gap.
    private var joints = (all: 0, broken: 0)
    /// Whether an upper and a lower bar have a gap between them: corners may just be round.
    private var hasGap = false

    var text: String { String(characters.map(\.character)) }
    var columns: Range<Int> { (characters.first?.columns.lowerBound ?? 0)..<(characters.last?.columns.upperBound ?? 0) }

    /// The confidence of a display, which is read only if nothing about it is doubtful.
    static let confidence = 0.99
    /// The widest gap between two characters, in heights of a digit: the one before a 1, which fills the right side of its
    /// place.
    static let widestGap = 0.62
    /// The least height of a digit, in pixels.
    private static let leastHeight = 24
    private static let mostCharacters = 14
    private static let mostLeans = 4

    /// - Parameter levels: the brightness of a place, row by row; most of it is ground.
    /// - Returns: nil unless everything there is such a display.
    init?(_ levels: [UInt8], width: Int) {
        guard let ink = SegmentInk(levels, width: width), ink.rows.count >= Self.leastHeight else { return nil }
        (self.ink, rows) = (ink, ink.rows)
        for lean in ink.likelyLeans(Self.mostLeans) {
            (self.ink, rows) = (ink.leaning(lean), ink.rows)
            let runs = self.ink.runs(gap: max(1, rows.count / 28))
            guard (1...Self.mostCharacters).contains(runs.count), let bar = thickness(of: runs) else { continue }
            thickness = bar
            // A 4 has no bar at the top and at the bottom, and a 7 none at the bottom.
            let margin = Int(bar.rounded())
            for (above, below) in [(0, 0), (0, margin), (margin, 0), (margin, margin)] {
                rows = ink.rows.lowerBound - above..<ink.rows.upperBound + below
                if read(runs) { return }
            }
        }
        return nil
    }

    /// Reads all characters; returns whether they are a display.
    private mutating func read(_ runs: [SegmentInk.Run]) -> Bool {
        (characters, joints, hasGap) = ([], (0, 0), false)
        let widest = runs.filter { isDigit($0) }.map(\.columns.count).max() ?? 0
        for run in runs {
            guard let character = isDigit(run) ? digit(run, widest: widest) : mark(run) else { return false }
            characters.append(Character(character: character, columns: ink.upright(run.columns)))
        }
        return characters.contains { $0.character.isNumber } && hasGap && joints.broken * 10 >= joints.all * 8
    }

    private var height: Double { Double(rows.count) }

    private func isDigit(_ run: SegmentInk.Run) -> Bool { Double(run.rows.count) > 0.7 * height && !isColon(run) }

    /// Returns how thick the upright bars are, which are crossed a quarter from the top and from the bottom.
    private func thickness(of runs: [SegmentInk.Run]) -> Double? {
        var crossed: [Int] = []
        for run in runs where isDigit(run) {
            for share in [0.27, 0.73] {
                let row = rows.lowerBound + Int(share * height)
                var length = 0
                for column in run.columns.lowerBound...run.columns.upperBound {
                    if column < run.columns.upperBound, ink.isLit(column, row) {
                        length += 1
                    } else if length > 0 {
                        crossed.append(length)
                        length = 0
                    }
                }
            }
        }
        guard !crossed.isEmpty else { return nil }
        let middle = Double(crossed.sorted()[crossed.count / 2])
        return middle >= 2 && (0.05...0.19).contains(middle / height)
            && crossed.allSatisfy { abs(Double($0) - middle) <= max(2, 0.4 * middle) } ? middle : nil
    }

    // MARK: Digits

    private mutating func digit(_ run: SegmentInk.Run, widest: Int) -> Swift.Character? {
        let own = Double(run.columns.count)
        if own < 2 * thickness {
            guard lit(run, 0...1, 0.12...0.4) == true, lit(run, 0...1, 0.6...0.88) == true else { return nil }
            noteGap(run, columns: 0...1)
            return "1"
        }
        guard own >= 0.3 * height, own <= 0.85 * height, own > 0.6 * Double(widest), thickness < 0.27 * own else {
            return nil
        }
        let bar = thickness / own
        let (left, right) = (0.1 * bar...0.85 * bar, 1 - 0.85 * bar...1 - 0.1 * bar)
        let flat = thickness / height
        let (upper, lower) = (1.2 * flat...0.5 - 0.8 * flat, 0.5 + 0.8 * flat...1 - 1.2 * flat)
        let across = 1.6 * bar...1 - 1.6 * bar
        guard lit(run, across, 1.5 * flat...0.5 - 0.9 * flat) == false,
            lit(run, across, 0.5 + 0.9 * flat...1 - 1.5 * flat) == false,
            let a = lit(run, across, 0.15 * flat...0.85 * flat), let b = lit(run, right, upper),
            let c = lit(run, right, lower), let d = lit(run, across, 1 - 0.85 * flat...1 - 0.15 * flat),
            let e = lit(run, left, lower), let f = lit(run, left, upper),
            let g = lit(run, across, 0.5 - 0.3 * flat...0.5 + 0.3 * flat),
            // A thin bar may lie beside the place of one that is dark.
            a || share(run, across, 0...0.5 - 0.9 * flat) <= Self.mostDirt,
            d || share(run, across, 0.5 + 0.9 * flat...1) <= Self.mostDirt,
            let digit = Self.digits[[a, b, c, d, e, f, g].reduce(0) { 2 * $0 + ($1 ? 1 : 0) }]
        else { return nil }
        if b, c { noteGap(run, columns: 1 - 0.5 * bar...1) }
        if e, f { noteGap(run, columns: 0...0.5 * bar) }
        for (meet, x, y) in [
            (a && f, 0.0, 0.0), (a && b, 1 - 0.4 * bar, 0), (d && e, 0, 1 - 0.4 * flat),
            (d && c, 1 - 0.4 * bar, 1 - 0.4 * flat),
        ]
        where meet {
            joints.all += 1
            if share(run, x...x + 0.4 * bar, y...y + 0.4 * flat) < 0.6 { joints.broken += 1 }
        }
        return digit
    }

    /// The largest share of ink at a place where nothing is lit.
    private static let mostDirt = 0.03

    /// Which bars are lit: the top one, then clockwise, then the middle one.
    private static let digits: [Int: Swift.Character] = [
        0b111_1110: "0", 0b011_0000: "1", 0b110_1101: "2", 0b111_1001: "3", 0b011_0011: "4", 0b101_1011: "5",
        0b101_1111: "6", 0b111_0000: "7", 0b111_0010: "7", 0b111_1111: "8", 0b111_1011: "9",
        0b111_0011: "9",
    ]

    /// Counts a meeting of the upper and the lower bar at a side.
    private mutating func noteGap(_ run: SegmentInk.Run, columns: ClosedRange<Double>) {
        joints.all += 1
        let steps = stride(from: -0.07, through: 0.07, by: 0.5 / height)
        if steps.contains(where: { share(run, columns, 0.5 + $0...0.5 + $0 + 0.5 / height) < 0.5 }) {
            joints.broken += 1
            hasGap = true
        }
    }

    // MARK: Marks

    private func mark(_ run: SegmentInk.Run) -> Swift.Character? {
        let (width, tall) = (Double(run.columns.count), Double(run.rows.count))
        if isColon(run) { return ":" }
        guard tall <= 1.8 * thickness else { return nil }
        let middle = Double(run.rows.lowerBound + run.rows.upperBound) / 2 - Double(rows.lowerBound)
        if width <= 1.8 * thickness { return middle > 0.8 * height ? "." : nil }
        return (0.4...0.6).contains(middle / height) && width >= 2.5 * thickness && characters.isEmpty ? "-" : nil
    }

    /// Returns whether it is two dots, one above the other.
    private func isColon(_ run: SegmentInk.Run) -> Bool {
        guard Double(run.columns.count) <= 0.25 * height else { return false }
        let parts = ink.rows(of: run)
        return parts.count == 2 && parts.allSatisfy { Double($0.count) <= 0.22 * height }
            && Double(parts[0].lowerBound - rows.lowerBound) > 0.1 * height
            && Double(rows.upperBound - parts[1].upperBound) > 0.1 * height
    }

    // MARK: Ink

    /// Returns whether a part of a digit is lit; nil if it is neither lit nor dark. In shares of its place.
    private func lit(_ run: SegmentInk.Run, _ x: ClosedRange<Double>, _ y: ClosedRange<Double>) -> Bool? {
        let share = share(run, x, y)
        return share >= 0.83 ? true : share <= 0.2 ? false : nil
    }

    private func share(_ run: SegmentInk.Run, _ x: ClosedRange<Double>, _ y: ClosedRange<Double>) -> Double {
        func pixels(_ range: ClosedRange<Double>, _ whole: Range<Int>) -> Range<Int> {
            let start = whole.lowerBound + Int((range.lowerBound * Double(whole.count)).rounded())
            let end = whole.lowerBound + Int((range.upperBound * Double(whole.count)).rounded())
            let first = min(max(whole.lowerBound, start), whole.upperBound - 1)
            return first..<max(first + 1, min(whole.upperBound, end))
        }
        let (columns, lines) = (pixels(x, run.columns), pixels(y, rows))
        var count = 0
        for row in lines { for column in columns where ink.isLit(column, row) { count += 1 } }
        return Double(count) / Double(columns.count * lines.count)
    }
}
