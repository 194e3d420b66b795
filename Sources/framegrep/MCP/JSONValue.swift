import TextSpotting

/// A value of JSON, as messages are made of.
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

    /// A number, whole or not.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// A whole number, also one that is written as `2.0`.
    var integer: Int? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// Text that comes from a picture, a name of a file or a library: what could steer a terminal or hide from a reader is
    /// made visible (``PlainText``).
    static func seen(_ text: String) -> JSONValue { .string(PlainText.text(text)) }

    /// A number with at most so many digits behind the point.
    static func rounded(_ value: Double, decimals: Int) -> JSONValue {
        guard value.isFinite else { return .null }
        var factor = 1.0
        for _ in 0..<decimals { factor *= 10 }
        return .number((value * factor).rounded() / factor)
    }

    /// On one line; the fields of an object by name.
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

/// Text for a reader that is a program which follows what it reads.
enum PlainText {
    /// `text` without control characters, as ``Visible`` shows it, and without the other characters that nobody sees (Unicode's
    /// category Cf, tags among them): only the two joiners stay, which letters of many scripts need.
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
