import Spotter
import Testing
import TextSpotting

@testable import framegrep

/// A search keeps no result that is not needed any more; otherwise a recording of hours would fill the memory.
@Suite struct InputResultsTests {
    private func kept(_ results: InputResults) -> [Sighting] {
        let boxes = (0..<50).map { index in
            let time = FrameTime(
                index: index, start: StreamTime(seconds: Double(index)), duration: StreamTime(seconds: 1))
            return Sighting.Box(time: time, quad: Quad(Rect(x: 1, y: 2, width: 3, height: 4)))
        }
        for id in 1...100 {
            let sighting = Sighting(
                id: id, patternIndex: 0, pattern: "GATE", text: "GATE", line: "GATE 12", start: .zero,
                end: StreamTime(seconds: 50), score: 0.9, peak: boxes[0], boxes: boxes)
            #expect(!results.take(.sighting(sighting)))
        }
        return results.sightings
    }

    @Test func onlyWhatIsNeededIsKept() {
        #expect(kept(InputResults(isStill: false, maximumLines: nil, keeping: .none)).isEmpty)
        let all = kept(InputResults(isStill: false, maximumLines: nil, keeping: .all))
        #expect(all.count == 100 && all.allSatisfy { $0.boxes.count == 50 })
        let times = kept(InputResults(isStill: false, maximumLines: nil, keeping: .times))
        #expect(times.count == 100 && times.allSatisfy { $0.boxes.isEmpty && $0.line.isEmpty })
        #expect(times.map(\.start) == all.map(\.start) && times.map(\.end) == all.map(\.end))
        // A still picture is read several times, and earlier results do not count again.
        #expect(kept(InputResults(isStill: true, maximumLines: nil, keeping: .none)).count == 100)
    }
}
