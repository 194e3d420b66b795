/// Finds dates and times at one position of a text.
struct ClockScanner {
    private let text: [Unicode.Scalar]
    private let start: Int

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    init(_ text: [Unicode.Scalar], at start: Int) { (self.text, self.start) = (text, start) }

    private subscript(_ index: Int) -> Unicode.Scalar { text.indices.contains(index) ? text[index] : "\0" }

    /// Returns the number at an index, with at most this many digits.
    private func number(at place: Int, atMost count: Int) -> (value: Int, end: Int)? {
        var (value, end) = (0, place)
        while end < place + count, self[end].isDecimal {
            value = value * 10 + Int(self[end].value - 48)
            end += 1
        }
        return end > place ? (value, end) : nil
    }

    // MARK: Times

    /// Returns `14:05:33` or `2:05:33 PM`, with or without a fraction.
    ///
    /// - Parameter afterDate: whether digits before it belong to a date whose space was lost.
    func time(afterDate: Bool) -> (second: Int, range: Range<Int>)? {
        guard afterDate || !self[start - 1].isDecimal && self[start - 1] != ":",
            let hour = number(at: start, atMost: 2), self[hour.end] == ":",
            let minute = number(at: hour.end + 1, atMost: 2), minute.end == hour.end + 3, self[minute.end] == ":",
            let second = number(at: minute.end + 1, atMost: 2), second.end == minute.end + 3,
            !self[second.end].isDecimal, minute.value < 60, second.value < 60
        else { return nil }
        var end = second.end
        if [".", ",", ":"].contains(self[end]), let fraction = number(at: end + 1, atMost: 3),
            !self[fraction.end].isDecimal
        {
            end = fraction.end
        }
        var hours = hour.value
        if let half = half(at: end) {
            guard (1...12).contains(hours) else { return nil }
            hours = hours % 12 + (half.isAfternoon ? 12 : 0)
            end = half.end
        }
        guard hours < 24, !self[end].isDecimal, self[end] != ":" else { return nil }
        return (hours * 3600 + minute.value * 60 + second.value, start..<end)
    }

    /// Returns `AM`, `pm`, `P.M.`.
    private func half(at place: Int) -> (isAfternoon: Bool, end: Int)? {
        var place = self[place] == " " ? place + 1 : place
        let letter = self[place]
        guard "aApP".unicodeScalars.contains(letter) else { return nil }
        place += self[place + 1] == "." ? 2 : 1
        guard "mM".unicodeScalars.contains(self[place]), !self[place + 1].isLatin else { return nil }
        place += self[place + 1] == "." ? 2 : 1
        return ("pP".unicodeScalars.contains(letter), place)
    }

    // MARK: Dates

    /// Returns a date that begins here; its day is nil if it could be two.
    func date() -> (day: Int?, range: Range<Int>)? {
        guard !self[start - 1].isDecimal else { return nil }
        if let found = yearFirst() ?? yearLast() ?? named() { return (found.day, start..<found.end) }
        return nil
    }

    /// Returns `2026-11-20`, `2026/11/20`, `2026.11.20` or `2026年11月20日`.
    private func yearFirst() -> (day: Int?, end: Int)? {
        guard let year = number(at: start, atMost: 4), year.end == start + 4,
            "-/.年".unicodeScalars.contains(self[year.end]),
            let month = number(at: year.end + 1, atMost: 2),
            self[month.end] == (self[year.end] == "年" ? "月" : self[year.end]),
            // Two digits only: if a space was lost, the next ones belong to the time.
            let day = number(at: month.end + 1, atMost: 2), let date = ClockText.day(year.value, month.value, day.value)
        else { return nil }
        return (date, self[day.end] == "日" ? day.end + 1 : day.end)
    }

    /// Returns `20.11.2026`; with other marks only if one of the two numbers cannot be a month.
    private func yearLast() -> (day: Int?, end: Int)? {
        guard let first = number(at: start, atMost: 2), "-/.".unicodeScalars.contains(self[first.end]),
            let second = number(at: first.end + 1, atMost: 2), self[second.end] == self[first.end],
            let year = number(at: second.end + 1, atMost: 4), year.end == second.end + 5
        else { return nil }
        let european = ClockText.day(year.value, second.value, first.value)
        let american = self[first.end] == "." ? nil : ClockText.day(year.value, first.value, second.value)
        switch (european, american) {
        case (nil, nil): return nil
        case (let day?, nil), (nil, let day?): return (day, year.end)
        case (let one?, let other?): return (one == other ? one : nil, year.end)
        }
    }

