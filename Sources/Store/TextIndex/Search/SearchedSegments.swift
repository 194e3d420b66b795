public import TextSpotting

/// The segments of a search, their order, and their state.
struct SearchedSegments: Sendable {
    /// All segments, in order.
    let names: [String]
    /// The recordings in the requested order.
    let order: [SourceID]
    /// The segments in the order in which they are needed.
    let upcoming: [String]
    /// The segments whose lines that may match were looked up.
    var prepared: [String: OrderedSegment] = [:]
    /// The segments that could not be read.
    var lost = Set<String>()
    private let ofSource: [SourceID: [String]]
    private let firstParts: [String: Int]

    /// - Parameters:
    ///   - parts: the parts of the recordings that are searched; empty if they are not needed.
    ///   - order: the recordings that are wanted first; nil for their order in the segments.
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

    /// Returns whether some segment contains part of the recording.
    func has(_ source: SourceID) -> Bool { ofSource[source] != nil }

    /// Returns the segments that contain parts of a recording.
    func names(of source: SourceID) -> [String] { ofSource[source] ?? [] }

    /// Returns the number of a segment's first part among all parts.
    func firstPart(of name: String) -> Int { firstParts[name] ?? 0 }

    /// Returns whether it is still to be prepared.
    func isOpen(_ name: String) -> Bool { prepared[name] == nil && !lost.contains(name) }
}

/// Determines which segment is searched next, so that the recordings that are wanted first are completed first, and
/// which recordings are complete.
struct SegmentOrder {
    private var left: [String]
    /// The number of remaining segments that contain each recording.
    private var counts: [SourceID: Int] = [:]
    private let sources: [String: Set<SourceID>]

    /// - Parameters:
    ///   - segments: all segments that are searched.
    ///   - parts: the parts of the recordings; empty if the caller does not ask which recordings are complete.
    ///   - order: the requested recordings, those that are wanted first at the beginning.
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
        // The last one is taken first.
        left = keys.sorted { ($1.rank, $1.name) < ($0.rank, $0.name) }.map(\.name)
    }

    /// Returns whether some remaining segment contains part of the recording.
    func has(_ source: SourceID) -> Bool { counts[source] != nil }

    /// Returns the next segments, at most this many; none at the end.
    mutating func next(atMost count: Int = 1) -> [String] {
        let next = left.suffix(count).reversed()
        left.removeLast(next.count)
        return Array(next)
    }

    /// Returns the recordings that are complete now that a segment was searched.
    mutating func whole(after segment: String) -> [SourceID] {
        sources[segment, default: []].filter { source in
            counts[source, default: 0] -= 1
            return counts[source] == 0
        }
    }
}

/// How many sightings are requested.
public enum SearchExtent: Sendable, Hashable {
    case all
    /// This many sightings of each recording: those that begin first.
    case first(Int)
    /// For each recording, whether there is a match: one sighting, of which only the existence is significant.
    case any
    /// Whether there is a match in any of the recordings.
    case anywhere
}

/// Receives results during a search, on the thread that searches.
public struct SearchListener {
    let order: [SourceID]
    let enough: Int
    let hear: (SourceID, [Sighting], _ isWhole: Bool) -> Void

    /// - Parameters:
    ///   - order: the requested recordings, those that are wanted first at the beginning.
    ///   - enough: the number of sightings that are wanted first. Until there are that many, recordings are searched in
    ///     the order above, each from its beginning, and reported as soon as something is known, unless that requires
    ///     searching most lines; later recordings are counted when these are done.
    ///   - hear: called with the sightings of a recording in order, once or in several pieces, the last of which is
    ///     marked and may be empty. Recordings that are not searched in the order above are reported in another order:
    ///     a recording is complete when the last segment that contains some of it was searched.
    public init(order: [SourceID], enough: Int = 0, hear: @escaping (SourceID, [Sighting], _ isWhole: Bool) -> Void) {
        (self.order, self.enough, self.hear) = (order, enough, hear)
    }
}
