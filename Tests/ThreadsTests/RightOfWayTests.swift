import Testing

@testable import Threads

@Suite struct RightOfWayTests {
    private let start = ContinuousClock.now
    private let work = Duration.milliseconds(40)

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func whereThePictureIsInTimeNobodyRests() {
        var rule = RestRule()
        #expect(rule.rest(after: work, rested: .zero, at: start) == nil)
        rule.claim(at: start)
        #expect(rule.rest(after: work, rested: .zero, at: after(250)) == nil)
    }

    @Test func aRestIsThreeTimesAsLongAsTheWorkAtMost() {
        var rule = RestRule()
        rule.claim(at: start)
        #expect(rule.rest(after: work, rested: .zero, at: start) == .milliseconds(120))
        #expect(rule.rest(after: work, rested: .milliseconds(100), at: after(100)) == .milliseconds(20))
        #expect(rule.rest(after: work, rested: .milliseconds(120), at: after(120)) == nil)
    }

    @Test func aLongRestIsAskedForAnewWhenFramesMayBeInTimeAgain() {
        var rule = RestRule()
        let reading = Duration.seconds(2)
        rule.claim(at: start)
        #expect(rule.rest(after: reading, rested: .zero, at: after(50)) == .milliseconds(200))
        #expect(rule.rest(after: reading, rested: .milliseconds(200), at: after(250)) == nil)
        rule.claim(at: after(240))
        #expect(rule.rest(after: reading, rested: .milliseconds(200), at: after(250)) == .milliseconds(240))
    }

    @Test(.timeLimit(.minutes(1))) func whoReadsRestsAndGoesOn() {
        let way = RightOfWay()
        let clock = ContinuousClock()
        // Nothing is late: ten seconds of work need no rest.
        #expect(clock.measure { way.rest(after: .seconds(10)) } < .seconds(5))
        way.claim()
        #expect(clock.measure { way.rest(after: .seconds(10)) } >= .milliseconds(100))
        way.claim()
        #expect(clock.measure { way.rest(after: .milliseconds(1)) } < .seconds(5))
    }
}
