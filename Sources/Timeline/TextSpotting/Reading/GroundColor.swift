extension Picture {
    /// The number of levels by which the pixels of an even background may differ.
    private static let sameLevel = 24

    /// Returns the most common color of a place: the median of each channel.
    func ground(of quad: Quad) -> [Int] { ground(at: pixels(over: quad)) }

    /// Returns the share of a place that has its most common color; nil if it is outside the picture.
    func evenness(of quad: Quad) -> Double? {
        let places = pixels(over: quad)
        guard !places.isEmpty else { return nil }
        let ground = ground(at: places)
        let same = places.count { place in
            ground.indices.allSatisfy { abs(Int(bytes[place + $0]) - ground[$0]) <= Self.sameLevel }
        }
        return Double(same) / Double(places.count)
    }

    private func ground(at places: [Int]) -> [Int] {
        guard !places.isEmpty else { return [] }
        return (0..<format.bytesPerPixel).map { channel in
            places.map { Int(bytes[$0 + channel]) }.sorted()[places.count / 2]
        }
    }

    /// Returns the indices in ``bytes`` of pixels that are spread over a place.
    private func pixels(over quad: Quad) -> [Int] {
        (0..<64).compactMap { index -> Int? in
            let top = quad.topLeft.interpolated(to: quad.topRight, at: (Double(index) + 0.5) / 64)
            let bottom = quad.bottomLeft.interpolated(to: quad.bottomRight, at: (Double(index) + 0.5) / 64)
            let point = top.interpolated(to: bottom, at: Double(index % 8) / 7)
            guard point.x >= 0, point.y >= 0, point.x < Double(width), point.y < Double(height) else { return nil }
            return (Int(point.y) * width + Int(point.x)) * format.bytesPerPixel
        }
    }
}
