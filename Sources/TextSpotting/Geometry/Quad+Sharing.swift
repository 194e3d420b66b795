extension Quad {
    /// Whether a point lies in it; its corners may run either way around.
    func holds(_ point: Point) -> Bool {
        var sign = 0.0
        for index in 0..<4 {
            let (a, b) = (corners[index], corners[(index + 1) % 4])
            let side = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
            if side == 0 { continue }
            if sign == 0 { sign = side } else if (side > 0) != (sign > 0) { return false }
        }
        return true
    }

    /// Which share of this quad lies in another one, 0 to 1, by places spread over it.
    public func share(in other: Quad) -> Double {
        guard bounds.intersection(other.bounds).area > 0 else { return 0 }
        var inside = 0
        for row in 0..<Self.sharedRows {
            let across = (Double(row) + 0.5) / Double(Self.sharedRows)
            for column in 0..<Self.sharedColumns {
                let along = (Double(column) + 0.5) / Double(Self.sharedColumns)
                let place = topLeft.interpolated(to: topRight, at: along)
                    .interpolated(to: bottomLeft.interpolated(to: bottomRight, at: along), at: across)
                if other.holds(place) { inside += 1 }
            }
        }
        return Double(inside) / Double(Self.sharedRows * Self.sharedColumns)
    }

    private static let sharedRows = 5
    private static let sharedColumns = 13

    /// Both are places of one line, found twice.
    func isOne(with other: Quad, from least: Double = 0.6) -> Bool {
        share(in: other) >= least && other.share(in: self) >= least
    }

    /// The same corners for text that stands on its head.
    var onItsHead: Quad {
        Quad(topLeft: bottomRight, topRight: bottomLeft, bottomRight: topLeft, bottomLeft: topRight)
    }

    /// The same corners for text that is seen in a mirror: counterclockwise as they are seen.
    var mirrored: Quad {
        Quad(topLeft: topRight, topRight: topLeft, bottomRight: bottomLeft, bottomLeft: bottomRight)
    }

    /// The same corners for text that reads from the top down.
    public var turnedRight: Quad {
        Quad(topLeft: topRight, topRight: bottomRight, bottomRight: bottomLeft, bottomLeft: topLeft)
    }

    /// The same corners for text that reads from the bottom up.
    public var turnedLeft: Quad {
        Quad(topLeft: bottomLeft, topRight: topLeft, bottomRight: topRight, bottomLeft: bottomRight)
    }
}
