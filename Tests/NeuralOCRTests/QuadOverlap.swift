import TextSpotting

extension Quad {
    /// The area inside, in square pixels.
    var area: Double { Self.area(corners) }

    /// Intersection over union of two convex quads, 0 to 1.
    func overlap(_ other: Quad) -> Double {
        let shared = Self.area(clipped(by: other))
        let whole = area + other.area - shared
        return whole > 0 ? shared / whole : 0
    }

    /// The part inside `other` (Sutherland and Hodgman 1974).
    private func clipped(by other: Quad) -> [Point] {
        var polygon = corners
        let edges = other.corners
        for (index, start) in edges.enumerated() {
            let along = edges[(index + 1) % 4] - start
            func side(_ point: Point) -> Double { along.x * (point.y - start.y) - along.y * (point.x - start.x) }
            var kept: [Point] = []
            for (number, point) in polygon.enumerated() {
                let before = polygon[(number + polygon.count - 1) % polygon.count]
                if (side(before) >= 0) != (side(point) >= 0) {
                    kept.append(before.interpolated(to: point, at: side(before) / (side(before) - side(point))))
                }
                if side(point) >= 0 { kept.append(point) }
            }
            polygon = kept
        }
        return polygon
    }

    /// The shoelace formula.
    private static func area(_ polygon: [Point]) -> Double {
        var sum = 0.0
        for (index, a) in polygon.enumerated() {
            let b = polygon[(index + 1) % polygon.count]
            sum += a.x * b.y - b.x * a.y
        }
        return abs(sum) / 2
    }
}
