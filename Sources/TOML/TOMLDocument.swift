/// Reads TOML 1.0 (toml.io/en/v1.0.0), all of it but dates and times, which are refused with a sentence.
///
/// Every key and every value knows its line, so that code that interprets them can report the line of an error.
public enum TOMLDocument {
    /// The document's table.
    ///
    /// - Throws: ``TOMLError`` for the first place that is not understood.
    public static func read(_ text: String) throws(TOMLError) -> TOMLTable {
        var reader = Reader(text)
        return try reader.read()
    }
}

/// Reads a document line by line.
private struct Reader {
    private var scanner: TOMLScanner
    private let root = TOMLNode(line: 1, origin: .header)

    init(_ text: String) { scanner = TOMLScanner(text) }

    mutating func read() throws(TOMLError) -> TOMLTable {
        var table = root
        while true {
            try scanner.skipBlankLines()
            guard let byte = scanner.next else { return root.table }
            if byte == UInt8(ascii: "[") {
                table = try header()
            } else {
                try scanner.pair(into: table)
            }
            try scanner.endLine()
        }
    }

    /// `[a.b]` or `[[a.b]]`: the table that the next pairs are put into.
    private mutating func header() throws(TOMLError) -> TOMLNode {
        let line = scanner.line
        let isList = scanner.takes("[[")
        if !isList { _ = scanner.takes("[") }
        scanner.skipSpaces()
        let path = try scanner.path()
        guard scanner.takes(isList ? "]]" : "]") else {
            throw TOMLError(line, "The header of a table ends in \(isList ? "']]'" : "']'"); this one does not.")
        }
        return try root.header(path, isList: isList, line: line)
    }
}
