import TextSpotting

/// Puts lines of text in the order in which they began, and together what is told of one line several times: a line that scrolls
/// may be lost and found again, one that is typed or comes into the picture is read in parts first.
///
/// A line is kept until nothing that began before it can still end; so what stands in the picture from the beginning to the end
/// keeps all that came after it. A value fed in the order of readings.
struct WholeLines {
    /// Parts are not put together, because each state of a line is wanted.
    let keepsStates: Bool
    private var kept: [Sighting] = []
    /// Since when lines are there that go on, where a part of them was seen before; by number.
    private var starts: [Int: StreamTime] = [:]

    /// A line that is gone for less is the same when it comes back, as everywhere.
    private static let hold = SightingTimeline.Settings().hold
    /// So far back a line that is found now may have begun.
    private static let look = StreamTime(seconds: 5)

    init(keepsStates: Bool) { self.keepsStates = keepsStates }

    /// Takes lines that are over.
    ///
    /// - Parameters:
    ///   - open: what goes on.
    ///   - time: the last that was joined.
    /// - Returns: those that are ready to be told, in order.
    mutating func take(_ over: [Sighting], open: [Sighting], at time: StreamTime) -> [Sighting] {
        for line in over { keep(line) }
        guard !kept.isEmpty else { return [] }
        if !keepsStates { giveToOpen(open) }
        let first = open.map { min($0.start, starts[$0.id] ?? $0.start) }.min() ?? time
        return release { $0.start <= first && $0.start + Self.look < time && $0.end + Self.hold < time }
    }

    /// No more will come: the rest, in order.
    mutating func finish() -> [Sighting] {
        starts = [:]
        return release { _ in true }
    }

    private mutating func release(_ isReady: (Sighting) -> Bool) -> [Sighting] {
        let ready = kept.filter(isReady)
        guard !ready.isEmpty else { return [] }
        kept.removeAll(where: isReady)
        return ready.sorted {
            ($0.start, $0.peak.quad.bounds.minY, $0.id) < ($1.start, $1.peak.quad.bounds.minY, $1.id)
        }
    }

    /// Keeps a line; as one with those that it is a part of, or that are parts of it.
    private mutating func keep(_ line: Sighting) {
        var line = line
        if let start = starts.removeValue(forKey: line.id) { line.start = min(line.start, start) }
        while !keepsStates, let index = kept.firstIndex(where: { Self.areOne($0, line) }) {
            let other = kept.remove(at: index)
            let (start, end) = (min(line.start, other.start), max(line.end, other.end))
            if Self.isBetter(other, than: line) { line = other }
            (line.start, line.end) = (start, end)
        }
        kept.append(line)
    }

    /// A part that is over of a line that goes on is told with it.
    private mutating func giveToOpen(_ open: [Sighting]) {
        kept.removeAll { part in
            guard let whole = open.first(where: { Self.areOne(part, $0) && !Self.isBetter(part, than: $0) }) else {
                return false
            }
            starts[whole.id] = min(part.start, starts[whole.id] ?? whole.start)
            return true
        }
    }

    /// More of the line was read there, or it was read more surely.
    private static func isBetter(_ a: Sighting, than b: Sighting) -> Bool {
        (a.line.count, a.score) > (b.line.count, b.score)
    }

    /// The text of one of them is all or a part of the other's, and both were seen where one line can have been.
    private static func areOne(_ a: Sighting, _ b: Sighting) -> Bool {
        let (first, second) = a.start <= b.start ? (a, b) : (b, a)
        guard second.start <= first.end + hold else { return false }
        let (c, d) = (a.peak.quad.bounds, b.peak.quad.bounds)
        let (row, column) = (
            overlap(c.minY, b: c.maxY, c: d.minY, d: d.maxY), overlap(c.minX, b: c.maxX, c: d.minX, d: d.maxX)
        )
        let isSamePlace = row >= 0.6 && column >= 0.6
        // One behind the other they may have moved meanwhile: along a row, or in a column.
        let isPassing = min(first.end, second.end) <= second.start + hold && max(row, column) >= 0.6
        guard isSamePlace || isPassing else { return false }
        let (e, f) = (letters(a.line), letters(b.line))
        guard !e.isEmpty, !f.isEmpty else { return a.line == b.line }
        // A number with a digit more is another number, not more of the same.
        guard e.contains(where: \.isLetter) || f.contains(where: \.isLetter) else { return e == f }
        return isSamePlace ? e.contains(f) || f.contains(e) : e == f || row >= 0.6 && (e.contains(f) || f.contains(e))
    }

    /// How much of the shorter of two stretches lies in the other.
    private static func overlap(_ a: Double, b: Double, c: Double, d: Double) -> Double {
        max(0, min(b, d) - max(a, c)) / max(1, min(b - a, d - c))
    }

    /// The letters and digits of a line, without marks, gaps and case.
    private static func letters(_ line: String) -> String { line.lowercased().filter { $0.isLetter || $0.isNumber } }
}
