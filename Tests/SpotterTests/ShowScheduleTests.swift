import Testing
import TextSpotting

@testable import Spotter

/// A source that appears, and is shown at once, later, or not yet.
@Suite struct ShowScheduleTests: ScheduleScene {
    // MARK: Running

    @Test func aFrameIsShownAtOnceAndTheNextIsWaitedForWithoutEnd() {
        var schedule = schedule()
        #expect(schedule.next(at: at(0), camera) == .takeFrame(within: nil))
        come(1, at: 10, to: &schedule)
        #expect(schedule.next(at: at(10), camera) == .show(1))
        #expect(schedule.shownFrame == 1 && schedule.heldCount == 0)
        #expect(schedule.next(at: at(3_600_000), camera) == .takeFrame(within: nil))
    }

    @Test func nothingIsShownWhereNobodySeesIt() {
        var schedule = schedule(isShown: false)
        #expect(schedule.connects(1, at: 0) == false)
        let silent = Situation(isRunning: false, isFrozen: true)
        #expect(schedule.next(at: at(9000), silent) == .takeFrame(within: nil))
        schedule.end(nil)
        #expect(schedule.next(at: at(9001), camera) == .endReading)
        #expect(schedule.next(at: at(9001), camera) == .end(nil))
    }

    // MARK: Held

    @Test func aHeldFrameIsShownAfterTheDelay() {
        var schedule = schedule(delay: 0.3)
        come(1, at: 0, to: &schedule)
        come(2, at: 40, to: &schedule)
        #expect(schedule.next(at: at(50), camera) == .takeFrame(within: .milliseconds(250)))
        #expect(schedule.next(at: at(299), camera) == .takeFrame(within: .milliseconds(1)))
        #expect(schedule.next(at: at(300), camera) == .show(1))
        #expect(schedule.next(at: at(300), camera) == .takeFrame(within: .milliseconds(40)))
        #expect(schedule.next(at: at(340), camera) == .show(2))
    }

