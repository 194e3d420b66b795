/// Which read lines go on in which others: a phrase may run over a line break, or over a gap at which a detector cut a
/// line in two.
///
/// Reading goes on in the line just below, if it is about as tall, close, and overlaps it along the text; or in the piece
/// just beside it on the same row. A value computed once for the lines of one picture.
struct TextBlocks {
    /// Chains of lines that read on from one to the next, each of two or three lines, as indices.
    let chains: [[Int]]

    /// More lines than this are not joined: the work grows with their square.
    static let maximumLines = 600

    init(_ lines: [TextLine]) {
        guard lines.count > 1, lines.count <= Self.maximumLines else {
            chains = []
            return
        }
        let boxes = lines.map(\.quad)
        let below = boxes.indices.map { Self.nearest(to: $0, in: boxes, Self.distanceBelow) }
        let beside = boxes.indices.map { Self.nearest(to: $0, in: boxes, Self.distanceBeside) }
        var chains: [[Int]] = []
        for first in lines.indices {
            for second in Set([below[first], beside[first]].compactMap { $0 }).sorted() {
                chains.append([first, second])
                for third in Set([below[second], beside[second]].compactMap { $0 }).sorted() where third != first {
                    chains.append([first, second, third])
                }
            }
        }
        self.chains = chains
    }

    private static func nearest(
        to index: Int, in boxes: [Quad], _ distance: (_ from: Quad, _ to: Quad) -> Double?
    ) -> Int? {
        var best: (index: Int, distance: Double)?
        for other in boxes.indices where other != index {
            guard let length = distance(boxes[index], boxes[other]), length < best?.distance ?? .infinity else {
                continue
            }
            best = (other, length)
        }
        return best?.index
    }

    /// How far below `upper` the line `lower` begins, in pixels; nil when it is not its continuation.
    private static func distanceBelow(_ upper: Quad, _ lower: Quad) -> Double? {
        guard let place = Relation(of: lower, to: upper), place.isAlike(within: 2) else { return nil }
        let height = max(upper.height, lower.height)
        let gap = place.top - upper.height / 2
        guard gap > -0.4 * height, gap < 1.2 * height, place.middle > 0.5 * min(upper.height, lower.height) else {
            return nil
        }
        let shared = min(place.right, upper.width / 2) - max(place.left, -upper.width / 2)
        guard shared > 0.3 * min(upper.width, lower.width) else { return nil }
        return gap
    }

    /// How far beside `left` the piece `right` begins, in pixels; nil when it is not on the same row or too far away.
    private static func distanceBeside(_ left: Quad, _ right: Quad) -> Double? {
        guard let place = Relation(of: right, to: left), place.isAlike(within: 1.6) else { return nil }
        let gap = place.left - left.width / 2
        guard abs(place.middle) < 0.35 * left.height, gap > -0.3 * left.height, gap < 2 * left.height else {
            return nil
        }
        return gap
    }

    /// Where one quad lies as another one sees it: along its text and across it, from its center.
    private struct Relation {
        let left: Double
        let right: Double
        let top: Double
        /// Of the center, across the text.
        let middle: Double
        private let ratio: Double

        init?(of other: Quad, to quad: Quad) {
            guard quad.height > 0, other.height > 0 else { return nil }
            let along = quad.direction
            let down = Point(-along.y, along.x)
            // Lines of one block run the same way, within some 15 degrees.
            guard along.x * other.direction.x + along.y * other.direction.y > 0.96 else { return nil }
            let corners = other.corners.map { $0 - quad.center }
            let xs = corners.map { $0.x * along.x + $0.y * along.y }
            let ys = corners.map { $0.x * down.x + $0.y * down.y }
            left = xs.min() ?? 0
            right = xs.max() ?? 0
            top = ys.min() ?? 0
            middle = ys.reduce(0, +) / 4
            ratio = other.height / quad.height
        }

        func isAlike(within factor: Double) -> Bool { ratio < factor && ratio * factor > 1 }
    }
}

extension Matcher {
    /// Every place in the lines of one picture where a pattern stands: within a line, or running on from one line of a
    /// block to the next.
    ///
    /// A match over several lines has the text and the quad of all of it. Results are in the order of lines.
    public func matches(in lines: [TextLine]) -> [Match] {
        var found = lines.flatMap { matches(in: $0) }
        guard patterns.contains(where: { $0.plain.hasGap }) else { return found }
        var seen = Set<Match>()
        for chain in TextBlocks(lines).chains {
            let parts = chain.map { lines[$0] }
            guard let quad = Quad.spanning(parts.map(\.quad), along: parts[0].quad.direction) else { continue }
            let joined = TextLine(
                quad: quad, words: parts.flatMap(\.words), confidence: parts.map(\.confidence).min() ?? 0)
            let lengths = parts.map { $0.text.count }
            for match in matches(in: joined) where Self.reaches(match.characterRange, overAll: lengths) {
                if seen.insert(match).inserted { found.append(match) }
            }
        }
        return found
    }

    /// The match begins in the first of the joined lines and ends in the last.
    private static func reaches(_ range: Range<Int>, overAll lengths: [Int]) -> Bool {
        let lastBegins = lengths.dropLast().reduce(0) { $0 + $1 + 1 }
        return range.lowerBound < lengths[0] && range.upperBound > lastBegins
    }
}
