/// The names and values of a query (`q=EXIT&limit=20`), as forms write them.
struct QueryItems: Sendable {
    let items: [(name: String, value: String)]

    /// No query of the page's has more.
    static let most = 200

    /// - Throws: ``PageProblem`` (400) for bytes that are no UTF-8, percent signs that stand for nothing, and too many items.
    init(_ query: String) throws(PageProblem) {
        let pieces = query.split(separator: "&")
        guard pieces.count <= Self.most else {
            throw PageProblem(400, "The query has \(pieces.count) items; at most \(Self.most) are read.")
        }
        var items: [(name: String, value: String)] = []
        for piece in pieces {
            let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(halves[0]), let value = halves.count > 1 ? Self.decoded(halves[1]) : "" else {
                throw PageProblem(400, "The query is not written as a form is (percent signs and UTF-8).")
            }
            items.append((name, value))
        }
        self.items = items
    }

    func values(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// Nil if the text is not percent-encoded UTF-8, or has a NUL in it.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case 0x2B: bytes.append(0x20)
            case 0x25:
                guard let high = rest.next().flatMap(hex), let low = rest.next().flatMap(hex) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
