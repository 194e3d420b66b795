/// Which read lines go on in which others: a phrase may run over a line break, or over a gap at which a detector cut a
/// line in two.
///
/// Reading goes on in the line just below, if it is about as tall, close, and overlaps it along the text; or in the piece
/// just beside it on the same row. A value computed once for the lines of one picture.
struct TextBlocks {
    /// For each line the one just below it and the piece just beside it, as indices.
    private let below: [Int?]
    private let beside: [Int?]

    /// More lines than this are not joined: the work grows with their square.
    static let maximumLines = 600
    /// A phrase runs over at most so many lines.
    static let longestChain = 6

    init(_ lines: [TextLine]) {
        guard lines.count > 1, lines.count <= Self.maximumLines else {
            below = []
            beside = []
            return
        }
        let places = lines.map { LinePlace($0.quad) }
        below = places.indices.map { Self.nearest(to: $0, in: places) { $0.distance(toBelow: $1) } }
        beside = places.indices.map { Self.nearest(to: $0, in: places) { $0.distance(toBeside: $1) } }
    }

    /// Chains of lines that read on from one to the next, each of at least two, as indices.
    ///
    /// - Parameters:
    ///   - lengths: of the lines, in characters.
    ///   - longest: what is searched for is at most so long: lines between the first and the last are shorter.
    func chains(lengths: [Int], longest: Int) -> [[Int]] {
        var chains: [[Int]] = []
        for first in below.indices {
            for second in next(after: first) { extend([first, second], 0, lengths, longest, &chains) }
        }
        return chains
    }

    /// The line below goes on from `line`, not a piece beside it.
    func isBelow(_ other: Int, _ line: Int) -> Bool { below[line] == other }

    private func extend(_ chain: [Int], _ between: Int, _ lengths: [Int], _ longest: Int, _ chains: inout [[Int]]) {
        chains.append(chain)
        guard chain.count < Self.longestChain, let last = chain.last, between + lengths[last] <= longest else { return }
        for third in next(after: last) where !chain.contains(third) {
            extend(chain + [third], between + lengths[last], lengths, longest, &chains)
        }
    }

    private func next(after line: Int) -> [Int] {
        guard let below = below[line], let beside = beside[line] else {
            return [below[line], beside[line]].compactMap { $0 }
        }
        return below == beside ? [below] : [min(below, beside), max(below, beside)]
    }

    private static func nearest(
        to index: Int, in places: [LinePlace], _ distance: (_ from: LinePlace, _ to: LinePlace) -> Double?
    ) -> Int? {
        var best: (index: Int, distance: Double)?
        for other in places.indices where other != index {
            guard let length = distance(places[index], places[other]), length < best?.distance ?? .infinity else {
                continue
            }
            best = (other, length)
        }
        return best?.index
    }
}
