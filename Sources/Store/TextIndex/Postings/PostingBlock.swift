import Foundation

/// The lines of a block of 65,536 that contain a gram: encoded as the gaps between their numbers if they are few, as
/// one bit each if they are many.
enum PostingBlock {
    /// The number of lines in a block.
    static let size = 65_536
    private static let bitmapLength = size / 8
    private static let gaps: UInt8 = 0
    private static let bitmap: UInt8 = 1

    /// - Parameter lines: increasing numbers within the block.
    static func encode(_ lines: [UInt16]) -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(gaps)
        var last = -1
        for line in lines {
            writer.number(Int(line) - last - 1)
            last = Int(line)
        }
        guard writer.bytes.count > bitmapLength + 1 else { return writer.bytes }
        var bits = [UInt8](repeating: 0, count: bitmapLength + 1)
        bits[0] = bitmap
        for line in lines { bits[1 + Int(line) >> 3] |= 1 << (line & 7) }
        return bits
    }

    /// Returns the numbers that at least this many of some blocks contain, in order.
    ///
    /// - Throws: `ByteReader.Damage` if the bytes of one are not a block.
    static func lines(in blocks: [Data], atLeast least: Int) throws -> [Int] {
        guard least > 0, blocks.count >= least else { return [] }
        let words = size / 64
        let rows = blocks.count - least + 1
        // One bit for each number: the first row has those that every block so far contains, the next those that at
        // most one block lacks, and so on, up to the number that may lack them. The last row is for the current block.
        return try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: (rows + 1) * words) { bits in
            bits.initialize(repeating: .max)
            let there = UnsafeMutableBufferPointer(rebasing: bits[(rows * words)...])
            // Begin with the smallest, so that the loop may end early.
            for block in blocks.sorted(by: { $0.count < $1.count }) {
                try block.withUnsafeBytes { try unpack($0, to: there) }
                var isAnyLeft: UInt64 = 0
                for row in (0..<rows).reversed() {
                    let own = UnsafeMutableBufferPointer(rebasing: bits[row * words..<(row + 1) * words])
                    if row == 0 {
                        for index in 0..<words { own[index] &= there[index] }
                    } else {
                        let better = UnsafeMutableBufferPointer(rebasing: bits[(row - 1) * words..<row * words])
                        for index in 0..<words { own[index] = own[index] & there[index] | better[index] }
                    }
                    if row == rows - 1 { for index in 0..<words { isAnyLeft |= own[index] } }
                }
                guard isAnyLeft != 0 else { return [] }
            }
            return numbers(UnsafeMutableBufferPointer(rebasing: bits[(rows - 1) * words..<rows * words]))
        }
    }

    private static func numbers(_ bits: UnsafeMutableBufferPointer<UInt64>) -> [Int] {
        var numbers: [Int] = []
        numbers.reserveCapacity(bits.reduce(0) { $0 + $1.nonzeroBitCount })
        for index in bits.indices where bits[index] != 0 {
            var rest = bits[index]
            while rest != 0 {
                numbers.append(index << 6 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return numbers
    }

    /// Unpacks a block to one bit per line.
    private static func unpack(
        _ block: UnsafeRawBufferPointer, to bits: UnsafeMutableBufferPointer<UInt64>
    ) throws(ByteReader.Damage) {
        if block.first == bitmap {
            guard block.count == bitmapLength + 1 else { throw ByteReader.Damage() }
            for index in bits.indices {
                bits[index] = UInt64(
                    littleEndian: block.loadUnaligned(fromByteOffset: 1 + 8 * index, as: UInt64.self))
            }
            return
        }
        bits.update(repeating: 0)
        try decode(block) { bits[$0 >> 6] |= 1 << UInt64($0 & 63) }
    }

    /// Calls `found` with each number, in order.
    ///
    /// - Throws: `ByteReader.Damage` if the bytes are not a block.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ found: (Int) -> Void) throws(ByteReader.Damage) {
        guard let form = bytes.first else { throw ByteReader.Damage() }
        if form == bitmap {
            guard bytes.count == bitmapLength + 1 else { throw ByteReader.Damage() }
            for index in 0..<bitmapLength {
                var byte = bytes[index + 1]
                while byte != 0 {
                    found(index << 3 + byte.trailingZeroBitCount)
                    byte &= byte - 1
                }
            }
            return
        }
        guard form == gaps else { throw ByteReader.Damage() }
        var line = -1
        var index = 1
        while index < bytes.count {
            var gap = 0
            var shift = 0
            while true {
                guard index < bytes.count, shift < 21 else { throw ByteReader.Damage() }
                let byte = bytes[index]
                index += 1
                gap |= Int(byte & 0x7F) << shift
                if byte & 0x80 == 0 { break }
                shift += 7
            }
            line += gap + 1
            guard line < size else { throw ByteReader.Damage() }
            found(line)
        }
    }
}
