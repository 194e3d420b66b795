import TextSpotting

/// A JSON value, from which messages are built.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    subscript(name: String) -> JSONValue? {
        guard case .object(let fields) = self else { return nil }
        return fields[name]
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    var object: [String: JSONValue]? { if case .object(let fields) = self { fields } else { nil } }

    /// The value as a number, with or without a fraction.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The value as an integer, including one that is written as `2.0`.
    var integer: Int? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// Returns text that comes from a picture, a file name or a library, with everything visible that could control a
    /// terminal or be hidden from a reader (``PlainText``).
    static func seen(_ text: String) -> JSONValue { .string(PlainText.text(text)) }

    /// Returns a number with at most this many decimals.
    static func rounded(_ value: Double, decimals: Int) -> JSONValue {
        guard value.isFinite else { return .null }
        var factor = 1.0
        for _ in 0..<decimals { factor *= 10 }
        return .number((value * factor).rounded() / factor)
    }

    /// The value on one line; the fields of an object sorted by name.
    var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value.isFinite ? JSONObject.number(value, decimals: 9) : "null"
        case .string(let value): text += JSONObject.quoted(value)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let fields):
            text += "{"
            for (index, field) in fields.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text += "," }
                text += JSONObject.quoted(field.key) + ":"
                field.value.write(to: &text)
            }
            text += "}"
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

/// Text for a model, which may follow instructions that it reads.
enum PlainText {
    /// Returns `text` without control characters, as ``Visible`` shows it, and without other invisible characters
    /// (Unicode's category Cf, which includes tags), except the two joiners, which many scripts need.
    static func text(_ text: String) -> String {
        let visible = Visible.text(text)
        guard visible.unicodeScalars.contains(where: isHidden) else { return visible }
        return String(String.UnicodeScalarView(visible.unicodeScalars.map { isHidden($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format: scalar.value != 0x200C && scalar.value != 0x200D
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}

/// Parses one JSON value (RFC 8259) from untrusted bytes: every fault is an error, and nesting is limited to 64 levels.
///
/// Foundation's parser takes seconds for a megabyte of small values if each may be of any type.
struct JSONParser {
    /// The position of a fault, in bytes from the beginning, and its reason.
    struct Fault: Error, CustomStringConvertible {
        let place: Int
        let reason: String
        var description: String { "\(reason) at byte \(place)" }
    }

    private static let deepest = 64

    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: ``Fault``.
    static func value(_ bytes: [UInt8]) throws(Fault) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.place == bytes.count else { throw parser.fault("something follows the value") }
        return value
    }

    private func fault(_ reason: String) -> Fault { Fault(place: place, reason: reason) }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(Fault) -> JSONValue {
        guard depth < Self.deepest else { throw fault("it nests deeper than \(Self.deepest)") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw fault("it ends too early")
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Fault) -> JSONValue {
        let count = word.utf8CodeUnitCount
        for offset in 0..<count {
            guard place + offset < bytes.count, bytes[place + offset] == word.utf8Start[offset] else {
                throw fault("no value")
            }
        }
        place += count
        return value
    }

    private mutating func object(_ depth: Int) throws(Fault) -> JSONValue {
        place += 1
        var fields: [String: JSONValue] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(fields) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw fault("no name of a field") }
            let name = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("no colon") }
            fields[name] = try value(depth: depth + 1)
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(fields) }
            guard take(UInt8(ascii: ",")) else { throw fault("neither a comma nor the end of an object") }
        }
    }

    private mutating func array(_ depth: Int) throws(Fault) -> JSONValue {
        place += 1
        var values: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(values) }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(values) }
            guard take(UInt8(ascii: ",")) else { throw fault("neither a comma nor the end of a list") }
        }
    }

    private mutating func number() throws(Fault) -> JSONValue {
        let begin = place
        // RFC 8259 allows less than Swift as a number: no +1, .5, 1., 01 and inf.
        _ = take(UInt8(ascii: "-"))
        var isNumber = next == UInt8(ascii: "0") ? take(UInt8(ascii: "0")) : takeDigits()
        var isWhole = true
        if isNumber, take(UInt8(ascii: ".")) { (isNumber, isWhole) = (takeDigits(), false) }
        if isNumber, take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            (isNumber, isWhole) = (takeDigits(), false)
        }
        let text = String(decoding: bytes[begin..<place], as: UTF8.self)
        if isNumber, isWhole, let value = Int(text) { return .integer(value) }
        guard isNumber, let value = Double(text), value.isFinite else {
            place = begin
            throw fault("no value")
        }
        return .number(value)
    }

    /// Takes one or more digits.
    private mutating func takeDigits() -> Bool {
        let begin = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        return place > begin
    }

    private mutating func string() throws(Fault) -> String {
        place += 1
        var text: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw fault("no UTF-8 in a text") }
                return string
            case UInt8(ascii: "\\"): text += try escaped()
            case 0..<0x20: throw fault("a control character in a text")
            default: text.append(byte)
            }
        }
        throw fault("it ends in a text")
    }

    /// Returns the character of an escape sequence, as UTF-8.
    private mutating func escaped() throws(Fault) -> [UInt8] {
        guard let byte = next else { throw fault("it ends in a text") }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): break
        default: throw fault("no such escape")
        }
        var code = try unit()
        if (0xD800..<0xDC00).contains(code) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw fault("half a character") }
            let low = try unit()
            guard (0xDC00..<0xE000).contains(low) else { throw fault("half a character") }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw fault("half a character") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func unit() throws(Fault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw fault("no four digits behind \\u")
            }
            code = code << 4 + UInt32(digit)
            place += 1
        }
        return code
    }
}
