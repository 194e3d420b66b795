/// A value of a TOML document, with the line on which it begins.
public struct TOMLValue: Sendable, Hashable {
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

/// A table of a TOML document: its entries in the order in which they stand there.
public struct TOMLTable: Sendable, Hashable {
    public struct Entry: Sendable, Hashable {
        public var key: String
        /// The line of the key, counted from 1.
        public var line: Int
        public var value: TOMLValue
    }

    public internal(set) var entries: [Entry] = []
    /// Where it begins: the line of its header, or of its first key.
    public var line: Int

    public init(line: Int) { self.line = line }

    public subscript(key: String) -> TOMLValue? { entries.first { $0.key == key }?.value }
}

/// Why a text is no TOML.
public struct TOMLError: Error, Sendable, Hashable {
    /// Counted from 1.
    public let line: Int
    /// A sentence.
    public let message: String

    init(_ line: Int, _ message: String) {
        (self.line, self.message) = (line, message)
    }
}
