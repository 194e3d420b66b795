import Foundation
import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// A search reports recordings as soon as they are searched, in the order in which they are needed.
@Suite struct SegmentOrderTests {
    private let ids = (1...4).map { SourceID(number: $0) }

    private func part(_ source: Int, _ segment: String) -> Catalog.Part {
        Catalog.Part(source: ids[source - 1], segment: segment, from: .zero, to: .zero)
    }

    @Test func whatIsWantedFirstIsSearchedFirst() {
        let parts = [part(1, "c"), part(2, "a"), part(2, "c"), part(3, "b"), part(4, "a")]
        var order = SegmentOrder(["a", "b", "c", "d"], parts, [ids[0], ids[2], ids[1]])
        #expect(order.has(ids[1]) && !order.has(ids[3]))
        #expect(order.next() == ["c"])
        #expect(order.whole(after: "c") == [ids[0]])
        #expect(order.next() == ["b"])
        #expect(order.whole(after: "b") == [ids[2]])
        #expect(order.next() == ["a"])
        #expect(order.whole(after: "a") == [ids[1]])
        // None of it is needed, but damage in it is still reported.
        #expect(order.next(atMost: 3) == ["d"] && order.next().isEmpty)
    }

    @Test func recordingsAreToldOfOnceAndWithWhatWasFound() throws {
        let folder = IndexTestFolder()
        let index = try TextIndex.forWriting(try folder.folder())
        for (name, text) in [("a", "EXIT"), ("b", "none"), ("c", "the exit")] {
            _ = try index.add(Lines.part([Lines.line(text)]), of: Lines.source(name), inPlaceOf: nil)
        }
        let sources = try index.sources().sorted { $0.name < $1.name }
        var told: [(SourceID, Int)] = []
        let nowhere = SourceID(number: 99)
        let listener = SearchListener(order: sources.reversed().map(\.id) + [nowhere]) { source, found, isWhole in
            #expect(isWhole)
            told.append((source, found.count))
        }
        let matcher = Matcher(patterns: [try Pattern(text: "exit")])
        let answer = try index.search(for: matcher, minimumScore: 0.3, listener: listener)
        #expect(told.map(\.0) == [nowhere] + sources.reversed().map(\.id))
        #expect(told.map(\.1) == [0, 1, 0, 1])
        #expect(Set(answer.sightings.keys) == [sources[0].id, sources[2].id])
        #expect(try index.search(for: matcher, minimumScore: 0.3).sightings == answer.sightings)
    }

    /// So in an index of many segments, a search of one day opens only that day's.
    @Test func aSearchOfSomeRecordingsOpensOnlyTheirSegments() throws {
        let folder = IndexTestFolder()
        let index = try TextIndex.forWriting(try folder.folder())
        for name in ["a", "b", "c"] {
            _ = try index.add(Lines.part([Lines.line("EXIT")]), of: Lines.source(name), inPlaceOf: nil)
        }
        let sources = try index.sources().sorted { $0.name < $1.name }
        let segment = try #require(try index.catalog.parts(of: sources[1].id).first?.segment)
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: try folder.folder().segment(segment)))
        let matcher = Matcher(patterns: [try Pattern(text: "exit")])
        func problems(in sources: [IndexedSource]?, _ order: [IndexedSource]?) throws -> Int {
            let listener = order.map { SearchListener(order: $0.map(\.id)) { _, _, _ in } }
            let index = try #require(try TextIndex.forSearching(try folder.folder()))
            return try index.search(
                for: matcher, in: sources.map { Set($0.map(\.id)) }, minimumScore: 0.3, listener: listener
            ).problems.count
        }
        for order in [nil, sources] {
            #expect(try problems(in: [sources[0], sources[2]], order) == 0)
            #expect(try problems(in: [sources[0], sources[1]], order) == 1)
            #expect(try problems(in: nil, order) == 1)
        }
    }
}