    /// Returns `20 Nov 2026`, `20-Nov-2026` or `Nov 20, 2026`.
    private func named() -> (day: Int?, end: Int)? {
        if let day = number(at: start, atMost: 2), let month = month(at: skipped(day.end)),
            let year = number(at: skipped(month.end), atMost: 4), year.end == skipped(month.end) + 4
        {
            return ClockText.day(year.value, month.value, day.value).map { ($0, year.end) }
        }
        guard !self[start - 1].isLatin, let month = month(at: start), month.end < skipped(month.end),
            let day = number(at: skipped(month.end), atMost: 2), day.end < skipped(day.end),
            let year = number(at: skipped(day.end), atMost: 4), year.end == skipped(day.end) + 4
        else { return nil }
        return ClockText.day(year.value, month.value, day.value).map { ($0, year.end) }
    }

    private func month(at place: Int) -> (value: Int, end: Int)? {
        var end = place
        while self[end].isLatin { end += 1 }
        guard (3...9).contains(end - place) else { return nil }
        var name = String.UnicodeScalarView()
        name.append(contentsOf: text[place..<place + 3])
        return Self.months.firstIndex(of: String(name).lowercased()).map { ($0 + 1, end) }
    }

    /// Returns the index after marks and spaces, of which there may be few.
    private func skipped(_ place: Int) -> Int {
        var place = place
        for _ in 0..<2 where " -/,.".unicodeScalars.contains(self[place]) { place += 1 }
        return place
    }
}

/// A time of day, with the date beside it if there is one, as it was read in a picture: `2026-11-20 14:05:33`,
/// `20.11.2026 2:05:33 PM`, `14:05:33`.
///
/// Accepts only unambiguous text: a time needs seconds, a year four digits, and `11/12/2026` is rejected because either
/// number may be the day. A text with two times or two dates is not a clock.
struct ClockText: Hashable {
    /// The number of days since 1970-01-01; nil if there is no date, or an ambiguous one.
    var day: Int?
    /// The number of seconds since midnight.
    var second: Int
    /// The range of the time in the text, in scalars.
    var time: Range<Int>
    var date: Range<Int>?

    /// The number of seconds since 1970 by this clock, or since midnight if there is no date.
    var value: Double { Double((day ?? 0) * 86_400 + second) }

    init?(_ text: String) {
        let scalars = Self.mended(Array(text.unicodeScalars))
        guard scalars.count <= 200, scalars.count(where: { $0 == ":" }) >= 2 else { return nil }
        var dates: [(day: Int?, range: Range<Int>)] = []
        var times: [(second: Int, range: Range<Int>)] = []
        var place = 0
        while place < scalars.count {
            let reader = ClockScanner(scalars, at: place)
            if let date = reader.date() {
                dates.append(date)
                place = date.range.upperBound
            } else if let time = reader.time(afterDate: dates.last?.range.upperBound == place) {
                times.append(time)
                place = time.range.upperBound
            } else {
                place += 1
            }
        }
        guard times.count == 1, dates.count <= 1 else { return nil }
        (day, second, time) = (dates.first?.day, times[0].second, times[0].range)
        date = dates.first?.range
    }

    /// Replaces letters between digits that are misread digits.
    private static func mended(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result = scalars.map { $0 == "：" || $0 == ";" ? ":" : $0 }
        func isNumeric(_ index: Int) -> Bool {
            guard result.indices.contains(index) else { return true }
            return result[index].isDecimal || ":-/. ".unicodeScalars.contains(result[index])
        }
        for index in result.indices where isNumeric(index - 1) && isNumeric(index + 1) {
            let isBesideDigit = [index - 1, index + 1].contains { result.indices.contains($0) && result[$0].isDecimal }
            guard isBesideDigit else { continue }
            if "Oo".unicodeScalars.contains(result[index]) { result[index] = "0" }
            if "lI|".unicodeScalars.contains(result[index]) { result[index] = "1" }
        }
        return result
    }

    /// Returns the number of days from 1970-01-01 to a date of the Gregorian calendar; nil if there is no such date (H.
    /// Hinnant's `days_from_civil`, 2013).
    static func day(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        guard (1990...2099).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[month - 1] else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Unicode.Scalar {
    var isDecimal: Bool { ("0"..."9").contains(self) }
    var isLatin: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}
