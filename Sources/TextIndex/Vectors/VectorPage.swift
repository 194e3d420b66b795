/// A page of a vectors' file: its last 8 bytes hold the sum of the others and of its place in the file.
///
/// Sums of 16 numbers side by side, which processors make as fast as they read memory: a search by meaning reads all vectors, where one for
/// words reads few pages of a segment (``PageSums``).
enum VectorPage {
    static let size = 4_096
    /// Bytes for what is kept.
    static let capacity = size - 8

    /// Two Fletcher sums for each of eight lanes, folded into one number. No change of one number leaves it as it is.
    static func sum(of page: UnsafeRawBufferPointer, number: Int) -> UInt64 {
        var (first, second) = (
            SIMD8<UInt32>(repeating: 1), SIMD8<UInt32>(repeating: UInt32(truncatingIfNeeded: number))
        )
        var place = 0
        while place + 64 <= capacity {
            first &+= page.loadUnaligned(fromByteOffset: place, as: SIMD8<UInt32>.self) &+ second
            second &+= page.loadUnaligned(fromByteOffset: place + 32, as: SIMD8<UInt32>.self) &+ first
            place += 64
        }
        var sum: UInt64 = 0
        for lane in 0..<8 {
            sum = (sum ^ (UInt64(first[lane]) | UInt64(second[lane]) << 32)) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
        }
        while place < capacity {
            sum = (sum ^ page.loadUnaligned(fromByteOffset: place, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
            place += 8
        }
        return sum
    }

    static func isWhole(_ page: UnsafeRawBufferPointer, number: Int) -> Bool {
        sum(of: page, number: number)
            == UInt64(littleEndian: page.loadUnaligned(fromByteOffset: capacity, as: UInt64.self))
    }

    /// Fills what is left of a page, and writes its sum.
    static func seal(_ bytes: [UInt8], number: Int) -> [UInt8] {
        precondition(bytes.count <= capacity, "no more than fits")
        var page = bytes + [UInt8](repeating: 0, count: size - bytes.count)
        let sum = page.withUnsafeBytes { Self.sum(of: $0, number: number) }
        for byte in 0..<8 { page[capacity + byte] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(byte))) }
        return page
    }
}
