import TextMatching
import TextSpotting

/// Looks up the readings in which a pattern may continue from one line to another: those at which a line with one of
/// its words begins while another line has another word.
struct RunningSteps {
    private let segment: SegmentFile
    private let query: SegmentQuery

    init(_ segment: SegmentFile, _ query: SegmentQuery) { (self.segment, self.query) = (segment, query) }

    /// Returns the readings by part; limited in total.
    func steps(
        in parts: [Int: SegmentFile.PartHead], plates: PlateSearch, atMost most: Int
    ) throws -> [Int: [Int]] {
        var steps = Set<[Int]>()
        for pattern in query.matcher.patterns {
            let queries = pattern.candidatesOfParts
            let words = try queries.map { try places(of: try segment.lines(for: $0), parts, atMost: most) }
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
        steps.formUnion(plates.steps)
        for (part, ranges) in try places(of: hyphenatedLines(), parts, atMost: most) {
            for range in ranges { steps.insert([part, range.lowerBound]) }
        }
        let chosen = steps.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }.prefix(most)
        return Dictionary(grouping: chosen) { $0[0] }.mapValues { $0.map { $0[1] } }
    }

    private func hyphenatedLines() throws -> [Int] {
        let mayRun = query.matcher.patterns.filter(\.isText)
        guard !mayRun.isEmpty else { return [] }
        return try segment.textsThatGoOn().filter { _, text in
            mayRun.contains { $0.mayBegin(atEndOf: text) }
        }.map(\.line)
    }

    private func places(
        of lines: [Int], _ parts: [Int: SegmentFile.PartHead], atMost most: Int
    ) throws -> [Int: [Range<Int>]] {
        var result: [Int: [Range<Int>]] = [:]
        let steps = try segment.steps(ofLines: lines) { count in count >= most || query.isCancelled() }
        for (_, part, range) in steps where parts[part] != nil { result[part, default: []].append(range) }
        return result
    }
}

/// Finds the pictures of a segment that may show the two lines of a plate, and the matches of these lines on their own:
/// if they form a plate that is searched for, a match in one of them is only a part of it.
struct PlateSearch: Sendable {
    /// A line that is part of a plate that was found.
    struct Taken: Sendable {
        var pattern: Int
        /// The number of the text.
        var line: Int
        /// The readings that show the plate.
        var steps: Range<Int>
    }

    /// By part, the texts that may be one of two lines in view together; empty if no plate is searched for.
    let lines: [Int: Set<Int>]
    /// The parts and the readings in which two such texts are in view together: the first and the last for each pair.
    let steps: Set<[Int]>
    private let segment: SegmentFile
    private let query: SegmentQuery

    /// - Parameter parts: the parts that are searched.
    init(_ segment: SegmentFile, _ query: SegmentQuery, _ parts: [Int: SegmentFile.PartHead]) throws {
        (self.segment, self.query) = (segment, query)
        guard !parts.isEmpty, query.matcher.patterns.contains(where: \.mayBePlate) else {
            (lines, steps) = ([:], [])
            return
        }
        let places = try segment.steps(ofLines: try segment.linesInPlates()) { _ in query.isCancelled() }
        var (lines, steps) = ([Int: Set<Int>](), Set<[Int]>())
        for (part, places) in Dictionary(grouping: places.filter { parts[$0.part] != nil }, by: \.part) {
            var inView: [(line: Int, part: Int, steps: Range<Int>)] = []
            for place in places.sorted(by: { $0.steps.lowerBound < $1.steps.lowerBound }) {
                let first = place.steps.lowerBound
                inView.removeAll { $0.steps.upperBound <= first }
                for other in inView {
                    let last = min(place.steps.upperBound, other.steps.upperBound) - 1
                    steps.formUnion([[part, first], [part, last]])
                    lines[part, default: []].formUnion([place.line, other.line])
                }
                inView.append(place)
            }
        }
        (self.lines, self.steps) = (lines, steps)
    }

    /// Returns matches in single lines of a part for patterns that may be plates, in the readings in which the line is
    /// not part of a plate.
    func alone(inPart number: Int, _ part: SegmentFile.Part, besides taken: [Taken]) throws -> [LineMatch] {
        guard let lines = lines[number] else { return [] }
        return try segment.candidates(ofLines: lines.sorted()).filter { $0.part == number }.flatMap { candidate in
            try LineMatch.all(in: candidate, query.words, query.minimumScore).flatMap { found -> [LineMatch] in
                guard query.matcher.patterns[found.match.patternIndex].mayBePlate else { return [] }
                let own = taken.filter { $0.line == candidate.line && $0.pattern == found.match.patternIndex }
                return candidate.steps.without(own.map(\.steps)).map { found.within($0, of: part) }
            }
        }
    }
}

extension Range<Int> {
    /// Returns the range without others, in pieces.
    fileprivate func without(_ others: [Range<Int>]) -> [Range<Int>] {
        others.reduce([self]) { left, other in
            left.flatMap { piece in
                [
                    piece.lowerBound..<Swift.max(piece.lowerBound, Swift.min(piece.upperBound, other.lowerBound)),
                    Swift.min(piece.upperBound, Swift.max(piece.lowerBound, other.upperBound))..<piece.upperBound,
                ].filter { !$0.isEmpty }
            }
        }
    }
}
