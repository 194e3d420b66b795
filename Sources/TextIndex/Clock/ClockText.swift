/// A time of day, with its date where one stands beside it, as it was read in a picture: `2026-11-20 14:05:33`,
/// `20.11.2026 2:05:33 PM`, `14:05:33`.
///
/// Accepts only what is unambiguous: a time needs seconds, a year four digits, and `11/12/2026` is rejected because either number may be
/// the day. A text with two times or two dates is not a clock.
struct ClockText: Hashable {
    /// Days since 1970-01-01; nil if no date stands there, or one that could be two.
    var day: Int?
    /// Seconds since midnight.
    var second: Int
    /// The range of the time in the text, in scalars.
    var time: Range<Int>
    /// The range of the date.
    var date: Range<Int>?

    /// Seconds since 1970 by this clock, or since midnight if there is no date.
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

    /// Letters between digits that readers take for digits.
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

    /// Days since 1970-01-01 of a date of the Gregorian calendar; nil if there is none (H. Hinnant's `days_from_civil`, 2013).
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
