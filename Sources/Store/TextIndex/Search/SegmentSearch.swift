import TextMatching
import TextSpotting

/// The patterns and limits of a search, as applied to each segment.
struct SegmentQuery: Sendable {
    let matcher: Matcher
    /// The same patterns without those that are searched by meaning.
    let words: Matcher
    let minimumScore: Double
    /// Called now and then; if it returns true, the search ends early.
    let isCancelled: @Sendable () -> Bool
    /// If at most this many lines of a segment may match, all are read at once (``OrderedSegment``); the second number
    /// is for searches in which few of them did.
    var few = 1_500
    var fewWhereRare = 10_000

    init(_ matcher: Matcher, minimumScore: Double, isCancelled: @escaping @Sendable () -> Bool) {
        (self.matcher, words, self.minimumScore) = (matcher, matcher.withoutMeanings, minimumScore)
        self.isCancelled = isCancelled
    }
}

/// Finds patterns in one segment: looks up the lines that may match, and lets the matcher decide from the stored
/// evidence. All of it is done at once, or part by part if the first results must come first (``RecordingPass``).
struct SegmentSearch: Sendable {
    let name: String
    let segment: SegmentFile
    let query: SegmentQuery
    /// The parts of recordings that are searched.
    let parts: [Int: SegmentFile.PartHead]
    /// The number of the segment's first part among all parts that are searched.
    let firstPart: Int
    /// The texts that may match one of the patterns, in order.
    let lines: [Int]
    /// The segment's texts that are nearest to the questions.
    private let nearest: NearestTexts.InSegment?
    /// The readings in which a pattern may continue from one line to another, by part.
    private let running: [Int: [Int]]
    /// The lines that match a question on their own, by part.
    private let meant: [Int: [LineMatch]]
    private let clocks: ClockSearch
    private let partsWithClock: Set<Int>
    private let plates: PlateSearch

    /// The largest number of pictures that are searched for phrases over several lines.
    private static let mostRunningSteps = 20_000

    /// Looks up which lines may match.
    ///
    /// - Parameter isWanted: returns whether a recording is searched.
    init(
        _ name: String, _ segment: SegmentFile, _ query: SegmentQuery, firstPart: Int,
        nearest: NearestTexts.InSegment?, isWanted: (SourceID) -> Bool
    ) throws {
        self.name = name
        let parts = try segment.heads().filter { isWanted($0.value.source) }
        (self.segment, self.query, self.firstPart, self.nearest) = (segment, query, firstPart, nearest)
        self.parts = parts
        clocks = ClockSearch(query.matcher.patterns)
        partsWithClock = clocks.isEmpty ? [] : Set(try segment.partsWithClock().filter { parts[$0] != nil })
        lines = parts.isEmpty ? [] : try Self.candidates(segment, query.matcher)
        plates = try PlateSearch(segment, query, parts)
        running =
            parts.isEmpty
            ? [:]
            : try RunningSteps(segment, query).steps(in: parts, plates: plates, atMost: Self.mostRunningSteps)
        meant = try nearest.map { try Self.meant($0, segment, query, parts) } ?? [:]
    }

    /// Returns the texts that may match one of the patterns.
    private static func candidates(_ segment: SegmentFile, _ matcher: Matcher) throws -> [Int] {
        let queries = Set(matcher.patterns.filter { $0.question == nil }.map(\.candidates))
        if let only = queries.first, queries.count == 1 { return try segment.lines(for: only) }
        var lines = Set<Int>()
        for query in queries { lines.formUnion(try segment.lines(for: query)) }
        return lines.sorted()
    }

    // MARK: All at once

    /// Returns everything found in the parts of some recordings.
    ///
    /// - Parameter read: all lines that may match, if they were already read.
    func places(
        _ isWanted: (SourceID) -> Bool, read: [SegmentFile.Candidate]? = nil
    ) throws -> [(source: SourceID, place: FoundStretch)] {
        let wanted = parts.filter { isWanted($0.value.source) }
        guard !wanted.isEmpty else { return [] }
        var matches: [LineMatch] = []
        if let read {
            matches = try SideBySide.map(read.filter { wanted[$0.part] != nil }, fewest: 12, atATime: 32, judge)
                .flatMap(\.self)
        } else {
            try judge(lines) { candidates in
                candidates.filter { wanted[$0.part] != nil }
            } found: {
                matches += $0
            }
        }
        let numbers = wanted.keys.sorted()
        matches += numbers.flatMap { meant[$0] ?? [] }
        let rest = numbers.filter(hasMore)
        let known = try segment.parts(Set(matches.map(\.part)).union(rest))
        var found = matches.compactMap { match in
            known[match.part].flatMap { part in stretch(match, part).map { (part.source, $0) } }
        }
        for number in rest {
            guard let part = known[number] else { continue }
            found += try more(inPart: number, part).map { (part.source, $0) }
        }
        return found
    }

