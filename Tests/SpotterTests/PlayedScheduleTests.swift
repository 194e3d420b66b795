import Testing
import TextSpotting

@testable import Spotter

/// A recording that is played: it seeks to other times and stays open at its end.
@Suite struct PlayedScheduleTests {
    private typealias Schedule = ShowSchedule<Int>
    private let begun = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { begun + .milliseconds(milliseconds) }

    private func situation(connection: Int = 1, isFrozen: Bool = false, isAtEnd: Bool = false) -> Schedule.Situation {
        Schedule.Situation(
            isLive: false, isFrozen: isFrozen, hasRead: true, hasWindowShown: true, connection: connection,
            isAtEnd: isAtEnd)
    }

    /// Returns a schedule that has shown frame 1 of the first connection at 0 ms.
    private func played() -> Schedule {
        var schedule = Schedule(Schedule.Settings(staysOpen: true), begun: begun)
        come(1, at: 0, of: 1, to: &schedule)
        #expect(schedule.next(at: at(0), situation()) == .show(1))
        return schedule
    }

    private func come(_ frame: Int, at time: Int, of connection: Int, to schedule: inout Schedule) {
        _ = schedule.connects(connection, at: frame)
        let start = StreamTime(seconds: Double(frame) * 0.04)
        schedule.hold(frame, from: start, to: start + StreamTime(seconds: 0.04), arrivedAt: at(time))
    }

    @Test func atTheEndTheLastPictureStays() {
        var schedule = played()
        let ended = situation(isAtEnd: true)
        #expect(schedule.next(at: at(30), ended) == .wait(.milliseconds(36)))
        #expect(schedule.next(at: at(66), ended) == .showAgain(1, after: .milliseconds(66), isFrozen: false))
        #expect(schedule.next(at: at(70), ended) == .wait(.milliseconds(62)))
        #expect(schedule.next(at: at(71), Schedule.Situation(isLive: false, isStopping: true)) == .endReading)
        #expect(schedule.next(at: at(71), Schedule.Situation(isLive: false, isStopping: true)) == .finish)
    }

    @Test func fromTheEndItGoesElsewhere() {
        var schedule = played()
        _ = schedule.next(at: at(66), situation(isAtEnd: true))
        #expect(schedule.next(at: at(80), situation(connection: 2)) == .takeFrame(within: .milliseconds(236)))
        come(2, at: 90, of: 2, to: &schedule)
        #expect(schedule.next(at: at(90), situation(connection: 2)) == .show(2))
        #expect(schedule.next(at: at(91), situation(connection: 2)) == .takeFrame(within: nil))
    }

    @Test func aPictureThatStandsStillShowsWhereItWent() {
        var schedule = played()
        let frozen = situation(isFrozen: true)
        #expect(schedule.next(at: at(1), frozen) == .wait(.milliseconds(66)))
        let gone = situation(connection: 2, isFrozen: true)
        #expect(schedule.next(at: at(10), gone) == .takeFrame(within: .milliseconds(240)))
        come(2, at: 20, of: 2, to: &schedule)
        #expect(schedule.next(at: at(20), gone) == .show(2))
        #expect(schedule.next(at: at(21), gone) == .wait(.milliseconds(65)), "and stands still again")
        #expect(schedule.next(at: at(86), gone) == .showAgain(2, after: .milliseconds(66), isFrozen: true))
    }

    /// Each redrawing is that much later than the one before it on the window's clock. If they were ahead of the time
    /// that passed, the window would show what follows only when its clock gets there: after a pause of ten seconds,
    /// a jump would be seen ten seconds later.
    @Test(arguments: [10, 200, 1000, 10_000]) func redrawingsOfAPauseAndAJumpAreNotAheadOfTheClock(pause: Int) {
        var schedule = played()
        var (now, shownAt, ahead) = (0, 0, Duration.zero)
        func pass(_ milliseconds: Int, _ situation: Schedule.Situation) {
            for _ in stride(from: 0, to: milliseconds, by: 10) {
                now += 10
                switch schedule.next(at: at(now), situation) {
                case .show: (shownAt, ahead) = (now, .zero)
                case .showAgain(_, let passed, _): ahead += passed
                default: continue
                }
                #expect(ahead <= .milliseconds(now - shownAt), "at \(now) ms")
            }
        }
        for connection in 2...4 {
            pass(pause, situation(connection: connection - 1, isFrozen: true))
            // The first frame after the jump is a while in coming.
            pass(500, situation(connection: connection, isFrozen: true))
            come(connection, at: now, of: connection, to: &schedule)
            pass(10, situation(connection: connection, isFrozen: true))
            #expect(shownAt == now, "the picture of the jump")
        }
        pass(500, situation(connection: 4))
    }

    @Test func framesOfBeforeTheJumpAreNotShown() {
        var schedule = played()
        come(2, at: 10, of: 1, to: &schedule)
        #expect(schedule.next(at: at(11), situation(connection: 2)) == .takeFrame(within: .milliseconds(239)))
        come(7, at: 12, of: 2, to: &schedule)
        #expect(schedule.next(at: at(12), situation(connection: 2)) == .show(7))
    }

    @Test func aWayThatTakesLongKeepsThePictureAlive() {
        var schedule = played()
        #expect(
            schedule.next(at: at(250), situation(connection: 2))
                == .showAgain(1, after: .milliseconds(250), isFrozen: false))
    }
}
