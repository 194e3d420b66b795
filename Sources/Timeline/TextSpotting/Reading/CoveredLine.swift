/// A line of text that a box with another text covers in part, as when a caption is set over a longer one.
///
/// A detector takes both for one line, because they stand in one row. The box is an even area that ends above and below
/// the letters and has another ground on its outside, and at least one of its edges cuts a letter. A word that is only
/// highlighted stands in a gap of its line, so its line stays whole.
struct CoveredLine {
    private let picture: Picture
    /// The column of the picture where the line begins.
    private let left: Int
    private let width: Int
    /// The bounds of the line, which may reach beyond the picture.
    private let place: Rect
    private let height: Double
    /// The rows of the letters, and those in which a box around them ends.
    private let letters: Range<Int>
    private let rows: Range<Int>

    /// A stretch of columns that are even along the letters.
    private struct Strip {
        var columns: Range<Int>
        var level: Int
    }

    /// An end of a box: the rows that it covers there, and whether it cuts a letter or is also the end of the line.
    private struct End {
        var columns: Range<Int>
        var level: Int
        var rows: Range<Int>
        var edge: Edge
    }

    private enum Edge { case end, whole, cuts }

    /// - Returns: nil if the line is not level, too small, or too short to hold two texts.
    init?(_ quad: Quad, in picture: Picture) {
        let bounds = quad.bounds.intersection(picture.bounds)
        height = quad.height
        place = quad.bounds
        guard height >= Self.leastHeight, bounds.width >= 3 * height, abs(quad.direction.y) < Self.mostLean,
            quad.direction.x > 0
        else { return nil }
        self.picture = picture
        left = Int(bounds.minX.rounded(.down))
        width = min(picture.width, Int(bounds.maxX.rounded(.up))) - left
        let (top, bottom) = (Int(bounds.minY.rounded(.down)), min(picture.height, Int(bounds.maxY.rounded(.up))))
        let reach = Int(Self.reach * height)
        rows = max(0, top - reach)..<min(picture.height, bottom + reach)
        // A box may end close to its letters.
        let margin = (bottom - top) / 10
        guard bottom - top > 2 * margin else { return nil }
        letters = top + margin..<bottom - margin
    }

    /// The parts of the line, from left to right, as fractions of its width; nil if no box covers it.
    var parts: [Range<Double>]? {
        let strips = strips
        guard !isEven(strips) else { return nil }
        let ends = (
            left: strips.compactMap { end($0, at: $0.columns.lowerBound - 1, by: -1) },
            right: strips.compactMap { end($0, at: $0.columns.upperBound, by: 1) }
        )
        var widest: Range<Int>?
        for left in ends.left {
            for right in ends.right where right.columns.lowerBound >= left.columns.lowerBound {
                let box = left.columns.lowerBound..<right.columns.upperBound
                if box.count > max(Int(height), widest?.count ?? 0), isBox(box, left, right) { widest = box }
            }
        }
        guard let box = widest else { return nil }
        let edges = [0, box.lowerBound, box.upperBound, width]
        return zip(edges, edges.dropFirst()).filter { Double($1 - $0) > Self.leastPart * height }.map {
            share(of: $0)..<share(of: $1)
        }
    }

    /// Returns how far along the line a column is, from 0 to 1.
    private func share(of column: Int) -> Double {
        column == 0 ? 0 : column == width ? 1 : (Double(left + column) - place.minX) / place.width
    }

    /// Returns the brightness of a pixel: green is the middle one of three samples, and the nearest to brightness.
    private func level(_ row: Int, _ column: Int) -> Int {
        let step = picture.format.bytesPerPixel
        return Int(picture.bytes[row * picture.bytesPerRow + (left + column) * step + step / 2])
    }

    /// The darkest and the brightest pixel of each column along the letters.
    private var extremes: (least: [UInt8], most: [UInt8]) {
        var least = [UInt8](repeating: .max, count: width)
        var most = [UInt8](repeating: 0, count: width)
        let step = picture.format.bytesPerPixel
        picture.bytes.withUnsafeBufferPointer { bytes in
            for row in letters {
                let begin = row * picture.bytesPerRow + left * step + step / 2
                for column in 0..<width {
                    let level = bytes[begin + column * step]
                    least[column] = min(least[column], level)
                    most[column] = max(most[column], level)
                }
            }
        }
        return (least, most)
    }

    /// The even stretches of the line.
    private var strips: [Strip] {
        var found: [Strip] = []
        let (least, most) = extremes
        for column in 0..<width {
            let (least, most) = (Int(least[column]), Int(most[column]))
            guard most - least <= Self.mostUneven else { continue }
            let level = (least + most) / 2
            if let last = found.last, last.columns.upperBound == column, abs(last.level - level) <= Self.shimmer {
                found[found.count - 1].columns = last.columns.lowerBound..<column + 1
            } else {
                found.append(Strip(columns: column..<column + 1, level: level))
            }
        }
        return found.filter { $0.columns.count >= max(2, Int(Self.leastStrip * height)) }
    }

