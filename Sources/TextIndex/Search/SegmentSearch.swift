import TextMatching
import TextSpotting

/// Finds patterns in one segment: looks up which lines may hold them, and has the matcher say which do, on the evidence that
/// was kept.
struct SegmentSearch {
    let segment: SegmentFile
    let matcher: Matcher
    let minimumScore: Double
    /// Recordings to search; nil for all that are in the catalog.
    let isWanted: (SourceID) -> Bool
    /// Asked now and then: the search ends early where it says so.
    let isCancelled: () -> Bool
    /// What of it means what is asked for by its meaning.
    var nearest: NearestTexts.InSegment?
    private var words: Matcher { matcher.withoutMeanings }

    /// More pictures than this are not looked through for phrases that run over lines.
    private static let mostRunningSteps = 20_000

    /// The places, by recording.
    ///
    /// - Parameter firstPart: the number of the segment's first part among all that are searched.
    func places(firstPart: Int) throws -> [(source: SourceID, place: FoundStretch)] {
        let sources = try segment.sourcesOfParts().filter { isWanted($0.value) }
        guard !sources.isEmpty else { return [] }
        var matches: [LineMatch] = []
        let words = words
        try segment.places(ofLines: try candidates()) { candidates in
            guard !isCancelled() else { return false }
            let wanted = candidates.filter { sources[$0.part] != nil }
            matches += try SideBySide.map(wanted) { [minimumScore] candidate in
                try LineMatch.all(in: candidate, words, minimumScore)
            }.flatMap(\.self)
            return true
        }
        matches += try meanings(Set(sources.keys))
        let running = try runningSteps(Set(sources.keys))
        let parts = try segment.parts(Set(matches.map(\.part) + running.map(\.part)))
        let found = matches.compactMap { found -> (SourceID, FoundStretch)? in
            guard let part = parts[found.part] else { return nil }
            return FoundStretch(
                partNumber: firstPart + found.part, part: part, match: found.match, words: found.words,
                path: found.path, step: found.step
            ).map { (part.source, $0) }
        }
        return try found + self.running(running, parts, firstPart) + together(Set(sources.keys), firstPart)
            + clocks(Set(sources.keys), firstPart)
    }

    /// Finds the pattern in what clocks in the pictures showed.
    private func clocks(_ wanted: Set<Int>, _ firstPart: Int) throws -> [(SourceID, FoundStretch)] {
        let search = ClockSearch(matcher.patterns)
        guard !search.isEmpty else { return [] }
        let numbers = try segment.partsWithClock().filter(wanted.contains)
        return try segment.parts(Set(numbers)).flatMap { number, part in
            search.places(in: part, number: firstPart + number).map { (part.source, $0) }
        }
    }

    /// A pattern in one line, and when its words are there.
    private struct LineMatch: Sendable {
        let part: Int
        let match: Match
        let words: [FoundStretch.Word]
        let path: LinePath
        let step: Int

        static func all(
            in candidate: SegmentFile.Candidate, _ matcher: Matcher, _ minimumScore: Double
        ) throws -> [LineMatch] {
            let line = try KeptLine(candidate.data, text: candidate.text)
            return matcher.matches(in: line.recognized).filter { $0.score >= minimumScore }.map { found in
                LineMatch(
                    found, candidate, line, isOneOfMany: !matcher.patterns[found.patternIndex].isText)
            }
        }

        init(_ found: TextMatch, _ candidate: SegmentFile.Candidate, _ line: KeptLine, isOneOfMany: Bool) {
            var match = Match(found, text: candidate.text, along: line.quad) { line.word($0.word) }
            match.isOneOfMany = isOneOfMany
            (self.match, part) = (match, candidate.part)
            words = found.parts.map { .init(steps: line.steps, presence: line.presences[$0.word]) }
            (path, step) = (line.path, line.steps.lowerBound)
        }
    }

    /// The texts that may hold one of the patterns.
    private func candidates() throws -> [Int] {
        var lines = Set<Int>()
        for query in Set(matcher.patterns.filter { $0.question == nil }.map(\.candidates)) {
            lines.formUnion(try segment.lines(for: query))
        }
        return lines.sorted()
    }

    // MARK: By meaning

    /// The lines that mean what is asked for each for itself.
    private func meanings(_ wanted: Set<Int>) throws -> [LineMatch] {
        guard let nearest, let search = matcher.meanings else { return [] }
        var matches: [LineMatch] = []
        try segment.places(ofLines: nearest.lines.keys.sorted()) { candidates in
            guard !isCancelled() else { return false }
            let some = candidates.filter { wanted.contains($0.part) }
            matches += try SideBySide.map(some) { [matcher, minimumScore] candidate -> [LineMatch] in
                let line = try KeptLine(candidate.data, text: candidate.text)
                return (nearest.lines[candidate.line] ?? []).compactMap { near -> LineMatch? in
                    let place = NearestTexts.Place(candidate, question: near.number)
                    guard !nearest.covered.contains(place),
                        let finding = search.finding(of: near.number, [0], near.closeness)
                    else { return nil }
                    let found = search.match(
                        finding, in: [line.recognized], pattern: matcher.patterns[near.number].text)
                    return found.score >= minimumScore ? LineMatch(found, candidate, line, isOneOfMany: true) : nil
                }
            }.flatMap(\.self)
            return true
        }
        return matches
    }

