import Foundation

/// Digits and the marks between them in a text: a number, once it is known what each mark means.
struct NumberRun {
    /// The text, including the sign.
    let text: String
    private let isNegative: Bool
    /// The groups of digits, and the separator before each but the first.
    private let groups: [String]
    private let marks: [Character]
    /// The power of ten after the letter `e`; 0 if there is none.
    private let exponent: Int
    /// The rest of the text after the number.
    private let rest: Substring

    /// Returns all numbers in a text, from left to right, except parts of dates, times and addresses.
    static func all(in text: String) -> [NumberRun] {
        let characters = Array(text)
        var found: [NumberRun] = []
        var index = 0
        while index < characters.count {
            guard ValueScan.isDigit(characters[index]) else {
                index += 1
                continue
            }
            let (start, groups, marks) = digits(in: characters, at: &index)
            let before = start > 0 ? characters[start - 1] : " "
            let sign =
                "+-".contains(before)
                && (start == 1 || !ValueScan.isDigit(characters[start - 2]) && !characters[start - 2].isLetter)
            guard !isPart(characters, start..<index, signed: sign) else { continue }
            let power = power(in: characters, from: index)
            index += power.count
            found.append(
                NumberRun(
                    text: written(characters[(sign ? start - 1 : start)..<index], marks),
                    isNegative: sign && before == "-", groups: groups, marks: marks,
                    exponent: Int(String(power.dropFirst())) ?? 0, rest: Substring(String(characters[index...]))))
        }
        return found
    }

    /// Returns the power of ten that begins at `index` (`e-3`, `E+05`); nothing if there is none.
    static func power(in characters: [Character], from index: Int) -> ArraySlice<Character> {
        let rest = characters[index...]
        guard let mark = rest.first, "eE".contains(mark) else { return [] }
        let sign = rest.dropFirst().prefix { "+-".contains($0) }
        let digits = rest.dropFirst(1 + sign.count).prefix(while: ValueScan.isDigit)
        let power = rest.prefix(1 + sign.count + digits.count)
        // A word goes on with letters, and `5e12` may be a code.
        let isWord = rest.dropFirst(power.count).first?.isLetter ?? false
        return sign.count == 1 && (1...3).contains(digits.count) && !isWord ? power : []
    }

    /// Returns the number as written, without spaces that are not among its marks.
    private static func written(_ characters: ArraySlice<Character>, _ marks: [Character]) -> String {
        String(marks.contains(" ") ? Array(characters) : characters.filter { $0 != " " })
    }

    /// Returns the groups of digits that begin at `index` and the marks between them, and moves `index` past them.
    private static func digits(
        in characters: [Character], at index: inout Int
    ) -> (start: Int, groups: [String], marks: [Character]) {
        var start = index
        var groups = [""]
        var marks: [Character] = []
        // ".5" is a half.
        if start > 0, ".,".contains(characters[start - 1]), start == 1 || " +-".contains(characters[start - 2]) {
            groups = ["0", ""]
            marks = [characters[start - 1]]
            start -= 1
        }
        while index < characters.count {
            let character = characters[index]
            if ValueScan.isDigit(character) {
                groups[groups.count - 1].append(character)
            } else if ".,'’ ".contains(character), index + 1 < characters.count,
                ValueScan.isDigit(characters[index + 1]),
                character != " " || isThousands(characters[(index + 1)...], before: groups, marks)
                    || isPadded(groups, marks)
            {
                // No number has leading zeros before a space: the display leaves room before a slim 1.
                if character != " " || !isPadded(groups, marks) {
                    groups.append("")
                    marks.append(character == "’" ? "'" : character)
                }
            } else {
                break
            }
            index += 1
        }
        return (start, groups, marks)
    }

    /// Returns whether digits continue on either side after a mark of dates, times and addresses.
    private static func isPart(_ characters: [Character], _ digits: Range<Int>, signed: Bool) -> Bool {
        let (start, end) = (digits.lowerBound, digits.upperBound)
        let goesOn =
            end + 1 < characters.count && ":;/-".contains(characters[end]) && ValueScan.isDigit(characters[end + 1])
        return goesOn
            || !signed && start > 1 && ":;/-".contains(characters[start - 1])
                && ValueScan.isDigit(characters[start - 2])
    }

