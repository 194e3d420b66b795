import TextSpotting

@testable import Spotter

/// A frame of a schedule: its number, and the width of its picture.
struct ScheduledFrame: Hashable, Sendable, ExpressibleByIntegerLiteral {
    var number: Int
    var width = 640

    init(_ number: Int, width: Int = 640) { (self.number, self.width) = (number, width) }
    init(integerLiteral value: Int) { number = value }
}

/// The common parts of the tests of a schedule that shows a source once.
protocol ScheduleScene {}

extension ScheduleScene {
    typealias Frame = ScheduledFrame
    typealias Schedule = ShowSchedule<ScheduledFrame>
    typealias Situation = Schedule.Situation

    var camera: Situation { Situation() }
    var file: Situation { Situation(isLive: false, hasRead: true, hasWindowShown: true) }

    func at(_ milliseconds: Int) -> ContinuousClock.Instant { scheduleBegin + .milliseconds(milliseconds) }

    func schedule(delay: Double = 0, isShown: Bool = true, hasWindow: Bool = false) -> Schedule {
        Schedule(
            Schedule.Settings(delay: StreamTime(seconds: delay), isShown: isShown, hasWindow: hasWindow),
            begun: scheduleBegin)
    }

    /// Reports a frame that lasts 40 ms, from the connection with this number.
    func come(_ frame: Frame, at time: Int, of connection: Int = 1, to schedule: inout Schedule) {
        _ = schedule.connects(connection, at: frame.number)
        let start = StreamTime(nanoseconds: Int64(time) * 1_000_000)
        schedule.hold(frame, from: start, to: start + StreamTime(seconds: 0.04), arrivedAt: at(time))
    }
}

/// The time at which every schedule of the tests begins.
private let scheduleBegin = ContinuousClock.now
