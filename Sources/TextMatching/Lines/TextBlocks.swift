/// Which lines go on in which others: a phrase may run over a line break, or over a gap at which a detector cut a line in
/// two.
///
/// Reading goes on in the line just below, or in the piece just beside it on the same row. A value.
public struct TextBlocks: Sendable {
    /// For each line the one just below it and the piece just beside it, as indices.
    private let below: [Int?]
    private let beside: [Int?]

    /// A phrase runs over at most this many lines.
    static let longestChain = 6

    /// - Parameters:
    ///   - below: for each line the one just below it.
    ///   - beside: for each line the piece just beside it.
    /// - Precondition: as many of one as of the other.
    public init(below: [Int?], beside: [Int?]) {
        precondition(below.count == beside.count, "each line has both neighbors")
        self.below = below
        self.beside = beside
    }

    /// Lines of which each goes on in the one that follows it.
    public static func consecutive(_ count: Int) -> TextBlocks {
        TextBlocks(
            below: (0..<count).map { $0 + 1 < count ? $0 + 1 : nil }, beside: [Int?](repeating: nil, count: count))
    }

    /// Chains of lines that read on from one to the next, each of at least two, as indices.
    ///
    /// - Parameters:
    ///   - lengths: of the lines, in characters.
    ///   - longest: the longest pattern: lines between the first and the last are shorter.
    func chains(lengths: [Int], longest: Int) -> [[Int]] {
        var chains: [[Int]] = []
        for first in below.indices {
            for second in next(after: first) {
                extend([first, second], between: 0, lengths: lengths, longest: longest, chains: &chains)
            }
        }
        return chains
    }

    private func extend(_ chain: [Int], between: Int, lengths: [Int], longest: Int, chains: inout [[Int]]) {
        chains.append(chain)
        guard chain.count < Self.longestChain, let last = chain.last, between + lengths[last] <= longest else { return }
        for third in next(after: last) where !chain.contains(third) {
            extend(
                chain + [third], between: between + lengths[last], lengths: lengths, longest: longest, chains: &chains)
        }
    }

    private func next(after line: Int) -> [Int] {
        guard let below = below[line], let beside = beside[line] else {
            return [below[line], beside[line]].compactMap { $0 }
        }
        return below == beside ? [below] : [min(below, beside), max(below, beside)]
    }
}