    /// Returns whether a space separates thousands, which requires groups of three after a first one of at most three.
    private static func isThousands(_ rest: ArraySlice<Character>, before groups: [String], _ marks: [Character])
        -> Bool
    {
        let next = rest.prefix { ValueScan.isDigit($0) }.count
        return next == 3 && marks.allSatisfy { $0 == " " } && (1...3).contains(groups[0].count)
            && groups.dropFirst().allSatisfy { $0.count == 3 } && groups[0] != "0"
    }

    /// Returns whether digits begin with two zeros and have no mark, so that the number continues: `00 13`.
    private static func isPadded(_ groups: [String], _ marks: [Character]) -> Bool {
        marks.isEmpty && groups.count == 1 && groups[0].count > 1 && groups[0].prefix(2) == "00"
    }

    /// The decimal mark, if the number itself leaves no doubt about it.
    var surelyDecimalMark: Character? {
        guard let last = marks.last, ".,".contains(last), let tail = groups.last else { return nil }
        if marks.dropLast().contains(where: { $0 != last }) { return last }
        guard marks.count == 1 else { return nil }
        return tail.count != 3 || groups[0].count > 3 || groups[0] == "0" ? last : nil
    }

    /// Returns the number; nil if its marks do not form one.
    func value(_ manner: ValueNotation) -> Double? {
        var decimal = surelyDecimalMark
        if decimal == nil, let mark = marks.last, ".,".contains(mark), marks.count == 1 {
            // "1.234" and "1,234" are read like the others at their place, otherwise as in English.
            decimal = manner.decimalMark.map { $0 == mark ? mark : nil } ?? (mark == "." ? mark : nil)
        }
        let whole = decimal == nil ? groups : groups.dropLast()
        let isGrouped = whole.dropFirst().allSatisfy { $0.count == 3 } && (whole.count == 1 || whole[0].count <= 3)
        guard isGrouped, Set(marks.prefix(whole.count - 1)).count <= 1 else { return nil }
        let text = whole.joined() + (decimal == nil ? "" : "." + (groups.last ?? ""))
        return Double(text + "e\(exponent)").map { isNegative ? -$0 : $0 }
    }

    var isUnitApart: Bool { rest.first == " " }

    /// The word after the number if it is a unit, or everything that follows.
    var unit: String? {
        let rest = isUnitApart ? self.rest.dropFirst() : self.rest
        let word = rest.prefix { !$0.isWhitespace }
        let unit = String(word).trimmingCharacters(in: CharacterSet(charactersIn: ".,;:!?)]"))
        guard (1...6).contains(unit.count), let first = unit.first, !unit.contains(where: ValueScan.isDigit) else {
            return nil
        }
        if Self.units.contains(unit) || unit.count == 1 && Self.isSymbol(first) { return unit }
        return rest.count == word.count && (first.isLetter || Self.isSymbol(first)) ? unit : nil
    }

    private static func isSymbol(_ character: Character) -> Bool {
        "°%‰'\"″′".contains(character)
            || character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .currencySymbol }
    }

    private static let units: Set<String> = [
        "km/h", "m/s", "mph", "kn", "kt", "kts", "mm", "cm", "m", "km", "ft", "mi", "nm", "µm", "mg", "g", "kg", "t",
        "lb", "oz",
        "ml", "l", "L", "m²", "m³", "l/h", "l/min", "s", "ms", "min", "h", "d", "°C", "°F", "K", "Hz", "kHz", "MHz",
        "GHz", "rpm",
        "RPM", "V", "mV", "kV", "A", "mA", "µA", "W", "kW", "MW", "Wh", "kWh", "MWh", "VA", "kVA", "Ω", "kΩ", "MΩ", "F",
        "µF",
        "nF", "pF", "J", "kJ", "N", "Nm", "Pa", "hPa", "kPa", "bar", "mbar", "psi", "dB", "dBm", "lx", "ppm", "bpm",
        "fps", "B",
        "kB", "MB", "GB", "TB", "MB/s", "EUR", "USD", "GBP", "CHF", "KRW", "원", "円", "元",
    ]
}
