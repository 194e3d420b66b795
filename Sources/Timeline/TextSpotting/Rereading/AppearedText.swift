/// What appeared on a ground that stood still, shown without that ground.
///
/// Detectors and recognizers are trained with letters on calm grounds: strokes, leaves or an ornament behind a short
/// caption hide it from them. If the picture was read before the caption appeared, its ground is known, and everything
/// that is still as it was can be painted over in one color.
struct AppearedText {
    /// The picture in one color, except for what appeared at ``places``.
    let picture: Picture
    /// Where something appeared, in pixels of the picture.
    let places: [Rect]

    /// The difference, in levels of the channel that differs most, up to which a pixel is as it was, and from which it
    /// is shown as it is now. Noise and encoders change a pixel by less, letters that can be read by more.
    private static let same = 12
    private static let other = 36
    /// The mean steepness along rows and columns together, in gray levels, from which a ground may hide letters.
    private static let rough = 4.0
    /// Text ends where the change ends: at that border the picture must be this many times as steep as the ground was.
    /// Where text disappeared it is the other way round, and what moves has both kinds of borders.
    private static let steeper = 3.0
    /// The fewest changed pixels of a text, and the largest share of its place that letters with their rims fill: what
    /// fills more of it is a thing or a box, and a text in a box has a ground of its own.
    private static let fewest = 40
    private static let fullest = 0.6

    /// - Parameters:
    ///   - ground: the same view before anything appeared.
    ///   - places: where the picture changed since then, in its pixels.
    /// - Returns: nil if nothing that may be text appeared on a rough ground there.
    init?(in now: Picture, over ground: Picture, at places: [Rect]) {
        guard now.format == ground.format, now.width == ground.width, now.height == ground.height else { return nil }
        var levels = [Int](repeating: 0, count: 256)
        self.places = places.map { $0.intersection(now.bounds) }.filter {
            Self.hasAppeared(at: $0, now, ground, &levels)
        }
        guard !self.places.isEmpty else { return nil }
        let fill = Self.levelApart(from: levels)
        var picture = Picture(
            format: now.format, width: now.width, height: now.height,
            bytes: [UInt8](repeating: UInt8(fill), count: now.bytes.count))
        for place in self.places { Self.paint(place, now, ground, on: fill, into: &picture) }
        self.picture = picture
    }

    /// Returns whether what changed at a place is there now and was not there before, and adds its levels of brightness.
    private static func hasAppeared(at place: Rect, _ now: Picture, _ ground: Picture, _ levels: inout [Int]) -> Bool {
        let (left, top) = (Int(place.minX), Int(place.minY))
        let (width, height) = (Int(place.maxX) - left, Int(place.maxY) - top)
        guard width > 1, height > 1 else { return false }
        let after = now.brightness(left: left, top: top, width: width, height: height)
        let before = ground.brightness(left: left, top: top, width: width, height: height)
        let isOther = differences(at: place, now, ground).map { $0 >= other }
        let changed = isOther.count { $0 }
        guard changed >= fewest, Double(changed) <= fullest * Double(isOther.count) else { return false }
        var (borders, borderNow, borderBefore, roughness) = (0, 0, 0, 0)
        func compare(_ at: Int, _ next: Int) {
            let stepBefore = abs(Int(before[next]) - Int(before[at]))
            roughness += stepBefore
            guard isOther[at] != isOther[next] else { return }
            borders += 1
            borderNow += abs(Int(after[next]) - Int(after[at]))
            borderBefore += stepBefore
        }
        for y in 0..<height - 1 {
            for x in 0..<width - 1 {
                compare(y * width + x, y * width + x + 1)
                compare(y * width + x, y * width + x + width)
            }
        }
        guard borders > 0, Double(roughness) >= rough * Double(width * height), borderNow >= other * borders,
            Double(borderNow) >= steeper * Double(borderBefore)
        else { return false }
        for at in isOther.indices where isOther[at] { levels[Int(after[at])] += 1 }
        return true
    }

    /// Returns the largest difference of each pixel of a place in any channel, row by row.
    private static func differences(at place: Rect, _ a: Picture, _ b: Picture) -> [Int] {
        let (step, bytesPerRow) = (a.format.bytesPerPixel, a.bytesPerRow)
        let (columns, rows) = (Int(place.minX)..<Int(place.maxX), Int(place.minY)..<Int(place.maxY))
        return a.bytes.withUnsafeBufferPointer { a in
            b.bytes.withUnsafeBufferPointer { b in
                rows.flatMap { y in
                    columns.map { x in
                        let start = y * bytesPerRow + x * step
                        return (start..<start + step).reduce(0) { max($0, abs(Int(a[$1]) - Int(b[$1]))) }
                    }
                }
            }
        }
    }

    /// Returns the level of brightness that is furthest from the two most common ones: letters and their rims.
    private static func levelApart(from levels: [Int]) -> Int {
        let reach = 12
        let sums = levels.indices.map { levels[max(0, $0 - reach)...min(255, $0 + reach)].reduce(0, +) }
        let first = sums.indices.max { sums[$0] < sums[$1] } ?? 0
        let apart = sums.indices.filter { abs($0 - first) > 2 * reach }
        let second = apart.max { sums[$0] < sums[$1] } ?? first
        // A few pixels at edges are no second color.
        let inks = 5 * sums[second] >= sums[first] ? [first, second] : [first]
        return levels.indices.max { a, b in
            inks.map { abs(a - $0) }.min() ?? 0 < inks.map { abs(b - $0) }.min() ?? 0
        } ?? 0
    }

    /// Copies the pixels that differ from the ground, with soft edges.
    private static func paint(
        _ place: Rect, _ now: Picture, _ ground: Picture, on fill: Int, into picture: inout Picture
    ) {
        let (step, columns) = (now.format.bytesPerPixel, Int(place.maxX) - Int(place.minX))
        for (index, difference) in differences(at: place, now, ground).enumerated() {
            let share = min(other - same, difference - same)
            guard share > 0 else { continue }
            let (x, y) = (Int(place.minX) + index % columns, Int(place.minY) + index / columns)
            let start = y * now.bytesPerRow + x * step
            for at in start..<start + step {
                let level = Int(now.bytes[at]) * share + fill * (other - same - share)
                picture.bytes[at] = UInt8(level / (other - same))
            }
        }
    }
}

extension TileMask {
    /// The bounds of each group of tiles of the mask that touch, also at corners, in pixels of the grid's picture.
    var groups: [Rect] {
        var left = flags
        var groups: [Rect] = []
        for first in grid.indices where left[first] {
            left[first] = false
            var waiting = [first]
            var bounds: Rect?
            while let tile = waiting.popLast() {
                let (column, row) = (tile % grid.columns, tile / grid.columns)
                let place = Rect(
                    x: Double(column * grid.side), y: Double(row * grid.side), width: Double(grid.side),
                    height: Double(grid.side))
                bounds = bounds?.union(place) ?? place
                for y in max(0, row - 1)...min(grid.rows - 1, row + 1) {
                    for x in max(0, column - 1)...min(grid.columns - 1, column + 1) where left[y * grid.columns + x] {
                        left[y * grid.columns + x] = false
                        waiting.append(y * grid.columns + x)
                    }
                }
            }
            if let bounds { groups.append(bounds) }
        }
        return groups
    }
}
