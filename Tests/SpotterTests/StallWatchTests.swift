import Testing

@testable import Spotter

@Suite struct StallWatchTests {
    private let start = ContinuousClock.now

    /// Checks once a second until it reports a stall, or the time is over; returns the second at which it does.
    private func stalls(_ watch: inout StallWatch, within seconds: Int, working share: Double) -> Int? {
        var work = Duration.zero
        for second in 0...seconds {
            if watch.look(at: start + .seconds(second), work: work) { return second }
            work += .seconds(share)
        }
        return nil
    }

    @Test func aSourceThatLeavesNothingToDoStalls() {
        var watch = StallWatch(patience: .seconds(30))
        #expect(stalls(&watch, within: 100, working: 0.001) == 30)
    }

    @Test func workThatGoesOnIsNoStall() {
        for share in [0.02, 0.5, 8] {
            var watch = StallWatch(patience: .seconds(30))
            #expect(stalls(&watch, within: 299, working: share) == nil)
        }
    }

    @Test func workWithoutEndIsOne() {
        var watch = StallWatch(patience: .seconds(30))
        #expect(stalls(&watch, within: 1000, working: 1) == 300)
    }

    @Test func aPictureBeginsItAnew() {
        var watch = StallWatch(patience: .seconds(30))
        #expect(stalls(&watch, within: 29, working: 0) == nil)
        watch.reset()
        #expect(stalls(&watch, within: 29, working: 0) == nil)
    }

    @Test func aProgramThatWasStoppedHasNotWaited() {
        var watch = StallWatch(patience: .seconds(30))
        let looks = [0, 3600, 3601].map { watch.look(at: start + .seconds($0), work: .zero) }
        #expect(looks == [false, false, false])
    }

    @Test func aThreadThatEndsHasWorked() {
        var watch = StallWatch(patience: .seconds(2))
        let looks = (0..<10).map { watch.look(at: start + .seconds($0), work: .seconds(9 - $0)) }
        #expect(!looks.contains(true))
    }
}
