import TextSpotting

/// From the top down, and from left to right where lines stand beside each other.
enum ReadingOrder {
    static func sorted(_ regions: [TextRegion]) -> [TextRegion] {
        let fromTop = regions.sorted { a, b in
            (a.quad.center.y, a.quad.center.x) < (b.quad.center.y, b.quad.center.x)
        }
        var result: [TextRegion] = []
        var row: [TextRegion] = []
        for region in fromTop {
            if let first = row.first, region.quad.center.y - first.quad.center.y > first.quad.bounds.height / 2 {
                result += row.sorted { $0.quad.center.x < $1.quad.center.x }
                row = []
            }
            row.append(region)
        }
        return result + row.sorted { $0.quad.center.x < $1.quad.center.x }
    }
}
