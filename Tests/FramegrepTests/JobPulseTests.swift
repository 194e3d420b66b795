import Spotter
import Testing
import TextSpotting

@testable import framegrep

/// The pulse that feeds the service manager's watchdog.
struct JobPulseTests {
    private let begin = ContinuousClock.now

    private func seconds(_ count: Int) -> ContinuousClock.Instant { begin + .seconds(count) }

    private func figures(framesIn: Double, framesRead: Double = 0, unchanged: Int = 0) -> LiveEvent {
        var figures = LiveStatistics()
        (figures.framesIn, figures.framesRead, figures.unchanged) = (framesIn, framesRead, unchanged)
        return .statistics(figures, at: .zero)
    }

    private func isAlive(_ pulse: JobPulse, at count: Int) -> Bool {
        pulse.isAlive(at: seconds(count), patience: .seconds(30))
    }

    /// Returns a job that has been running since the beginning.
    private func running() -> JobPulse {
        var pulse = JobPulse(at: begin)
        pulse.hear(.state(.running, message: ""), at: begin)
        return pulse
    }

    @Test func framesThatAreNotReadAreNoProgress() {
        var pulse = running()
        for second in 1...29 { pulse.hear(figures(framesIn: 15), at: seconds(second)) }
        #expect(isAlive(pulse, at: 29) && !isAlive(pulse, at: 30))
        pulse.hear(figures(framesIn: 15, framesRead: 0.2), at: seconds(31))
        #expect(isAlive(pulse, at: 60) && !isAlive(pulse, at: 61))
    }

    @Test func framesFoundUnchangedAreRead() {
        var pulse = running()
        for second in 1...100 { pulse.hear(figures(framesIn: 15, unchanged: second), at: seconds(second)) }
        #expect(isAlive(pulse, at: 101))
    }

    @Test func aSourceThatIsNotThereIsWaitedFor() {
        var pulse = running()
        for second in 1...100 { pulse.hear(figures(framesIn: 0), at: seconds(second)) }
        #expect(isAlive(pulse, at: 101))
        pulse.hear(.state(.reconnecting, message: ""), at: seconds(101))
        for second in 102...200 { pulse.hear(figures(framesIn: 15), at: seconds(second)) }
        #expect(isAlive(pulse, at: 201))
    }

    @Test func aJobThatReportsNothingStandsStill() {
        #expect(!isAlive(running(), at: 30))
    }

    @Test func loadingTakesItsTimeAndRestingIsNoStandstill() {
        var pulse = JobPulse(at: begin)
        #expect(isAlive(pulse, at: 299) && !isAlive(pulse, at: 300))
        pulse.rest()
        #expect(isAlive(pulse, at: 100_000))
    }
}
