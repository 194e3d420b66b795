/// Encodes numbers and texts one after the other, small numbers in few bytes.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Appends a number with seven bits per byte, the lowest first (LEB128).
    mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// - Precondition: `value` is not negative.
    mutating func number(_ value: Int) { number(UInt64(value)) }

    /// Appends a number that may be negative; numbers near 0 take few bytes (zigzag).
    mutating func signed(_ value: Int64) { number(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

    mutating func signed(_ value: Int) { signed(Int64(value)) }

    mutating func append(_ more: [UInt8]) { bytes += more }
}

/// Decodes the output of ``ByteWriter``. A file may contain any bytes, so every step may fail.
struct ByteReader {
    /// The bytes are not valid.
    struct Damage: Error {}

    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8], from position: Int = 0) { (self.bytes, self.position) = (bytes, position) }

    mutating func byte() throws(Damage) -> UInt8 {
        guard position < bytes.count else { throw Damage() }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(Damage) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw Damage() }
            value |= UInt64(next & 0x7F) << shift
            if next & 0x80 == 0 { return value }
            shift += 7
            guard shift <= 63 else { throw Damage() }
        }
    }

    /// Skips this many bytes.
    mutating func skip(_ count: Int) throws(Damage) {
        guard count <= bytes.count - position else { throw Damage() }
        position += count
    }

    /// Reads a number of at most `limit`.
    mutating func count(upTo limit: Int) throws(Damage) -> Int {
        let value = try number()
        guard value <= UInt64(limit) else { throw Damage() }
        return Int(value)
    }

    mutating func signed() throws(Damage) -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Reads a number between -`limit` and `limit`.
    mutating func signed(upTo limit: Int64) throws(Damage) -> Int64 {
        let value = try signed()
        guard value >= -limit, value <= limit else { throw Damage() }
        return value
    }
}
