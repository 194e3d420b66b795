import Errors

/// Dates that exist in the calendar: `2026-11-21`, `21.11.2026`, `11/21/2026`, `21.11.`, `21 November 2026`, `Nov 21,
/// 2026`, `2026年11月21日`, `2026년 11월 21일`.
///
/// If day and month could be in either order, one of the orders must be a date. A year of two digits requires two
/// digits of day and month. Gaps around marks are attributed to the engine; a gap that it dropped does not matter
/// between a date with its year and a time or a word (`2026/03/1408:15:02`, `on2026-03-14`), or beside the name of a
/// month.
struct DateRule: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        if text.isDigit(start) {
            if text.isDigit(start - 1) ? TimeRule.ends(at: start, in: text) : text.followsWord(start) {
                return Self.begins(at: start, in: text) ? marked(digits(start, in: text), in: text) : .none
            }
            let before = text[start - 1]
            guard text.isFree(before: start), ![".", "/", "-", ","].contains(before) || !text.isDigit(start - 2) else {
                return .none
            }
            let first = digits(start, in: text)
            guard first.count <= 4 else { return .none }
            for verdict in [counted(first, in: text), marked(first, in: text), dayAndName(first, in: text)]
            where verdict != .none { return verdict }
            return .none
        }
        return nameAndDay(start, in: text)
    }

    // MARK: With marks

    private func marked(_ first: Range<Int>, in text: ContentText) -> ContentVerdict {
        guard let (second, mark) = next(after: first.upperBound, nil, in: text), second.count <= 2 else { return .none }
        guard let a = text.value(first), let b = text.value(second) else { return .none }
        guard let (third, _) = next(after: second.upperBound, mark, in: text) else {
            return withoutYear(first, second, mark, in: text)
        }
        guard let c = text.value(third) else { return .none }
        let end = third.upperBound
        let isYearFull = first.count == 4 || third.count == 4
        guard
            isOver(end, mark, in: text) || TimeRule.begins(at: end, in: text) || isYearFull && text.beginsWord(end)
        else { return .refused("It does not continue as a date does.") }
        // Korean dates end in a dot: 2026. 11. 21.
        let last = mark == "." && first.count == 4 && text[end] == "." ? end + 1 : end
        if first.count == 4 {
            guard third.count <= 2 else { return .none }
            return Self.exists(a, b, c) ? .found(end: last) : Self.refusal
        }
        guard first.count <= 2 else { return .none }
        switch third.count {
        case 4: break
        case 2 where first.count == 2 && second.count == 2 || mark == "/": break
        case 1, 2: return mark == "." ? .refused("With dots, a short year wants two digits of day and month.") : .none
        default: return .none
        }
        let year = third.count == 4 ? c : 2000 + c
        return Self.exists(year, b, a) || Self.exists(year, a, b) ? .found(end: end) : Self.refusal
    }

    /// Finds `21.11.`: a day and a month, each with two digits and a dot. `4.6.` is a version at the end of a sentence.
    private func withoutYear(
        _ day: Range<Int>, _ month: Range<Int>, _ mark: Unicode.Scalar, in text: ContentText
    ) -> ContentVerdict {
        guard mark == ".", day.count == 2, month.count == 2, text[month.upperBound] == ".",
            text.isFree(at: month.upperBound + 1),
            let d = text.value(day), let m = text.value(month)
        else { return .none }
        return Self.exists(2000, m, d) ? .found(end: month.upperBound + 1) : Self.refusal
    }

    /// Returns the digits after a mark, which must be `mark` if that is known.
    private func next(
        after index: Int, _ mark: Unicode.Scalar?, in text: ContentText
    ) -> (Range<Int>, Unicode.Scalar)? {
        let place = text.afterGap(index)
        let here = text[place]
        guard ["-", "/", "."].contains(here), mark == nil || mark == here else { return nil }
        let digits = digits(text.afterGap(place + 1), in: text)
        return !digits.isEmpty && digits.count <= 4 ? (digits, here) : nil
    }

    private func isOver(_ end: Int, _ mark: Unicode.Scalar, in text: ContentText) -> Bool {
        // 2026-11-21T14:30:00
        if text[end] == "T", text.isDigit(end + 1) { return true }
        guard text.isFree(at: end) else { return false }
        return ![".", "-", "/", ":"].contains(text[end]) || !text.isDigit(end + 1)
    }

    /// Returns the digits at `index`, without those of a time that follows directly (`1408:15`).
    private func digits(_ index: Int, in text: ContentText) -> Range<Int> {
        let end = text.endOfDigits(index)
        return end - index > 2 && TimeRule.begins(at: end - 2, in: text) ? index..<end - 2 : index..<end
    }

    /// Returns whether a date with marks and a four-digit year begins at `index`, whatever precedes it.
    static func begins(at index: Int, in text: ContentText) -> Bool {
        let rule = DateRule()
        let first = rule.digits(index, in: text)
        guard first.count <= 4, case .found = rule.marked(first, in: text) else { return false }
        if first.count == 4 { return true }
        guard let (second, mark) = rule.next(after: first.upperBound, nil, in: text) else { return false }
        return rule.next(after: second.upperBound, mark, in: text)?.0.count == 4
    }

    /// Returns whether a date ends directly before `index`.
    static func ends(at index: Int, in text: ContentText) -> Bool {
        (6...24).contains { DateRule().verdict(at: index - $0, in: text) == .found(end: index) }
    }

    private static let refusal = ContentVerdict.refused("The calendar has no such day.")

    // MARK: With names

    /// Finds `21 November 2026`, `21. Nov`, `21st of November, 2026`.
    private func dayAndName(_ day: Range<Int>, in text: ContentText) -> ContentVerdict {
        guard day.count <= 2, let d = text.value(day) else { return .none }
        var index = afterOrdinal(day.upperBound, in: text)
        if text[index] == "." { index += 1 }
        index = text.afterGap(index)
        if text[index] == "-" { index += 1 }
        for word in ["of ", "de ", "di "] { index = text.end(of: word, at: index) ?? index }
        guard let (month, end) = MonthNames.month(at: index, in: text) else { return .none }
        return withYear(month: month, day: d, end, in: text)
    }

    /// Finds `Nov 21, 2026`, `November 21st`.
    private func nameAndDay(_ start: Int, in text: ContentText) -> ContentVerdict {
        guard text.isFree(before: start), let (month, end) = MonthNames.month(at: start, in: text) else { return .none }
        let begin = text.afterGap(end)
        let day = begin..<text.endOfDigits(begin)
        let isApart = begin > end || text[end - 1] == "."
        guard let d = text.value(day) else { return .none }
        // This is November 2026, but not the rest of 32 November 2026.
        if day.count == 4 {
            let isMonth = isYear(day, in: text) && text.isFree(at: day.upperBound) && !text.isDigit(start - 2)
            guard isApart || (1900...2099).contains(d) else { return .none }
            return isMonth ? .found(end: day.upperBound) : .none
        }
        guard day.count <= 2 else { return .none }
        return withYear(month: month, day: d, afterOrdinal(day.upperBound, in: text), in: text, wantsYear: !isApart)
    }

    private func withYear(
        month: Int, day: Int, _ index: Int, in text: ContentText, wantsYear: Bool = false
    ) -> ContentVerdict {
        var begin = text[index] == "," || text[index] == "-" ? index + 1 : index
        begin = text.afterGap(begin)
        for word in ["de ", "del "] { begin = text.end(of: word, at: begin) ?? begin }
        let digits = digits(begin, in: text)
        let hasYear =
            digits.count == 4 && isYear(digits, in: text)
            && (text.isFree(at: digits.upperBound) || TimeRule.begins(at: digits.upperBound, in: text)
                || text.beginsWord(digits.upperBound))
        guard hasYear || !wantsYear && text.isFree(at: index) else { return .none }
        guard Self.exists(hasYear ? text.value(digits) ?? 2000 : 2000, month, day) else { return Self.refusal }
        // The dot of a short name belongs to it; a comma that no year follows does not.
        return .found(end: hasYear ? digits.upperBound : index)
    }

    private func isYear(_ digits: Range<Int>, in text: ContentText) -> Bool {
        text.value(digits).map { (1000...2999).contains($0) } ?? false
    }

    private func afterOrdinal(_ index: Int, in text: ContentText) -> Int {
        for ending in ["st", "nd", "rd", "th", "er"] {
            if let end = text.end(of: ending, at: index), text.isFree(at: end) { return end }
        }
        return index
    }

    // MARK: With counters

    /// Finds `2026年11月21日`, `11月21日`, `2026년 11월 21일`.
    private func counted(_ first: Range<Int>, in text: ContentText) -> ContentVerdict {
        let signs: [[Unicode.Scalar]] = [["年", "月", "日"], ["년", "월", "일"]]
        var index = first.lowerBound
        var values: [Unicode.Scalar: Int] = [:]
        for sign in signs.first(where: { $0.contains(text[text.afterGap(first.upperBound)]) }) ?? [] {
            let begin = values.isEmpty ? index : text.afterGap(index)
            let digits = begin..<text.endOfDigits(begin)
            let place = text.afterGap(digits.upperBound)
            guard let value = text.value(digits), text[place] == sign else { continue }
            values[sign] = value
            index = place + 1
        }
        guard let month = values["月"] ?? values["월"], let day = values["日"] ?? values["일"] else { return .none }
        return Self.exists(values["年"] ?? values["년"] ?? 2000, month, day) ? .found(end: index) : Self.refusal
    }

    /// Returns whether the Gregorian calendar has this day.
    static func exists(_ year: Int, _ month: Int, _ day: Int) -> Bool {
        guard (1000...2999).contains(year), (1...12).contains(month), day >= 1 else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return day <= [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }
}

