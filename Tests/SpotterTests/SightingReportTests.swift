import Synchronization
import Testing

@testable import Spotter
@testable import TextSpotting

@Suite struct SightingReportTests {
    private let sighting = Sighting(
        id: 3, patternIndex: 0, pattern: "GATE", text: "GATE", line: "GATE", start: .zero,
        end: StreamTime(seconds: 1), score: 0.9,
        peak: Sighting.Box(
            time: FrameTime(index: 0, start: .zero, duration: .zero), quad: Quad(Rect(x: 1, y: 2, width: 3, height: 4))),
        boxes: [])

    /// What is told while `body` runs.
    private func told(isShown: Bool, tellsBoxes: Bool = false, _ body: (SightingReport) -> Void) -> [String] {
        let names = Mutex<[String]>([])
        let report = LiveReport { event in
            names.withLock { names in
                switch event {
                case .appeared(let sighting, _, _): names.append("+\(sighting.id)")
                case .disappeared(let sighting, _): names.append("-\(sighting.id)")
                case .box(let id, _, _): names.append("box \(id)")
                default: names.append("?")
                }
            }
        }
        body(SightingReport(report, LiveMeasurements(), isShown: isShown, tellsBoxes: tellsBoxes))
        return names.withLock { $0 }
    }

    private func box(_ id: Int) -> FollowedBox {
        let match = Match(
            patternIndex: 0, pattern: "GATE", text: "GATE", line: "GATE", quad: sighting.peak.quad, score: 1,
            characterRange: 0..<4)
        return FollowedBox(id: id, match: match, quad: sighting.peak.quad, readAt: .zero, seenAt: .zero)
    }

    @Test func aSightingHasAppearedOnceItsBoxIsDrawn() {
        let names = told(isShown: true) { report in
            report.appeared(sighting, arrival: .now)
            report.drew([box(8)], at: .zero) { $0 }
            #expect(report.count == 1)
            report.drew([box(3)], at: .zero) { $0 }
            report.drew([box(3)], at: .zero) { $0 }
            report.disappeared(sighting)
        }
        #expect(names == ["+3", "-3"])
    }

    @Test func oneThatWasNeverDrawnAppearsBeforeItIsOver() {
        let names = told(isShown: true) { report in
            report.appeared(sighting, arrival: .now)
            report.disappeared(sighting)
        }
        #expect(names == ["+3", "-3"])
    }

    @Test func withoutAPictureItAppearsAtOnce() {
        #expect(told(isShown: false) { $0.appeared(sighting, arrival: .now) } == ["+3"])
    }

    @Test func boxesAreToldWhereTheyAreAskedFor() {
        let names = told(isShown: true, tellsBoxes: true) { report in
            report.appeared(sighting, arrival: .now)
            report.drew([box(3), box(4)], at: .zero) { $0 }
        }
        #expect(names == ["+3", "box 3", "box 4"])
    }
}
