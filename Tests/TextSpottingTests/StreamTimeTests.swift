import Testing
import TextSpotting

@Suite struct StreamTimeTests {
    private let last = StreamTime(nanoseconds: .max)
    private let first = StreamTime(nanoseconds: .min)
    private let second = StreamTime(seconds: 1)

    /// Times and lengths of time come from streams and from people: none of them is too large to be reckoned with.
    @Test func whatIsTooLargeIsTheLargest() {
        #expect(last + second == last && last + last == last && last - first == last)
        #expect(first - second == first && first + first == first && first - last == first)
        #expect(last - second < last && (last - second) + second == last)
        #expect(StreamTime(seconds: .infinity) == last && StreamTime(seconds: -1e300) == first)
        #expect(StreamTime(seconds: .nan) == .zero)
        #expect(StreamTime(seconds: 1e9).nanoseconds == 1_000_000_000_000_000_000)
    }

    @Test func theLargestCanBeShown() {
        #expect(ClockTime.text(last).hasSuffix(".854") && ClockTime.short(last).hasPrefix("2562047:"))
    }
}
