import TextSpotting

/// Which segment is searched next, so that the recordings that are wanted first are searched whole first; and which are.
struct SegmentOrder {
    private var left: [String]
    /// In how many segments that are left a recording is.
    private var counts: [SourceID: Int] = [:]
    private let sources: [String: Set<SourceID>]

    /// - Parameters:
    ///   - segments: all that are searched.
    ///   - parts: where recordings are; empty if the caller does not ask which are searched completely.
    ///   - order: the recordings that are asked for, those that are wanted first at the beginning.
    init(_ segments: [String], _ parts: [Catalog.Part], _ order: [SourceID]) {
        let asked = Set(order)
        var sources: [String: Set<SourceID>] = [:]
        for part in parts where asked.contains(part.source) {
            if sources[part.segment, default: []].insert(part.source).inserted { counts[part.source, default: 0] += 1 }
        }
        self.sources = sources
        let ranks = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        let keys = segments.map { name in
            (rank: sources[name, default: []].compactMap { ranks[$0] }.min() ?? Int.max, name: name)
        }
        // The last is taken first.
        left = keys.sorted { ($1.rank, $1.name) < ($0.rank, $0.name) }.map(\.name)
    }

    /// Some of the recording is in some segment.
    func has(_ source: SourceID) -> Bool { counts[source] != nil }

    /// The next segments, at most this many; none at the end.
    mutating func next(atMost count: Int = 1) -> [String] {
        let next = left.suffix(count).reversed()
        left.removeLast(next.count)
        return Array(next)
    }

    /// The recordings of which nothing is left now that a segment was searched.
    mutating func whole(after segment: String) -> [SourceID] {
        sources[segment, default: []].filter { source in
            counts[source, default: 0] -= 1
            return counts[source] == 0
        }
    }
}