    /// Returns whether the line has one ground from end to end, as most lines have.
    private func isEven(_ strips: [Strip]) -> Bool {
        guard let first = strips.first, let last = strips.last else { return true }
        let outside = Int(Self.outside * height)
        return first.columns.lowerBound <= outside && last.columns.upperBound >= width - outside
            && strips.allSatisfy { abs($0.level - first.level) <= Self.shimmer }
    }

    /// Returns the end of a box that a strip is; nil if it is none.
    ///
    /// - Parameters:
    ///   - column: the first column outside the box.
    ///   - step: 1 or -1, away from the box.
    private func end(_ strip: Strip, at column: Int, by step: Int) -> End? {
        guard let covered = covered(by: strip) else { return nil }
        let outside = (0..<Int(Self.outside * height)).map { column + $0 * step }
        var end = End(columns: strip.columns, level: strip.level, rows: covered, edge: .end)
        guard outside.allSatisfy((0..<width).contains) else { return end }
        let edges = edges(of: covered)
        let other = edges.reduce(0) { sum, row in
            sum + outside.count { abs(level(row, $0) - strip.level) > Self.mostUneven }
        }
        guard Double(other) >= Self.most * Double(edges.count * outside.count) else { return nil }
        let near = outside.prefix(3)
        let ground = edges.reduce(0) { sum, row in sum + near.reduce(0) { $0 + level(row, $1) } } / (3 * edges.count)
        let ink = letters.reduce(0) { sum, row in sum + near.count { abs(level(row, $0) - ground) > Self.leastInk } }
        end.edge = Double(ink) >= Self.cut * Double(letters.count * near.count) ? .cuts : .whole
        return end
    }

    /// Returns the rows in which a strip stays even; nil if it goes on beyond all rows: a bar of a test picture and a
    /// wall are no boxes.
    private func covered(by strip: Strip) -> Range<Int>? {
        func isOver(_ row: Int) -> Bool {
            let other = strip.columns.count { abs(level(row, $0) - strip.level) > Self.mostUneven }
            return Double(other) > (1 - Self.most) * Double(strip.columns.count)
        }
        guard let above = (rows.lowerBound..<letters.lowerBound).last(where: isOver) else { return nil }
        let below = (letters.upperBound..<rows.upperBound).first(where: isOver)
        guard below != nil || rows.upperBound == picture.height else { return nil }
        return above + 1..<(below ?? rows.upperBound)
    }

    /// Returns whether a box with these ends stands over the line and holds a text.
    private func isBox(_ box: Range<Int>, _ left: End, _ right: End) -> Bool {
        guard abs(left.level - right.level) <= Self.shimmer, left.edge == .cuts || right.edge == .cuts,
            abs(left.rows.lowerBound - right.rows.lowerBound) <= 2,
            abs(left.rows.upperBound - right.rows.upperBound) <= 2
        else { return false }
        let edges = edges(of: left.rows)
        let even = edges.reduce(0) { sum, row in
            sum + box.count { abs(level(row, $0) - left.level) <= Self.mostUneven }
        }
        guard Double(even) > Self.most * Double(edges.count * box.count) else { return false }
        let written = box.count { column in
            letters.contains { abs(level($0, column) - left.level) > Self.leastInk }
        }
        return Double(written) > Self.leastPart * height
    }

    /// The rows along the upper and the lower edge of a box, in which there are no letters.
    private func edges(of covered: Range<Int>) -> [Int] {
        let margin = max(1, Int(0.1 * height))
        return Array(covered.prefix(margin)) + covered.suffix(margin)
    }

    /// In pixels.
    private static let leastHeight = 10.0
    /// The most that a line rises or falls, as a share of its length.
    private static let mostLean = 0.02
    /// How far above and below the line a box may end, in its heights.
    private static let reach = 1.2
    /// The greatest differences within an even column and between neighboring ones, in gray levels.
    private static let mostUneven = 24
    private static let shimmer = 10
    /// The least width of the even strip inside an edge, and the width that is looked at outside, in heights of the line.
    private static let leastStrip = 0.18
    private static let outside = 0.4
    /// The share of pixels that decides about a row or an area.
    private static let most = 0.8
    /// The least difference of ink from its ground, in gray levels.
    private static let leastInk = 40
    /// The share of the pixels beside an edge that are ink where it cuts a letter.
    private static let cut = 0.12
    /// The least width of a part, in heights of the line.
    private static let leastPart = 0.5
}

extension TextRegion {
    /// Returns the region, or its parts where a box with another text covers the line.
    package func apartFromBoxes(in picture: Picture) -> [TextRegion] {
        guard let parts = CoveredLine(quad, in: picture)?.parts else { return [self] }
        return parts.map { part in
            var region = self
            region.quad = quad.slice(from: part.lowerBound, to: part.upperBound)
            return region
        }
    }
}
