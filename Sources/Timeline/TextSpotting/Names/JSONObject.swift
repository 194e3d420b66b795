import Foundation

/// A JSON object written as one line, with its fields in the order in which they were added.
///
/// Written by hand rather than by `JSONEncoder`, because the order of fields and the digits of numbers are part of the
/// output contract.
public struct JSONObject: Sendable {
    public private(set) var fields: [(name: String, value: String)] = []

    /// The value of `version` in the objects that `find`, `live` and `run` print: it increases when a field is removed
    /// or changes its meaning, but not when one is added (docs/EVENTS.md).
    public static let version = 1

    public init() {}

    /// Creates an object of this type, with its version.
    public init(type: String) {
        add("type", type)
        add("version", Self.version)
    }

    public mutating func add(_ name: String, _ value: String) { fields.append((name, Self.quoted(value))) }
    public mutating func add(_ name: String, _ value: Int) { fields.append((name, String(value))) }
    public mutating func add(_ name: String, _ value: Double, decimals: Int) {
        fields.append((name, Self.number(value, decimals: decimals)))
    }
    public mutating func add(_ name: String, _ value: Bool) { add(name, json: value ? "true" : "false") }
    public mutating func add(_ name: String, json value: String) { fields.append((name, value)) }
    /// Adds a list of values that are already JSON.
    public mutating func add(_ name: String, list values: some Sequence<String>) {
        add(name, json: "[" + values.joined(separator: ",") + "]")
    }

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

    /// Returns a number with at most `decimals` decimals and no trailing zeros.
    public static func number(_ value: Double, decimals: Int) -> String {
        DecimalText.text(value, decimals: decimals)
    }

    /// Returns a JSON string (RFC 8259, section 7). Control and formatting characters are all escaped, although JSON
    /// does not require it of each, so that a line can be shown on a terminal. Bytes of a file name that are not UTF-8,
    /// which JSON cannot represent, become `\xE9`.
    public static func quoted(_ value: String) -> String {
        // Most strings are plain: only printable ASCII without quotes and backslashes.
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

/// Formats numbers with a few decimals and no trailing zeros, exactly rounded, in any locale.
///
/// A frame may carry dozens of numbers, on a streaming thread: C's `printf` takes 2 µs for each, this a tenth of that.
enum DecimalText {
    private static let powers: [Double] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]

    static func text(_ value: Double, decimals: Int) -> String {
        guard value.isFinite else { return "0" }
        return quickly(value, decimals) ?? exactly(value, decimals)
    }

    /// Returns nil if a product of two binary fractions is not close enough to the exact number.
    private static func quickly(_ value: Double, _ decimals: Int) -> String? {
        guard powers.indices.contains(decimals) else { return nil }
        let scaled = value.magnitude * powers[decimals]
        // Below this limit the product is exact to about 1e-7.
        guard scaled < 1e9 else { return nil }
        let whole = Int(scaled)
        let rest = scaled - Double(whole)
        var digits = rest > 0.5 ? whole + 1 : whole
        if rest == 0.5 {
            // The rounding error of the product tells on which side of the midpoint it is; exactly on it the even digit
            // is used, as in `printf`.
            let lost = (-scaled).addingProduct(value.magnitude, powers[decimals])
            if lost > 0 || lost == 0 && whole % 2 == 1 { digits = whole + 1 }
        }
        guard digits > 0 else { return "0" }
        let (before, after) = digits.quotientAndRemainder(dividingBy: Int(powers[decimals]))
        let sign = value < 0 ? "-" : ""
        return after == 0 ? "\(sign)\(before)" : "\(sign)\(before).\(fraction(after, decimals))"
    }

    /// Returns the decimals, with leading but without trailing zeros.
    private static func fraction(_ number: Int, _ decimals: Int) -> String {
        var (number, count) = (number, decimals)
        while number % 10 == 0 { (number, count) = (number / 10, count - 1) }
        let text = String(number)
        return String(repeating: "0", count: count - text.utf8.count) + text
    }

    private static func exactly(_ value: Double, _ decimals: Int) -> String {
        var text = String(format: "%.\(decimals)f", value)
        if text.utf8.contains(UInt8(ascii: ".")) {
            while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
            if text.utf8.last == UInt8(ascii: ".") { text.removeLast() }
        }
        return text == "-0" ? "0" : text
    }
}

/// Represents file names as text without loss: on Linux a name is a sequence of bytes, which need not be UTF-8.
///
/// A byte that is not part of valid UTF-8 becomes one scalar, U+10FF00 plus the byte, of the last plane for private
/// use; so does each byte of such a scalar if a name really contains one. The conversion is therefore exact in both
/// directions, and the text can go wherever names go: it is converted back only where a file is opened, and displayed
/// with the help of ``shownByte(_:)``.
public enum FileName {
    /// The first of the scalars that represent bytes; only 0x80 to 0xFF can be invalid.
    private static let base: UInt32 = 0x10FF00

