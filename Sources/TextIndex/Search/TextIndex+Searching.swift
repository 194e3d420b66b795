public import Errors
import Foundation
public import TextMatching
public import TextSpotting

extension TextIndex {
    /// What a search of the index found.
    public struct Answer: Sendable {
        /// By recording; of those that hold nothing there is no entry.
        public var sightings: [SourceID: [Sighting]] = [:]
        /// Segments that could not be read.
        public var problems: [FramegrepError] = []
        /// Recordings of which some was in these.
        public var incomplete: Set<SourceID> = []
    }

    /// Finds patterns in all that was read.
    ///
    /// - Parameters:
    ///   - sources: which recordings are searched; nil for all.
    ///   - keepsBoxes: with the place in every frame.
    ///   - isCancelled: asked often; the search ends early, with what it has, where it says so.
    /// - Throws: ``FramegrepError`` (`indexDamaged`) where the catalog cannot be read. A segment that cannot is told of in the
    ///   answer.
    public func search(
        for matcher: Matcher, in sources: Set<SourceID>? = nil, minimumScore: Double, keepsBoxes: Bool = false,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> Answer {
        let known = try catalog.sourcesOfParts()
        let wanted = sources.map { known.intersection($0) } ?? known
        var names = try catalog.segments().map(\.name).sorted()
        while true {
            closeSegments(except: Set(names))
            let found = try SideBySide.map(names, fewest: 2, atATime: 1) { [names] name in
                try self.found(
                    in: name, number: names.firstIndex(of: name) ?? 0, matcher, minimumScore, wanted, isCancelled)
            }
            let now = try catalog.segments().map(\.name).sorted()
            // Where one cannot be read, somebody may have put another one in its place meanwhile.
            if now == names || found.allSatisfy({ $0.problem == nil }) || isCancelled() {
                return try answer(of: zip(names, found), matcher, keepsBoxes: keepsBoxes)
            }
            names = now
        }
    }

    /// What one segment holds.
    private struct Found: Sendable {
        var places: [(source: SourceID, place: FoundPlace)] = []
        /// It could not be read.
        var problem: FramegrepError?
    }

    private func found(
        in name: String, number: Int, _ matcher: Matcher, _ minimumScore: Double, _ wanted: Set<SourceID>,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> Found {
        guard !isCancelled() else { return Found() }
        do {
            let search = SegmentSearch(
                segment: try segment(name), matcher: matcher, minimumScore: minimumScore,
                isWanted: wanted.contains, isCancelled: isCancelled)
            return Found(places: try search.places(firstPart: number << 20))
        } catch let error as FramegrepError {
            return Found(problem: error)
        }
    }

    private func answer(
        of segments: some Sequence<(String, Found)>, _ matcher: Matcher, keepsBoxes: Bool
    ) throws -> Answer {
        var answer = Answer()
        var places: [SourceID: [FoundPlace]] = [:]
        for (name, found) in segments {
            for (source, place) in found.places { places[source, default: []].append(place) }
            guard let problem = found.problem else { continue }
            answer.problems.append(problem)
            answer.incomplete.formUnion(try catalog.parts().filter { $0.segment == name }.map(\.source))
        }
        for (source, found) in places {
            answer.sightings[source] = Self.joined(found, matcher, keepsBoxes: keepsBoxes)
        }
        return answer
    }

    private static func joined(_ places: [FoundPlace], _ matcher: Matcher, keepsBoxes: Bool) -> [Sighting] {
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
