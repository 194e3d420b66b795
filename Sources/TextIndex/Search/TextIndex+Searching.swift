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
        var answer = Answer()
        var places: [SourceID: [FoundPlace]] = [:]
        var firstPart = 0
        var left = try Set(catalog.segments().map(\.name))
        closeSegments(except: left)
        var done = Set<String>()
        while let name = left.popFirst(), !isCancelled() {
            done.insert(name)
            do {
                let search = SegmentSearch(
                    segment: try segment(name), matcher: matcher, minimumScore: minimumScore,
                    isWanted: wanted.contains, isCancelled: isCancelled)
                for (source, place) in try search.places(firstPart: firstPart) {
                    places[source, default: []].append(place)
                }
                firstPart += 1 << 20
            } catch let error as FramegrepError {
                let now = try Set(catalog.segments().map(\.name))
                // Somebody has put another one in its place meanwhile.
                guard now.contains(name) else {
                    places = [:]
                    left = now
                    done = []
                    continue
                }
                answer.problems.append(error)
                answer.incomplete.formUnion(try catalog.parts().filter { $0.segment == name }.map(\.source))
            }
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
