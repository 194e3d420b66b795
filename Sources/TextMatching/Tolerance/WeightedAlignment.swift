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

    /// One step on the way back from the pattern's end: units of the pattern and of the line, and its cost.
    typealias Visit = (step: Step, pattern: Range<Int>, line: Range<Int>, cost: Float)

    /// Lays `pattern` over `line` so that its first unit is within `slack` of unit `diagonal`.
    ///
    /// Takes time in proportion to the pattern's length and `slack`.
    ///
    /// - Parameter visit: is called with each step, from the pattern's end to its beginning.
    /// - Returns: nil if it costs more than `most`, or where a match must not begin or end.
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
