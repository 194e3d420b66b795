import Testing
import TextSpotting

@testable import Spotter

/// The parts of a copy that must be searched again after it was encoded once more.
@Suite struct CopySumsTests {
    /// Returns pictures of one level each, ten per second.
    private func sums(_ levels: [UInt8]) -> CopySums {
        CopySums(
            levels.enumerated().map { index, level in
                let tenth = StreamTime(seconds: 0.1)
                let start = StreamTime(nanoseconds: Int64(index) * tenth.nanoseconds)
                return (
                    FrameTime(index: index, start: start, duration: tenth),
                    Picture(format: .luma, width: 8, height: 8, bytes: [UInt8](repeating: level, count: 64))
                )
            })
    }

    @Test func onlyPicturesThatDifferAreSearchedAgain() {
        let before = sums([UInt8](repeating: 100, count: 60))
        #expect(before.differences(from: before) == [])
        // One level of brightness is a difference, however small.
        var levels = [UInt8](repeating: 100, count: 60)
        (levels[20], levels[21], levels[50]) = (101, 99, 0)
        let seconds = sums(levels).differences(from: before)?.map { ($0.lowerBound.seconds, $0.upperBound.seconds) }
        #expect(seconds?.count == 2)
        #expect(seconds?.first.map { $0 == (1.5, 2.7) } ?? false && seconds?.last.map { $0 == (4.5, 5.6) } ?? false)
    }

    @Test func aCopyWithOtherFramesCannotBeCompared() {
        let before = sums([UInt8](repeating: 100, count: 60))
        #expect(sums([UInt8](repeating: 100, count: 59)).differences(from: before) == nil)
        #expect(sums([]).differences(from: sums([])) == [])
    }
}
