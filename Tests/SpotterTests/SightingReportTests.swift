import Dispatch
import Synchronization
import Testing
import Threads

@testable import Spotter
@testable import TextSpotting

@Suite struct SightingReportTests {
    private let sighting = Sighting(
        id: 3, patternIndex: 0, pattern: "GATE", text: "GATE", line: "GATE", start: .zero,
        end: StreamTime(seconds: 1), score: 0.9,
        peak: Sighting.Box(
            time: FrameTime(index: 0, start: .zero, duration: .zero), quad: Quad(Rect(x: 1, y: 2, width: 3, height: 4))),
        boxes: [])

    /// Returns the events that are reported while `body` runs.
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

    /// The display draws a box at the moment at which the reader finds it to be over: in either order, each listener
    /// gets `appeared` before `disappeared`.
    @Test func eventsHaveOneOrderWhateverTheThreads() async throws {
        let told = Mutex<[[String]]>([[], []])
        let listeners = [0, 1].map { number in
            EventListener { event in
                told.withLock { told in
                    switch event {
                    case .appeared(let sighting, _, _): told[number].append("+\(sighting.id)")
                    case .disappeared(let sighting, _): told[number].append("-\(sighting.id)")
                    default: break
                    }
                }
            }
        }
        let sightings = SightingReport(LiveReport(listeners), LiveMeasurements(), isShown: true, tellsBoxes: false)
        let rounds = 4000
        let turns = (0..<2).map { _ in DispatchSemaphore(value: 0) }
        let done = DispatchSemaphore(value: 0)
        for (index, turn) in turns.enumerated() {
            try DedicatedThread.start(named: "teller \(index)") {
                for id in 1...rounds {
                    turn.wait()
                    var sighting = sighting
                    sighting.id = id
                    if index == 0 {
                        sightings.drew([box(id)], at: .zero) { $0 }
                    } else {
                        sightings.disappeared(sighting)
                    }
                    done.signal()
                }
            }
        }
        try await DedicatedThread.run(named: "starter") {
            for id in 1...rounds {
                var sighting = sighting
                sighting.id = id
                sightings.appeared(sighting, arrival: .now)
                turns.forEach { $0.signal() }
                for _ in turns { done.wait() }
            }
        }
        let expected = (1...rounds).flatMap { ["+\($0)", "-\($0)"] }
        #expect(told.withLock { $0 } == [expected, expected])
    }

    /// An event that a listener reports comes after the one that it received, and ends nothing.
    @Test func aListenerMayTellSomething() {
        let told = Mutex<[String]>([])
        let report = LiveReport()
        report.begin([
            EventListener { event in
                guard case .snapshot(let path, _) = event else { return }
                if path == "a" { report.tell(.snapshot(path: "b", at: .zero)) }
                told.withLock { $0.append(path) }
            },
            EventListener { event in
                if case .snapshot(let path, _) = event { told.withLock { $0.append(path) } }
            },
        ])
        report.tell(.snapshot(path: "a", at: .zero))
        #expect(told.withLock { $0 } == ["a", "a", "b", "b"])
        report.close()
    }
}
