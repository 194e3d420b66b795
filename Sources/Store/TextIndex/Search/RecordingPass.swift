import TextSpotting

/// Searches one recording from its beginning, and returns sightings as soon as they are final: when nothing that may
/// still be found can change them.
///
/// Later findings begin later: an unread line begins with its words, and an unopened part at its own beginning. So a
/// sighting that was over before any of these is final, and so is its position in the order.
struct RecordingPass {
    /// A part of the recording, in one of the segments.
    struct Part {
        let segment: OrderedSegment
        let number: Int
        let from: StreamTime
    }

    /// A line that waits to be searched.
    private struct Waiting {
        /// The index in ``parts``.
        let part: Int
        let line: OrderedSegment.Line
        /// A time before which nothing found in this line, or in later ones of its part, begins or was read.
        var border: StreamTime
    }

    /// A finding, with its position in the order that a search of all lines would give.
    private struct Found {
        let stretch: FoundStretch
        let rank: Int

        static func isBefore(_ a: Found, _ b: Found) -> Bool {
            if SightingAssembly.isBefore(a.stretch, b.stretch) { return true }
            return a.rank < b.rank && !SightingAssembly.isBefore(b.stretch, a.stretch)
        }
    }

    /// The time by which frames and words may begin before their part.
    private static let slack = StreamTime(nanoseconds: 1_000_000_000)
    private static let never = StreamTime(nanoseconds: .max)

    private let parts: [Part]
    /// The parts that were searched, in order; nil for those that could not be.
    private var opened: [SegmentFile.Part?] = []
    private var waiting: ArraySlice<Waiting> = []
    private var found: [Found] = []
    private var assembly: SightingAssembly
    /// The segments that could not be read, in which nothing more is searched, and those that were not reported yet.
    private var problems: [SegmentProblem] = []
    private var untold: [SegmentProblem] = []

    /// - Parameter parts: the parts of one recording, in any order; parts in which nothing can be found may be missing.
    init(_ parts: [Part], keepsBoxes: Bool) {
        func key(_ part: Part) -> (StreamTime, Int) { (part.from, part.segment.search.firstPart + part.number) }
        self.parts = parts.sorted { key($0) < key($1) }
        assembly = SightingAssembly(keepsBoxes: keepsBoxes)
    }

    /// The number of lines that were searched.
    private(set) var lookedAt = 0

    /// Whether everything was searched.
    var isOver: Bool { opened.count == parts.count && waiting.isEmpty }

    /// Searches some more lines.
    mutating func goOn(lines count: Int) {
        do {
            while waiting.count < count, opened.count < parts.count { try open() }
            let turn = waiting.prefix(count)
            let matches = try judged(turn)
            waiting = waiting.dropFirst(count)
            lookedAt += turn.count
            for (waiting, matches) in zip(turn, matches) {
                for match in matches { add(match, in: waiting.part, rank: 0) }
            }
        } catch {
            note(error)
            waiting = waiting.filter { parts[$0.part].segment.search.name != error.segment }[...]
        }
        settle()
    }

    private mutating func note(_ problem: SegmentProblem) {
        problems.append(problem)
        untold.append(problem)
    }

    /// Returns the segments that could not be read since the previous call.
    mutating func takeProblems() -> [SegmentProblem] {
        defer { untold = [] }
        return untold
    }

    // MARK: Lines

    /// Looks up the lines of the next part.
    private mutating func open() throws(SegmentProblem) {
        let (number, part) = (opened.count, parts[opened.count])
        let search = part.segment.search
        opened.append(nil)
        guard !problems.contains(where: { $0.segment == search.name }) else { return }
        let (own, more, lines) = try SegmentProblem.told(of: search) {
            let own = try search.segment.part(part.number)
            return (own, try search.more(inPart: part.number, own), try part.segment.lines(ofPart: part.number))
        }
        opened[number] = own
        for match in search.meant(inPart: part.number) { add(match, in: number, rank: 1) }
        found += more.map { Found(stretch: $0, rank: 2) }
        var next = lines.map { line in
            let isThere = own.steps.indices.contains(line.place.first)
            let frame = isThere ? own.frames.time(of: own.steps[line.place.first]) : nil
            return Waiting(part: number, line: line, border: min(line.beginning, frame?.start ?? line.beginning))
        }
        for index in next.indices.dropLast().reversed() {
            next[index].border = min(next[index].border, next[index + 1].border)
        }
        waiting += next
    }

