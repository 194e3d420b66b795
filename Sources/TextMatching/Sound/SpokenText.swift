/// The ways in which a text is said aloud: words by their letters, numbers by their words, units by their names.
enum SpokenText {
    /// All likely ways; the first one is the plainest. At most four.
    static func ways(of text: String) -> [[Sound]] {
        let parts = parts(of: text)
        guard !parts.isEmpty else { return [] }
        var ways: [[Sound]] = [[]]
        for part in parts {
            let said = readings(part)
            ways =
                ways.count * said.count <= 4
                ? ways.flatMap { way in said.map { way + $0 } } : ways.map { $0 + said[0] }
        }
        return ways.filter { !$0.isEmpty }
    }

    /// Words and numbers, in their order, in small letters and digits.
    private static func parts(of text: String) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var current: [UInt8] = []
        func end() {
            if !current.isEmpty { parts.append(current) }
            current = []
        }
        for character in text {
            guard let byte = plain(character) else {
                // An apostrophe is inside of a word.
                if character != "'" && character != "’" { end() }
                continue
            }
            if let last = current.last, isDigit(last) != isDigit(byte) { end() }
            current.append(byte)
        }
        end()
        return parts
    }

    private static func plain(_ character: Character) -> UInt8? {
        var letter: UInt8?
        for unit in TextFolding(caseSensitive: false).fold(String(character)).units {
            guard unit.code < 128 else { return nil }
            let byte = UInt8(unit.code)
            guard isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) else { return nil }
            letter = byte
        }
        return letter
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The ways in which one part is said.
    private static func readings(_ part: [UInt8]) -> [[Sound]] {
        guard let first = part.first, isDigit(first) else {
            let word = String(decoding: part, as: UTF8.self)
            let sounds = SpelledSounds.sounds(of: part)
            return units[word].map { name in [sounds] + name.map { SpelledSounds.sounds(of: Array($0.utf8)) } } ?? [
                sounds
            ]
        }
        let digits = part.map { Int($0 - UInt8(ascii: "0")) }
        let single = digits.flatMap { sounds(numbers[$0]) }
        guard digits.count <= 4, digits.count > 1, first != UInt8(ascii: "0") else { return [single] }
        let value = digits.reduce(0) { $0 * 10 + $1 }
        let whole = words(of: value).flatMap(sounds)
        return digits.count == 2 ? [whole, single] : [single, whole]
    }

    private static func sounds(_ word: String) -> [Sound] { SpelledSounds.sounds(of: Array(word.utf8)) }

    /// What letters behind a number stand for.
    private static let units: [String: [String]] = [
        "a": ["amp", "amps"], "v": ["volt", "volts"], "w": ["watt", "watts"], "mm": ["millimeter"],
        "cm": ["centimeter"],
        "kg": ["kilogram"], "m": ["meter"], "no": ["number"], "st": ["street"], "dr": ["doctor"], "mg": ["milligram"],
        "km": ["kilometer"], "c": ["celsius"],
    ]

    private static let numbers = ["zero", "wun", "too", "three", "for", "five", "six", "seven", "ate", "nine"]
    private static let teens = [
        "ten", "eleven", "twelve", "therteen", "forteen", "fifteen", "sixteen", "seventeen", "ateteen", "nineteen",
    ]
    private static let tens = ["", "", "twenty", "therty", "forty", "fifty", "sixty", "seventy", "atety", "ninety"]

    /// A number in words, spelled as the rules read them right.
    private static func words(of value: Int) -> [String] {
        switch value {
        case 0..<10: [numbers[value]]
        case 10..<20: [teens[value - 10]]
        case 20..<100: [tens[value / 10]] + (value % 10 == 0 ? [] : [numbers[value % 10]])
        case 100..<1000: [numbers[value / 100], "hundred"] + (value % 100 == 0 ? [] : words(of: value % 100))
        default: words(of: value / 1000) + ["thousand"] + (value % 1000 == 0 ? [] : words(of: value % 1000))
        }
    }
}
