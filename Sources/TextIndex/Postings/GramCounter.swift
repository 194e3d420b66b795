/// Counts, for each line of a block, how many of the searched grams it has.
struct GramCounter {
    private var counts = [UInt8](repeating: 0, count: PostingBlock.size)

    /// Adds the lines of one gram.
    mutating func add(_ block: UnsafeRawBufferPointer) throws(ByteReader.Damage) {
        try counts.withUnsafeMutableBufferPointer { counts throws(ByteReader.Damage) in
            try PostingBlock.decode(block) { line in
                if counts[line] < .max { counts[line] += 1 }
            }
        }
    }

    /// How many a line has.
    func count(of line: Int) -> Int { Int(counts[line]) }

    /// The lines that have at least so many, in their order.
    func lines(withAtLeast least: Int) -> [Int] {
        let least = UInt8(clamping: max(1, least))
        return counts.withUnsafeBufferPointer { counts in counts.indices.filter { counts[$0] >= least } }
    }
}