    /// Returns the matches in some lines.
    private func judged(_ turn: ArraySlice<Waiting>) throws(SegmentProblem) -> [[LineMatch]] {
        var lines: [(search: SegmentSearch, candidate: SegmentFile.Candidate)] = []
        lines.reserveCapacity(turn.count)
        var rest = turn
        while let first = rest.first {
            let some = rest.prefix { $0.part == first.part }
            rest = rest.dropFirst(some.count)
            let segment = parts[first.part].segment
            let candidates = try SegmentProblem.told(of: segment.search) { try segment.candidates(some.map(\.line)) }
            lines += candidates.map { (segment.search, $0) }
        }
        guard let first = lines.first?.search else { return [] }
        return try SegmentProblem.told(of: first) {
            try SideBySide.map(lines, fewest: 12, atATime: 12) { line in
                try SegmentProblem.told(of: line.search) { try line.search.judge(line.candidate) }
            }
        }
    }

    private mutating func add(_ match: LineMatch, in part: Int, rank: Int) {
        guard let own = opened[part], let stretch = parts[part].segment.search.stretch(match, own) else { return }
        found.append(Found(stretch: stretch, rank: rank))
    }

    // MARK: What is known

    /// A time before which nothing begins that may still be added to the sightings; nil if nothing will be added.
    private var begin: StreamTime? {
        // Findings may still be waiting to be added until everything that was read before them is known.
        border.map { border in found.reduce(border) { min($0, $1.stretch.start) } }
    }

    /// A time before which nothing that may still be found begins or was read; nil if nothing will be found.
    private var border: StreamTime? {
        guard !isOver else { return nil }
        var border = opened.count < parts.count ? parts[opened.count].from - Self.slack : Self.never
        var last: Int?
        for one in waiting where one.part != last {
            // The first line of a part also bounds the later ones; parts may overlap.
            border = min(border, one.border)
            last = one.part
        }
        return border
    }

    /// Joins the findings that nothing can precede any more.
    private mutating func settle() {
        found.sort(by: Found.isBefore)
        let border = border
        let count = border.flatMap { border in found.firstIndex { $0.stretch.readAt.start >= border } } ?? found.count
        for one in found.prefix(count) { assembly.add(one.stretch) }
        found.removeFirst(count)
    }

    /// Returns the final sightings that were not taken yet, in the order of their ends.
    mutating func take() -> [Sighting] { assembly.take(before: begin) }

    /// Returns the sightings that begin first, in the order of their ends; nil until it is known which these are.
    func first(_ count: Int) -> [Sighting]? { assembly.first(count, before: begin) }

    /// All sightings so far; some of them may still change.
    var all: [Sighting] { assembly.all }

    // MARK: Whether there is anything

    /// The number of lines of a part that are searched before all of them.
    private static let atFirst = 48

    /// Searches for any match at all, and returns it; only its existence is significant.
    mutating func anything() -> [Sighting] {
        for part in parts where !part.segment.search.query.isCancelled() {
            let search = part.segment.search
            guard !problems.contains(where: { $0.segment == search.name }) else { continue }
            do {
                guard let some = try SegmentProblem.told(of: search, { try anything(in: part) }) else { continue }
                assembly.add(some)
                return assembly.all
            } catch {
                note(error)
            }
        }
        return []
    }

    private func anything(in part: Part) throws -> FoundStretch? {
        let search = part.segment.search
        let own = try search.segment.part(part.number)
        if let match = search.meant(inPart: part.number).first, let some = search.stretch(match, own) { return some }
        for most in [Self.atFirst, Int.max] {
            let lines = try part.segment.lines(ofPart: part.number, atMost: most)
            let matches = try SideBySide.map(
                try part.segment.candidates(lines), fewest: 12, atATime: 12, search.judge)
            for match in matches.joined() {
                if let some = search.stretch(match, own) { return some }
            }
            guard lines.count == most else { break }
        }
        return try search.more(inPart: part.number, own).first
    }
}

extension SegmentProblem {
    /// Does the same for a segment that is being searched.
    static func told<Value>(of search: SegmentSearch, _ body: () throws -> Value) throws(SegmentProblem) -> Value {
        do { return try body() } catch {
            throw error as? SegmentProblem ?? SegmentProblem(error, in: search.name, path: search.segment.path)
        }
    }
}

/// A segment whose lines that may match are requested part by part.
///
/// If there are few such lines, all are read at once. If there are many, those of a part are picked from all lines of
/// the part, so that nothing is read of parts that the search does not reach.
struct OrderedSegment: Sendable {
    /// If a part has more lines than this, only their places are kept, and they are read again when they are searched.
    private static let mostKept = 1_024

