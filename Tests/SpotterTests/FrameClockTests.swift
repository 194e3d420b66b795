import Testing
import TextSpotting

@testable import Spotter

@Suite struct FrameClockTests {
    /// Returns the times at which frames of a tenth of a second begin, in tenths, given the stream's timestamps.
    private func starts(_ own: [Int?], origin: Int = 0) -> [Double] {
        var clock = FrameClock(origin: tenths(origin))
        return own.map { own in
            let time = clock.next(own.map(tenths), duration: tenths(1), until: nil)
            return (time.start.seconds * 10_000).rounded() / 1000
        }
    }

    private func tenths(_ value: Int) -> StreamTime { StreamTime(nanoseconds: Int64(value) * 100_000_000) }

    @Test func timesAreTheStreamsOwn() {
        #expect(starts([0, 1, 2, 50, 51]) == [0, 1, 2, 50, 51])
        #expect(starts([7, 8, 9], origin: 7) == [0, 1, 2])
    }

    @Test func framesWithoutTimesFollow() {
        #expect(starts([nil, nil, nil]) == [0, 1, 2])
        #expect(starts([5, nil, 7]) == [5, 6, 7])
    }

    @Test func afterAJumpBackTimesGoOn() {
        #expect(starts([100, 101, 102, 0, 1, 2, 90, 3, 4]) == [100, 101, 102, 103, 104, 105, 193, 194, 195])
    }

    /// Such a clock gives a frame the same time whatever preceded it, so that reading may begin anywhere.
    @Test func timesAreRegularUntilOneDependsOnAnEarlierFrame() {
        func isRegular(_ own: [Int?], duration: Int? = 1) -> Bool {
            var clock = FrameClock(origin: tenths(1))
            for own in own { _ = clock.next(own.map(tenths), duration: duration.map(tenths), until: nil) }
            return clock.isRegular
        }
        #expect(isRegular([1, 2, 3, 50, 51]))
        for times in [[1, 2, 1], [1, 2, nil], [50, 1, 2, 3], [nil, 2]] { #expect(!isRegular(times)) }
        #expect(!isRegular([1, 2, 3], duration: nil))
    }

    @Test func framesOutOfOrderAddNothing() {
        #expect(starts([0, 2, 1, 3, 5, 4, 6]) == [0, 2, 2, 3, 5, 5, 6])
    }

    @Test func eachBeginsAfterTheOneBefore() {
        var clock = FrameClock()
        let times = [0, 0, 0, 4, 3, 4, 100, 0, 0].map { clock.next(tenths($0), duration: nil, until: nil) }
        for (before, after) in zip(times, times.dropFirst()) { #expect(before.start < after.start) }
        #expect(times.map(\.index) == Array(0..<9))
    }

    @Test func aFrameLastsUntilTheNext() {
        var clock = FrameClock()
        #expect(clock.next(tenths(0), duration: tenths(1), until: tenths(7)).end == tenths(7))
        // The next one jumps back.
        #expect(clock.next(tenths(7), duration: tenths(1), until: tenths(0)).end == tenths(8))
    }

    @Test func aFrameWithoutADurationLastsAsLongAsTheOneBefore() {
        func ends(_ starts: [Int]) -> [StreamTime] {
            var clock = FrameClock()
            return starts.map { clock.next(tenths($0), duration: nil, until: nil).end }
        }
        #expect(ends([0, 1, 2, 4]) == [10, 2, 3, 6].map(tenths))
        // A pause of the stream is no duration.
        #expect(ends([0, 1, 90, 91]) == [10, 2, 100, 92].map(tenths))
        // Out of order.
        #expect(ends([0, 2, 1])[2] == tenths(4) + StreamTime(nanoseconds: 1))
        // The last frame of a recording of few frames.
        var clock = FrameClock()
        _ = clock.next(tenths(0), duration: nil, until: tenths(50))
        #expect(clock.next(tenths(50), duration: nil, until: nil).end == tenths(100))
    }
}
