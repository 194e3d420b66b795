import Foundation

/// A JSON object written as one line, fields in the order in which they were added.
///
/// Written by hand rather than by `JSONEncoder`, because the order of fields and the digits of numbers are part of the
/// output contract.
public struct JSONObject: Sendable {
    public private(set) var fields: [(name: String, value: String)] = []

    /// The value of `version` in the objects that `find`, `live` and `run` print: it grows when a field goes or changes its meaning, and
    /// not when one is added (docs/EVENTS.md).
    public static let version = 1

    public init() {}

    /// One of those objects.
    public init(type: String) {
        add("type", type)
        add("version", Self.version)
    }

    public mutating func add(_ name: String, _ value: String) { fields.append((name, Self.quoted(value))) }
    public mutating func add(_ name: String, _ value: Int) { fields.append((name, String(value))) }
    public mutating func add(_ name: String, _ value: Double, decimals: Int) {
        fields.append((name, Self.number(value, decimals: decimals)))
    }
    public mutating func add(_ name: String, json value: String) { fields.append((name, value)) }

    public var text: String {
        var text = "{"
        for (index, field) in fields.enumerated() {
            if index > 0 { text += "," }
            text += Self.quoted(field.name)
            text += ":"
            text += field.value
        }
        return text + "}"
    }

    /// A number with at most `decimals` digits behind the point and none that say nothing.
    public static func number(_ value: Double, decimals: Int) -> String {
        DecimalText.text(value, decimals: decimals)
    }

    /// A JSON string (RFC 8259, section 7); control and formatting characters are escaped although JSON would not
    /// demand it of all of them, so that a line can be shown on a terminal. Bytes of a file name that are no UTF-8, for which
    /// JSON has no place, become `\xE9`.
    public static func quoted(_ value: String) -> String {
        // Most are plain: nothing but printable ASCII without quotes and backslashes.
        if value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }) { return "\"\(value)\"" }
        var result = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if let byte = FileName.byte(of: scalar) {
                    result += "\\" + FileName.shownByte(byte)
                    continue
                }
                let isHidden = [.control, .format, .lineSeparator, .paragraphSeparator]
                    .contains(scalar.properties.generalCategory)
                if isHidden, scalar.value <= 0xFFFF {
                    result += String(format: "\\u%04x", scalar.value)
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}
