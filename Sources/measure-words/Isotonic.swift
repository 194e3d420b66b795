/// A rising step function fitted to outcomes (pool adjacent violators, M. Ayer et al. 1955), as points of a line.
enum Isotonic {
    /// - Parameters:
    ///   - least: outcomes that make one point.
    ///   - most: how many points are kept; neighbors that differ least are joined.
    static func points(_ samples: [(x: Double, right: Bool)], least: Int, most: Int) -> [(Double, Double)] {
        struct Block {
            var x = 0.0
            var right = 0.0
            var count = 0.0
            var share: Double { (right + 0.5) / (count + 1) }
            mutating func add(_ other: Block) {
                x += other.x
                right += other.right
                count += other.count
            }
        }
        var blocks: [Block] = []
        var current = Block()
        for sample in samples.sorted(by: { $0.x < $1.x }) {
            current.add(Block(x: sample.x, right: sample.right ? 1 : 0, count: 1))
            guard current.count >= Double(least) else { continue }
            blocks.append(current)
            current = Block()
        }
        if current.count > 0 {
            if blocks.isEmpty { blocks.append(current) } else { blocks[blocks.count - 1].add(current) }
        }
        var merged: [Block] = []
        for block in blocks {
            merged.append(block)
            while merged.count > 1, merged[merged.count - 2].share >= merged[merged.count - 1].share {
                let last = merged.removeLast()
                merged[merged.count - 1].add(last)
            }
        }
        while merged.count > most {
            let closest = (1..<merged.count).min {
                merged[$0].share - merged[$0 - 1].share < merged[$1].share - merged[$1 - 1].share
            }
            guard let closest else { break }
            merged[closest - 1].add(merged.remove(at: closest))
        }
        return merged.map { ($0.x / $0.count, $0.share) }
    }
}
