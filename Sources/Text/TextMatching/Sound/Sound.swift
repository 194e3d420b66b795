/// A sound of speech, just fine enough to distinguish spoken words from misheard ones.
///
/// The letters are close to those of the phonetic alphabet; vowels that a recognizer confuses are neighbors.
enum Sound: UInt8, Sendable, Hashable {
    // Vowels: cat, bed, sit, hot, cup, see, day, go, blue, my, now, boy, her.
    case a, e, i, o, u, ee, ay, oh, oo, eye, ow, oy, er
    // Consonants.
    case p, b, t, d, k, g, f, v, th, dh, s, z, sh, zh, ch, j, h, m, n, ng, l, r, w, y

    var isVowel: Bool { rawValue <= Sound.er.rawValue }

    /// The ways in which consonants are articulated.
    private enum Manner { case stop, hiss, breath, nasal, glide }

    private var manner: Manner {
        switch self {
        case .p, .b, .t, .d, .k, .g: .stop
        case .s, .z, .sh, .zh, .ch, .j: .hiss
        case .f, .v, .th, .dh, .h: .breath
        case .m, .n, .ng: .nasal
        default: .glide
        }
    }

    /// Consonants that differ only in voicing.
    private static let voiced: [Sound: Sound] = [
        .p: .b, .t: .d, .k: .g, .f: .v, .th: .dh, .s: .z, .sh: .zh, .ch: .j,
    ]
    /// Other sounds that are easily misheard for each other.
    private static let near: [Set<Sound>] = [
        [.t, .ch], [.d, .j], [.s, .sh], [.sh, .ch], [.th, .f], [.th, .s], [.th, .t], [.dh, .d], [.dh, .v], [.v, .b],
        [.v, .w],
        [.n, .m], [.n, .ng], [.l, .r], [.l, .w], [.r, .w], [.p, .f], [.s, .z], [.j, .zh], [.y, .j], [.k, .t], [.p, .t],
        [.p, .k], [.b, .d], [.g, .d], [.z, .dh],
    ]
    private static let nearVowels: [Set<Sound>] = [
        [.a, .e], [.e, .i], [.i, .ee], [.e, .ay], [.ay, .ee], [.a, .u], [.u, .o], [.o, .oh], [.o, .ow], [.oh, .oo],
        [.oo, .u],
        [.u, .er], [.e, .er], [.eye, .oy], [.a, .ow], [.i, .er], [.a, .o], [.oh, .ow], [.a, .ay], [.eye, .a],
        [.er, .oh],
        [.er, .o], [.i, .u], [.e, .u],
    ]

    /// Returns the cost of having heard one instead of the other, 0 to 1.
    static func cost(_ said: Sound, _ heard: Sound) -> Float { costs[Int(said.rawValue) * count + Int(heard.rawValue)] }

    static let count = Int(Sound.y.rawValue) + 1

    private static let costs: [Float] = {
        let all = (0..<UInt8(count)).compactMap(Sound.init)
        return all.flatMap { one in all.map { measured(one, $0) } }
    }()

    private static func measured(_ one: Sound, _ other: Sound) -> Float {
        if one == other { return 0 }
        let pair: Set<Sound> = [one, other]
        if one.isVowel, other.isVowel { return nearVowels.contains(pair) ? 0.2 : 0.4 }
        guard !one.isVowel, !other.isVowel else {
            // The syllable has lost its vowel, as in "button".
            return pair.contains(.y) && (pair.contains(.ee) || pair.contains(.i))
                || pair.contains(.w) && (pair.contains(.oo) || pair.contains(.oh))
                || pair.contains(.r) && pair.contains(.er) ? 0.3 : 1
        }
        if voiced[one] == other || voiced[other] == one { return 0.2 }
        if near.contains(pair) { return 0.45 }
        return one.manner == other.manner ? 0.6 : 0.85
    }

    /// The cost of missing the sound, or of hearing it although it was not said.
    var lostCost: Float {
        switch self {
        case .h, .y, .w: 0.35
        case .er, .u, .i: 0.35
        case .t, .d, .r, .l, .n: 0.55
        default: isVowel ? 0.5 : 0.7
        }
    }
}