    /// The lines that mean it together.
    private func together(_ wanted: Set<Int>, _ firstPart: Int) throws -> [(SourceID, FoundStretch)] {
        guard let nearest, let search = matcher.meanings else { return [] }
        let parts = try segment.parts(Set(nearest.blocks.map(\.part)).intersection(wanted))
        var seen = Set<[Int]>()
        return nearest.blocks.compactMap { block in
            guard let part = parts[block.part] else { return nil }
            let lines = block.lines.map(\.recorded)
            let found = search.match(
                block.finding, in: lines.map(\.line.recognized), pattern: matcher.patterns[block.finding.number].text)
            guard found.score >= minimumScore, let leading = found.parts.first else { return nil }
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
                    partNumber: firstPart + block.part, part: part, match: match, words: words,
                    path: lines[leading.line].path, step: block.step)
            else { return nil }
            let corner = QuadCodec.quarters(match.quad.topLeft)
            let key = [block.part, match.patternIndex, place.steps.upperBound, Int(corner.x), Int(corner.y)]
            return seen.insert(key).inserted ? (part.source, place) : nil
        }
    }

    // MARK: Over lines

    /// Patterns that run on from one line to the next, in the pictures that show more than one of their words.
    private func running(
        _ steps: [(part: Int, step: Int)], _ parts: [Int: SegmentFile.Part], _ firstPart: Int
    ) throws -> [(SourceID, FoundStretch)] {
        var found: [(SourceID, FoundStretch)] = []
        var seen = Set<[Int]>()
        let words = words
        for (number, step) in steps.prefix(Self.mostRunningSteps) {
            guard !isCancelled(), let part = parts[number], part.steps.indices.contains(step) else { continue }
            let lines = try segment.lines(ofPart: number, at: step).map { candidate in
                try LineCodec.decode(candidate.data, text: candidate.text).placed(in: part.steps[step])
            }.sorted { ($0.line.quad.center.y, $0.line.quad.center.x) < ($1.line.quad.center.y, $1.line.quad.center.x) }
            for (match, parts) in words.matchesWithParts(in: lines.map(\.line)) {
                guard match.score >= minimumScore, Set(parts.map(\.line)).count > 1, let leading = parts.first,
                    let place = FoundStretch(
                        partNumber: firstPart + number, part: part, match: match,
                        words: parts.map {
                            .init(steps: lines[$0.line].steps, presence: lines[$0.line].words[$0.word])
                        }, path: lines[leading.line].path, step: step)
                else { continue }
                let corner = QuadCodec.quarters(match.quad.topLeft)
                let key = [number, match.patternIndex, place.steps.upperBound, Int(corner.x), Int(corner.y)]
                if seen.insert(key).inserted { found.append((part.source, place)) }
            }
        }
        return found
    }

    /// The readings in which a pattern may run over lines: at which a line begins that holds one of its words while another
    /// holds another.
    private func runningSteps(_ parts: Set<Int>) throws -> [(part: Int, step: Int)] {
        var steps = Set<[Int]>()
        for pattern in matcher.patterns {
            let queries = pattern.candidatesOfParts
            let words = try queries.map { try places(of: try segment.lines(for: $0), parts) }
            for (number, own) in words.enumerated() {
                for (other, theirs) in words.enumerated() where other != number {
                    for (part, ranges) in own {
                        for range in ranges {
                            let meets = theirs[part]?.contains { $0.contains(range.lowerBound) } ?? false
                            if meets { steps.insert([part, range.lowerBound]) }
                        }
                    }
                }
            }
        }
        let hyphenated = try hyphenatedLines()
        for (part, ranges) in try places(of: hyphenated, parts) {
            for range in ranges { steps.insert([part, range.lowerBound]) }
        }
        return steps.map { ($0[0], $0[1]) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    }

    private func hyphenatedLines() throws -> [Int] {
        let mayRun = matcher.patterns.filter(\.isText)
        guard !mayRun.isEmpty else { return [] }
        return try segment.textsThatGoOn().filter { _, text in
            mayRun.contains { $0.mayBegin(atEndOf: text) }
        }.map(\.line)
    }

    private func places(of lines: [Int], _ parts: Set<Int>) throws -> [Int: [Range<Int>]] {
        var result: [Int: [Range<Int>]] = [:]
        var count = 0
        try segment.places(ofLines: lines) { candidates in
            for candidate in candidates where parts.contains(candidate.part) {
                result[candidate.part, default: []].append(candidate.steps)
            }
            count += candidates.count
            return count < Self.mostRunningSteps && !isCancelled()
        }
        return result
    }
}

extension RecordedLine {
    /// The line where it is in one frame.
    func placed(in frame: Int) -> RecordedLine {
        guard !path.knots.isEmpty else { return self }
        var result = self
        result.line.quad = path.place(of: line.quad, in: frame)
        for index in line.words.indices {
            result.line.words[index].quad = path.place(of: line.words[index].quad, in: frame)
        }
        // Its quads are those of that frame from now on.
        result.path.base = path.knot(in: frame)
        return result
    }
}
