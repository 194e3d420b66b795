import Foundation

/// A kind of value.
public enum ValueKind: String, Sendable, CaseIterable {
    /// A number with a decimal comma or point, thousands separators, a sign, and a unit after it.
    case number
    /// Hours, minutes and seconds with colons between them, or at least two units of time: `2h 03m`.
    case time
    /// A number with a currency before or after it.
    case money
    /// A word with a digit in it: `A-017`.
    case code
}

/// A value in a text.
public struct ReadValue: Sendable, Hashable {
    public var kind: ValueKind
    /// The part of the text that is the value, including its unit.
    public var text: String
    /// The number; nil for codes, seconds for times.
    public var number: Double?
    /// The unit as it was read: `km/h`, `€`.
    public var unit: String?
}

/// The notation of the values at one place, which a single one of them may leave open.
public struct ValueNotation: Sendable, Hashable {
    /// The decimal mark; if nil, a comma followed by three digits separates thousands.
    var decimalMark: Character?
    /// The positions of the colons in times of this many digits, because colons may blink.
    var colons: [Int: [Int]] = [:]
    /// The number of frames per second in time codes: as many as their frame numbers require.
    var frameRate = 25.0
    /// Whether there is a space between each unit and its number: a quick reading of one value may miss it.
    var isUnitApart: [String: Bool] = [:]
    /// Whether there are spaces between the units of a length of time.
    var isDurationApart: Bool?

    /// Creates the notation of values that can be interpreted on their own.
    public init() {}

    /// Derives the notation from all texts at one place together.
    public init(of texts: [String]) {
        var lastFrame = 0.0
        var marks: [Character: Int] = [:]
        var shapes: [Int: [[Int]: Int]] = [:]
        var apart: [String: Int] = [:]
        var durations = 0
        for text in texts.map(ValueScan.normalized) {
            for run in NumberRun.all(in: text) {
                if let mark = run.surelyDecimalMark { marks[mark, default: 0] += 1 }
                if let unit = run.unit { apart[unit, default: 0] += run.isUnitApart ? 1 : -1 }
                if let currency = ValueScan.currency(before: run.text, in: text) {
                    apart[currency.name, default: 0] += currency.isApart ? 1 : -1
                }
            }
            for duration in WrittenDuration.all(in: Array(text)) { durations += duration.isApart ? 1 : -1 }
            for time in ValueScan.clockTimes(in: Array(text), manner: ValueNotation()) {
                lastFrame = max(lastFrame, ValueScan.frame(of: time.text) ?? 0)
                let digits = time.text.count { $0.isNumber }
                shapes[digits, default: [:]][Self.colons(of: time.text), default: 0] += 1
            }
        }
        isDurationApart = durations == 0 ? nil : durations > 0
        isUnitApart = apart.filter { $0.value != 0 }.mapValues { $0 > 0 }
        frameRate = [25, 30, 50, 60].first { $0 > lastFrame } ?? 100
        decimalMark = marks.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        colons = shapes.compactMapValues { $0.max { ($0.value, $0.key.count) < ($1.value, $1.key.count) }?.key }
    }

    /// Returns the numbers of digits after which there is a colon.
    private static func colons(of text: String) -> [Int] {
        var digits = 0
        return text.compactMap { character in
            if character.isNumber { digits += 1 }
            return ":;".contains(character) ? digits : nil
        }
    }
}

extension ReadValue {
    /// Returns the values of a kind in a text, from left to right.
    ///
    /// - Parameter manner: the notation of the values at the same place.
    public static func all(_ kind: ValueKind, in text: String, manner: ValueNotation = ValueNotation()) -> [ReadValue] {
        // Letters in codes remain letters.
        if kind == .code { return ValueScan.codes(in: text) }
        let text = ValueScan.normalized(text)
        return switch kind {
        case .number: ValueScan.numbers(in: text, manner)
        case .time: ValueScan.times(in: Array(text), manner: manner)
        case .money: ValueScan.numbers(in: text, manner).compactMap { ValueScan.money($0, in: text, manner) }
        case .code: []
        }
    }

