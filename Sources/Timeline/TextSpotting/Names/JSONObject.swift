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

/// Numbers with some digits behind the point and none that say nothing, exactly rounded, whatever the locale.
///
/// A frame may carry dozens of numbers, on a streaming thread: C's `printf` takes 2 µs for each, this a tenth of it.
enum DecimalText {
    private static let powers: [Double] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]

    static func text(_ value: Double, decimals: Int) -> String {
        guard value.isFinite else { return "0" }
        return quickly(value, decimals) ?? exactly(value, decimals)
    }

    /// nil if a product of two binary fractions is not near enough to the exact number.
    private static func quickly(_ value: Double, _ decimals: Int) -> String? {
        guard powers.indices.contains(decimals) else { return nil }
        let scaled = value.magnitude * powers[decimals]
        // Below this the product is right to some 1e-7.
        guard scaled < 1e9 else { return nil }
        let whole = Int(scaled)
        let rest = scaled - Double(whole)
        var digits = rest > 0.5 ? whole + 1 : whole
        if rest == 0.5 {
            // The rounding error of the product shows on which side of the middle it is; just in it the even number counts, as `printf` rounds.
            let lost = (-scaled).addingProduct(value.magnitude, powers[decimals])
            if lost > 0 || lost == 0 && whole % 2 == 1 { digits = whole + 1 }
        }
        guard digits > 0 else { return "0" }
        let (before, after) = digits.quotientAndRemainder(dividingBy: Int(powers[decimals]))
        let sign = value < 0 ? "-" : ""
        return after == 0 ? "\(sign)\(before)" : "\(sign)\(before).\(fraction(after, decimals))"
    }

    /// As many digits, with zeros in front and none at the end.
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

/// File names as text, without loss: to Linux a name is a row of bytes, which need not be UTF-8.
///
/// A byte that is no part of valid UTF-8 becomes one scalar, U+10FF00 plus the byte, of the last plane for private use; so
/// does each byte of such a scalar where a name really has one. Text and bytes thus tell each other exactly, and the text can
/// go wherever names go: only where a file is opened is it turned back, and where it is shown, ``shownByte(_:)`` says how.
public enum FileName {
    /// The first of the scalars that stand for bytes; only 0x80 to 0xFF can be invalid.
    private static let base: UInt32 = 0x10FF00

    /// A name's bytes as text.
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        var result = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        // A parser says how many bytes are invalid, but not which: they are kept here until it has understood them.
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

    /// The name that a C function returned, as text; the C string stays the caller's.
    public static func text(ofCName name: UnsafePointer<CChar>) -> String {
        var bytes: [UInt8] = []
        while name[bytes.count] != 0 { bytes.append(UInt8(bitPattern: name[bytes.count])) }
        return text(of: bytes)
    }

    /// The bytes that a name's text stands for.
    public static func bytes(of text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in byte(of: scalar).map { [$0] } ?? Array(UTF8.encode(scalar) ?? .init()) }
    }

    /// The byte that a scalar stands for; nil for one that is a character.
    public static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.value >= base + 0x80 else { return nil }
        return UInt8(exactly: scalar.value - base)
    }

    /// How such a byte is shown to a user: `\xE9`.
    public static func shownByte(_ byte: UInt8) -> String {
        "\\x" + String(byte, radix: 16, uppercase: true)
    }

    /// Calls `body` with the name as C functions take it.
    public static func withCName<Result>(_ text: String, _ body: (UnsafePointer<CChar>) throws -> Result) rethrows
        -> Result
    {
        let characters = bytes(of: text).map { CChar(bitPattern: $0) } + [0]
        return try characters.withUnsafeBufferPointer { buffer in
            // It has the final zero at least.
            try body(buffer.baseAddress!)
        }
    }

    private static func append(_ byte: UInt8, to text: inout String.UnicodeScalarView) {
        // ASCII is always valid; the parser may still count it to an invalid sequence that it ends.
        if let scalar = Unicode.Scalar(byte < 0x80 ? UInt32(byte) : base + UInt32(byte)) { text.append(scalar) }
    }

    /// Remembers what was taken.
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
