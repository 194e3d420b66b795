import TextSpotting

/// Writes a ``ClockTrack`` in few bytes.
enum ClockCodec {
    private static let mostPieces = 10_000
    private static let farthest: Int64 = 1 << 60

    static func encode(_ track: ClockTrack?) -> [UInt8] {
        guard let track else { return [] }
        var writer = ByteWriter()
        writer.byte(track.hasDate ? 1 : 0)
        QuadCodec.write(track.quad, beside: Point(0, 0), to: &writer)
        writer.number(track.pieces.count)
        for piece in track.pieces {
            writer.signed(piece.start.nanoseconds)
            writer.signed(piece.end.nanoseconds - piece.start.nanoseconds)
            writer.signed(piece.offset)
            writer.signed(piece.lastOffset - piece.offset)
        }
        return writer.bytes
    }

    /// Nil if nothing was written.
    static func decode(_ bytes: [UInt8]) throws(ByteReader.Damage) -> ClockTrack? {
        guard !bytes.isEmpty else { return nil }
        var reader = ByteReader(bytes)
        let hasDate = try reader.byte() == 1
        let quad = try QuadCodec.read(beside: Point(0, 0), from: &reader)
        var pieces: [ClockTrack.Piece] = []
        for _ in 0..<(try reader.count(upTo: mostPieces)) {
            let start = try reader.signed(upTo: farthest)
            let end = start + (try reader.signed(upTo: farthest))
            let offset = try reader.signed(upTo: 1 << 50)
            let last = offset + (try reader.signed(upTo: 1 << 50))
            guard start <= end else { throw ByteReader.Damage() }
            pieces.append(
                .init(
                    start: StreamTime(nanoseconds: start), end: StreamTime(nanoseconds: end), offset: offset,
                    lastOffset: last))
        }
        guard !pieces.isEmpty else { throw ByteReader.Damage() }
        return ClockTrack(hasDate: hasDate, pieces: pieces, quad: quad)
    }
}
