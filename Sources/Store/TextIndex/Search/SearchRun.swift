import Errors
import TextMatching
import TextSpotting
import Threads

/// One search of the index: first the recordings that are shown first, one after the other from their beginnings, then
/// everything else, segment by segment.
struct SearchRun {
    private let index: TextIndex
    private let query: SegmentQuery
    private let extent: SearchExtent
    private let keepsBoxes: Bool
    private let listener: SearchListener?
    /// The recordings that are still to be searched.
    private var wanted: Set<SourceID>
    private var parts: [Catalog.Part] = []
    private var segments = SearchedSegments([], [])
    private var places: [SourceID: [FoundStretch]] = [:]
    private var answer = TextIndex.Answer()
    /// The texts nearest to the questions; nil if there are none.
    private var nearest: NearestTexts?
    /// The number of sightings that were reported.
    private var told = 0
    /// The number of lines that were searched in the recordings that were reported.
    private var lookedAt = 0
    /// The number of recordings in which picking lines from a part had no success.
    private var picked = 0
    /// After this many, few of the lines match, and picking costs more than reading all of them.
    private static let mostPicked = 2

    /// Thrown when another program has replaced some segments.
    private struct Replaced: Error {}
    private var replacements = 0

    init(
        index: TextIndex, wanted: Set<SourceID>, query: SegmentQuery, extent: SearchExtent, keepsBoxes: Bool,
        listener: SearchListener?
    ) {
        (self.index, self.wanted, self.query, self.extent) = (index, wanted, query, extent)
        (self.keepsBoxes, self.listener) = (keepsBoxes, listener)
    }

    /// Returns the answer when everything requested is searched, or when the caller no longer waits for it.
    mutating func run() throws -> TextIndex.Answer {
        try begin()
        if let listener { for source in listener.order where !segments.has(source) { listener.hear(source, [], true) } }
        while !query.isCancelled() {
            do {
                if isOrdered { try searchInOrder() }
                if extent == .all { try searchTheRest() }
                break
            } catch is Replaced {
                // Results that were already reported stay.
                replacements += 1
                try begin()
            }
        }
        for (source, found) in places { answer.sightings[source] = sightings(found) }
        return answer
    }

    private var isOrdered: Bool { listener != nil || extent != .all }
    private var requiresAll: Bool { query.matcher.manner.requiresAll }

    private mutating func begin() throws {
        places = [:]
        let names = try index.catalog.segments().map(\.name)
        let all = try index.catalog.parts()
        parts = all.filter { wanted.contains($0.source) }
        // A search of some recordings opens only the segments with parts of them. A search of everything opens all, and
        // reports damage. If a segment was merged into another one meanwhile, opening it fails and the search begins
        // again.
        let needed = parts.count < all.count ? Set(parts.map(\.segment)) : nil
        segments = SearchedSegments(
            needed.map { $0.sorted() } ?? names, isOrdered ? parts : [], order: listener?.order)
        index.closeSegments(except: Set(names))
        try findNearest()
    }

