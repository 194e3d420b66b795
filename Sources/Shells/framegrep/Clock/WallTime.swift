import Foundation
import TextSpotting

/// A wall-clock time as a user writes it, in local time unless stated otherwise: `2026-11-20`, `2026-11-20T14:05`,
/// `14:05` (today), `2h ago`, `90m`, `3d`, `today`, `yesterday`, `now`.
struct WallMoment: Hashable {
    let date: Date

    /// - Parameters:
    ///   - now: the moment from which `today` and `2h ago` are counted.
    ///   - zone: the local time zone.
    init?(_ text: String, now: Date, in zone: TimeZone = .current) {
        let text = text.trimmingCharacters(in: .whitespaces)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let today = calendar.startOfDay(for: now)
        let date: Date? =
            switch text.lowercased() {
            case "now": now
            case "today": today
            case "yesterday": calendar.date(byAdding: .day, value: -1, to: today)
            default: Self.day(text, calendar) ?? Self.time(text, of: today, calendar) ?? Self.ago(text, now)
            }
        guard let date else { return nil }
        self.date = date
    }

    private static func day(_ text: String, _ calendar: Calendar) -> Date? {
        guard
            let found = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d?):(\d\d)(?::(\d\d)(\.\d{1,9})?)?\s?([Zz]|[+-]\d\d:?\d\d)?)?/)
        else { return nil }
        var calendar = calendar
        if let zone = found.8 {
            guard let offset = seconds(ofZone: String(zone)), let own = TimeZone(secondsFromGMT: offset) else {
                return nil
            }
            calendar.timeZone = own
        }
        let parts = DateComponents(year: Int(found.1), month: Int(found.2), day: Int(found.3))
        guard let day = calendar.date(from: parts),
            calendar.dateComponents([.year, .month, .day], from: day) == parts
        else { return nil }
        guard let hour = found.4, let minute = found.5 else { return day }
        return moment(
            of: day, hour, minute: minute, second: found.6 ?? "0", fraction: found.7 ?? "", calendar: calendar)
    }

    private static func time(_ text: String, of today: Date, _ calendar: Calendar) -> Date? {
        guard let found = text.wholeMatch(of: /(\d\d?):(\d\d)(?::(\d\d)(\.\d{1,9})?)?/) else { return nil }
        return moment(
            of: today, found.1, minute: found.2, second: found.3 ?? "0", fraction: found.4 ?? "", calendar: calendar)
    }

    private static func moment(
        of day: Date, _ hour: Substring, minute: Substring, second: Substring, fraction: Substring,
        calendar: Calendar
    ) -> Date? {
        guard let hour = Int(hour), let minute = Int(minute), let second = Int(second), hour < 24, minute < 60,
            second < 60
        else { return nil }
        // A time that the clock skips in spring means the one an hour later.
        return calendar.date(bySettingHour: hour, minute: minute, second: second, of: day)
            .map { $0 + (Double("0" + fraction) ?? 0) }
    }

    private static func seconds(ofZone text: String) -> Int? {
        if text.lowercased() == "z" { return 0 }
        let digits = text.dropFirst().filter(\.isNumber)
        guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)), hours < 15, minutes < 60 else {
            return nil
        }
        return (text.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// Parses a length of time before now: numbers with units, the larger before the smaller.
    private static func ago(_ text: String, _ now: Date) -> Date? {
        var rest = Substring(text.lowercased())
        if rest.hasSuffix("ago") { rest = rest.dropLast(3) }
        rest = rest.filter { !$0.isWhitespace }[...]
        guard !rest.isEmpty else { return nil }
        var seconds = 0.0
        for (unit, length) in [
            ("y", 365 * 86_400.0), ("w", 7 * 86_400), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
        ] {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard rest.dropFirst(digits.count).first.map(String.init) == unit else { continue }
            guard let value = Double(digits), value < 1e6 else { return nil }
            seconds += value * length
            rest = rest.dropFirst(digits.count + 1)
        }
        return rest.isEmpty ? now - seconds : nil
    }
}

/// The searched range of wall-clock time (`--since`, `--until`).
struct WallRange: Sendable {
    var since: Date?
    /// The end, exclusive.
    var until: Date?

    var isAsked: Bool { since != nil || until != nil }

    /// Returns the part of a recording in the range; nil for none.
    ///
    /// - Parameters:
    ///   - start: the wall-clock time of the recording's beginning.
    ///   - length: the length of the recording; nil if unknown.
    ///   - times: the part that is otherwise searched.
    func part(
        from start: Date, length: StreamTime?, of times: (from: StreamTime?, to: StreamTime?)
    ) -> (from: StreamTime?, to: StreamTime?)? {
        var (from, to) = times
        if let since {
            let first = StreamTime(seconds: since.timeIntervalSince(start))
            if let length, first >= length { return nil }
            if first > .zero { from = max(from ?? .zero, first) }
        }
        if let until {
            let last = StreamTime(seconds: until.timeIntervalSince(start))
            guard last > .zero else { return nil }
            to = min(to ?? last, last)
            // Searching to the end is equivalent, and needs no length.
            if let length, times.to == nil, last >= length { to = nil }
        }
        if let from, let to, from >= to { return nil }
        return (from, to)
    }
}

/// Converts times of results to wall-clock time.
struct WallClock: Sendable {
    /// The time at the source's beginning.
    var start: Date
    /// Whether the source was read live, so that only the clock tells its times: its beginning means nothing to a user.
    var isLive = false

    func date(at time: StreamTime) -> Date { start + time.seconds }

    /// Returns a time span in local time, in the form that options take: `2026-11-20T14:05:21.367-14:05:24.100`.
    func text(from first: StreamTime, to last: StreamTime) -> String {
        let (a, b) = (Self.text(date(at: first)), Self.text(date(at: last)))
        let day = a.prefix { $0 != "T" }
        return a + "-" + (b.hasPrefix(day) ? String(b.dropFirst(day.count + 1)) : b)
    }

    /// Returns `2026-11-20T14:05:21.367`, in local time.
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
