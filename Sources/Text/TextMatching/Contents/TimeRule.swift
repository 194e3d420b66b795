/// Times of day: `14:30`, `14:30:05.250`, `2:30 pm`, `3 pm`, `15h30`, `15.30 Uhr`, `15時30分`, `오후 3시 15분`.
///
/// Gaps around a colon are attributed to the engine if both numbers have two digits. A gap that an engine dropped does
/// not matter between a time with a colon and a date or a word (`2026/03/1408:15:02`, `at14:05`).
struct TimeRule: ContentRule {
    private static let halves = ["오전", "오후", "午前", "午後", "上午", "下午"]

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        for half in Self.halves {
            if let end = text.end(of: half, at: start) {
                let begin = text.afterGap(end)
                let hour = begin..<text.endOfDigits(begin)
                guard let value = text.value(hour), (0...12).contains(value) else { return .none }
                if case .found(let end) = counted(hour, in: text) { return .found(end: end) }
                return withColon(hour, from: start, in: text)
            }
        }
        guard text.isDigit(start) else { return .none }
        if text.isDigit(start - 1) || text.followsWord(start), !text.isGap(start - 1) {
            return behindDroppedGap(start, in: text)
        }
        let before = text[start - 1]
        // 2026-11-21T14:30:00
        let followsDate = before == "T" && text.isDigit(start - 2)
        guard !text.isWordLetter(start - 1) || followsDate else { return .none }
        guard ![".", ":", ",", "/"].contains(before) || !text.isDigit(start - 2) && text[start - 2] != ":" else {
            return .none
        }
        let hour = start..<text.endOfDigits(start)
        guard hour.count <= 2 else { return .none }
        for rule in [withColon(hour, from: start, in: text), counted(hour, in: text), german(hour, in: text)]
        where rule != .none { return rule }
        // Without minutes it is a time only with `am` or `pm`.
        guard let end = half(behind: hour.upperBound, in: text) else { return .none }
        return isHalfHour(hour, in: text) ? .found(end: end) : .refused("With am or pm an hour is 1 to 12.")
    }

    /// Finds a time with a colon that begins directly after a date or a word.
    private func behindDroppedGap(_ start: Int, in text: ContentText) -> ContentVerdict {
        let hour = start..<text.endOfDigits(start)
        guard hour.count <= 2, text[hour.upperBound] == ":" else { return .none }
        if text.isDigit(start - 1) {
            guard Self.begins(at: start, in: text), DateRule.ends(at: start, in: text) else { return .none }
        }
        guard case .found(let end) = withColon(hour, from: start, in: text), text[end] != ":" else { return .none }
        return .found(end: end)
    }

    /// Returns whether hours and minutes of two digits each, with a colon, are at `index`, whatever surrounds them.
    static func begins(at index: Int, in text: ContentText) -> Bool {
        guard text[index + 2] == ":", let hours = text.digits(2, at: index), let minutes = text.digits(2, at: index + 3)
        else { return false }
        return hours < 24 && minutes < 60
    }

    /// Returns whether minutes or seconds of two digits after a colon end directly before `index`.
    static func ends(at index: Int, in text: ContentText) -> Bool {
        text[index - 3] == ":" && text.isDigit(index - 4) && text.digits(2, at: index - 2).map { $0 < 60 } ?? false
    }

    /// Returns the digits at `index`, or the first two of them if a date follows directly.
    private func part(_ index: Int, in text: ContentText) -> Range<Int> {
        let digits = index..<text.endOfDigits(index)
        return digits.count > 2 && DateRule.begins(at: index + 2, in: text) ? index..<index + 2 : digits
    }

    private func withColon(_ hour: Range<Int>, from start: Int, in text: ContentText) -> ContentVerdict {
        let colon = text.afterGap(hour.upperBound)
        guard text[colon] == ":" else { return .none }
        let begin = text.afterGap(colon + 1)
        var minute = part(begin, in: text)
        guard begin - hour.upperBound == 1 || hour.count == 2 && minute.count == 2 else { return .none }
        guard minute.count == 2 else { return .refused("Minutes have two digits.") }
        guard let hours = text.value(hour), let minutes = text.value(minute) else { return .none }
        guard hours < 24 || hours == 24 && minutes == 0 else { return .refused("A day has no hour \(hours).") }
        guard minutes < 60 else { return .refused("An hour has no minute \(minutes).") }
        if text[minute.upperBound] == ":", text.isDigit(minute.upperBound + 1) {
            let second = part(minute.upperBound + 1, in: text)
            guard second.count == 2, let seconds = text.value(second) else {
                return .refused("Seconds have two digits.")
            }
            guard seconds <= 60 else { return .refused("A minute has no second \(seconds).") }
            minute = minute.lowerBound..<second.upperBound
            if [".", ","].contains(text[minute.upperBound]), text.isDigit(minute.upperBound + 1) {
                minute = minute.lowerBound..<text.endOfDigits(minute.upperBound + 1)
            }
        }
        let end = minute.upperBound
        guard text[end] != ":" || !text.isHexDigit(end + 1) else {
            return .refused("It continues as a time code or an address does.")
        }
        if let behind = half(behind: end, in: text) {
            return isHalfHour(hour, in: text) ? .found(end: behind) : .refused("With am or pm an hour is 1 to 12.")
        }
        if let zoned = zone(end, followsDate: text[start - 1] == "T", in: text) { return .found(end: zoned) }
        if text.isFree(at: end) || text.beginsWord(end) || DateRule.begins(at: end, in: text) {
            return .found(end: end)
        }
        return .refused("A letter or digit follows the time directly.")
    }

    private func isHalfHour(_ hour: Range<Int>, in text: ContentText) -> Bool {
        text.value(hour).map { (1...12).contains($0) } ?? false
    }

    /// Returns the end of `am` or `p.m.` after a time.
    private func half(behind index: Int, in text: ContentText) -> Int? {
        let begin = text.afterGap(index)
        for name in ["a.m.", "p.m.", "am", "pm"] {
            if let end = text.end(of: name, at: begin), text.isFree(at: end) { return end }
        }
        return nil
    }

    /// Returns the end of `Z`, or of an offset from UTC in hours and minutes (ISO 8601). After a time without a date, a
    /// hyphen is not a minus sign but introduces the end of a time span.
    private func zone(_ index: Int, followsDate: Bool, in text: ContentText) -> Int? {
        if text[index] == "Z", text.isFree(at: index + 1) { return index + 1 }
        guard text[index] == "+" || text[index] == "-" && followsDate, text.endOfDigits(index + 1) == index + 3 else {
            return nil
        }
        guard text[index + 3] == ":", text.endOfDigits(index + 4) == index + 6 else { return nil }
        return index + 6
    }

    /// Finds `15時30分`, `3시 15분`, `15h30`.
    private func counted(_ hour: Range<Int>, in text: ContentText) -> ContentVerdict {
        let sign = text.afterGap(hour.upperBound)
        let units: (minute: Unicode.Scalar, second: Unicode.Scalar)
        switch text[sign] {
        case "時", "时": units = ("分", "秒")
        case "시":
            // 시 begins many words; as the counter for hours, no letter follows it.
            units = ("분", "초")
        case "h" where text.endOfDigits(sign + 1) == sign + 3 && text.isFree(at: sign + 3): units = ("h", "h")
        default: return .none
        }
        guard let hours = text.value(hour), hours <= 24 else { return .refused("A day has no such hour.") }
        var end = sign + 1
        for unit in [units.minute, units.second] {
            let begin = text.afterGap(end)
            let digits = begin..<text.endOfDigits(begin)
            let isNamed = unit == "h" || text[text.afterGap(digits.upperBound)] == unit
            guard let value = text.value(digits), digits.count <= 2, isNamed else { break }
            guard value < 60 else { return .refused("An hour has no minute \(value).") }
            end = unit == "h" ? digits.upperBound : text.afterGap(digits.upperBound) + 1
            if unit == "h" { break }
        }
        return .found(end: end)
    }

    /// Finds `15.30 Uhr`, `15 Uhr`.
    private func german(_ hour: Range<Int>, in text: ContentText) -> ContentVerdict {
        var end = hour.upperBound
        if text[end] == ".", text.endOfDigits(end + 1) == end + 3 {
            guard let minutes = text.value(end + 1..<end + 3), minutes < 60 else { return .none }
            end += 3
        }
        guard let last = text.end(of: "uhr", at: text.afterGap(end)), text.isFree(at: last),
            let hours = text.value(hour), hours <= 24
        else { return .none }
        return .found(end: last)
    }
}
