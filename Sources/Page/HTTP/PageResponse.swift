import Errors
import TextSpotting

/// An answer of the page's server.
public struct PageResponse: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: Body

    /// The bytes of an answer.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes that are made while they are sent.
        ///
        /// - Parameter length: how many there will be; nil if unknown.
        case chunks(any ChunkSource, length: Int64?)
    }

    public init(status: Int, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of a header, for tests and for code that completes an answer.
    public func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    static func text(_ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200) -> PageResponse {
        PageResponse(status: status, headers: [("Content-Type", type)], body: .bytes(Array(text.utf8)))
    }

    static func json(_ text: String, status: Int = 200) -> PageResponse {
        .text(text + "\n", type: "application/json", status: status)
    }
}

/// Hands out the bytes of an answer, as many at a time as it likes; asked for the next only when those before were sent.
public protocol ChunkSource: AnyObject, Sendable {
    /// The next bytes; nil at the end.
    func next() async throws -> [UInt8]?
}

/// Why a request is not answered as it wished: a status of HTTP and one sentence.
struct PageProblem: Error, Sendable {
    var status: Int
    var message: String
    var headers: [(name: String, value: String)] = []

    init(_ status: Int, _ message: String, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.message = message
        self.headers = headers
    }

    /// Converts any error to an answer.
    init(of error: any Error) {
        switch error {
        case let problem as PageProblem: self = problem
        case let error as FramegrepError: self.init(500, error.message)
        case is CancellationError: self.init(503, "The request was given up.")
        default: self.init(500, "Something went wrong that should not: \(error).")
        }
    }

    var response: PageResponse {
        var response = PageResponse.json(Self.object(message), status: status)
        response.headers += headers
        return response
    }

    /// The object that says what went wrong, also at the end of lines that had begun well.
    static func object(_ message: String) -> String {
        var object = JSONObject(type: "error")
        object.add("message", message)
        return object.text
    }
}

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
