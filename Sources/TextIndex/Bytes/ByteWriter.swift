/// Puts numbers and texts one behind the other, small numbers in few bytes.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Seven bits a byte, the lowest first (LEB128).
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

    /// Numbers near 0 on either side in few bytes (zigzag).
    mutating func signed(_ value: Int64) { number(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

    mutating func signed(_ value: Int) { signed(Int64(value)) }

    mutating func append(_ more: [UInt8]) { bytes += more }
}
