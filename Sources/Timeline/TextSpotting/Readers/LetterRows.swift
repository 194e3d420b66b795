/// Determines the height of the letters of a line whose place is much taller because a stroke crosses the line: a bar
/// over the whole place would hide text above and below.
extension TextLine {
    /// A line with more letters than this for each of its heights may be in a place that is too tall.
    private static let usualLetters = 2.5

    /// Returns the line with the height of its letters; the line itself if that is not certain.
    func asHighAsItsLetters(in picture: Picture) -> TextLine {
        let letters = Double(text.count(where: { $0 != " " }))
        guard letters * quad.height > Self.usualLetters * quad.width, let rows = picture.letterShares(of: quad) else {
            return self
        }
        var line = self
        line.quad = quad.rows(from: rows.lowerBound, to: rows.upperBound)
        for index in words.indices where words[index].quad.height > 0.9 * quad.height {
            line.words[index].quad = words[index].quad.rows(from: rows.lowerBound, to: rows.upperBound)
        }
        return line
    }
}

extension Picture {
    /// The share of the place's rows, above and below, that has no letters.
    private static let outside = 0.08
    /// The share of a row that strokes through the line may take up.
    private static let strokes = 0.05
    /// The share of these rows that may contain several strokes; in more rows they are tall letters.
    private static let severalStrokes = 0.2
    /// If letters take up more than this share of the height, all of it counts.
    private static let highest = 0.7
    /// The margin above and below the letters, as a share of their height.
    private static let margin = 0.15

    /// Returns the rows of a place that hold its letters, if it is much taller than they are.
    func letterRows(of quad: Quad) -> Quad? {
        letterShares(of: quad).map { quad.rows(from: $0.lowerBound, to: $0.upperBound) }
    }

    /// Returns the part of a place's height that holds letters, from 0 to 1; nil if it has letters everywhere or its
    /// background is not even.
    fileprivate func letterShares(of quad: Quad) -> ClosedRange<Double>? {
        let (count, columns) = (Int(quad.height), Int(quad.width))
        guard count >= 24, columns >= 8 else { return nil }
        let inked = (0..<count).map { row in
            self.ink(
                from: quad.topLeft.interpolated(to: quad.bottomLeft, at: (Double(row) + 0.5) / Double(count)),
                to: quad.topRight.interpolated(to: quad.bottomRight, at: (Double(row) + 0.5) / Double(count)), columns)
        }
        let ink = inked.map { $0.count { $0 } }
        let runs = inked.map { row in row.indices.count { row[$0] && ($0 == 0 || !row[$0 - 1]) } }
        let edge = max(2, Int(Self.outside * Double(count)))
        let least = (ink.prefix(edge) + ink.suffix(edge)).max() ?? 0
        // The rest of a tail or a dot is within the margin of the bar.
        let most = Int(Self.strokes * Double(columns))
        guard least <= most else { return nil }
        let isLetters = { (ink: Int) in ink > most }
        guard let first = ink.firstIndex(where: isLetters), let last = ink.lastIndex(where: isLetters) else {
            return nil
        }
        let around = runs[..<first] + runs[(last + 1)...]
        guard Double(around.count { $0 > 1 }) <= Self.severalStrokes * Double(around.count) else { return nil }
        let height = Double(last + 1 - first)
        let (top, bottom) = (Double(first) - Self.margin * height - 1, Double(last + 1) + Self.margin * height + 1)
        guard height >= 6, bottom - top < Self.highest * Double(count) else { return nil }
        return max(0, top / Double(count))...min(1, bottom / Double(count))
    }

    /// The number of levels by which ink differs from the background.
    private static let leastInk = 16

    /// Returns which points on the line from one point to another differ from most of the others.
    fileprivate func ink(from a: Point, to b: Point, _ count: Int) -> [Bool] {
        let step = format.bytesPerPixel
        let places = (0..<count).compactMap { index -> Int? in
            let point = a.interpolated(to: b, at: (Double(index) + 0.5) / Double(count))
            guard point.x >= 0, point.y >= 0, point.x < Double(width), point.y < Double(height) else { return nil }
            return (Int(point.y) * width + Int(point.x)) * step
        }
        guard !places.isEmpty else { return [] }
        var isInk = [Bool](repeating: false, count: places.count)
        for channel in 0..<step {
            let levels = places.map { Int(bytes[$0 + channel]) }
            let ground = levels.sorted()[levels.count / 2]
            for (index, level) in levels.enumerated() where abs(level - ground) >= Self.leastInk { isInk[index] = true }
        }
        return isInk
    }
}
