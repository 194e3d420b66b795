public import TextSpotting

/// The movement of a line over time, relative to where it was first read: its places in a few frames, and straight
/// lines between them.
public struct LinePath: Sendable, Hashable {
    /// The bounds of the line's leading word in one frame, in quarters of a pixel.
    public struct Knot: Sendable, Hashable {
        /// The number of the frame in the part.
        public var frame: Int
        public var x: Int32
        public var y: Int32
        public var width: Int32
        public var height: Int32

        /// Returns whether this is nearer to the camera: both wider and higher by a similar factor.
        func isLarger(than other: Knot) -> Bool {
            guard other.width > 0, other.height > 0 else { return false }
            let wide = Double(width) / Double(other.width)
            let high = Double(height) / Double(other.height)
            return min(wide, high) >= 1.15 && max(wide, high) <= 1.3 * min(wide, high)
        }

        /// Returns the word with the other's size and its own center.
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
    /// The knots in the order of frames; empty for a line that stands still.
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
    /// The path of a line of which nothing more is known.
    public static let none = LinePath()

    /// - Parameters:
    ///   - base: the word as it was read with the line.
    ///   - places: the places of the word in some frames, in order, as it was followed. If the word stands still, all
    ///     are left out.
    init(base: Knot, following places: [Knot]) {
        // Readings differ by some pixels in where they see the same edges. If the path passes through the place of the
        // word in the frame in which the line was read, the line stays where it is in that frame, and its far end is
        // not moved by anything that is not motion.
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

    /// The distance, in quarters of a pixel, within which a word counts as standing still.
    private static let jitter: Int32 = 8

    /// Returns the place in frame `frame` of a quad of the line as first read.
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

    /// Returns the bounds of the leading word in frame `frame`.
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

    /// Returns the knots before and after a frame, and the position of the frame between them, 0 to 1.
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
