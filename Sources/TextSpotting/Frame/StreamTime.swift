/// A time in a stream, in nanoseconds from its beginning: GStreamer's *stream time*, which is what a player's clock
/// shows (a bare PTS is off where a file has an edit list).
public struct StreamTime: Hashable, Comparable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public init(seconds: Double) {
        let nanoseconds = (seconds * 1e9).rounded()
        self.nanoseconds =
            Int64(exactly: nanoseconds) ?? (nanoseconds.isNaN ? 0 : nanoseconds < 0 ? .min : .max)
    }

    public static let zero = StreamTime(nanoseconds: 0)

    public var seconds: Double { Double(nanoseconds) / 1e9 }

    public static func < (a: StreamTime, b: StreamTime) -> Bool { a.nanoseconds < b.nanoseconds }
    public static func + (a: StreamTime, b: StreamTime) -> StreamTime {
        let (sum, isTooLarge) = a.nanoseconds.addingReportingOverflow(b.nanoseconds)
        return StreamTime(nanoseconds: isTooLarge ? (b.nanoseconds < 0 ? .min : .max) : sum)
    }
    public static func - (a: StreamTime, b: StreamTime) -> StreamTime {
        let (difference, isTooLarge) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
        return StreamTime(nanoseconds: isTooLarge ? (b.nanoseconds < 0 ? .max : .min) : difference)
    }
}