/// The verdict of a rule on the text from one index on.
enum ContentVerdict: Hashable, Sendable {
    /// Nothing of this kind begins here.
    case none
    /// Something that resembles it begins here; the reason it is not, as a sentence.
    case refused(String)
    /// Content of this kind extends from here to this index.
    case found(end: Int)
}

/// Finds one kind of content. Rules look at most some hundred characters ahead.
protocol ContentRule: Sendable {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict
}

extension ContentKind {
    var rule: any ContentRule {
        switch self {
        case .url: URLRule()
        case .email: EmailRule()
        case .phone: PhoneRule()
        case .date: DateRule()
        case .time: TimeRule()
        case .number: NumberRule()
        case .ip: IPRule()
        case .money: MoneyRule()
        case .plate: PlateRule()
        case .code: CodeRule()
        case .card: CardRule()
        case .iban: IBANRule()
        }
    }

    /// Returns all content of this kind in the text, and the reasons for rejecting text that only resembles it.
    ///
    /// - Parameter forHiding: whether content that is incomplete, cut off or partly covered counts too.
    func findings(
        in text: ContentText, forHiding: Bool = false
    ) -> (found: [Range<Int>], refused: [(start: Int, reason: String)]) {
        let rule = forHiding ? ruleForHiding : rule
        var found: [Range<Int>] = []
        var refused: [(start: Int, reason: String)] = []
        var index = 0
        while index < text.count {
            switch rule.verdict(at: index, in: text) {
            case .none: index += 1
            case .refused(let reason):
                refused.append((index, reason))
                index += 1
            case .found(let end):
                found.append(index..<max(end, index + 1))
                index = max(end, index + 1)
            }
        }
        return (found, refused)
    }
}

