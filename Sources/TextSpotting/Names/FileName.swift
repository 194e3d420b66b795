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