/// The distance between two sequences of sounds.
enum SoundDistance {
    /// Returns the least cost of turning one into the other.
    ///
    /// - Parameter most: the limit above which the cost need not be exact.
    static func cost(_ said: [Sound], _ heard: [Sound], most: Float = .infinity) -> Float {
        var row: [Float] = [0]
        for sound in heard { row.append(row[row.count - 1] + sound.lostCost) }
        for (index, sound) in said.enumerated() {
            var corner = row[0]
            row[0] += sound.lostCost
            var least = row[0]
            for column in heard.indices {
                let above = row[column + 1]
                let isTwice = index > 0 && said[index - 1] == sound && column > 0 && heard[column - 1] == sound
                let lost = above + (isTwice ? 0.15 : sound.lostCost)
                row[column + 1] = min(
                    corner + Sound.cost(sound, heard[column]), lost, row[column] + heard[column].lostCost)
                corner = above
                least = min(least, row[column + 1])
            }
            if least > most { return least }
        }
        return row[row.count - 1]
    }

    /// Returns the cost per sound: 0 for the same sounds, near 1 for words that have nothing in common.
    static func normalized(_ said: [Sound], _ heard: [Sound]) -> Float {
        let weight = max(said.reduce(0) { $0 + $1.lostCost }, heard.reduce(0) { $0 + $1.lostCost })
        return weight > 0 ? min(1, cost(said, heard) / weight) : 1
    }
}

/// The ways in which a text is said aloud: words by their letters, numbers by their words, units by their names.
enum SpokenText {
    /// Returns all likely ways, at most four, the plainest first.
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

    /// Returns words and numbers, in order, in lowercase letters and digits.
    private static func parts(of text: String) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var current: [UInt8] = []
        func end() {
            if !current.isEmpty { parts.append(current) }
            current = []
        }
        for character in text {
            guard let byte = plain(character) else {
                // An apostrophe does not end a word.
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

    /// Returns the ways in which one part is said.
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

    /// The words that letters after a number stand for.
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

    /// Returns a number in words, spelled so that the rules pronounce them correctly.
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

/// A text that may have been said, and its distance from the sounds that were heard.
public struct HeardCandidate: Sendable, Hashable {
    /// The text as written.
    public var text: String
    /// The distance: 0 for the same sounds, 1 for nothing in common.
    public var distance: Double
}

/// Finds the spoken word among the known ones: those in view, those read before, and those of an index.
///
/// A speech recognizer often gets a few sounds of a single word wrong, but here the possible words are known.
/// "translators" sounds like TRANSISTORS, and like nothing else on a wall of drawers.
public struct HeardWords: Sendable {
    /// The largest number of words of a text that is spoken at once.
    private static let mostWords = 6
    /// The largest number of texts that are compared, the newest ones.
    private static let most = 20_000

    private struct Text: Sendable {
        let text: String
        let ways: [[Sound]]
        let isWhole: Bool
    }

    private let texts: [Text]

    /// - Parameter lines: the known lines, the likeliest first.
    public init(_ lines: some Sequence<String>) {
        var seen = Set<String>()
        var texts: [Text] = []
        for line in lines where texts.count < Self.most {
            let words = line.split(whereSeparator: \.isWhitespace)
            for length in (1...Self.mostWords).reversed() where length <= words.count {
                for start in 0...(words.count - length) {
                    let text = words[start..<(start + length)].joined(separator: " ")
                    guard seen.insert(Self.plain(text)).inserted else { continue }
                    let ways = SpokenText.ways(of: text)
                    // A word of one or two letters could be heard in anything.
                    guard let first = ways.first, first.count > 1 || words.count == 1 else { continue }
                    texts.append(Text(text: text, ways: ways, isWhole: length == words.count))
                }
            }
        }
        self.texts = texts
    }

    /// Returns the form in which texts are compared: only their words.
    public static func plain(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
    }

    /// Returns the texts nearest to the words that were heard, nearest first, whatever their distance; most of them are
    /// whole lines.
    public func nearest(to heard: String, count: Int) -> [HeardCandidate] {
        let ways = SpokenText.ways(of: heard)
        let all = texts.map { text in
            var least: Float = 1
            for said in text.ways { for way in ways { least = min(least, SoundDistance.normalized(said, way)) } }
            return (text: text, distance: Double(least))
        }.sorted { ($0.distance, -$0.text.text.count) < ($1.distance, -$1.text.text.count) }
        let whole = all.lazy.filter(\.text.isWhole).prefix(count * 4 / 5)
        let parts = all.lazy.filter { !$0.text.isWhole }.prefix(count - whole.count)
        return (Array(whole) + Array(parts)).map { HeardCandidate(text: $0.text.text, distance: $0.distance) }
    }
}
