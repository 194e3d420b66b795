import Errors
import TextMatching
public import TextSpotting

/// One search of the index, segment by segment.
struct SearchRun {
    private let index: TextIndex
    private let matcher: Matcher
    private let minimumScore: Double
    private let keepsBoxes: Bool
    private let listener: SearchListener?
    private let isCancelled: @Sendable () -> Bool
    /// Recordings that are to be searched still.
    private var wanted: Set<SourceID>
    private var order: SegmentOrder
    private var places: [SourceID: [FoundStretch]] = [:]
    private var firstPart = 0
    private var answer = TextIndex.Answer()
    /// What means the questions; nil where none is asked.
    private var nearest: NearestTexts?

    init(
        index: TextIndex, wanted: Set<SourceID>, matcher: Matcher, minimumScore: Double, keepsBoxes: Bool,
        listener: SearchListener?, isCancelled: @escaping @Sendable () -> Bool
    ) throws {
        (self.index, self.wanted, self.matcher) = (index, wanted, matcher)
        (self.minimumScore, self.keepsBoxes) = (minimumScore, keepsBoxes)
        (self.listener, self.isCancelled) = (listener, isCancelled)
        let segments = try index.catalog.segments().map(\.name)
        index.closeSegments(except: Set(segments))
        order = try Self.order(segments, index: index, wanted: wanted, listener: listener)
    }

    private static func order(
        _ segments: [String], index: TextIndex, wanted: Set<SourceID>, listener: SearchListener?
    ) throws -> SegmentOrder {
        guard let listener else { return SegmentOrder(segments, [], []) }
        return SegmentOrder(segments, try index.catalog.parts(), listener.order.filter(wanted.contains))
    }

    /// Returns the answer, when everything is searched or the caller no longer waits for it.
    mutating func run() throws -> TextIndex.Answer {
        try findNearest()
        if let listener { for source in listener.order where !order.has(source) { listener.hear(source, []) } }
        while !isCancelled() {
            let names = order.next(atMost: listener == nil ? .max : Self.mostAtOnce)
            guard !names.isEmpty else { break }
            let found = try search(names)
            let lost = zip(names, found).filter { $1.problem != nil }.map(\.0)
            let now = lost.isEmpty ? [] : try index.catalog.segments().map(\.name)
            // Another program has replaced them meanwhile. Results that were reported already stay.
            guard lost.allSatisfy(now.contains) else {
                places = [:]
                order = try Self.order(now, index: index, wanted: wanted, listener: listener)
                try findNearest()
                continue
            }
            for (name, found) in zip(names, found) { try take(found, of: name) }
        }
        for (source, found) in places { answer.sightings[source] = sightings(found) }
        return answer
    }

    private mutating func findNearest() throws {
        guard let search = matcher.meanings else { return }
        let found = try NearestTexts(
            index: index, wanted: wanted, search: search, minimumScore: minimumScore, isCancelled: isCancelled)
        nearest = found
        answer.withoutVectors = try sources(in: found.unknown)
        for (name, problem) in found.problems {
            answer.problems.append(problem)
            answer.incomplete.formUnion(try sources(in: [name]))
        }
    }

    private func sources(in segments: Set<String>) throws -> Set<SourceID> {
        guard !segments.isEmpty else { return [] }
        return Set(try index.catalog.parts().filter { segments.contains($0.segment) }.map(\.source))
            .intersection(wanted)
    }

    /// A caller that shows recordings as they are found wants the first ones soon.
    private static let mostAtOnce = 2

    /// The matches in one segment.
    private struct Found: Sendable {
        var places: [(source: SourceID, place: FoundStretch)] = []
        /// It could not be read.
        var problem: FramegrepError?
    }

    /// Searches segments side by side.
    private mutating func search(_ names: [String]) throws -> [Found] {
        let begin = firstPart
        firstPart += names.count << 20
        let numbered = names.enumerated().map { (name: $1, firstPart: begin + $0 << 20) }
        return try SideBySide.map(numbered, fewest: 2, atATime: 1) {
            [index, matcher, minimumScore, wanted, isCancelled, nearest] segment in
            guard !isCancelled() else { return Found() }
            do {
                let search = SegmentSearch(
                    segment: try index.segment(segment.name), matcher: matcher, minimumScore: minimumScore,
                    isWanted: wanted.contains, isCancelled: isCancelled, nearest: nearest?[segment.name])
                return Found(places: try search.places(firstPart: segment.firstPart))
            } catch let error as FramegrepError {
                return Found(problem: error)
            }
        }
    }

    private mutating func take(_ found: Found, of name: String) throws {
        for (source, place) in found.places { places[source, default: []].append(place) }
        if let problem = found.problem {
            answer.problems.append(problem)
            answer.incomplete.formUnion(try index.catalog.parts().filter { $0.segment == name }.map(\.source))
        }
        guard !isCancelled() else { return }
        for source in order.whole(after: name) { tell(source) }
    }

    private mutating func tell(_ source: SourceID) {
        guard wanted.remove(source) != nil else { return }
        let found = places.removeValue(forKey: source).map(sightings) ?? []
        if !found.isEmpty { answer.sightings[source] = found }
        listener?.hear(source, found)
    }

    private func sightings(_ places: [FoundStretch]) -> [Sighting] {
        guard matcher.manner.requiresAll else {
            return SightingAssembly.sightings(of: places, keepsBoxes: keepsBoxes)
        }
        var common = CommonTimes(patternCount: matcher.patterns.count)
        for sighting in SightingAssembly.sightings(of: places, keepsBoxes: true) { common.add(sighting) }
        return common.cut().map { sighting in
            var sighting = sighting
            if !keepsBoxes { sighting.boxes = [] }
            return sighting
        }
    }
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

/// Hears of recordings while a search goes on. Called on the thread that searches.
public struct SearchListener {
    let order: [SourceID]
    let hear: (SourceID, [Sighting]) -> Void

    /// - Parameters:
    ///   - order: the recordings that it asks for, those that are wanted first at the beginning.
    ///   - hear: given each of them once, when all that was read of it is searched, with what was found, which may be nothing. Not
    ///     in the order above: a recording is whole when the last segment that has some of it is searched.
    public init(order: [SourceID], hear: @escaping (SourceID, [Sighting]) -> Void) {
        (self.order, self.hear) = (order, hear)
    }
}
