/// A time in a stream, in nanoseconds from its beginning: GStreamer's *stream time*, which is what a player's clock
/// shows (a bare PTS is off if a file has an edit list).
public struct StreamTime: Codable, Hashable, Comparable, Sendable {
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

/// The time at which a frame is on screen, and its position in the order of frames.
public struct FrameTime: Hashable, Sendable {
    /// The number of the frame within its stream, counted from 0.
    public var index: Int
    /// The first moment at which the frame is visible.
    public var start: StreamTime
    /// The time for which the frame is visible; never negative.
    public var duration: StreamTime

    public init(index: Int, start: StreamTime, duration: StreamTime) {
        self.index = index
        self.start = start
        self.duration = duration
    }

    /// The first moment at which the frame is no longer visible.
    public var end: StreamTime { start + duration }

    /// The duration of a frame without one, in a stream without a frame rate: a still picture is shown for a second.
    public static let stillDuration = StreamTime(seconds: 1)
}

extension StreamTime {
    /// Returns the stretches in order, with those that overlap or touch merged into one.
    public static func united(_ stretches: some Sequence<Range<StreamTime>>) -> [Range<StreamTime>] {
        stretches.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { result, next in
            guard let last = result.last, last.upperBound >= next.lowerBound else { return result.append(next) }
            result[result.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
        }
    }
}

extension RandomAccessCollection {
    /// Returns the index at which the prefix of elements that satisfy `isBefore` ends, by binary search. All such
    /// elements must come first.
    @inlinable package func prefixEnd(while isBefore: (Element) -> Bool) -> Index {
        var (low, count) = (startIndex, count)
        while count > 0 {
            let middle = index(low, offsetBy: count / 2)
            if isBefore(self[middle]) {
                low = index(after: middle)
                count -= count / 2 + 1
            } else {
                count /= 2
            }
        }
        return low
    }
}

/// Formats times for users.
public enum ClockTime {
    /// Returns `00:00:12.367`.
    public static func text(_ time: StreamTime) -> String {
        let milliseconds = max(0, (time + StreamTime(nanoseconds: 500_000)).nanoseconds / 1_000_000)
        let (h, m) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let (s, ms) = (milliseconds / 1000 % 60, milliseconds % 1000)
        return "\(padded(h, 2)):\(padded(m, 2)):\(padded(s, 2)).\(padded(ms, 3))"
    }

    /// Returns `1:02:03`, `2:03` or `0:03`.
    public static func short(_ time: StreamTime) -> String {
        let seconds = max(0, time.nanoseconds / 1_000_000_000)
        let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        return h > 0 ? "\(h):\(padded(m, 2)):\(padded(s, 2))" : "\(m):\(padded(s, 2))"
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
