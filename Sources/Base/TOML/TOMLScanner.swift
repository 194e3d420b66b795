/// Scans a document: keys, strings, numbers, lists.
struct TOMLScanner {
    /// The largest depth of nested lists and number of parts of a key, since each takes some of the stack.
    private static let deepest = 32

    private let bytes: [UInt8]
    private var place = 0
    /// The line, counted from 1.
    private(set) var line = 1
    private var depth = 0

    init(_ text: String) {
        var text = text.replacing("\r\n", with: "\n")
        if text.first == "\u{FEFF}" { text.removeFirst() }
        bytes = Array(text.utf8)
    }

    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private func byte(at offset: Int) -> UInt8? { place + offset < bytes.count ? bytes[place + offset] : nil }

    private mutating func take() -> UInt8? {
        guard let byte = next else { return nil }
        place += 1
        if byte == UInt8(ascii: "\n") { line += 1 }
        return byte
    }

    /// Skips this text if it comes next; returns whether it did.
    mutating func takes(_ text: StaticString) -> Bool {
        let isHere = text.withUTF8Buffer { bytes[place...].starts(with: $0) }
        if isHere { place += text.utf8CodeUnitCount }
        return isHere
    }

    // MARK: Lines

    mutating func skipSpaces() {
        while let byte = next, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { place += 1 }
    }

    /// Skips spaces and a comment after them.
    private mutating func skipToEnd() throws(TOMLError) {
        skipSpaces()
        guard next == UInt8(ascii: "#") else { return }
        while let byte = next, byte != UInt8(ascii: "\n") {
            guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else {
                throw TOMLError(line, "A comment contains a control character.")
            }
            place += 1
        }
    }

    mutating func skipBlankLines() throws(TOMLError) {
        while true {
            try skipToEnd()
            guard next == UInt8(ascii: "\n") else { return }
            _ = take()
        }
    }

    mutating func endLine() throws(TOMLError) {
        try skipToEnd()
        guard let byte = take() else { return }
        guard byte == UInt8(ascii: "\n") else {
            throw TOMLError(
                line, "There is more after the end of the value or header; write one key or one header on each line.")
        }
    }

    // MARK: Keys

    /// `a.b."c d"`
    mutating func path() throws(TOMLError) -> [String] {
        var path = [try key()]
        while true {
            skipSpaces()
            guard takes(".") else { return path }
            skipSpaces()
            guard path.count < Self.deepest else {
                throw TOMLError(line, "A key has at most \(Self.deepest) parts between its dots; this one has more.")
            }
            path.append(try key())
        }
    }

    private mutating func key() throws(TOMLError) -> String {
        if next == UInt8(ascii: "\"") { return try basicString() }
        if next == UInt8(ascii: "'") { return try literalString() }
        let start = place
        while let byte = next, Self.isBare(byte) { place += 1 }
        guard place > start else { throw TOMLError(line, "A key was expected here: letters, digits, '-' and '_'.") }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// `key = value`
    mutating func pair(into node: TOMLNode) throws(TOMLError) {
        let line = line
        let path = try path()
        guard takes("=") else {
            throw TOMLError(line, "'\(path.joined(separator: "."))' has no '=' and no value after it.")
        }
        skipSpaces()
        try node.set(path, to: try value(), line: line)
    }

    // MARK: Values

    private mutating func value() throws(TOMLError) -> TOMLValue {
        let line = line
        switch next {
        case nil, UInt8(ascii: "\n"), UInt8(ascii: "#"): throw TOMLError(line, "A value is missing after the '='.")
        case UInt8(ascii: "\""):
            return TOMLValue(.string(takes("\"\"\"") ? try longString(quote: "\"") : try basicString()), line: line)
        case UInt8(ascii: "'"):
            return TOMLValue(.string(takes("'''") ? try longString(quote: "'") : try literalString()), line: line)
        case UInt8(ascii: "["):
            return TOMLValue(.array(try nested { scanner throws(TOMLError) in try scanner.list() }), line: line)
        case UInt8(ascii: "{"):
            return TOMLValue(.table(try nested { scanner throws(TOMLError) in try scanner.inlineTable() }), line: line)
        default: return TOMLValue(try scalar(), line: line)
        }
    }

    private mutating func nested<Value>(
        _ body: (inout TOMLScanner) throws(TOMLError) -> Value
    ) throws(TOMLError) -> Value {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw TOMLError(line, "Lists and tables are nested too deeply here.") }
        return try body(&self)
    }

    private mutating func list() throws(TOMLError) -> [TOMLValue] {
        let begin = line
        place += 1
        var values: [TOMLValue] = []
        while true {
            try skipBlankLines()
            if takes("]") { return values }
            guard next != nil else {
                throw TOMLError(begin, "A list begins here and does not end; its ']' is missing.")
            }
            values.append(try value())
            try skipBlankLines()
            guard takes(",") || next == nil || next == UInt8(ascii: "]") else {
                throw TOMLError(
                    line,
                    "The list that begins in line \(begin) needs ',' between its values and ']' at its end.")
            }
        }
    }

    private mutating func inlineTable() throws(TOMLError) -> TOMLTable {
        let node = TOMLNode(line: line, origin: .inline)
        place += 1
        skipSpaces()
        if takes("}") { return node.table }
        while true {
            skipSpaces()
            try pair(into: node)
            skipSpaces()
            if takes("}") { return node.table }
            guard takes(",") else {
                throw TOMLError(
                    line, "A table in braces must be on one line, with ',' between its keys and '}' at its end.")
            }
        }
    }

