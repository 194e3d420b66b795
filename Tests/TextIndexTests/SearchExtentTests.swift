import Foundation
import Synchronization
import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// The first results come first and are the same as in the complete answer.
@Suite struct SearchExtentTests {
    /// An index of random recordings: in several parts and segments, with words that appear before their lines are
    /// read, lines that are read again, lines side by side, and lines that divide a phrase.
    private final class RandomIndex {
        let folder = IndexTestFolder()
        let index: TextIndex
        private var random: SeededGenerator
        private static let words = [
            "EXIT", "GATE", "EX1T", "exits", "door", "GATE 12", "12:30", "no", "EXIT GATE", "gates",
        ]

        init(seed: UInt64, recordings: Int, parts: Int, lines: Int, mergesSmall: Bool) throws {
            random = SeededGenerator(seed: seed)
            index = try TextIndex.forWriting(try folder.folder())
            for number in (0..<recordings).shuffled(using: &random) {
                let source = Lines.source("recording \(number)")
                var from = 0.0
                for _ in 0..<Int.random(in: 1...parts, using: &random) {
                    let part = part(from: from, lines: Int.random(in: 0...lines, using: &random))
                    _ = try index.add(part, of: source, inPlaceOf: nil)
                    from = part.to.seconds
                }
            }
            if mergesSmall { try index.mergeSmall() }
        }

        private func part(from: Double, lines: Int) -> RecordedPart {
            let steps = 2 * lines + 2
            let recorded = (0..<lines).map { _ in line(from: from, steps: steps) }
            let nanoseconds = Int64(from * 1e9)
            let span = Int64(steps) * 500_000_000
            return RecordedPart(
                from: StreamTime(nanoseconds: nanoseconds), to: StreamTime(nanoseconds: nanoseconds + span),
                frames: FrameTimes(runs: [.init(start: nanoseconds, count: 2 * steps, span: span)]),
                steps: (0..<steps).map { 2 * $0 }, lines: recorded)
        }

        /// A line that is read half a second apart, and whose words may have appeared long before.
        private func line(from: Double, steps: Int) -> RecordedLine {
            let texts = (0...Int.random(in: 0...2, using: &random)).map { _ in Self.words.randomElement(using: &random)!
            }
            let first = Int.random(in: 0..<steps - 1, using: &random)
            let last = min(steps, first + Int.random(in: 1...4, using: &random))
            let y = 40 + 30 * Double(Int.random(in: 0...3, using: &random))
            let line = Lines.line(
                texts.joined(separator: " "), y: y, withEvidence: Int.random(in: 0...3, using: &random) > 0)
            let read = from + 0.5 * Double(first)
            let words = line.words.map { _ -> RecordedLine.Presence in
                let early = Int.random(in: 0...3, using: &random) == 0 ? Double.random(in: 0...20, using: &random) : 0.2
                let start = max(from, read - early)
                let end = from + 0.5 * Double(last) + Double.random(in: -0.4...3, using: &random)
                return .init(
                    id: Int.random(in: 1...1_000_000, using: &random), start: StreamTime(seconds: start),
                    end: StreamTime(seconds: max(start, end)))
            }
            return RecordedLine(line: line, steps: first..<last, words: words)
        }

        func query(_ patterns: [String], _ mode: SearchMode = SearchMode(), few: Int) throws -> SegmentQuery {
            var query = SegmentQuery(try mode.matcher(for: patterns), minimumScore: 0.3, isCancelled: { false })
            (query.few, query.fewWhereRare) = (
                few, few == 0 ? [0, 100, 10_000].randomElement(using: &random)! : 10_000
            )
            return query
        }
    }

    private static let questions: [(patterns: [String], mode: SearchMode)] = [
        (["EXIT"], SearchMode()), (["gate"], SearchMode()), (["EXIT", "door"], SearchMode()),
        (["EXIT GATE"], SearchMode()),
        (["EXIT", "GATE"], SearchMode(requiresAll: true)), ([":time"], SearchMode()), (["no"], SearchMode()),
        (["EX.T"], SearchMode(kind: .expression)), (["nothing"], SearchMode()),
    ]

