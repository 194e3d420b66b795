/// Times as a user reads them.
public enum ClockTime {
    /// `00:00:12.367`.
    public static func text(_ time: StreamTime) -> String {
        let milliseconds = max(0, (time + StreamTime(nanoseconds: 500_000)).nanoseconds / 1_000_000)
        let (h, m) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let (s, ms) = (milliseconds / 1000 % 60, milliseconds % 1000)
        return "\(padded(h, 2)):\(padded(m, 2)):\(padded(s, 2)).\(padded(ms, 3))"
    }

    /// `1:02:03`, `2:03` or `0:03`.
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
