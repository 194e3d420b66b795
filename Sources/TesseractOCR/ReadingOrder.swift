internal import TextSpotting

/// The order in which people read lines that stand here and there: rows from the top, each from left to right.
enum ReadingOrder {
    /// Lines are in one row when the middle of each lies within the height of the row's first.
    static func sorted(_ lines: [TextLine]) -> [TextLine] {
        let byHeight = lines.sorted { a, b in
            (a.quad.center.y, a.quad.center.x) < (b.quad.center.y, b.quad.center.x)
        }
        var rows: [[TextLine]] = []
        for line in byHeight {
            if let first = rows.last?.first, line.quad.center.y < first.quad.bounds.maxY,
                first.quad.center.y > line.quad.bounds.minY
            {
                rows[rows.count - 1].append(line)
            } else {
                rows.append([line])
            }
        }
        return rows.flatMap { $0.sorted { $0.quad.bounds.minX < $1.quad.bounds.minX } }
    }
}