    private func index(_ seed: UInt64) throws -> RandomIndex {
        try RandomIndex(
            seed: seed, recordings: 1 + Int(seed % 5), parts: 1 + Int(seed % 4), lines: seed % 3 == 0 ? 300 : 40,
            mergesSmall: seed % 2 == 0)
    }

    /// The reported pieces make up the answer, in order.
    @Test(arguments: 0..<12) func whatIsToldFirstIsTheAnswer(seed: UInt64) throws {
        let random = try index(seed)
        let order = try random.index.sources().map(\.id)
        for (number, question) in Self.questions.enumerated() {
            let few = number.isMultiple(of: 2) ? 0 : 1_500
            let query = try random.query(question.patterns, question.mode, few: few)
            let whole = try random.index.search(query)
            let total = whole.sightings.values.reduce(0) { $0 + $1.count }
            for enough in [0, 1, 5, max(1, total / 2), total + 1] {
                var told: [SourceID: [Sighting]] = [:]
                var over: [SourceID] = []
                let listener = SearchListener(order: order, enough: enough) { source, found, isWhole in
                    #expect(!over.contains(source), "nothing is reported of a recording that is over")
                    told[source, default: []] += found
                    if isWhole { over.append(source) }
                }
                let answer = try random.index.search(query, listener: listener)
                #expect(answer.sightings == whole.sightings.filter { !$0.value.isEmpty })
                #expect(told.filter { !$0.value.isEmpty } == answer.sightings)
                #expect(Set(over) == Set(order))
            }
        }
    }