    /// Returns whether a digit of the line may be wrong. Networks trained on printed letters are less sure of
    /// seven-segment digits, in which a 5 and a 6 differ by one segment.
    public static func isDoubtful(_ line: TextLine) -> Bool {
        line.words.contains { word in
            word.characters.contains { $0.character.isNumber && $0.confidence < sure }
        }
    }

    /// The confidence that digits of rendered clocks and captions exceed in nine lines of ten.
    private static let sure = 0.98

    /// Returns the kind of value that a text most resembles; nil for one without a digit.
    public static func likelyKind(of text: String) -> ValueKind? {
        for kind in [ValueKind.time, .money, .number, .code] {
            let values = all(kind, in: text)
            // A part of a longer word is a number only if there is no other.
            if kind == .number, !values.isEmpty, all(.code, in: text).count == values.count,
                zip(values, all(.code, in: text)).allSatisfy({ ValueScan.isCode($1.text, around: $0) })
            {
                return .code
            }
            if !values.isEmpty { return kind }
        }
        return nil
    }
}

/// Finds values in texts as they were read.
enum ValueScan {
    /// Returns the text with one sign for minus, one for spaces, and digits instead of letters among digits that
    /// readers confuse with them.
    static func normalized(_ text: String) -> String {
        plain(text).split(separator: " ").map { String(digits(in: Array($0))) }.joined(separator: " ")
    }

    private static func plain(_ text: String) -> String {
        // A long dash is a bar beside the figures: signs of every font are read as short ones.
        let signs: [Character: Character] = ["−": "-", "–": "-", "—": " ", "：": ":", "，": ",", "．": "."]
        return text.withDegreesSpelled.map { signs[$0] ?? ($0.isWhitespace ? " " : $0) }.split(separator: " ")
            .map { String($0) }.joined(separator: " ")
    }

    /// Replaces letters in misread numbers such as `1O:45` and `I2.5`, but not in words with letters of their own.
    private static func digits(in word: [Character]) -> [Character] {
        let body = word.prefix { $0.isASCII && ($0.isNumber || "+-.,:'".contains($0)) || alike[$0] != nil }
        let isNumber = { (character: Character) in character.isASCII && character.isNumber }
        let rest = word.dropFirst(body.count)
        // A power of ten follows a number only: "le-3".
        let hasPower =
            !rest.isEmpty && NumberRun.power(in: word, from: body.count).count == rest.count
            && !body.contains { "SB".contains($0) }
        guard hasPower || body.contains(where: isNumber), body.contains(where: { alike[$0] != nil }) else {
            return word
        }
        // A unit is not a digit: "5S" and "12 l" stay as they are.
        let end = body.lastIndex(where: isNumber) ?? body.startIndex
        let isMark = { (character: Character) in "+-.,:".contains(character) }
        guard rest.isEmpty || hasPower || body[(end + 1)...].allSatisfy({ isMark($0) }) else { return word }
        return body.enumerated().map { index, character in
            guard let digit = alike[character] else { return character }
            let isBefore = index < end && (index > 0 || !"SB".contains(character))
            let isAfterMark = index > 0 && (isMark(body[index - 1]) || alike[body[index - 1]] != nil)
            return hasPower || isBefore || isAfterMark && index > end || index == end + 1 && "oO".contains(character)
                ? digit : character
        } + rest
    }

    private static let alike: [Character: Character] = [
        "O": "0", "o": "0", "l": "1", "I": "1", "|": "1", "S": "5", "B": "8",
    ]

    // MARK: Numbers

    static func numbers(in text: String, _ manner: ValueNotation) -> [ReadValue] {
        NumberRun.all(in: text).compactMap { run in
            guard let number = run.value(manner) else { return nil }
            guard let unit = run.unit else { return ReadValue(kind: .number, text: run.text, number: number) }
            let gap = manner.isUnitApart[unit] ?? run.isUnitApart ? " " : ""
            return ReadValue(kind: .number, text: run.text + gap + unit, number: number, unit: unit)
        }
    }

