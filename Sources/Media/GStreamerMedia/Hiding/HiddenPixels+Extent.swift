import TextSpotting

/// Checks whether a place covers all of its text in the pixels of the frame itself: if the text was tracked inexactly,
/// the bottoms of the letters are visible beside it.
extension HiddenPixels {
    /// Returns the place extended above and below as far as strokes of its text reach out of it.
    ///
    /// If strokes cross an edge, brightness alternates along it as it does within the text. The edge is moved outward
    /// until it no longer does; if it still does after half of the height, that is part of the surroundings rather than
    /// text, and the edge stays.
    func coveringStrokes(of quad: Quad) -> Quad {
        guard quad.height >= 6, quad.width >= quad.height else { return quad }
        let inside = (1...3).flatMap { levels(of: quad, at: 0.25 * Double($0)) }.sorted()
        guard inside.count >= 24 else { return quad }
        let (low, high) = (Int(inside[inside.count / 20]), Int(inside[inside.count * 19 / 20]))
        guard high - low >= Self.leastContrast else { return quad }
        let middle = (low + high) / 2
        let swing = (high - low) / 4
        func crossed(_ share: Double) -> Bool {
            let count = Self.turns(levels(of: quad, at: share), middle - swing, middle + swing)
            return Double(count) >= max(4, Self.leastTurns * quad.width / quad.height)
        }
        let step = max(1.5, quad.height / 20) / quad.height
        func reach(_ direction: Double) -> Double {
            var distance = 0.0
            while distance <= Self.most {
                let share = direction < 0 ? -distance : 1 + distance
                guard crossed(share) else { return distance == 0 ? 0 : distance + step }
                distance += step
            }
            return 0
        }
        let (above, below) = (reach(-1), reach(1))
        guard above > 0 || below > 0 else { return quad }
        return Quad(
            topLeft: quad.topLeft.interpolated(to: quad.bottomLeft, at: -above),
            topRight: quad.topRight.interpolated(to: quad.bottomRight, at: -above),
            bottomRight: quad.topRight.interpolated(to: quad.bottomRight, at: 1 + below),
            bottomLeft: quad.topLeft.interpolated(to: quad.bottomLeft, at: 1 + below))
    }

    /// The farthest that an edge is moved, as a share of the height.
    private static let most = 0.5
    /// The least contrast of text, in levels of brightness.
    private static let leastContrast = 30
    /// The number of times that brightness rises or falls across strokes, along a piece as long as the text is high.
    private static let leastTurns = 0.8

    /// Returns the brightness along a line through the place, this share of its height below its upper edge.
    private func levels(of quad: Quad, at share: Double) -> [UInt8] {
        let (begin, end) = (
            quad.topLeft.interpolated(to: quad.bottomLeft, at: share),
            quad.topRight.interpolated(to: quad.bottomRight, at: share)
        )
        let count = max(2, min(4000, Int((end - begin).length)))
        return (0..<count).compactMap { index in
            let place = begin.interpolated(to: end, at: (Double(index) + 0.5) / Double(count))
            return brightness(at: place)
        }
    }

    /// Returns how often brightness changes from below one level to above the other, or back.
    private static func turns(_ levels: [UInt8], _ low: Int, _ high: Int) -> Int {
        var (count, isHigh): (Int, Bool?) = (0, nil)
        for level in levels {
            let now = Int(level) <= low ? false : Int(level) >= high ? true : isHigh
            if let before = isHigh, let now, before != now { count += 1 }
            isHigh = now
        }
        return count
    }
}
