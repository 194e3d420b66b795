/// The part of a file that a request asks for (RFC 9110, section 14).
enum ByteRange: Equatable {
    /// The whole file, with status 200: no range was asked for, or one that need not be understood.
    case whole
    /// These bytes, with status 206.
    case part(Range<Int64>)
    /// The requested range lies outside of the file: status 416.
    case none

    /// - Parameters:
    ///   - header: the value of `Range`; nil if there is none.
    ///   - size: of the file.
    ///
    /// Several ranges at once are answered with the whole file, which section 14.2 allows: no player asks for them, and many
    /// small ones are a known way to keep a server busy.
    init(_ header: String?, size: Int64) {
        guard let header, let equals = header.firstIndex(of: "="),
            header[..<equals].lowercased() == "bytes"
        else {
            self = .whole
            return
        }
        let specification = Self.trimmed(header[header.index(after: equals)...])
        guard !specification.contains(","), let dash = specification.firstIndex(of: "-") else {
            self = .whole
            return
        }
        let (first, last) = (specification[..<dash], specification[specification.index(after: dash)...])
        guard let range = first.isEmpty ? Self.suffix(last, size) : Self.range(first, last, size) else {
            self = .whole
            return
        }
        self = range.isEmpty ? .none : .part(range)
    }

    /// The last bytes of a file; nil if it is not a number.
    private static func suffix(_ length: Substring, _ size: Int64) -> Range<Int64>? {
        guard let length = number(length) else { return nil }
        return max(0, size - length)..<size
    }

    /// From one byte up to and with another; nil if it is not a range.
    private static func range(_ first: Substring, _ last: Substring, _ size: Int64) -> Range<Int64>? {
        guard let first = number(first) else { return nil }
        guard !last.isEmpty else { return min(first, size)..<size }
        guard let last = number(last), first <= last else { return nil }
        let end = last >= size ? size : last + 1
        return min(first, end)..<end
    }

    /// Digits and nothing else; a number too large for any file is larger than every file.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text) ?? .max
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