    // MARK: Times

    /// Returns the lengths of time with units, or the times with colons if there are none.
    static func times(in text: [Character], manner: ValueNotation) -> [ReadValue] {
        let durations = WrittenDuration.all(in: text)
        guard durations.isEmpty else {
            return durations.map { duration in
                let text = duration.text(apart: manner.isDurationApart ?? duration.isApart)
                return ReadValue(kind: .time, text: text, number: duration.seconds)
            }
        }
        return clockTimes(in: text, manner: manner)
    }

    /// Returns two or three groups of digits with colons between them, or four with frames at the end; without colons,
    /// groups where colons were a moment ago.
    static func clockTimes(in text: [Character], manner: ValueNotation) -> [ReadValue] {
        let text = withoutSpacesAtColons(text)
        let found = times(in: text, manner.frameRate) {
            ":;".contains($0)
        } from: { groups in
            groups.count > 1 ? groups : nil
        }
        guard found.isEmpty, !manner.colons.isEmpty else { return found }
        return times(in: text, manner.frameRate) {
            ":; ".contains($0)
        } from: { groups in
            let digits = groups.flatMap { $0 }
            guard let colons = manner.colons[digits.count], colons.last.map({ $0 < digits.count }) ?? false else {
                return nil
            }
            return zip([0] + colons, colons + [digits.count]).map { Array(digits[$0..<$1]) }
        }
    }

    /// - Parameters:
    ///   - isMark: returns whether a character may separate the groups.
    ///   - groups: returns the groups of a time; nil if they are not one.
    private static func times(
        in text: [Character], _ frameRate: Double, between isMark: (Character) -> Bool,
        from groups: ([[Character]]) -> [[Character]]?
    ) -> [ReadValue] {
        var found: [ReadValue] = []
        var index = 0
        while index < text.count {
            let start = index
            let read = digits(in: text, from: &index, between: isMark)
            guard !read.isEmpty else {
                index += 1
                continue
            }
            let fraction = fraction(in: text, at: index)
            let end = index + fraction.count
            let isWord = start > 0 && isWordPart(text[start - 1]) || end < text.count && isWordPart(text[end])
            guard !isWord, let parts = groups(read),
                let time = time(parts, fraction, text[..<index].suffix(3).first, frameRate)
            else { continue }
            found.append(time)
            index = end
        }
        return found
    }

    /// Returns the groups of digits from `index` on, which is moved to the end of the last one.
    private static func digits(
        in text: [Character], from index: inout Int, between isMark: (Character) -> Bool
    ) -> [[Character]] {
        guard isDigit(text[index]) else { return [] }
        var read: [[Character]] = [[]]
        while index < text.count {
            if isDigit(text[index]) {
                read[read.count - 1].append(text[index])
            } else if isMark(text[index]), index + 1 < text.count, isDigit(text[index + 1]) {
                read.append([])
            } else {
                break
            }
            index += 1
        }
        return read
    }

    /// Returns the point or comma at `index` and the digits behind it; nothing if there are none.
    private static func fraction(in text: [Character], at index: Int) -> [Character] {
        guard index + 1 < text.count, ".,".contains(text[index]), isDigit(text[index + 1]) else { return [] }
        return [text[index]] + text[(index + 1)...].prefix { isDigit($0) }
    }