    /// A line that may match.
    struct Line: Sendable {
        let place: SegmentFile.Place
        /// The time at which its words appear.
        let beginning: StreamTime
        /// The line itself, if it is kept.
        let candidate: SegmentFile.Candidate?
    }

    let search: SegmentSearch
    /// The lines by part, if they are few.
    private let read: [Int: [Line]]?
    /// The lines, if they are many.
    private let many: LineSet
    private let parts: [SourceID: [(number: Int, from: StreamTime)]]

    /// - Parameter few: the number of lines up to which all are read at once.
    init(_ search: SegmentSearch, few: Int) throws {
        self.search = search
        let read = search.lines.count <= few ? try Self.read(search) : nil
        self.read = read
        many = LineSet(read == nil ? search.lines : [])
        var parts: [SourceID: [(number: Int, from: StreamTime)]] = [:]
        for (number, head) in search.parts
        where read.map({ $0[number] != nil }) ?? true || search.hasMore(number) || !search.meant(inPart: number).isEmpty
        {
            parts[head.source, default: []].append((number, head.from))
        }
        self.parts = parts
    }

    private static func read(_ search: SegmentSearch) throws -> [Int: [Line]] {
        var read: [Int: [Line]] = [:]
        for candidate in try search.segment.candidates(ofLines: search.lines) where search.parts[candidate.part] != nil
        {
            read[candidate.part, default: []].append(try line(candidate, number: 0))
        }
        // In the order in which they appeared; those that appeared together in the order of the texts.
        return read.mapValues { $0.sorted { $0.place.first < $1.place.first } }
    }

    private static func line(_ candidate: SegmentFile.Candidate, number: Int) throws -> Line {
        let place = SegmentFile.Place(line: candidate.line, number: number, first: candidate.steps.lowerBound)
        return Line(
            place: place, beginning: try KeptLine.beginning(candidate.data, text: candidate.text), candidate: candidate)
    }

    /// Whether its lines are picked from all lines of a part.
    var isPickedOut: Bool { read == nil }

    /// Returns everything found in the parts of some recordings, at once.
    func places(_ isWanted: (SourceID) -> Bool) throws -> [(source: SourceID, place: FoundStretch)] {
        let known = read?.sorted { $0.key < $1.key }.flatMap { $0.value.compactMap(\.candidate) }
        return try search.places(isWanted, read: known)
    }

    /// Returns the parts of a recording that may have matches, and their beginnings.
    func parts(of source: SourceID) -> [(number: Int, from: StreamTime)] { parts[source] ?? [] }

    /// Returns the lines of a part that may match, in the order in which they appeared.
    ///
    /// - Parameter most: the largest number of lines to return.
    func lines(ofPart part: Int, atMost most: Int = .max) throws -> [Line] {
        if let read { return Array((read[part] ?? []).prefix(most)) }
        var places: [SegmentFile.Place] = []
        try search.segment.places(inPart: part) { place in
            if many.contains(place.line) { places.append(place) }
            return places.count < most
        }
        // Those that appeared together are in the order of the texts.
        places.sort { ($0.first, $0.line, $0.number) < ($1.first, $1.line, $1.number) }
        var lines: [Line] = []
        lines.reserveCapacity(places.count)
        for first in stride(from: 0, to: places.count, by: Self.mostKept) {
            guard !search.query.isCancelled() else { break }
            let some = places[first..<min(places.count, first + Self.mostKept)]
            for (place, candidate) in zip(some, try search.segment.candidates(at: some)) {
                let line = try Self.line(candidate, number: place.number)
                lines.append(
                    places.count <= Self.mostKept
                        ? line : Line(place: place, beginning: line.beginning, candidate: nil))
            }
        }
        return lines
    }

    func candidates(_ lines: [Line]) throws -> [SegmentFile.Candidate] {
        guard lines.contains(where: { $0.candidate == nil }) else { return lines.compactMap(\.candidate) }
        return try search.segment.candidates(at: lines.map(\.place))
    }
}

/// A large set of a segment's lines, with one bit for each number.
struct LineSet: Sendable {
    private var bits: [UInt64]

    /// - Parameter lines: the numbers in order.
    init(_ lines: [Int]) {
        bits = [UInt64](repeating: 0, count: lines.last.map { $0 >> 6 + 1 } ?? 0)
        for line in lines { bits[line >> 6] |= 1 << UInt64(line & 63) }
    }

    func contains(_ line: Int) -> Bool {
        bits.indices.contains(line >> 6) && bits[line >> 6] & 1 << UInt64(line & 63) != 0
    }
}
