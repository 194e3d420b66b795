/// The straightened picture of one line, in which the visible strokes of a word are located.
///
/// The detector's quad is grown well beyond the text, and a CTC network locates the middle of a word rather than its
/// edges. People see "the word" as its strokes, and those are in the picture: inside the part of the line that the
/// network names, pixels are split into strokes and background by the threshold that separates their brightness best
/// (Otsu 1979, "A threshold selection method from gray-level histograms").
struct LineInk {
    /// The extent of a word's strokes in pixels of the straightened line, half-open.
    struct Box: Hashable {
        var left: Int
        var right: Int
        var top: Int
        var bottom: Int
    }

    let width: Int
    let height: Int
    /// Brightness, row by row.
    private let samples: [UInt8]

    /// - Precondition: `samples` has `width * height` elements.
    init(width: Int, height: Int, samples: [UInt8]) {
        precondition(samples.count == width * height, "the samples must fill the line")
        self.width = width
        self.height = height
        self.samples = samples
    }

    /// From the recognizer's input: three planes, `stride` numbers a row, of -1 to 1; the one of highest contrast counts.
    init(planes: UnsafeBufferPointer<Float>, stride: Int, width: Int, height: Int) {
        var best: (spread: Double, plane: Int) = (-1, 0)
        for plane in 0..<3 {
            var sum = 0.0
            var squares = 0.0
            for y in height / 4..<3 * height / 4 {
                let row = (plane * height + y) * stride
                for x in 0..<width {
                    let value = Double(planes[row + x])
                    sum += value
                    squares += value * value
                }
            }
            let count = Double(width * (height / 2))
            let spread = squares / count - (sum / count) * (sum / count)
            if spread > best.spread { best = (spread, plane) }
        }
        var samples = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            let row = (best.plane * height + y) * stride
            for x in 0..<width { samples[y * width + x] = UInt8(max(0, min(255, planes[row + x] * 127.5 + 127.5))) }
        }
        self.init(width: width, height: height, samples: samples)
    }

    /// Returns the strokes of a word, or nil if strokes and background cannot be distinguished.
    ///
    /// - Parameters:
    ///   - columns: the columns in which the network sees the word.
    ///   - first: the column in which its first character is strongest; `last` is that of its last one.
    ///   - reach: the limits of the strokes to the left and right: the characters of the neighboring words.
    func strokes(columns: Range<Int>, first: Int, last: Int, reach: Range<Int>) -> Box? {
        let columns = columns.clamped(to: 0..<width)
        let reach = reach.clamped(to: 0..<width)
        guard !columns.isEmpty, !reach.isEmpty, let isInk = inkTest(in: columns) else { return nil }
        guard let band = rows(inkIn: columns, isInk) else { return nil }

        func hasInk(_ x: Int) -> Bool { band.contains { isInk(samples[$0 * width + x]) } }
        func reachable(_ x: Int) -> Int { min(max(x, reach.lowerBound), reach.upperBound - 1) }
        // Within the columns that the network names, letters may be far apart; outside them, only close ones belong to
        // the word.
        let (inner, outer) = (height / 4, height / 10)
        var left = Self.end(
            from: reachable(first), by: -1, until: reachable(columns.lowerBound) - 1, gap: inner, hasInk)
        left = Self.end(from: left, by: -1, until: reach.lowerBound - 1, gap: outer, hasInk)
        var right = Self.end(
            from: reachable(last), by: 1, until: reachable(columns.upperBound - 1) + 1, gap: inner, hasInk)
        right = Self.end(from: right, by: 1, until: reach.upperBound, gap: outer, hasInk)
        // Repeat this, because the network's columns may have cut off a stem that is higher than the rest.
        guard left < right, let rows = rows(inkIn: left..<right + 1, isInk) else { return nil }
        return Box(left: left, right: right + 1, top: rows.lowerBound, bottom: rows.upperBound)
    }

    /// Returns the runs of columns without strokes between strokes, from left to right; none if strokes and background
    /// cannot be distinguished.
    ///
    /// - Parameter rows: the rows whose strokes count.
    func gaps(in columns: Range<Int>, rows: Range<Int>) -> [Range<Int>] {
        guard let isInk = inkTest(in: columns) else { return [] }
        var gaps: [Range<Int>] = []
        var start = columns.lowerBound
        for x in columns where rows.contains(where: { isInk(samples[$0 * width + x]) }) {
            if start < x { gaps.append(start..<x) }
            start = x + 1
        }
        return gaps
    }

    /// Returns the heights of the letters of a word in pixels; nil for those that touch their neighbors or the upper or
    /// lower edge, and for all if strokes and background cannot be distinguished.
    ///
    /// - Parameter columns: a column of each letter, from left to right. If one is outside of the line, all are nil.
    func heights(at columns: [Int]) -> [Double?] {
        guard let first = columns.first, let last = columns.last, 0 <= first, first < last, last < width,
            let isInk = inkTest(in: max(0, first - height / 4)..<min(width, last + height / 4))
        else { return columns.map { _ in nil } }
        func hasInk(_ x: Int) -> Bool { (0..<height).contains { isInk(samples[$0 * width + x]) } }
        return columns.map { column in
            let left = Self.end(from: column, by: -1, until: -1, gap: 0, hasInk)
            let right = Self.end(from: column, by: 1, until: width, gap: 0, hasInk)
            // The network places a letter up to half a step beside its middle.
            let touched = left - height / 16...right + height / 16
            guard hasInk(column), columns.count(where: touched.contains) == 1 else { return nil }
            let rows = (0..<height).filter { y in (left...right).contains { isInk(samples[y * width + $0]) } }
            guard let top = rows.first, let bottom = rows.last, top > 0, bottom < height - 1 else { return nil }
            return Double(bottom - top + 1)
        }
    }

    /// Returns the rows that strokes cover without a wide gap, from the middle; nil if they touch the upper or lower
    /// edge, because they then belong to something else as well: another line, a frame, the texture of the background.
    private func rows(inkIn columns: Range<Int>, _ isInk: (UInt8) -> Bool) -> Range<Int>? {
        let counts = (0..<height).map { y in columns.count { isInk(samples[y * width + $0]) } }
        let least = max(1, columns.count / 60)
        let middle = (height / 3..<2 * height / 3).sorted { abs(2 * $0 - height) < abs(2 * $1 - height) }
        guard let start = middle.first(where: { counts[$0] >= least }) else { return nil }
        // The dot of an i is up to a twelfth of the line's height above its stem; the next line is further away.
        let gap = height / 12
        let top = Self.end(from: start, by: -1, until: -1, gap: gap) { counts[$0] >= least }
        let bottom = Self.end(from: start, by: 1, until: height, gap: gap) { counts[$0] >= least }
        guard top > 0, bottom < height - 1, bottom - top >= height / 6 else { return nil }
        return top..<bottom + 1
    }

    /// The last place that is on, going from `start` until a gap wider than `gap` or the end.
    private static func end(from start: Int, by step: Int, until end: Int, gap: Int, _ isOn: (Int) -> Bool) -> Int {
        var last = start
        var place = start
        while place != end, abs(place - last) <= gap + 1 {
            if isOn(place) { last = place }
            place += step
        }
        return last
    }

    /// Returns a test that distinguishes strokes from background in some columns: strokes cover less of them.
    private func inkTest(in columns: Range<Int>) -> ((UInt8) -> Bool)? {
        var histogram = [Int](repeating: 0, count: 256)
        for y in 0..<height {
            for x in columns { histogram[Int(samples[y * width + x])] += 1 }
        }
        let total = columns.count * height
        let sum = histogram.enumerated().reduce(0) { $0 + $1.offset * $1.element }
        var best = (spread: 0.0, threshold: 0, below: 0, contrast: 0.0)
        var below = 0
        var sumBelow = 0
        for (value, count) in histogram.enumerated() {
            below += count
            sumBelow += value * count
            guard below > 0, below < total else { continue }
            let contrast = Double(sum - sumBelow) / Double(total - below) - Double(sumBelow) / Double(below)
            let spread = Double(below) * Double(total - below) * contrast * contrast
            if spread > best.spread { best = (spread, value, below, contrast) }
        }
        guard best.contrast >= 24 else { return nil }
        let threshold = best.threshold
        return 2 * best.below < total ? { $0 <= threshold } : { $0 > threshold }
    }
}
