import Foundation
import TextSpotting

/// Converts times of results to the time on the wall clock.
struct WallClock: Sendable {
    /// At the source's beginning.
    var start: Date
    /// The source was shown live, so that only the clock tells its times: its beginning means nothing to a user.
    var isLive = false

    func date(at time: StreamTime) -> Date { start + time.seconds }

    /// From when to when in the time of this place, as options take it: `2026-11-20T14:05:21.367-14:05:24.100`.
    func text(from first: StreamTime, to last: StreamTime) -> String {
        let (a, b) = (Self.text(date(at: first)), Self.text(date(at: last)))
        let day = a.prefix { $0 != "T" }
        return a + "-" + (b.hasPrefix(day) ? String(b.dropFirst(day.count + 1)) : b)
    }

    /// `2026-11-20T14:05:21.367`, in the time of this place.
    static func text(_ date: Date) -> String {
        let (seconds, milliseconds) = Int((date.timeIntervalSince1970 * 1000).rounded()).quotientAndRemainder(
            dividingBy: 1000)
        var time = time_t(seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        return String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.%03d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
            parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds)
    }
}
