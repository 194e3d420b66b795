import Errors
import Testing
import TextIndex
import TextSpotting

@testable import Page

/// The results of a search are returned in the order of the recordings, as soon as possible.
@Suite struct FoundSightingsTests {
    private let sources = (0..<3).map { number in
        IndexedSource(
            id: .drawn(), name: "\(number).mp4", manner: "made up", stamp: nil, digest: nil, state: .complete,
            end: StreamTime(seconds: 10))
    }

    private static func sightings(_ count: Int) -> [Sighting] {
        (0..<count).map { number in
            let (start, end) = (StreamTime(seconds: Double(number)), StreamTime(seconds: Double(number + 1)))
            let quad = Quad(Rect(x: 0, y: 0, width: 10, height: 10))
            return Sighting(
                id: number + 1, patternIndex: 0, pattern: "a", text: "a", line: "a", start: start, end: end, score: 1,
                peak: .init(time: FrameTime(index: number, start: start, duration: end - start), quad: quad))
        }
    }

    private func answer(_ sightings: [Int: [Sighting]]) -> SearchAnswer {
        SearchAnswer(
            sources: sources,
            sightings: Dictionary(uniqueKeysWithValues: sightings.map { (sources[$0].id, $1) }), missing: [],
            folder: "index")
    }

    /// Returns the next names and numbers; nil at the end.
    private func next(_ found: FoundSightings) async -> [String]? {
        guard case .sightings(let all) = await found.next() else { return nil }
        return all.map { "\($0.source.name.prefix(1))-\($0.sighting.id)" }
    }

    @Test func theyComeBeforeTheSearchIsOverAndInOrder() async {
        let found = FoundSightings(sources, limit: nil)
        found.hear(sources[0].id, Self.sightings(2), isWhole: true)
        #expect(await next(found) == ["0-1", "0-2"])
        // The recording before it has not been searched yet.
        found.hear(sources[2].id, Self.sightings(1), isWhole: true)
        let later = Task { await next(found) }
        found.hear(sources[1].id, Self.sightings(1), isWhole: true)
        let first = await later.value
        let both = first == ["1-1"] ? (first ?? []) + (await next(found) ?? []) : first
        #expect(both == ["1-1", "2-1"])
        found.finish(.success(answer([:])))
        guard case .end(.success) = await found.next() else {
            Issue.record("There is no end.")
            return
        }
        #expect(await found.next() == nil)
    }

    /// A recording with some known results is waited for before the next one.
    @Test func theyComePieceByPiece() async {
        let found = FoundSightings(sources, limit: nil)
        let all = Self.sightings(4)
        found.hear(sources[1].id, Self.sightings(1), isWhole: true)
        found.hear(sources[0].id, Array(all[..<2]), isWhole: false)
        #expect(await next(found) == ["0-1", "0-2"])
        found.hear(sources[0].id, Array(all[2...]), isWhole: false)
        #expect(await next(found) == ["0-3", "0-4"])
        found.hear(sources[0].id, [], isWhole: true)
        #expect(await next(found) == ["1-1"])
        // Only some results of this recording were reported: the answer has all of them.
        found.hear(sources[2].id, Array(all[..<1]), isWhole: false)
        #expect(await next(found) == ["2-1"])
        found.finish(.success(answer([2: all])))
        #expect(await next(found) == ["2-2", "2-3", "2-4"])
        #expect(await next(found) == nil)
    }

    /// For recordings without reports the results of the answer are used.
    @Test func whatWasNotToldOfIsInTheAnswer() async {
        let found = FoundSightings(sources, limit: nil)
        found.hear(sources[0].id, Self.sightings(1), isWhole: true)
        #expect(await next(found) == ["0-1"])
        found.finish(.success(answer([0: Self.sightings(5), 2: Self.sightings(2)])))
        #expect(await next(found) == ["2-1", "2-2"])
        #expect(await next(found) == nil)
    }

    @Test func noMoreThanAreWanted() async {
        let found = FoundSightings(sources, limit: 250)
        for source in sources { found.hear(source.id, Self.sightings(240), isWhole: true) }
        found.finish(.failure(FramegrepError(.indexDamaged, "It is damaged.")))
        var all: [String] = []
        while let some = await next(found) {
            #expect(some.count <= 200)
            all += some
        }
        #expect(all.count == 250 && all.last == "1-10" && Set(all).count == 250)
    }

    @Test func whoGivesUpWaitsNoMore() async {
        let found = FoundSightings(sources, limit: nil)
        let waiting = Task { await found.next() == nil }
        waiting.cancel()
        #expect(await waiting.value)
    }
}