    /// Judges the places of these lines; some are read while earlier ones are judged.
    private func judge(
        _ lines: [Int], _ chosen: @escaping @Sendable ([SegmentFile.Candidate]) -> [SegmentFile.Candidate],
        found: ([LineMatch]) -> Void
    ) throws {
        let pieces = stride(from: 0, to: lines.count, by: Self.atATime).map {
            lines[$0..<min(lines.count, $0 + Self.atATime)]
        }
        guard let first = pieces.first else { return }
        var next = chosen(try segment.candidates(ofLines: first))
        for number in pieces.indices where !query.isCancelled() {
            let following = pieces.indices.contains(number + 1) ? pieces[number + 1] : []
            let (matches, read) = try SideBySide.map(
                next,
                beside: { [segment] in
                    following.isEmpty ? [] : chosen(try segment.candidates(ofLines: following))
                }, judge)
            found(matches.flatMap(\.self))
            next = read
        }
    }

    /// The number of lines that are read and judged between two checks for cancellation.
    private static let atATime = 1_024

    // MARK: Part by part

    /// Returns whether a part may have matches other than those in single lines.
    func hasMore(_ part: Int) -> Bool {
        running[part] != nil || partsWithClock.contains(part) || plates.lines[part] != nil
            || nearest?.blocks.contains { $0.part == part } ?? false
    }

    /// Returns the lines in the part that match a question.
    func meant(inPart part: Int) -> [LineMatch] { meant[part] ?? [] }

    /// Matches in a part beyond those in single lines.
    func more(inPart number: Int, _ part: SegmentFile.Part) throws -> [FoundStretch] {
        guard hasMore(number) else { return [] }
        var taken: [PlateSearch.Taken] = []
        let running = try running(number, part, &taken)
        let alone = try plates.alone(inPart: number, part, besides: taken).compactMap { stretch($0, part) }
        return running + alone + together(number, part)
            + (partsWithClock.contains(number) ? clocks.places(in: part, number: firstPart + number) : [])
    }

    /// Returns the matches in a line, regardless of the lines beside it.
    func judge(_ candidate: SegmentFile.Candidate) throws -> [LineMatch] {
        guard !query.isCancelled() else { return [] }
        let found = try LineMatch.all(in: candidate, query.words, query.minimumScore)
        guard plates.lines[candidate.part]?.contains(candidate.line) ?? false else { return found }
        return found.filter { !query.matcher.patterns[$0.match.patternIndex].mayBePlate }
    }

    /// Returns the time and place of a match.
    func stretch(_ found: LineMatch, _ part: SegmentFile.Part) -> FoundStretch? {
        FoundStretch(
            partNumber: firstPart + found.part, part: part, match: found.match, words: found.words, path: found.path,
            step: found.step)
    }

    // MARK: By meaning

    /// Returns the lines that match a question on their own.
    private static func meant(
        _ nearest: NearestTexts.InSegment, _ segment: SegmentFile, _ query: SegmentQuery,
        _ parts: [Int: SegmentFile.PartHead]
    ) throws -> [Int: [LineMatch]] {
        guard let search = query.matcher.meanings else { return [:] }
        var matches: [LineMatch] = []
        try segment.places(ofLines: nearest.lines.keys.sorted()) { candidates in
            guard !query.isCancelled() else { return false }
            let some = candidates.filter { parts[$0.part] != nil }
            matches += try SideBySide.map(some) { candidate -> [LineMatch] in
                let line = try KeptLine(candidate.data, text: candidate.text)
                return (nearest.lines[candidate.line] ?? []).compactMap { near -> LineMatch? in
                    let place = NearestTexts.Place(candidate, question: near.number)
                    guard !nearest.covered.contains(place),
                        let finding = search.finding(of: near.number, [0], near.closeness)
                    else { return nil }
                    let found = search.match(
                        finding, in: [line.recognized], pattern: query.matcher.patterns[near.number].text)
                    return found.score >= query.minimumScore
                        ? LineMatch(found, candidate, line, isOneOfMany: true) : nil
                }
            }.flatMap(\.self)
            return true
        }
        return Dictionary(grouping: matches, by: \.part)
    }

    /// Returns the lines that match a question together.
    private func together(_ number: Int, _ part: SegmentFile.Part) -> [FoundStretch] {
        guard let nearest, let search = query.matcher.meanings else { return [] }
        var seen = Set<[Int]>()
        return nearest.blocks.compactMap { block in
            guard block.part == number else { return nil }
            let lines = block.lines.map(\.recorded)
            let found = search.match(
                block.finding, in: lines.map(\.line.recognized),
                pattern: query.matcher.patterns[block.finding.number].text)
            guard found.score >= query.minimumScore, let leading = found.parts.first else { return nil }
            let text = found.lines.map { lines[$0].line.text }.joined(separator: " ")
            var match = Match(found, text: text, along: lines[leading.line].line.quad) {
                lines[$0.line].line.words[$0.word]
            }
            match.isOneOfMany = true
            let words = found.parts.map {
                FoundStretch.Word(steps: lines[$0.line].steps, presence: lines[$0.line].words[$0.word])
            }
            guard
                let place = FoundStretch(
                    partNumber: firstPart + number, part: part, match: match, words: words,
                    path: lines[leading.line].path, step: block.step)
            else { return nil }
            return seen.insert(place.corner).inserted ? place : nil
        }
    }

