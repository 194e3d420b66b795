import Errors
import Testing

@testable import Spotter

/// A source that stalls, is lost, returns or ends.
@Suite struct ScheduleLossTests: ScheduleScene {
    private let failure = FramegrepError(.sourceUnavailable, "The server went away.")

    // MARK: Silent, lost, returned

    @Test func theLastPictureOfASilentSourceIsShownAgainFromTimeToTime() {
        var schedule = schedule()
        let stalled = Situation(isRunning: false)
        #expect(schedule.next(at: at(0), stalled) == .takeFrame(within: nil))
        come(1, at: 0, to: &schedule)
        #expect(schedule.next(at: at(0), camera) == .show(1))
        #expect(schedule.next(at: at(100), stalled) == .takeFrame(within: .milliseconds(150)))
        #expect(schedule.next(at: at(260), stalled) == .showAgain(1, after: .milliseconds(260), isFrozen: false))
        #expect(schedule.next(at: at(260), stalled) == .takeFrame(within: .milliseconds(250)))
        #expect(schedule.next(at: at(510), stalled) == .showAgain(1, after: .milliseconds(250), isFrozen: false))
    }

    @Test func whatIsHeldIsShownBeforeASilentSourcesPictureIsRepeated() {
        var schedule = schedule(delay: 0.5)
        let stalled = Situation(isRunning: false)
        come(1, at: 0, to: &schedule)
        come(2, at: 400, to: &schedule)
        #expect(schedule.next(at: at(500), stalled) == .show(1))
        #expect(schedule.next(at: at(800), stalled) == .takeFrame(within: .milliseconds(100)))
        #expect(schedule.next(at: at(900), stalled) == .show(2))
    }

    @Test func aLossForgetsWhatWasHeldAndReadButKeepsThePicture() {
        var schedule = schedule(delay: 0.5)
        come(1, at: 0, to: &schedule)
        come(2, at: 400, to: &schedule)
        #expect(schedule.next(at: at(500), camera) == .show(1))
        #expect(schedule.believes(readingOf: 1))
        schedule.lose()
        #expect(schedule.heldCount == 0 && !schedule.believes(readingOf: 2))
        let lost = Situation(isRunning: false)
        #expect(schedule.next(at: at(750), lost) == .showAgain(1, after: .milliseconds(250), isFrozen: false))
    }

    @Test func aSourceThatIsClosedBecauseTheJobEndsLosesNothingThatIsHeld() {
        var schedule = schedule(delay: 0.5)
        come(1, at: 0, to: &schedule)
        come(2, at: 40, to: &schedule)
        schedule.lose(isStopping: true)
        let stopping = Situation(isRunning: false, isStopping: true)
        #expect(schedule.next(at: at(50), stopping) == .endReading)
        #expect(schedule.next(at: at(50), stopping) == .show(1))
        #expect(schedule.next(at: at(50), stopping) == .show(2))
        #expect(schedule.next(at: at(50), stopping) == .finish)
    }

    @Test func aSourceThatReturnsInAnotherSizeIsShownWithNothingOfBefore() {
        var schedule = schedule(delay: 0.1)
        #expect(schedule.connects(1, at: 0) == false, "the first connection has nothing before it")
        come(Frame(0), at: 0, to: &schedule)
        #expect(schedule.next(at: at(100), camera) == .show(Frame(0)))
        schedule.lose()
        let lost = Situation(isRunning: false)
        #expect(schedule.next(at: at(400), lost) == .showAgain(Frame(0), after: .milliseconds(300), isFrozen: false))
        #expect(schedule.connects(2, at: 7) == true)
        #expect(schedule.connectionNumber == 2)
        #expect(schedule.connects(2, at: 8) == false)
        come(Frame(7, width: 1920), at: 450, of: 2, to: &schedule)
        // Readings under way since before the loss say nothing about the new picture.
        #expect(!schedule.believes(readingOf: 6) && schedule.believes(readingOf: 7))
        #expect(schedule.next(at: at(550), camera) == .show(Frame(7, width: 1920)))
    }

    @Test func framesOfBeforeThatAreStillHeldAreNotShownAfterTheReturn() {
        // The display may learn of the new connection before it learns of the loss.
        var schedule = schedule(delay: 0.5)
        come(1, at: 0, to: &schedule)
        #expect(schedule.connects(2, at: 2) == true)
        come(2, at: 100, of: 2, to: &schedule)
        #expect(schedule.next(at: at(500), camera) == .takeFrame(within: .milliseconds(100)))
        #expect(schedule.next(at: at(600), camera) == .show(2))
    }

    @Test func whoeverFrozeALostPictureSeesTheReturnedOneWhenItMovesAgain() {
        var schedule = schedule()
        let frozen = Situation(isFrozen: true)
        come(1, at: 0, to: &schedule)
        #expect(schedule.next(at: at(0), camera) == .show(1))
        #expect(schedule.next(at: at(10), frozen) == .discardFrames(waiting: .milliseconds(66)))
        schedule.lose()
        #expect(schedule.next(at: at(80), frozen) == .showAgain(1, after: .milliseconds(70), isFrozen: true))
        #expect(schedule.next(at: at(90), camera) == .takeFrame(within: nil))
        #expect(schedule.connects(2, at: 2) == true)
    }

    // MARK: Ending

    @Test func whatIsHeldAtTheEndIsStillShownInItsTime() {
        var schedule = schedule(delay: 0.3)
        come(1, at: 0, to: &schedule)
        come(2, at: 40, to: &schedule)
        schedule.end(failure)
        schedule.end(nil)
        #expect(schedule.next(at: at(50), file) == .endReading)
        #expect(schedule.next(at: at(50), file) == .wait(.milliseconds(250)))
        #expect(schedule.next(at: at(300), file) == .show(1))
        #expect(schedule.next(at: at(300), file) == .wait(.milliseconds(40)))
        #expect(schedule.next(at: at(341), file) == .show(2))
        #expect(schedule.next(at: at(341), file) == .end(failure), "the first end counts")
        #expect(schedule.next(at: at(341), file) == .finish)
    }

    @Test func aFileOfOneFrameEndsWhenItsWindowHasShownIt() {
        var schedule = schedule(hasWindow: true)
        let closed = Situation(isLive: false)
        come(1, at: 0, to: &schedule)
        come(2, at: 0, to: &schedule)
        schedule.end(nil)
        #expect(schedule.next(at: at(0), closed) == .endReading)
        #expect(schedule.next(at: at(0), closed) == .show(1))
        #expect(schedule.next(at: at(0), closed) == .wait(.seconds(2)))
        #expect(schedule.next(at: at(300), file) == .show(2))
        #expect(schedule.next(at: at(300), file) == .end(nil))
    }

    @Test func whoeverStopsGetsAllThatIsHeldAtOnce() {
        var schedule = schedule(delay: 5)
        come(1, at: 0, to: &schedule)
        come(2, at: 40, to: &schedule)
        let stopping = Situation(isFrozen: true, isStopping: true)
        #expect(schedule.next(at: at(50), stopping) == .endReading)
        #expect(schedule.next(at: at(50), stopping) == .show(1))
        #expect(schedule.next(at: at(50), stopping) == .show(2))
        #expect(schedule.next(at: at(50), stopping) == .finish)
    }

    @Test func theReaderIsToldOfTheEndOnce() {
        var schedule = schedule()
        schedule.end(nil)
        #expect(schedule.next(at: at(0), camera) == .endReading)
        #expect(schedule.next(at: at(0), camera) == .end(nil))
        #expect(schedule.next(at: at(0), Situation(isStopping: true)) == .finish)
    }
}
