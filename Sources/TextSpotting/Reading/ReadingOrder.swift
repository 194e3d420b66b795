/// The order in which people read: rows from the top, each from left to right.
public enum ReadingOrder {
    /// Sorts things as people read. Those in one row are no further below the middle of the row's first than half of
    /// its height.
    ///
    /// - Parameter quad: where one of `things` stands.
    public static func sorted<Thing>(_ things: [Thing], by quad: (Thing) -> Quad) -> [Thing] {
        let fromTop = things.map { (thing: $0, quad: quad($0)) }.sorted { a, b in
            (a.quad.center.y, a.quad.center.x) < (b.quad.center.y, b.quad.center.x)
        }
        var rows: [[(thing: Thing, quad: Quad)]] = []
        for next in fromTop {
            if let first = rows.last?.first?.quad, !(next.quad.center.y - first.center.y > first.bounds.height / 2) {
                rows[rows.count - 1].append(next)
            } else {
                rows.append([next])
            }
        }
        return rows.flatMap { $0.sorted { $0.quad.center.x < $1.quad.center.x } }.map(\.thing)
    }
}
