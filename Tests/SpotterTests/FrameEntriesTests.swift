import Testing
import TextSpotting

@testable import Spotter

/// The entries of a frame are found by its time, as exactly as the index keeps times.
@Suite struct FrameEntriesTests {
    private func time(_ nanoseconds: Int64) -> StreamTime { StreamTime(nanoseconds: nanoseconds) }

    @Test func aTimeThatIsANanosecondOffIsThatOfTheFrame() {
        var entries = FrameEntries<String>()
        // 30 frames a second, as the index has them and as the recording does.
        entries.add("a", at: time(4_999_999_999))
        entries.add("b", at: time(4_999_999_999))
        entries.add("c", at: time(5_033_333_333))
        #expect(entries.all(at: time(5_000_000_000)) == ["a", "b"] && entries.all(at: time(5_033_333_334)) == ["c"])
        #expect(entries.all(at: time(5_000_001_001)).isEmpty && entries.all(at: .zero).isEmpty)
        #expect(entries.take(at: time(5_000_000_000)) == ["a", "b"] && entries.count == 1)
        #expect(entries.take(at: time(5_000_000_000)).isEmpty)
    }

    /// Frames that are out of order follow each other by a nanosecond.
    @Test func theVeryTimeComesFirst() {
        var entries = FrameEntries<Int>()
        for offset in 0..<3 { entries.add(offset, at: time(1_000_000 + Int64(offset))) }
        for offset in 0..<3 { #expect(entries.all(at: time(1_000_000 + Int64(offset))) == [offset]) }
        #expect(entries.all(at: time(999_800)) == [0] && entries.take(at: time(1_000_900)) == [2])
        #expect(entries.all(at: time(1_000_900)) == [1])
    }
}
