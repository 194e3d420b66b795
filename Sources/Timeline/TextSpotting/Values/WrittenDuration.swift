/// A length of time that is written with units: `2h 03m`, `1 h 5 min 20 s`.
struct WrittenDuration {
    private struct Part {
        let number: Int
        /// The number and its unit, as they were read.
        let text: String
        let unit: Unit
        let hasGapBefore: Bool
    }

    private enum Unit: Int {
        case day = 86_400, hour = 3_600, minute = 60, second = 1

        init?(_ name: String) {
            switch name {
            case "d": self = .day
            case "h", "hr", "hrs", "std": self = .hour
            case "m", "min": self = .minute
            case "s", "sec": self = .second
            default: return nil
            }
        }

        /// The number that is the next larger unit.
        var most: Int { self == .hour ? 24 : 60 }
    }

    private let parts: [Part]

    var seconds: Double { parts.reduce(0) { $0 + Double($1.number * $1.unit.rawValue) } }
    /// Whether there is a gap between the units, as far as most of them show.
    var isApart: Bool { 2 * parts.count(where: \.hasGapBefore) >= parts.count }

    /// Returns the text with a gap between all units or none: a quick reading may miss one.
    func text(apart: Bool) -> String { parts.map(\.text).joined(separator: apart ? " " : "") }

    /// Returns all lengths of at least two units, from left to right: a single unit may be one of length, as in `5 m`.
    static func all(in text: [Character]) -> [WrittenDuration] {
        var found: [WrittenDuration] = []
        var index = 0
        while index < text.count {
            let isStart = index == 0 || !text[index - 1].isLetter && !"0123456789.,:/".contains(text[index - 1])
            let parts = isStart ? parts(in: text, from: index) : (read: [], end: index)
            if parts.read.count > 1 { found.append(WrittenDuration(parts: parts.read)) }
            index = max(index + 1, parts.read.count > 1 ? parts.end : 0)
        }
        return found
    }

    private static func parts(in text: [Character], from start: Int) -> (read: [Part], end: Int) {
        var (read, index, end) = ([Part](), start, start)
        while true {
            let hasGap = !read.isEmpty && index < text.count && text[index] == " "
            if hasGap { index += 1 }
            let digits = text[index...].prefix(while: ValueScan.isDigit)
            var rest = text[index...].dropFirst(digits.count)
            let gap = rest.prefix { $0 == " " }
            rest = rest.dropFirst(gap.count)
            let name = rest.prefix(while: \.isLetter)
            guard (1...(read.isEmpty ? 4 : 2)).contains(digits.count), gap.count < 2,
                let number = Int(String(digits)), let unit = Unit(String(name).lowercased()),
                read.last.map({ unit.rawValue < $0.unit.rawValue && number < unit.most }) ?? true
            else { return (read, end) }
            end = name.endIndex
            read.append(Part(number: number, text: String(text[index..<end]), unit: unit, hasGapBefore: hasGap))
            index = end
        }
    }
}
