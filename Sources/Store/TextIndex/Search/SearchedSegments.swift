public import TextSpotting

/// The segments of a search, their order, and what is known of them.
struct SearchedSegments: Sendable {
    /// All of them, in their order.
    let names: [String]
    /// Recordings in the order in which they are wanted.
    let order: [SourceID]
    /// Segments in the order in which something is wanted of them.
    let upcoming: [String]
    /// Those of which it is known which lines may hold something.
    var prepared: [String: OrderedSegment] = [:]
    /// Those that could not be read.
    var lost = Set<String>()
    private let ofSource: [SourceID: [String]]
    private let firstParts: [String: Int]

    /// - Parameters:
    ///   - parts: where the recordings are that are searched; empty if they are not asked for.
    ///   - order: the recordings that are wanted first; nil for as they are in the segments.
    init(_ names: [String], _ parts: [Catalog.Part], order: [SourceID]? = nil) {
        self.names = names
        firstParts = Dictionary(names.enumerated().map { ($1, $0 << 20) }) { first, _ in first }
        var ofSource: [SourceID: [String]] = [:]
        var all: [SourceID] = []
        for part in parts {
            if ofSource[part.source] == nil { all.append(part.source) }
            if ofSource[part.source]?.contains(part.segment) != true {
                ofSource[part.source, default: []].append(part.segment)
            }
        }
        self.ofSource = ofSource
        self.order = order ?? all
        var seen = Set<String>()
        upcoming = self.order.flatMap { ofSource[$0] ?? [] }.filter { seen.insert($0).inserted }
    }

    /// Some of the recording is in some segment.
    func has(_ source: SourceID) -> Bool { ofSource[source] != nil }

    /// Where a recording is.
    func names(of source: SourceID) -> [String] { ofSource[source] ?? [] }

    /// The number of a segment's first part among all.
    func firstPart(of name: String) -> Int { firstParts[name] ?? 0 }

    /// It is still to be prepared.
    func isOpen(_ name: String) -> Bool { prepared[name] == nil && !lost.contains(name) }
}

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

/// How much of an answer is wanted.
public enum SearchExtent: Sendable, Hashable {
    /// Everything.
    case all
    /// Of each recording this many sightings: those that begin first.
    case first(Int)
    /// Of each recording, whether there is anything: one sighting, of which only counts that it is there.
    case any
    /// The same, of all recordings together.
    case anywhere
}

/// Receives results while a search goes on, on the thread that searches.
public struct SearchListener {
    let order: [SourceID]
    let enough: Int
    let hear: (SourceID, [Sighting], _ isWhole: Bool) -> Void

    /// - Parameters:
    ///   - order: the recordings that it asks for, those that are wanted first at the beginning.
    ///   - enough: how many sightings are wanted first. Until there are so many, recordings are searched in the order above, each from its
    ///     beginning, and reported as soon as something is known, unless most lines have to be looked at for that; those behind them are
    ///     counted when these are through.
    ///   - hear: given the sightings of a recording in their order, once or in several pieces, the last of which is marked and may be empty. Of
    ///     what is not searched in the order above, not in that order: a recording is whole when the last segment that has some of it is
    ///     searched.
    public init(order: [SourceID], enough: Int = 0, hear: @escaping (SourceID, [Sighting], _ isWhole: Bool) -> Void) {
        (self.order, self.enough, self.hear) = (order, enough, hear)
    }
}