    @Test func aFileThatIsFarEnoughAheadIsNotAskedForMore() {
        var schedule = schedule(delay: 0.1)
        // The limit is 0.1 s and a quarter of a second more: nine frames of 40 ms exceed it, eight do not.
        for number in 1...8 {
            come(Frame(number), at: 0, to: &schedule)
            #expect(schedule.next(at: at(0), file) == .takeFrame(within: .milliseconds(100)))
        }
        var far = self.schedule(delay: 0.1)
        for number in 0..<9 {
            _ = far.connects(1, at: number)
            let start = StreamTime(nanoseconds: Int64(number) * 40_000_000)
            far.hold(Frame(number), from: start, to: start + StreamTime(seconds: 0.04), arrivedAt: at(0))
            let isFull = number == 8
            #expect(
                far.next(at: at(0), file)
                    == (isFull ? .wait(.milliseconds(100)) : .takeFrame(within: .milliseconds(100))))
        }
        // A camera's next frame is on its way.
        #expect(far.next(at: at(0), camera) == .takeFrame(within: .milliseconds(100)))
    }

    @Test func whatIsTooMuchMakesTheOldestDue() {
        var schedule = schedule(delay: 10)
        for number in 0..<Schedule.limit { come(Frame(number), at: 0, to: &schedule) }
        #expect(schedule.next(at: at(0), camera) == .takeFrame(within: .seconds(10)))
        come(Frame(Schedule.limit), at: 0, to: &schedule)
        #expect(schedule.next(at: at(0), camera) == .show(0))
        #expect(schedule.heldCount == Schedule.limit)
    }

    @Test func aFileThatIsShownLaterBeginsAfterTheFirstReading() {
        var schedule = schedule(delay: 0.1)
        let unread = Situation(isLive: false, hasWindowShown: true)
        come(1, at: 0, to: &schedule)
        #expect(schedule.next(at: at(40), unread) == .takeFrame(within: .milliseconds(60)))
        #expect(schedule.next(at: at(100), unread) == .takeFrame(within: .milliseconds(2900)))
        var read = schedule
        #expect(read.next(at: at(500), file) == .show(1))
        // A reader that takes more than three seconds is not waited for.
        #expect(schedule.next(at: at(2999), unread) == .takeFrame(within: .milliseconds(1)))
        #expect(schedule.next(at: at(3000), unread) == .show(1))
    }

    @Test func neitherACameraNorAFileThatIsShownAtOnceWaitsForTheReader() {
        var live = schedule(delay: 0.1)
        come(1, at: 0, to: &live)
        #expect(live.next(at: at(100), Situation(hasRead: false)) == .show(1))
        var tracked = schedule()
        come(1, at: 0, to: &tracked)
        #expect(tracked.next(at: at(0), Situation(isLive: false, hasRead: false)) == .show(1))
    }

    // MARK: The window is not open yet

    @Test func aFileWaitsForItsWindow() {
        var schedule = schedule(hasWindow: true)
        let closed = Situation(isLive: false)
        come(1, at: 0, to: &schedule)
        come(2, at: 0, to: &schedule)
        #expect(schedule.next(at: at(0), closed) == .show(1))
        #expect(schedule.next(at: at(10), closed) == .wait(.milliseconds(1990)))
        #expect(schedule.next(at: at(900), file) == .show(2))
        // It is waited for only once.
        come(3, at: 950, to: &schedule)
        #expect(schedule.next(at: at(950), closed) == .show(3))
    }

    @Test func aWindowThatNeverOpensIsGivenUpAfterTwoSeconds() {
        var schedule = schedule(hasWindow: true)
        let closed = Situation(isLive: false)
        come(1, at: 0, to: &schedule)
        come(2, at: 0, to: &schedule)
        #expect(schedule.next(at: at(0), closed) == .show(1))
        #expect(schedule.next(at: at(1999), closed) == .wait(.milliseconds(1)))
        #expect(schedule.next(at: at(2000), closed) == .show(2))
    }

    @Test func aCameraDoesNotWaitForItsWindow() {
        var schedule = schedule(hasWindow: true)
        come(1, at: 0, to: &schedule)
        come(2, at: 0, to: &schedule)
        #expect(schedule.next(at: at(0), camera) == .show(1))
        #expect(schedule.next(at: at(0), camera) == .show(2))
    }

    // MARK: Frozen

    @Test func aFrozenPictureOfACameraIsShownAgainAndWhatComesIsThrownAway() {
        var schedule = schedule(delay: 0.1)
        let frozen = Situation(isFrozen: true)
        come(1, at: 0, to: &schedule)
        come(2, at: 90, to: &schedule)
        #expect(schedule.next(at: at(100), camera) == .show(1))
        #expect(schedule.next(at: at(110), frozen) == .discardFrames(waiting: .milliseconds(66)))
        #expect(schedule.heldCount == 0)
        #expect(schedule.next(at: at(140), frozen) == .discardFrames(waiting: .milliseconds(36)))
        #expect(schedule.next(at: at(180), frozen) == .showAgain(1, after: .milliseconds(70), isFrozen: true))
        #expect(schedule.next(at: at(181), frozen) == .discardFrames(waiting: .milliseconds(65)))
        // It moves again, without catching up.
        #expect(schedule.next(at: at(200), camera) == .takeFrame(within: nil))
        come(9, at: 210, to: &schedule)
        #expect(schedule.next(at: at(310), camera) == .show(9))
    }

    @Test func aFileThatWasFrozenGoesOnWhereItWasAsMuchLaterAsItStoodStill() {
        var schedule = schedule(delay: 0.1)
        var frozen = file
        frozen.isFrozen = true
        come(1, at: 0, to: &schedule)
        come(2, at: 40, to: &schedule)
        #expect(schedule.next(at: at(100), file) == .show(1))
        #expect(schedule.next(at: at(110), frozen) == .wait(.milliseconds(66)))
        #expect(schedule.next(at: at(176), frozen) == .showAgain(1, after: .milliseconds(66), isFrozen: true))
        #expect(schedule.next(at: at(200), file) == .postpone(.milliseconds(24)))
        #expect(schedule.next(at: at(200), file) == .show(2))
    }

    @Test func withoutAFrameThereIsNothingToFreeze() {
        var schedule = schedule()
        let frozen = Situation(isFrozen: true)
        #expect(schedule.next(at: at(0), frozen) == .takeFrame(within: nil))
        come(1, at: 10, to: &schedule)
        #expect(schedule.next(at: at(10), frozen) == .show(1))
        #expect(schedule.next(at: at(10), frozen) == .discardFrames(waiting: .milliseconds(66)))
    }
}
