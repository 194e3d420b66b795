/// Measures of a picture's quality, from its thumbnail alone.
public struct PictureMeasures: Sendable, Hashable {
    /// The brightness that 98 of 100 pixels do not exceed, 0 to 255.
    public var highlight: Int
    /// The brightness that 2 of 100 pixels do not exceed, 0 to 255.
    public var shadow: Int
    /// How steep the steepest edges are along each of four directions: the largest step from one pixel to the next divided by
    /// the contrast around it. A sharp edge has 0.5 to 1; one blurred by a Gaussian of σ pixels 0.4/σ. Nil for a
    /// direction along which too little of the picture has any contrast to tell.
    public var sharpness: [EdgeDirection: Double]

    public init(highlight: Int, shadow: Int, sharpness: [EdgeDirection: Double]) {
        self.highlight = highlight
        self.shadow = shadow
        self.sharpness = sharpness
    }

    /// Measures a luma picture of some hundred pixels a side. A picture smaller than ``tile`` pixels tells nothing but its
    /// brightness.
    public init(of picture: Picture) {
        let (shadow, highlight) = Self.range(of: picture)
        let noise = Self.noise(of: picture)
        var sharpness: [EdgeDirection: Double] = [:]
        for direction in EdgeDirection.allCases {
            sharpness[direction] = EdgeSteepness(direction: direction, noise: noise).measure(picture)
        }
        self.init(highlight: highlight, shadow: shadow, sharpness: sharpness)
    }

    /// The side of the squares in which contrast is measured, in pixels.
    public static let tile = 24

    /// The 2nd and the 98th percentile.
    private static func range(of picture: Picture) -> (shadow: Int, highlight: Int) {
        var histogram = [Int](repeating: 0, count: 256)
        for byte in picture.bytes { histogram[Int(byte)] += 1 }
        func percentile(_ share: Double) -> Int {
            var left = Int((Double(picture.bytes.count) * share).rounded(.up))
            for (value, count) in histogram.enumerated() {
                left -= count
                if left <= 0 { return value }
            }
            return 255
        }
        return (percentile(0.02), percentile(0.98))
    }

    /// The standard deviation of the noise, by the mask of Immerkær ("Fast noise variance estimation", 1996), which even
    /// brightness and even slopes leave at 0. The median over rows keeps edges out of it.
    private static func noise(of picture: Picture) -> Double {
        guard picture.width >= 8, picture.height >= 8 else { return 0 }
        let width = picture.width
        let rows: [Double] = picture.bytes.withUnsafeBufferPointer { bytes in
            stride(from: 1, to: picture.height - 1, by: 4).map { y in
                var sum = 0
                for x in 1..<width - 1 {
                    let at = y &* width &+ x
                    func v(_ offset: Int) -> Int { Int(bytes[at &+ offset]) }
                    let corners = v(-width - 1) &+ v(-width + 1) &+ v(width - 1) &+ v(width + 1)
                    let sides = v(-width) &+ v(width) &+ v(-1) &+ v(1)
                    sum &+= abs(corners &- 2 &* sides &+ 4 &* v(0))
                }
                return Double(sum) / Double(width - 2)
            }
        }
        let median = rows.sorted()[rows.count / 2]
        return median * (Double.pi / 2).squareRoot() / 6
    }
}

/// The directions along which brightness is followed.
public enum EdgeDirection: Sendable, CaseIterable {
    case across, down, falling, rising

    /// At a right angle to this one.
    public var other: EdgeDirection {
        switch self {
        case .across: .down
        case .down: .across
        case .falling: .rising
        case .rising: .falling
        }
    }

    /// From one pixel to the next.
    var step: (x: Int, y: Int) {
        switch self {
        case .across: (1, 0)
        case .down: (0, 1)
        case .falling: (1, 1)
        case .rising: (1, -1)
        }
    }
}
