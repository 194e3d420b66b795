import TextSpotting

/// Writes places in quarters of a pixel.
enum QuadCodec {
    /// In quarters of a pixel; nothing is further away.
    private static let farthest: Int64 = 4_000_000

    /// The first corner beside `origin`, the others beside the first.
    static func write(_ quad: Quad, beside origin: Point, to writer: inout ByteWriter) {
        var last = quarters(origin)
        for corner in quad.corners {
            let next = quarters(corner)
            writer.signed(next.x - last.x)
            writer.signed(next.y - last.y)
            last = quarters(quad.topLeft)
        }
    }

    static func read(beside origin: Point, from reader: inout ByteReader) throws(ByteReader.Damage) -> Quad {
        let first = try corner(beside: quarters(origin), from: &reader)
        let second = try corner(beside: first, from: &reader)
        let third = try corner(beside: first, from: &reader)
        let fourth = try corner(beside: first, from: &reader)
        return Quad(
            topLeft: point(first), topRight: point(second), bottomRight: point(third), bottomLeft: point(fourth))
    }

    private static func corner(
        beside other: (x: Int64, y: Int64), from reader: inout ByteReader
    ) throws(ByteReader.Damage) -> (x: Int64, y: Int64) {
        let x = other.x + (try reader.signed(upTo: 2 * farthest))
        return (x, other.y + (try reader.signed(upTo: 2 * farthest)))
    }

    private static func point(_ corner: (x: Int64, y: Int64)) -> Point {
        Point(Double(corner.x) / 4, Double(corner.y) / 4)
    }

    static func quarters(_ point: Point) -> (x: Int64, y: Int64) { (quarters(point.x), quarters(point.y)) }

    private static func quarters(_ value: Double) -> Int64 {
        value.isFinite ? Int64(max(-Double(farthest), min(Double(farthest), (value * 4).rounded()))) : 0
    }
}
