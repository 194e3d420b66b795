/// The pixels that a convex shape touches, row by row: also those of which it covers a part only.
public struct ConvexSpans: Sendable, Hashable {
    /// The first row of the picture that it touches.
    public let top: Int
    /// The columns that it touches in each row from ``top`` on; an empty range where there are none.
    public let rows: [Range<Int>]

    /// - Parameters:
    ///   - quad: in pixels of the picture; may lie outside of it.
    ///   - width: of the picture, in pixels.
    ///   - height: of the picture, in pixels.
    public init(_ quad: Quad, width: Int, height: Int) {
        let corners = quad.corners
        let bounds = quad.bounds
        guard corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }), bounds.maxX > 0, bounds.maxY > 0,
            bounds.minX < Double(width), bounds.minY < Double(height)
        else {
            (top, rows) = (0, [])
            return
        }
        let first = Int(max(0, bounds.minY.rounded(.down)))
        let last = Int(min(Double(height), max(bounds.maxY.rounded(.up), bounds.minY.rounded(.down) + 1)))
        top = first
        rows = (first..<max(first, last)).map { row in
            Self.columns(of: corners, from: Double(row), to: Double(row + 1), width: width)
        }
    }

    /// The columns that the shape touches between two heights.
    private static func columns(of corners: [Point], from low: Double, to high: Double, width: Int) -> Range<Int> {
        var (left, right) = (Double.infinity, -Double.infinity)
        for index in corners.indices {
            let (a, b) = (corners[index], corners[(index + 1) % corners.count])
            guard max(a.y, b.y) >= low, min(a.y, b.y) <= high else { continue }
            for y in [max(low, min(a.y, b.y)), min(high, max(a.y, b.y))] {
                let share = a.y == b.y ? 0 : (y - a.y) / (b.y - a.y)
                let x = a.x + (b.x - a.x) * min(1, max(0, share))
                (left, right) = (min(left, x), max(right, x))
            }
            if a.y == b.y { (left, right) = (min(left, min(a.x, b.x)), max(right, max(a.x, b.x))) }
        }
        guard left <= right else { return 0..<0 }
        let begin = Int(min(Double(width), max(0, left.rounded(.down))))
        let end = Int(min(Double(width), max(0, right.rounded(.up))))
        return begin..<max(begin, end)
    }
}