/// Finds kinds of content. A value; safe to use from several threads at once.
struct ContentSearch: Sendable {
    private let kinds: [(number: Int, kind: ContentKind)]
    private let isForHiding: Bool

    var isEmpty: Bool { kinds.isEmpty }

    /// - Parameters:
    ///   - kinds: the kinds, with the number under which ``spans(in:)`` reports each.
    ///   - isForHiding: whether incomplete content counts too.
    init(_ kinds: [(number: Int, kind: ContentKind)], isForHiding: Bool = false) {
        self.kinds = kinds
        self.isForHiding = isForHiding
    }

    /// The same search for complete content only.
    var complete: ContentSearch { ContentSearch(kinds) }

    /// - Parameter folded: in the folding that preserves case.
    func spans(in folded: FoldedLine) -> [FoundSpan] {
        let text = ContentText(folded)
        return kinds.flatMap { number, kind in
            kind.findings(in: text, forHiding: isForHiding).found.map { range in
                let letters = folded.letters(
                    ofUnits: text.units[range.lowerBound]..<text.units[range.upperBound - 1] + 1)
                return FoundSpan(
                    number: number, letters: letters,
                    score: MatchScore.score(ofReading: folded.letters[letters], source: folded.source))
            }
        }
    }
}

/// A kind of content that can be searched for without knowing how it is written: `:url`, `:date` and so on.
public enum ContentKind: String, Hashable, Sendable, Codable, CaseIterable {
    case url, email, phone, date, time, number, ip, money, plate, code, card, iban

    /// The kind as it is typed.
    public var notation: String { ":" + rawValue }