    private mutating func scalar() throws(TOMLError) -> TOMLValue.Content {
        let start = place
        while let byte = next, Self.isBare(byte) || "+.:".utf8.contains(byte) { place += 1 }
        let word = String(decoding: bytes[start..<place], as: UTF8.self)
        if let content = TOMLNumber.content(of: word) { return content }
        if word.isEmpty { throw TOMLError(line, "This is not a value; text needs quotes.") }
        if word.first?.isNumber == true, word.contains(":") || word.filter({ $0 == "-" }).count == 2 {
            throw TOMLError(line, "'\(word)' is a date or a time, which no key takes; put text into quotes.")
        }
        throw TOMLError(line, "'\(word)' is not a value; text needs quotes.")
    }

    // MARK: Strings

    private func unended(_ line: Int) -> TOMLError {
        TOMLError(line, "A text begins here and does not end; its quote is missing.")
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Checks a character of a string that stands for itself.
    private func checked(_ byte: UInt8) throws(TOMLError) -> UInt8 {
        guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else {
            throw TOMLError(line, "A text contains a control character; write it as \\u and four digits.")
        }
        return byte
    }

    private mutating func literalString() throws(TOMLError) -> String {
        place += 1
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\n") {
            place += 1
            if byte == UInt8(ascii: "'") { return self.text(text) }
            text.append(try checked(byte))
        }
        throw unended(line)
    }

    private mutating func basicString() throws(TOMLError) -> String {
        place += 1
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\n") {
            place += 1
            if byte == UInt8(ascii: "\"") { return self.text(text) }
            if byte == UInt8(ascii: "\\") { text += try escape() } else { text.append(try checked(byte)) }
        }
        throw unended(line)
    }

    /// Reads the rest of a string after three quotes.
    private mutating func longString(quote: Character) throws(TOMLError) -> String {
        let (begin, mark) = (line, quote.asciiValue ?? 0)
        if next == UInt8(ascii: "\n") { _ = take() }
        var text: [UInt8] = []
        while let byte = next {
            let quotes = bytes[place...].prefix(5).prefix { $0 == mark }.count
            if quotes >= 3 {
                // One or two quotes before the closing three belong to the text.
                place += quotes
                return self.text(text + [UInt8](repeating: mark, count: quotes - 3))
            }
            _ = take()
            if byte == UInt8(ascii: "\n") {
                text.append(byte)
            } else if byte == UInt8(ascii: "\\"), quote == "\"" {
                if try !skipsLineBreak() { text += try escape() }
            } else {
                text.append(try checked(byte))
            }
        }
        throw unended(begin)
    }

    /// After a backslash at the end of a line, skips all white space up to the next character.
    private mutating func skipsLineBreak() throws(TOMLError) -> Bool {
        let ahead = bytes[place...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
        guard byte(at: ahead) == UInt8(ascii: "\n") else { return false }
        while let byte = next, [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n")].contains(byte) { _ = take() }
        return true
    }

    /// Reads what follows a backslash.
    private mutating func escape() throws(TOMLError) -> [UInt8] {
        guard let byte = next else { throw unended(line) }
        place += 1
        switch byte {
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [byte]
        case UInt8(ascii: "u"): return try character(digits: 4)
        case UInt8(ascii: "U"): return try character(digits: 8)
        default:
            throw TOMLError(
                line,
                "A backslash means something special in double quotes: write two, or put the text into single quotes.")
        }
    }

    private mutating func character(digits count: Int) throws(TOMLError) -> [UInt8] {
        let digits = bytes[place...].prefix(count)
        let isHexadecimal = digits.count == count && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        guard isHexadecimal, let number = UInt32(text(Array(digits)), radix: 16), let scalar = Unicode.Scalar(number)
        else {
            throw TOMLError(line, "\\u takes four hexadecimal digits of a character, \\U eight.")
        }
        place += count
        return Array(String(scalar).utf8)
    }
}

/// A value of a TOML document, with the line on which it begins.
public struct TOMLValue: Sendable, Hashable {
    /// The value by its type in TOML; dates and times are refused.
    public indirect enum Content: Sendable, Hashable {
        case string(String)
        case integer(Int)
        case float(Double)
        case boolean(Bool)
        case array([TOMLValue])
        case table(TOMLTable)
    }

    public var content: Content
    /// Counted from 1.
    public var line: Int

    public init(_ content: Content, line: Int) {
        (self.content, self.line) = (content, line)
    }

    /// The kind of value, for a sentence: `a string`, `a list`.
    public var kind: String {
        switch content {
        case .string: "a string"
        case .integer: "a whole number"
        case .float: "a number"
        case .boolean: "true or false"
        case .array: "a list"
        case .table: "a table"
        }
    }
}

/// A table of a TOML document: its entries in the order of the document.
public struct TOMLTable: Sendable, Hashable {
    public struct Entry: Sendable, Hashable {
        public var key: String
        /// The line of the key, counted from 1.
        public var line: Int
        public var value: TOMLValue
    }

    public internal(set) var entries: [Entry] = []
    /// The line of its header, or of its first key.
    public var line: Int

    public subscript(key: String) -> TOMLValue? { entries.first { $0.key == key }?.value }
}

/// Describes why a text is not TOML.
public struct TOMLError: Error, Sendable, Hashable {
    /// Counted from 1.
    public let line: Int
    /// One sentence.
    public let message: String

    init(_ line: Int, _ message: String) {
        (self.line, self.message) = (line, message)
    }
}
