public import TextSpotting

/// Where a line is over time, beside where it was first read: a few frames' places, and between them straight lines.
public struct LinePath: Sendable, Hashable {
    /// The bounds of the line's leading word in one frame, in quarters of a pixel.
    public struct Knot: Sendable, Hashable {
        /// The frame's number in the part.
        public var frame: Int
        public var x: Int32
        public var y: Int32
        public var width: Int32
        public var height: Int32

        /// Nearer to the camera: both wider and higher, and about as much.
        func isLarger(than other: Knot) -> Bool {
            guard other.width > 0, other.height > 0 else { return false }
            let wide = Double(width) / Double(other.width)
            let high = Double(height) / Double(other.height)
            return min(wide, high) >= 1.15 && max(wide, high) <= 1.3 * min(wide, high)
        }

        /// A word of the other's size with its center here.
        func centered(as other: Knot) -> Knot {
            Knot(
                frame: frame, x: x + (width - other.width) / 2, y: y + (height - other.height) / 2, width: other.width,
                height: other.height)
        }

        private static func quarters(_ value: Double) -> Int32 {
            value.isFinite ? Int32(max(-4e8, min(4e8, (value * 4).rounded()))) : 0
        }
    }

    /// The word when the line was first read.
    public var base = Knot(frame: 0, x: 0, y: 0, width: 0, height: 0)
    /// In the order of frames; empty for a line that stands still.
    public var knots: [Knot] = []
}

extension LinePath.Knot {
    init(frame: Int, bounds: Rect) {
        self.init(
            frame: frame, x: Self.quarters(bounds.minX), y: Self.quarters(bounds.minY),
            width: Self.quarters(bounds.width), height: Self.quarters(bounds.height))
    }
}

extension LinePath {
    /// Of a line of which nothing more is known.
    public static let none = LinePath()

    /// - Parameters:
    ///   - base: the word as it was read with the line.
    ///   - places: the word's in some frames, in their order, as it was followed. All are left out where it stands still.
    init(base: Knot, following places: [Knot]) {
        // Readings differ by some pixels in where they see the same edges. A line that is laid on the way of its word at the
        // frame where it was read stays where it is there, and its far end is not moved by what is not motion.
        let own = LinePath(base: base, knots: places).knot(in: base.frame)
        self.base = own
        let grows = places.contains { $0.isLarger(than: own) || own.isLarger(than: $0) }
        let steady = grows ? places : places.map { $0.centered(as: own) }
        let moves = steady.contains {
            max(abs($0.x - own.x), abs($0.y - own.y), abs($0.width - own.width), abs($0.height - own.height))
                > Self.jitter
        }
        knots = moves ? steady : []
    }

    /// In quarters of a pixel: a word that is this near to where it was stands still.
    private static let jitter: Int32 = 8

    /// A quad of the line as first read, where it is in frame `frame`.
    public func place(of quad: Quad, in frame: Int) -> Quad {
        guard !knots.isEmpty else { return quad }
        let (a, b, share) = around(frame)
        func mix(_ from: Int32, _ to: Int32) -> Double { (Double(from) + (Double(to) - Double(from)) * share) / 4 }
        let (x, y) = (mix(a.x, b.x), mix(a.y, b.y))
        let wide = base.width > 0 ? mix(a.width, b.width) * 4 / Double(base.width) : 1
        let high = base.height > 0 ? mix(a.height, b.height) * 4 / Double(base.height) : 1
        let (left, top) = (Double(base.x) / 4, Double(base.y) / 4)
        return quad.mapped { Point(x + ($0.x - left) * wide, y + ($0.y - top) * high) }
    }

    /// The leading word's bounds in frame `frame`.
    func knot(in frame: Int) -> Knot {
        guard !knots.isEmpty else { return base }
        let (a, b, share) = around(frame)
        func mix(_ from: Int32, _ to: Int32) -> Int32 {
            Int32((Double(from) + (Double(to) - Double(from)) * share).rounded())
        }
        return Knot(
            frame: frame, x: mix(a.x, b.x), y: mix(a.y, b.y), width: mix(a.width, b.width),
            height: mix(a.height, b.height))
    }

    /// The knots before and behind a frame, and how far it is from the one to the other.
    ///
    /// - Precondition: there are knots.
    private func around(_ frame: Int) -> (Knot, Knot, share: Double) {
        let next = knots.prefixEnd(while: { $0.frame <= frame })
        guard next > 0 else { return (knots[0], knots[0], 0) }
        guard next < knots.count else { return (knots[next - 1], knots[next - 1], 0) }
        let (a, b) = (knots[next - 1], knots[next])
        return (a, b, Double(frame - a.frame) / Double(b.frame - a.frame))
    }
}