    /// Returns whether `text` has the form of a kind: a colon and a word. It is then a kind or an error, so that a
    /// typing mistake is not searched for in vain.
    static func isNotation(_ text: String) -> Bool {
        text.hasPrefix(":") && text.count > 1 && text.dropFirst().allSatisfy(\.isLetter)
    }

    /// Returns the error for a kind that does not exist, which lists those that do.
    static func unknown(_ text: String) -> FramegrepError {
        let close = allCases.first { $0.notation == text.lowercased() }
        let kinds = allCases.map(\.notation).joined(separator: " ")
        let hint = close.map { " Kinds are written in small letters: \($0.notation)." } ?? ""
        return FramegrepError(
            .badPattern,
            "'\(text)' is not a kind of content.\(hint) The kinds are: \(kinds). To search for the text itself, write \\\(text)."
        )
    }

    /// The kind that `text` names; nil if it is ordinary text.
    public init?(notation text: String) {
        guard text.hasPrefix(":") else { return nil }
        self.init(rawValue: String(text.dropFirst()))
    }
}

/// Email addresses (RFC 5321, without quoted names), with or without `mailto:`. Gaps around the @ are attributed to the
/// engine.
struct EmailRule: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard Self.isNamePart(start, in: text), text[start] != ".", !Self.isNamePart(start - 1, in: text) else {
            return .none
        }
        var end = start
        while Self.isNamePart(end, in: text) { end += 1 }
        let at = text.afterGap(end)
        guard text[at] == "@" else { return .none }
        let begin = text.afterGap(at + 1)
        guard end - start <= 64 else { return .refused("The name before the @ has more than 64 characters.") }
        guard text[end - 1] != ".", !(start..<end).contains(where: { text[$0] == "." && text[$0 + 1] == "." }) else {
            return .refused("In the name before the @, dots must be single and between other characters.")
        }
        guard let domain = DomainName.name(at: begin, in: text), domain.end - begin <= 253 else {
            return .refused("No host name follows the @.")
        }
        guard domain.isFull else { return .refused("The host name has no ending such as .com.") }
        guard text[domain.end] != "@", text[domain.end] != "_" else {
            return .refused("It does not continue as an address does.")
        }
        // An @ with gaps on both sides also occurs in prices and handles.
        if begin - end > 2, !domain.hasCommonEnding {
            return .refused("With gaps around the @ only common endings count.")
        }
        return .found(end: domain.end)
    }

    /// RFC 5322's atom text and dots, and letters of any script (RFC 6531).
    private static func isNamePart(_ index: Int, in text: ContentText) -> Bool {
        text.isLetter(index) || text.isDigit(index)
            || text[index].isASCII && ".!#$%&'*+/=?^_{|}~-".unicodeScalars.contains(text[index])
    }
}

/// Names of months and their usual short forms, without accents, as in folded lines.
enum MonthNames {
    /// Returns the month whose name begins at `start`, and the end of the name; nil if there is none. English, German,
    /// French, Spanish, Italian, Portuguese and Dutch; in each the longest names are tried first.
    static func month(at start: Int, in text: ContentText) -> (month: Int, end: Int)? {
        guard text.isLetter(start), text.isFree(before: start) || text.isDigit(start - 1) else { return nil }
        var end = start
        while text.isLetter(end), end - start < 12 { end += 1 }
        guard end - start >= 3, !text.isLetter(end), let month = months[folded(text.text(start..<end))] else {
            return nil
        }
        return (month, text[end] == "." ? end + 1 : end)
    }

    private static func folded(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                TextFolding(caseSensitive: false).fold(name).units.compactMap { Unicode.Scalar($0.code) }))
    }

    private static let months: [String: Int] = {
        var months: [String: Int] = [:]
        for (index, names) in [
            "january jan januar janvier janv enero ene gennaio gen janeiro januari",
            "february feb februar fevrier fevr febrero febbraio fevereiro fev februari",
            "march mar marz maerz mrz mars marzo marco maart mrt",
            "april apr avril avr abril abr aprile",
            "may mai mayo maggio mag maio mei",
            "june jun juni juin junio giugno giu junho",
            "july jul juli juillet juil julio luglio lug julho",
            "august aug aout agosto ago augustus",
            "september sep sept septembre septiembre settembre set setembro",
            "october oct oktober okt octobre octubre ottobre ott outubro out",
            "november nov novembre noviembre novembro",
            "december dec dezember dez decembre diciembre dic dicembre dezembro",
        ].enumerated() {
            for name in names.split(separator: " ") { months[String(name)] = index + 1 }
        }
        return months
    }()
}