    // MARK: Over lines

    /// Returns matches that continue from one line to the next, in the pictures that show more than one of their words.
    ///
    /// - Parameter taken: receives the lines that are parts of plates.
    private func running(
        _ number: Int, _ part: SegmentFile.Part, _ taken: inout [PlateSearch.Taken]
    ) throws -> [FoundStretch] {
        var found: [FoundStretch] = []
        var seen = Set<[Int]>()
        for step in running[number] ?? [] {
            guard !query.isCancelled(), part.steps.indices.contains(step) else { continue }
            let candidates = try segment.lines(ofPart: number, at: step).map { candidate in
                (
                    text: candidate.line,
                    line: try LineCodec.decode(candidate.data, text: candidate.text).placed(in: part.steps[step])
                )
            }.sorted { a, b in
                let (p, q) = (a.line.line.quad.center, b.line.line.quad.center)
                return (p.y, p.x) < (q.y, q.x)
            }
            let lines = candidates.map(\.line)
            for (match, parts) in query.words.matchesWithParts(in: lines.map(\.line)) {
                var match = match
                let pattern = query.matcher.patterns[match.patternIndex]
                match.isOneOfMany = !pattern.isText
                guard match.score >= query.minimumScore, Set(parts.map(\.line)).count > 1, let leading = parts.first,
                    let place = FoundStretch(
                        partNumber: firstPart + number, part: part, match: match,
                        words: parts.map {
                            .init(steps: lines[$0.line].steps, presence: lines[$0.line].words[$0.word])
                        }, path: lines[leading.line].path, step: step)
                else { continue }
                if pattern.mayBePlate {
                    taken += parts.map {
                        .init(pattern: match.patternIndex, line: candidates[$0.line].text, steps: place.steps)
                    }
                }
                if seen.insert(place.corner).inserted { found.append(place) }
            }
        }
        return found
    }
}

extension FoundStretch {
    /// Identifies a finding that several pictures show.
    fileprivate var corner: [Int] {
        let corner = QuadCodec.quarters(match.quad.topLeft)
        return [match.patternIndex, steps.upperBound, Int(corner.x), Int(corner.y)]
    }
}

/// A match in one line, and the times of its words.
struct LineMatch: Sendable {
    let part: Int
    private(set) var match: Match
    private(set) var words: [FoundStretch.Word]
    private(set) var path: LinePath
    private(set) var step: Int

    static func all(
        in candidate: SegmentFile.Candidate, _ matcher: Matcher, _ minimumScore: Double
    ) throws -> [LineMatch] {
        let line = try KeptLine(candidate.data, text: candidate.text)
        return matcher.matches(in: line.recognized).filter { $0.score >= minimumScore }.map { found in
            LineMatch(found, candidate, line, isOneOfMany: !matcher.patterns[found.patternIndex].isText)
        }
    }

    init(_ found: TextMatch, _ candidate: SegmentFile.Candidate, _ line: KeptLine, isOneOfMany: Bool) {
        var match = Match(found, text: candidate.text, along: line.quad) { line.word($0.word) }
        match.isOneOfMany = isOneOfMany
        (self.match, part) = (match, candidate.part)
        words = found.parts.map { .init(steps: line.steps, presence: line.presences[$0.word]) }
        (path, step) = (line.path, line.steps.lowerBound)
    }

    /// Returns the same match in some of the readings that show the line.
    func within(_ steps: Range<Int>, of part: SegmentFile.Part) -> LineMatch {
        func start(of step: Int) -> StreamTime? {
            part.steps.indices.contains(step) ? part.frames.time(of: part.steps[step])?.start : nil
        }
        var result = self
        for index in words.indices where words[index].steps != steps {
            let presence = words[index].presence
            if steps.lowerBound > words[index].steps.lowerBound, let start = start(of: steps.lowerBound) {
                result.words[index].presence.start = max(presence.start, start)
            }
            if steps.upperBound < words[index].steps.upperBound, let end = start(of: steps.upperBound) {
                result.words[index].presence.end = min(presence.end, end)
            }
            result.words[index].steps = steps
        }
        guard steps.lowerBound != step, part.steps.indices.contains(steps.lowerBound) else { return result }
        let frame = part.steps[steps.lowerBound]
        result.match.quad = path.place(of: match.quad, in: frame)
        result.path.base = path.knot(in: frame)
        result.step = steps.lowerBound
        return result
    }
}

extension RecordedLine {
    func placed(in frame: Int) -> RecordedLine {
        guard !path.knots.isEmpty else { return self }
        var result = self
        result.line.quad = path.place(of: line.quad, in: frame)
        for index in line.words.indices {
            result.line.words[index].quad = path.place(of: line.words[index].quad, in: frame)
        }
        // Its quads are those of that frame now.
        result.path.base = path.knot(in: frame)
        return result
    }
}
