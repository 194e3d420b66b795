import TextSpotting

/// Writes when a part's frames are, and which of them were read.
enum PartCodec {
    private static let most = 100_000_000

    static func encode(_ frames: FrameTimes) -> [UInt8] {
        var writer = ByteWriter()
        writer.number(frames.runs.count)
        var end: Int64 = 0
        for run in frames.runs {
            writer.signed(run.start - end)
            writer.number(run.count)
            writer.signed(run.span)
            end = run.start + run.span
        }
        return writer.bytes
    }

    static func decodeFrames(_ bytes: [UInt8]) throws(ByteReader.Damage) -> FrameTimes {
        var reader = ByteReader(bytes)
        var result = FrameTimes()
        var end: Int64 = 0
        for _ in 0..<(try reader.count(upTo: bytes.count)) {
            let start = end + (try reader.signed(upTo: 1 << 60))
            let count = try reader.count(upTo: most)
            let span = try reader.signed(upTo: 1 << 60)
            guard abs(start) <= 1 << 60, span >= 0 else { throw ByteReader.Damage() }
            result.runs.append(.init(start: start, count: count, span: span))
            end = start + span
        }
        return result
    }

    /// Rising numbers.
    static func encode(steps: [Int]) -> [UInt8] {
        var writer = ByteWriter()
        writer.number(steps.count)
        var last = 0
        for step in steps {
            writer.number(max(0, step - last))
            last = max(last, step)
        }
        return writer.bytes
    }

    static func decodeSteps(_ bytes: [UInt8]) throws(ByteReader.Damage) -> [Int] {
        var reader = ByteReader(bytes)
        let count = try reader.count(upTo: bytes.count)
        var result: [Int] = []
        result.reserveCapacity(count)
        var last = 0
        // Most of them are a byte each, and a search of many parts reads thousands.
        var place = reader.position
        for _ in 0..<count {
            if place < bytes.count, bytes[place] < 0x80 {
                last += Int(bytes[place])
                place += 1
            } else {
                var rest = ByteReader(bytes, from: place)
                last += try rest.count(upTo: most)
                place = rest.position
            }
            guard last <= most else { throw ByteReader.Damage() }
            result.append(last)
        }
        return result
    }
}
