/// A checksum that identifies contents (FIPS 180-4), in the notation of `sha256sum`.
///
/// Here, because the core knows no C, and Foundation on Linux has none.
struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// Less than a block.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0
    private var words = [UInt32](repeating: 0, count: 64)

    private static let block = 64

    mutating func add(_ bytes: some Collection<UInt8>) {
        length += UInt64(bytes.count)
        rest.append(contentsOf: bytes)
        var start = 0
        while rest.count - start >= Self.block {
            take(at: start)
            start += Self.block
        }
        rest.removeFirst(start)
    }

    /// A number with its length fixed, so that two numbers in a row cannot be taken for two others.
    mutating func add(_ number: Int64) {
        add(withUnsafeBytes(of: number.littleEndian, Array.init))
    }

    /// A text with its length before it, for the same reason.
    mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        add(Array(text.utf8))
    }

    /// The sum of all that was added, in 64 hexadecimal digits. Nothing is added afterwards.
    mutating func finish() -> String {
        let bits = length * 8
        rest.append(0x80)
        while rest.count % Self.block != Self.block - 8 { rest.append(0) }
        rest.append(contentsOf: withUnsafeBytes(of: bits.bigEndian, Array.init))
        for start in stride(from: 0, to: rest.count, by: Self.block) { take(at: start) }
        rest = []
        return state.map { word in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 8 - text.count) + text
        }.joined()
    }

    private mutating func take(at start: Int) {
        for index in 0..<16 {
            let place = start + 4 * index
            words[index] =
                UInt32(rest[place]) << 24 | UInt32(rest[place + 1]) << 16 | UInt32(rest[place + 2]) << 8
                | UInt32(rest[place + 3])
        }
        for index in 16..<64 {
            let (a, b) = (words[index - 15], words[index - 2])
            let s0 = Self.turned(a, 7) ^ Self.turned(a, 18) ^ (a >> 3)
            let s1 = Self.turned(b, 17) ^ Self.turned(b, 19) ^ (b >> 10)
            words[index] = words[index - 16] &+ s0 &+ words[index - 7] &+ s1
        }
        var h = state
        for index in 0..<64 {
            let s1 = Self.turned(h[4], 6) ^ Self.turned(h[4], 11) ^ Self.turned(h[4], 25)
            let choice = (h[4] & h[5]) ^ (~h[4] & h[6])
            let first = h[7] &+ s1 &+ choice &+ Self.constants[index] &+ words[index]
            let s0 = Self.turned(h[0], 2) ^ Self.turned(h[0], 13) ^ Self.turned(h[0], 22)
            let majority = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2])
            h = [first &+ s0 &+ majority, h[0], h[1], h[2], h[3] &+ first, h[4], h[5], h[6]]
        }
        for index in 0..<8 { state[index] &+= h[index] }
    }

    private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { prime in
            // The whole root times 2^32, bit by bit: its cube is at most the prime times 2^96.
            var root: UInt64 = 0
            for bit in stride(from: 35, through: 0, by: -1) {
                let next = root | 1 << UInt64(bit)
                if isAtMost(cubeOf: next, prime) { root = next }
            }
            return UInt32(truncatingIfNeeded: root)
        }
    }()

    /// Whether root³ ≤ prime · 2⁹⁶.
    private static func isAtMost(cubeOf root: UInt64, _ prime: UInt64) -> Bool {
        let square = root.multipliedFullWidth(by: root)
        let low = square.low.multipliedFullWidth(by: root)
        let high = square.high.multipliedFullWidth(by: root)
        let (middle, carry) = low.high.addingReportingOverflow(high.low)
        let top = high.high + (carry ? 1 : 0)
        // Of three words of 64 bits: the prime stands at 2^96.
        let bound = (top: prime >> 32, middle: prime << 32)
        if top != bound.top { return top < bound.top }
        if middle != bound.middle { return middle < bound.middle }
        return low.low == 0
    }
}