    /// - Parameters:
    ///   - fraction: the point or comma behind the last part, and the digits behind it.
    ///   - mark: what is written before the last two digits.
    /// - Returns: nil if the parts are not those of a time.
    private static func time(
        _ parts: [[Character]], _ fraction: [Character], _ mark: Character?, _ frameRate: Double
    ) -> ReadValue? {
        var parts = parts
        guard (2...4).contains(parts.count), (1...3).contains(parts[0].count) else { return nil }
        var rest = String(fraction)
        var more = Double("0." + String(fraction.dropFirst())) ?? 0
        if parts.count == 4 {
            let frames = String(parts.removeLast())
            guard frames.count == 2, let number = Double(frames), rest.isEmpty else { return nil }
            rest = (mark == ";" ? ";" : ":") + frames
            more = number / frameRate
        }
        guard parts.dropFirst().allSatisfy({ $0.count == 2 && $0[0] < "6" }) else { return nil }
        let seconds = parts.reduce(0.0) { $0 * 60 + (Double(String($1)) ?? 0) }
        return ReadValue(
            kind: .time, text: parts.map { String($0) }.joined(separator: ":") + rest, number: seconds + more)
    }

    /// Returns the frame number at the end of a time code of four parts.
    static func frame(of time: String) -> Double? {
        let parts = time.split { ":;".contains($0) }
        return parts.count == 4 ? Double(parts[3]) : nil
    }

    private static func withoutSpacesAtColons(_ text: [Character]) -> [Character] {
        text.indices.filter { index in
            let isBeside =
                index > 0 && ":;".contains(text[index - 1]) || index + 1 < text.count && ":;".contains(text[index + 1])
            return text[index] != " " || !isBeside
        }.map { text[$0] }
    }

    // MARK: Money

    /// Returns a number as money if a currency is beside it.
    static func money(_ number: ReadValue, in text: String, _ manner: ValueNotation) -> ReadValue? {
        if let unit = number.unit, isCurrency(unit) {
            return ReadValue(kind: .money, text: number.text, number: number.number, unit: unit)
        }
        let plain = (number.unit.map { String(number.text.dropLast($0.count)) } ?? number.text)
            .trimmingCharacters(in: .whitespaces)
        // The gap before a unit may not be the one that the text has.
        let spellings = number.unit.map { [number.text, plain + $0, plain + " " + $0] } ?? [plain]
        guard let before = spellings.lazy.compactMap({ currency(before: $0, in: text) }).first else { return nil }
        let gap = manner.isUnitApart[before.name] ?? before.isApart ? " " : ""
        return ReadValue(kind: .money, text: before.name + gap + plain, number: number.number, unit: before.name)
    }

    /// Returns the currency before a number, and whether there is a space between them; nil if there is no currency.
    static func currency(before number: String, in text: String) -> (name: String, isApart: Bool)? {
        guard let range = text.range(of: number) else { return nil }
        let before = text[..<range.lowerBound]
        let word = before.trimmingCharacters(in: CharacterSet(charactersIn: " -+")).reversed().prefix {
            !$0.isWhitespace && !$0.isNumber
        }
        let name = String(word.reversed())
        return isCurrency(name) ? (name, before.last == " ") : nil
    }

    private static func isCurrency(_ text: String) -> Bool {
        text.count == 1 && text.unicodeScalars.allSatisfy { $0.properties.generalCategory == .currencySymbol }
            || currencies.contains(text.uppercased())
    }

    private static let currencies: Set<String> = [
        "EUR", "USD", "GBP", "CHF", "JPY", "KRW", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "CAD",
        "AUD",
        "US$", "KR", "FR.", "원", "円", "元",
    ]

    // MARK: Codes

    /// Returns words with a digit, without the punctuation around them.
    static func codes(in text: String) -> [ReadValue] {
        plain(text).split(separator: " ").compactMap { word in
            let code = word.trimmingCharacters(in: .punctuationCharacters)
            guard code.contains(where: \.isNumber) else { return nil }
            return ReadValue(kind: .code, text: code)
        }
    }

    /// Returns whether the word around a number has letters before the number, so that it is more than the number and
    /// its unit.
    static func isCode(_ word: String, around number: ReadValue) -> Bool {
        guard word.contains(where: \.isLetter), normalized(word) != number.text,
            let first = word.firstIndex(where: \.isNumber)
        else { return false }
        return word[..<first].contains(where: \.isLetter)
    }

    static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
    private static func isWordPart(_ character: Character) -> Bool { character.isLetter || isDigit(character) }
}
