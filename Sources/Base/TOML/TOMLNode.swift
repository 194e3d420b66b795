/// A table while the document is read: other lines may still add to it. Used by one reader at a time.
final class TOMLNode {
    /// How the table was defined, which determines what may still be added.
    enum Origin {
        /// A header `[a.b]` created `a` implicitly: `a` may still get its own header.
        case implied
        case header
        /// A key `a.b = 1` created `a`: only such keys of the same table may add to it.
        case dotted
        /// `{ … }`: nothing can be added.
        case inline
    }

    private enum Item {
        case value(TOMLValue)
        case table(TOMLNode)
        /// `[[a]]`: entries are added to the last table.
        case list([TOMLNode])

        /// Appends a table if this is a list; returns whether it is one.
        mutating func append(_ table: TOMLNode) -> Bool {
            guard case .list(var tables) = self else { return false }
            // Change the list in place: copying it for each of many entries would take minutes.
            self = .list([])
            tables.append(table)
            self = .list(tables)
            return true
        }
    }

    private let line: Int
    private var origin: Origin
    private var keys: [(key: String, line: Int)] = []
    private var items: [String: Item] = [:]

    init(line: Int, origin: Origin) { (self.line, self.origin) = (line, origin) }

    /// The current value.
    var table: TOMLTable {
        var table = TOMLTable(line: line)
        for (key, line) in keys {
            guard let item = items[key] else { continue }
            let value =
                switch item {
                case .value(let value): value
                case .table(let node): TOMLValue(.table(node.table), line: node.line)
                case .list(let nodes):
                    TOMLValue(.array(nodes.map { TOMLValue(.table($0.table), line: $0.line) }), line: line)
                }
            table.entries.append(TOMLTable.Entry(key: key, line: line, value: value))
        }
        return table
    }

    private func add(_ item: Item, _ key: String, line: Int) {
        keys.append((key, line))
        items[key] = item
    }

    /// Returns the table of a header, starting from the document's table.
    func header(_ path: [String], isList: Bool, line: Int) throws(TOMLError) -> TOMLNode {
        var node = self
        for key in path.dropLast() { node = try node.passed(key, line: line) }
        guard let key = path.last else { return node }
        let name = path.joined(separator: ".")
        let table = TOMLNode(line: line, origin: .header)
        // This comes before the switch, which would hold another reference to the list.
        if isList, node.items[key]?.append(table) == true { return table }
        switch node.items[key] {
        case nil:
            node.add(isList ? .list([table]) : .table(table), key, line: line)
            return table
        case .table(let table) where !isList && table.origin == .implied:
            table.origin = .header
            return table
        default:
            throw TOMLError(line, "'\(name)' is already defined, and cannot be defined as a table again.")
        }
    }

    /// Returns a table on the path to that of a header.
    private func passed(_ key: String, line: Int) throws(TOMLError) -> TOMLNode {
        switch items[key] {
        case nil:
            let table = TOMLNode(line: line, origin: .implied)
            add(.table(table), key, line: line)
            return table
        case .table(let table) where table.origin != .inline: return table
        case .list(let tables): return tables[tables.count - 1]
        default:
            throw TOMLError(line, "'\(key)' already has a value and is not a table, so nothing can be added to it.")
        }
    }

    /// Sets the value of `a.b = value`.
    func set(_ path: [String], to value: TOMLValue, line: Int) throws(TOMLError) {
        var node = self
        for key in path.dropLast() {
            switch node.items[key] {
            case nil:
                let table = TOMLNode(line: line, origin: .dotted)
                node.add(.table(table), key, line: line)
                node = table
            case .table(let table) where table.origin == .dotted: node = table
            default: throw TOMLError(line, "'\(key)' is already defined, and a key with dots cannot add to it.")
            }
        }
        guard let key = path.last else { return }
        guard node.items[key] == nil else {
            let first = node.keys.first { $0.key == key }?.line ?? line
            throw TOMLError(line, "'\(path.joined(separator: "."))' is given twice; the first is in line \(first).")
        }
        node.add(.value(value), key, line: line)
    }
}

/// Reads TOML 1.0 (toml.io/en/v1.0.0), except dates and times, which are refused with a message.
///
/// Every key and value keeps its line, so that code that interprets them can report the line of an error.
public enum TOMLDocument {
    /// Returns the document's table.
    ///
    /// - Throws: ``TOMLError`` for the first error.
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

/// Numbers, and `true` and `false`.
enum TOMLNumber {
    /// - Returns: nil if the word is none of them.
    static func content(of word: String) -> TOMLValue.Content? {
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "inf", "+inf": return .float(.infinity)
        case "-inf": return .float(-.infinity)
        case "nan", "+nan", "-nan": return .float(.nan)
        default: return based(word) ?? decimal(word)
        }
    }

    /// `0xFF`, `0o17`, `0b1`: without a sign.
    private static func based(_ word: String) -> TOMLValue.Content? {
        let bases: [(prefix: String, radix: Int)] = [("0x", 16), ("0o", 8), ("0b", 2)]
        guard let base = bases.first(where: { word.hasPrefix($0.prefix) }),
            let digits = digits(word.dropFirst(2), { $0.isASCII && $0.isHexDigit })
        else { return nil }
        return Int(digits, radix: base.radix).map { .integer($0) }
    }

    private static func decimal(_ word: String) -> TOMLValue.Content? {
        let sign = word.hasPrefix("-") ? "-" : ""
        let rest = word.hasPrefix("-") || word.hasPrefix("+") ? word.dropFirst() : word[...]
        let whole = rest.prefix { !".eE".contains($0) }
        guard let number = digits(whole, isDigit), number == "0" || !number.hasPrefix("0") else { return nil }
        guard whole.endIndex != rest.endIndex else { return Int(sign + number).map { .integer($0) } }
        guard let tail = fraction(rest[whole.endIndex...]) else { return nil }
        return Double(sign + number + tail).map { .float($0) }
    }

    /// Returns the part `.5`, `e-3` or `.5e-3`, without underscores.
    private static func fraction(_ text: Substring) -> String? {
        var (rest, result) = (text, "")
        if rest.hasPrefix(".") {
            let part = rest.dropFirst().prefix { !"eE".contains($0) }
            guard let number = digits(part, isDigit) else { return nil }
            result += "." + number
            rest = rest[part.endIndex...]
        }
        guard let mark = rest.first else { return result }
        guard "eE".contains(mark) else { return nil }
        var power = rest.dropFirst()
        result += "e"
        if let sign = power.first, "+-".contains(sign) {
            result.append(sign)
            power = power.dropFirst()
        }
        return digits(power, isDigit).map { result + $0 }
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    /// The digits without the underscores; each underscore stands between two digits.
    private static func digits(_ text: Substring, _ isDigit: (Character) -> Bool) -> String? {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isDigit) } ? parts.joined() : nil
    }
}