    /// Returns the bytes of a name as text.
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        var result = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        // A parser reports how many bytes are invalid, but not which, so they are kept until it has decoded them.
        var pending: [UInt8] = []
        var rest = bytes.makeIterator()
        var source = RecordingIterator { rest.next() }
        parsing: while true {
            let outcome = parser.parseScalar(from: &source)
            pending += source.taken
            source.taken = []
            switch outcome {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if byte(of: scalar) == nil {
                    result.append(scalar)
                } else {
                    for byte in pending.prefix(encoded.count) { append(byte, to: &result) }
                }
                pending.removeFirst(encoded.count)
            case .error(let length):
                for byte in pending.prefix(length) { append(byte, to: &result) }
                pending.removeFirst(min(length, pending.count))
            case .emptyInput:
                break parsing
            }
        }
        return String(result)
    }

    /// Returns the name that a C function returned as text; the caller keeps ownership of the C string.
    public static func text(ofCName name: UnsafePointer<CChar>) -> String {
        var bytes: [UInt8] = []
        while name[bytes.count] != 0 { bytes.append(UInt8(bitPattern: name[bytes.count])) }
        return text(of: bytes)
    }

    /// Returns the bytes that the text of a name represents.
    public static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if let byte = byte(of: scalar) { bytes.append(byte) } else { bytes += UTF8.encode(scalar) ?? .init() }
        }
        return bytes
    }

    /// Returns the byte that a scalar represents; nil if the scalar is a character.
    public static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.value >= base + 0x80 else { return nil }
        return UInt8(exactly: scalar.value - base)
    }

    /// Returns the form in which such a byte is shown to a user: `\xE9`.
    public static func shownByte(_ byte: UInt8) -> String {
        "\\x" + String(byte, radix: 16, uppercase: true)
    }

    /// Calls `body` with the name as a C string.
    public static func withCName<Result>(_ text: String, _ body: (UnsafePointer<CChar>) throws -> Result) rethrows
        -> Result
    {
        let bytes = bytes(of: text) + CollectionOfOne(0)
        return try bytes.withUnsafeBytes { buffer in
            // The buffer contains at least the terminating zero.
            try body(buffer.assumingMemoryBound(to: CChar.self).baseAddress!)
        }
    }

    private static func append(_ byte: UInt8, to text: inout String.UnicodeScalarView) {
        // ASCII is always valid; the parser may still include it in an invalid sequence that it ends.
        if let scalar = Unicode.Scalar(byte < 0x80 ? UInt32(byte) : base + UInt32(byte)) { text.append(scalar) }
    }

    /// Records the elements that were consumed.
    private struct RecordingIterator: IteratorProtocol {
        let take: () -> UInt8?
        var taken: [UInt8] = []

        init(_ take: @escaping () -> UInt8?) { self.take = take }

        mutating func next() -> UInt8? {
            let byte = take()
            if let byte { taken.append(byte) }
            return byte
        }
    }
}