    /// The sightings that begin first, and whether there is any, agree with the complete answer.
    @Test(arguments: 0..<12) func aPartOfTheAnswerIsAsInTheWhole(seed: UInt64) throws {
        let random = try index(seed)
        for (number, question) in Self.questions.enumerated() {
            let query = try random.query(question.patterns, question.mode, few: number.isMultiple(of: 2) ? 0 : 1_500)
            let whole = try random.index.search(query).sightings.filter { !$0.value.isEmpty }
            for count in [1, 3, 50] {
                let first = try random.index.search(query, extent: .first(count)).sightings
                #expect(
                    first.mapValues { $0.filter { $0.id <= count } }.filter { !$0.value.isEmpty }
                        == whole.mapValues { $0.filter { $0.id <= count } })
            }
            let any = try random.index.search(query, extent: .any).sightings.filter { !$0.value.isEmpty }
            #expect(Set(any.keys) == Set(whole.keys))
            let anywhere = try random.index.search(query, extent: .anywhere).sightings.filter { !$0.value.isEmpty }
            #expect(anywhere.isEmpty == whole.isEmpty)
        }
    }

    /// This includes the place in every frame, and parts with so many lines that they are read again when examined.
    @Test func aLongPartIsSearchedFromItsBeginning() throws {
        let random = try RandomIndex(seed: 77, recordings: 1, parts: 1, lines: 0, mergesSmall: false)
        let texts = (0..<2_600).map { "EXIT \($0)" }
        let source = Lines.source("long")
        _ = try random.index.add(Lines.part(texts.map { Lines.line($0) }), of: source, inPlaceOf: nil)
        let query = try random.query(["EXIT"], few: 1_500)
        let whole = try random.index.search(query, keepsBoxes: true)
        #expect(whole.sightings[source.id]?.count == 2_600)
        let looked = Mutex(0)
        var counting = SegmentQuery(
            query.matcher, minimumScore: 0.3,
            isCancelled: {
                looked.withLock { $0 += 1 }; return false
            })
        counting.few = query.few
        let first = try random.index.search(counting, extent: .first(20), keepsBoxes: true)
        #expect(first.sightings[source.id] == Array(whole.sightings[source.id, default: []].prefix(20)))
        // The closure is called before each line that is examined.
        #expect(looked.withLock { $0 } < 600)
    }

    /// The first results come in the order of the recordings, before later ones are searched.
    @Test func recordingsComeInTheirOrder() throws {
        let random = try RandomIndex(seed: 9, recordings: 0, parts: 1, lines: 0, mergesSmall: false)
        for name in (0..<6).map({ "recording \($0)" }).reversed() {
            let lines = (0..<300).map { Lines.line("EXIT \(name) \($0)") }
            _ = try random.index.add(Lines.part(lines), of: Lines.source(name), inPlaceOf: nil)
        }
        let order = try random.index.sources().map(\.id)
        for few in [0, 1_500] {
            var told: [SourceID] = []
            let listener = SearchListener(order: order, enough: 500) { source, _, _ in
                if told.last != source { told.append(source) }
            }
            _ = try random.index.search(random.query(["EXIT"], few: few), listener: listener)
            #expect(Array(told.prefix(2)) == Array(order.prefix(2)))
            #expect(Set(told) == Set(order) && told.count == order.count)
        }
    }

    /// A caller that has enough ends the search; the results reported until then are valid.
    @Test(arguments: [3, 40, 400]) func aSearchIsCancelled(after calls: Int) throws {
        let random = try RandomIndex(seed: 5, recordings: 4, parts: 3, lines: 300, mergesSmall: true)
        let order = try random.index.sources().map(\.id)
        let whole = try random.index.search(random.query(["EXIT"], few: 0)).sightings
        let asked = Mutex(0)
        var query = SegmentQuery(
            try SearchMode().matcher(for: ["EXIT"]), minimumScore: 0.3,
            isCancelled: {
                asked.withLock {
                    $0 += 1; return $0 > calls
                }
            })
        query.few = 0
        var told: [SourceID: [Sighting]] = [:]
        let listener = SearchListener(order: order, enough: 1_000) { source, found, _ in
            told[source, default: []] += found
        }
        _ = try random.index.search(query, listener: listener)
        for (source, found) in told { #expect(Array(whole[source, default: []].prefix(found.count)) == found) }
        #expect(told.values.reduce(0) { $0 + $1.count } < whole.values.reduce(0) { $0 + $1.count })
        // Lines being examined are abandoned, and those after them are not begun.
        #expect(asked.withLock { $0 } < calls + 1_000)
    }

    /// An unreadable segment is reported, whatever was requested; the others are searched.
    @Test func damageIsToldOf() throws {
        let folder = IndexTestFolder()
        var index = try TextIndex.forWriting(try folder.folder())
        var names: [String] = []
        for name in ["a", "b"] {
            names.append(
                try index.add(
                    Lines.part((0..<40).map { Lines.line("EXIT \($0)") }), of: Lines.source(name), inPlaceOf: nil))
        }
        let sources = try index.sources()
        let path = try folder.folder().segment(names[0])
        index = try #require(try TextIndex.forSearching(try folder.folder()))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        for page in 2..<(Disk.length(ofFile: path) / 4_096) {
            try handle.seek(toOffset: UInt64(page * 4_096 + 2_000))
            try handle.write(contentsOf: Data([0xAA, 0x55, 0xAA]))
        }
        try handle.close()
        let matcher = Matcher(patterns: [try Pattern(text: "EXIT")])
        var told: [SourceID: Int] = [:]
        let listener = SearchListener(order: sources.map(\.id), enough: 10) { source, found, isWhole in
            if isWhole { told[source, default: 0] += found.count }
        }
        let answer = try index.search(for: matcher, minimumScore: 0.3, listener: listener)
        #expect(answer.problems.count == 1 && answer.incomplete == [sources[0].id])
        #expect(answer.sightings[sources[1].id]?.count == 40 && told.keys.count == 2)
        let first = try index.search(for: matcher, minimumScore: 0.3, extent: .first(3))
        #expect(first.problems.count == 1 && first.sightings[sources[1].id]?.count == 3)
    }
}