    private mutating func findNearest() throws {
        guard let search = query.matcher.meanings else { return }
        let found = try NearestTexts(
            index: index, wanted: wanted, search: search, minimumScore: query.minimumScore,
            isCancelled: query.isCancelled)
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

    /// Records segments that could not be read.
    ///
    /// - Throws: ``Replaced`` if that is because one of them no longer exists.
    private mutating func note(_ problems: [SegmentProblem]) throws {
        guard !problems.isEmpty else { return }
        let now = try index.catalog.segments().map(\.name)
        guard replacements >= TextIndex.mostReplacements || problems.allSatisfy({ now.contains($0.segment) }) else {
            throw Replaced()
        }
        let parts = try index.catalog.parts()
        for problem in problems {
            segments.lost.insert(problem.segment)
            answer.problems.append(problem.problem)
            answer.incomplete.formUnion(parts.filter { $0.segment == problem.segment }.map(\.source))
        }
    }

    /// Reports the known sightings of a recording, the first of which were already reported.
    private mutating func tell(_ source: SourceID, _ found: [Sighting], isWhole: Bool) {
        let known = answer.sightings[source]?.count ?? 0
        guard isWhole || found.count > known else { return }
        if found.count > known { answer.sightings[source] = found }
        if isWhole { wanted.remove(source) }
        told += max(0, found.count - known)
        listener?.hear(source, Array(found.dropFirst(known)), isWhole)
    }

    // MARK: In the order in which it is shown

    /// The number of lines that are searched before the first sightings are reported; the largest number before further
    /// ones while there are not enough; and the largest number if all are requested.
    private static let fewestLines = 64
    private static let mostFirst = 256
    private static let mostLines = 2_048

    /// Searches recordings in the requested order, until there are as many sightings as were requested first.
    private mutating func searchInOrder() throws {
        for source in segments.order where wanted.contains(source) {
            guard !query.isCancelled(), told < listener?.enough ?? .max else { return }
            let names = segments.names(of: source)
            try prepare(names)
            let parts = names.compactMap { segments.prepared[$0] }.flatMap { segment in
                segment.parts(of: source).map { RecordingPass.Part(segment: segment, number: $0, from: $1) }
            }
            if names.contains(where: { segments.prepared[$0]?.isPickedOut ?? false }) { picked += 1 }
            var pass = RecordingPass(parts, keepsBoxes: keepsBoxes || requiresAll)
            try search(source, &pass)
            lookedAt += pass.lookedAt
            if extent == .anywhere && !answer.sightings.isEmpty || extent == .all && areMostNeeded { return }
        }
    }

    /// Whether finding as many sightings as were requested first would require reading most lines, so that reading all
    /// at once is faster.
    private var areMostNeeded: Bool {
        guard let listener, lookedAt >= Self.fewestLines, told < listener.enough, !segments.prepared.isEmpty else {
            return false
        }
        let known = segments.prepared.values.reduce(0) { $0 + $1.search.lines.count }
        let all = known * segments.names.count / segments.prepared.count
        let needed = Double(listener.enough - told) * Double(lookedAt) / Double(max(1, told))
        return needed > 0.67 * Double(max(0, all - lookedAt))
    }

    private mutating func search(_ source: SourceID, _ pass: inout RecordingPass) throws {
        var lines = Self.fewestLines
        var known: [Sighting] = []
        while !query.isCancelled() {
            let found = look(at: lines, &pass, &known)
            try note(pass.takeProblems())
            // A recording that was given up may lack some sightings.
            guard !query.isCancelled() else { return }
            if let found { return tell(source, found, isWhole: true) }
            tell(source, known, isWhole: false)
            let isEnough = extent == .all && told >= listener?.enough ?? 0
            lines = min(isEnough ? Self.mostLines : Self.mostFirst, 2 * lines)
        }
    }

    /// Searches some lines of a recording.
    ///
    /// - Parameter known: the sightings that are final.
    /// - Returns: everything requested of the recording, if it is known now.
    private func look(at lines: Int, _ pass: inout RecordingPass, _ known: inout [Sighting]) -> [Sighting]? {
        switch extent {
        case .any where !requiresAll, .anywhere where !requiresAll: return pass.anything()
        case .first(let count) where !requiresAll:
            pass.goOn(lines: lines)
            return pass.first(count)
        default:
            pass.goOn(lines: lines)
            if !requiresAll { known += pass.take() }
            return pass.isOver ? requiresAll ? common(pass.all) : known : nil
        }
    }

    /// Looks up the lines of segments, and of some that are needed next.
    private mutating func prepare(_ names: [String]) throws {
        let areRare = picked >= Self.mostPicked
        let few = areRare ? query.fewWhereRare : query.few
        let missing = names.filter {
            segments.isOpen($0)
                || areRare && segments.prepared[$0].map { $0.isPickedOut && $0.search.lines.count <= few } ?? false
        }
        guard !missing.isEmpty else { return }
        let next = segments.upcoming.filter { segments.isOpen($0) && !missing.contains($0) }
        let some = missing + next.prefix(max(0, Self.mostAtOnce - missing.count))
        let prepared = try SideBySide.map(some, fewest: 2, atATime: 1) { [opening] name in
            Result { () throws(SegmentProblem) in
                try SegmentProblem.told(of: name, opening.index) { try OrderedSegment(opening.segment(name), few: few) }
            }
        }
        for (name, result) in zip(some, prepared) {
            switch result {
            case .success(let segment): segments.prepared[name] = segment
            case .failure(let problem): try note([problem])
            }
        }
    }

    /// Opens segments, several at once.
    private struct Opening: Sendable {
        let index: TextIndex
        let query: SegmentQuery
        let wanted: Set<SourceID>
        let nearest: NearestTexts?
        let segments: SearchedSegments

        func segment(_ name: String) throws -> SegmentSearch {
            try segments.prepared[name]?.search
                ?? SegmentSearch(
                    name, try index.segment(name), query, firstPart: segments.firstPart(of: name),
                    nearest: nearest?[name],
                    isWanted: wanted.contains)
        }
    }

    private var opening: Opening {
        Opening(index: index, query: query, wanted: wanted, nearest: nearest, segments: segments)
    }

    // MARK: Everything else

    /// The number of segments searched at a time: a caller that shows recordings as they are found needs the first ones
    /// soon.
    private static let mostAtOnce = max(2, Processors.usable)

    private mutating func searchTheRest() throws {
        var order = SegmentOrder(
            segments.names, listener == nil ? [] : parts, listener?.order.filter(wanted.contains) ?? [])
        while !query.isCancelled() {
            let names = order.next(atMost: listener == nil ? .max : Self.mostAtOnce)
            guard !names.isEmpty else { break }
            let some = names.filter { !segments.lost.contains($0) }
            let results = try search(some)
            for (name, result) in zip(some, results) {
                segments.prepared[name] = nil
                switch result {
                case .success(let found):
                    for (source, place) in found { places[source, default: []].append(place) }
                case .failure(let problem): try note([problem])
                }
            }
            guard !query.isCancelled() else { return }
            for source in names.flatMap({ order.whole(after: $0) }) where wanted.contains(source) {
                tell(source, places.removeValue(forKey: source).map(sightings) ?? [], isWhole: true)
            }
        }
    }

    /// Searches segments in parallel.
    private func search(
        _ names: [String]
    ) throws -> [Result<[(source: SourceID, place: FoundStretch)], SegmentProblem>] {
        try SideBySide.map(names, fewest: 2, atATime: 1) { [opening] name in
            guard !opening.query.isCancelled() else { return .success([]) }
            return Result { () throws(SegmentProblem) in
                try SegmentProblem.told(of: name, opening.index) {
                    if let known = opening.segments.prepared[name] { return try known.places(opening.wanted.contains) }
                    return try opening.segment(name).places(opening.wanted.contains)
                }
            }
        }
    }

    private func sightings(_ places: [FoundStretch]) -> [Sighting] {
        let sightings = SightingAssembly.sightings(of: places, keepsBoxes: keepsBoxes || requiresAll)
        return requiresAll ? common(sightings) : sightings
    }

    /// Returns the parts of sightings during which all patterns are in view.
    private func common(_ sightings: [Sighting]) -> [Sighting] {
        var common = CommonTimes(patternCount: query.matcher.patterns.count)
        for sighting in sightings { common.add(sighting) }
        return common.cut().map { sighting in
            var sighting = sighting
            if !keepsBoxes { sighting.boxes = [] }
            return sighting
        }
    }
}
