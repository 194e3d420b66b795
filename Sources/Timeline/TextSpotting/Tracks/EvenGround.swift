/// The even ground on which a line stands, such as a box: text beside the line on the same ground is more of it.
///
/// The rows right above and below letters show nothing but their ground. Where they show something else, it ends.
struct EvenGround {
    private let picture: Picture
    private let line: Quad
    private let level: Int

    /// - Parameter line: the place of the letters, in pixels of the picture.
    /// - Returns: nil if the rows above and below the line are uneven.
    init?(under line: Quad, in picture: Picture) {
        self.picture = picture
        self.line = line
        let levels = Self.rows(around: line).flatMap { Self.levels(of: picture, in: $0) }
        guard !levels.isEmpty else { return nil }
        level = levels.reduce(0) { $0 + Int($1) } / levels.count
        guard isEven(around: line) else { return nil }
    }

    /// Returns the line extended by what stands beside it on the same ground; nil if nothing does.
    ///
    /// - Parameters:
    ///   - isTaken: returns whether a place belongs to something else.
    ///   - isNew: returns whether a place may show something new.
    func extended(isTaken: (Rect) -> Bool, isNew: (Rect) -> Bool) -> Quad? {
        let unit = line.height / max(1, line.width)
        let step = max(Self.step * line.height, Self.leastStep) / max(1, line.width)
        func reach(_ slice: (Double) -> Quad) -> Double {
            var (reach, end) = (0.0, 0.0)
            while reach - end <= Self.mostGap * unit, end < Self.mostReach * unit {
                let next = slice(reach)
                guard !isTaken(next.bounds), isEven(around: next) else { break }
                reach += step
                if hasStrokes(next.bounds), isNew(next.bounds) { end = reach }
            }
            return end > 0 ? end + Self.margin * unit : 0
        }
        let before = reach { line.slice(from: -$0 - step, to: -$0) }
        let after = reach { line.slice(from: 1 + $0, to: 1 + $0 + step) }
        return before + after > 0 ? line.slice(from: -before, to: 1 + after) : nil
    }

    /// Returns whether there is nothing but the ground above and below a place.
    private func isEven(around place: Quad) -> Bool {
        Self.rows(around: place).allSatisfy { rows in
            let levels = Self.levels(of: picture, in: rows)
            let even = levels.count { abs(Int($0) - level) <= Self.mostUneven }
            return !levels.isEmpty && 10 * even >= 9 * levels.count
        }
    }

    private func hasStrokes(_ place: Rect) -> Bool {
        let strokes = Self.levels(of: picture, in: place).count { abs(Int($0) - level) >= Self.leastContrast }
        return Double(strokes) >= Self.fewestPixels * place.height
    }

    private static func rows(around place: Quad) -> [Rect] {
        [place.rows(from: -0.25, to: -0.05).bounds, place.rows(from: 1.05, to: 1.25).bounds]
    }

    /// Returns the brightness of each pixel of a place; none if a part of it is outside the picture.
    private static func levels(of picture: Picture, in place: Rect) -> [UInt8] {
        let (left, top) = (place.minX.rounded(.down), place.minY.rounded())
        let (right, bottom) = (max(left + 1, place.maxX.rounded(.down)), max(top + 1, place.maxY.rounded()))
        guard left >= 0, top >= 0, right <= Double(picture.width), bottom <= Double(picture.height) else { return [] }
        return picture.brightness(left: Int(left), top: Int(top), width: Int(right - left), height: Int(bottom - top))
    }

    /// The difference from the ground, in gray levels, up to which a pixel belongs to it: beside a moving picture
    /// encoders leave some.
    private static let mostUneven = 24
    /// The difference from which a pixel belongs to a letter.
    private static let leastContrast = 40
    /// The least number of such pixels in a slice of text, for each pixel of its height.
    private static let fewestPixels = 0.15
    /// The width of a slice, in heights of the line, and its least, in pixels.
    private static let step = 0.125
    private static let leastStep = 2.0
    /// The largest gap between letters, and the most that is added at either end, in heights of the line.
    private static let mostGap = 0.5
    private static let mostReach = 12.0
    /// The margin that is added after the last letter, in heights of the line.
    private static let margin = 0.2
}
