/// A line of straight pieces through given points, level beyond the first and the last.
struct PiecewiseLine: Sendable {
    /// By rising x; not empty.
    private let points: [(Double, Double)]

    init(_ points: [(Double, Double)]) { self.points = points }

    func callAsFunction(_ x: Double) -> Double {
        guard let first = points.first, x > first.0 else { return points.first?.1 ?? 0 }
        for index in 1..<max(1, points.count) where x < points[index].0 {
            let (a, b) = (points[index - 1], points[index])
            return a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0)
        }
        return points[points.count - 1].1
    }
}
