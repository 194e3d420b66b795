import Errors
import Foundation
import TextSpotting

/// A browser's request as the page's server sees it: independent of any HTTP library.
public struct PageRequest: Sendable {
    public var method: String
    /// The path as it was sent, including percent signs, without the query.
    public var path: String
    /// The text after the question mark, as it was sent.
    public var query: String
    /// The headers; names in lower case, possibly repeated.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]

    public init(
        method: String = "GET", path: String, query: String = "", headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers.map { ($0.name.lowercased(), $0.value) }
        self.body = body
    }

    /// Returns the value of a header that occurs once; nil if it is missing or occurs twice, so that two checks can
    /// never see different values.
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    func hasHeader(_ name: String) -> Bool { headers.contains { $0.name == name } }
}

/// An answer of the page's server.
public struct PageResponse: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)] = []
    public var body: Body = .bytes([])

    /// The body of an answer.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes that are produced while they are sent.
        ///
        /// - Parameter length: the number of bytes; nil if unknown.
        case chunks(any ChunkSource, length: Int64?)
    }

    /// Returns the value of a header, for tests and for code that completes an answer.
    public func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    static func text(_ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200) -> PageResponse {
        PageResponse(status: status, headers: [("Content-Type", type)], body: .bytes(Array(text.utf8)))
    }

    static func json(_ text: String, status: Int = 200) -> PageResponse {
        .text(text + "\n", type: "application/json", status: status)
    }
}

/// Provides the bytes of an answer in chunks of any size. The next chunk is requested only when the previous one was
/// sent.
public protocol ChunkSource: AnyObject, Sendable {
    /// Returns the next bytes; nil at the end.
    func next() async throws -> [UInt8]?
}

/// The reason a request fails: an HTTP status and one sentence.
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
        default: self.init(500, "An internal error occurred: \(error).")
        }
    }

    var response: PageResponse {
        var response = PageResponse.json(Self.object(message), status: status)
        response.headers += headers
        return response
    }

    /// Returns the error as a JSON object, which can also end an answer that has begun.
    static func object(_ message: String) -> String {
        var object = JSONObject(type: "error")
        object.add("message", message)
        return object.text
    }
}

/// The names and values of a query (`q=EXIT&limit=20`), as forms send them.
struct QueryItems: Sendable {
    let items: [(name: String, value: String)]

    /// The largest number of items; the page's own queries have fewer.
    static let most = 200

    /// - Throws: ``PageProblem`` (400) for bytes that are not UTF-8, invalid percent signs, and too many items.
    init(_ query: String) throws(PageProblem) {
        let pieces = query.split(separator: "&")
        guard pieces.count <= Self.most else {
            throw PageProblem(400, "The query has \(pieces.count) items; at most \(Self.most) are read.")
        }
        var items: [(name: String, value: String)] = []
        for piece in pieces {
            let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(halves[0]), let value = halves.count > 1 ? Self.decoded(halves[1]) : "" else {
                throw PageProblem(400, "The query is not encoded like a form (percent signs and UTF-8).")
            }
            items.append((name, value))
        }
        self.items = items
    }

    func values(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// Returns nil if the text is not percent-encoded UTF-8, or contains a NUL.
    static func decoded(_ text: Substring) -> String? {
        let decoded = text.replacing("+", with: " ").removingPercentEncoding
        return decoded.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}

/// The part of a file that a request asks for (RFC 9110, section 14).
enum ByteRange: Equatable {
    /// The whole file, with status 200: no range was requested, or one that a server may ignore.
    case whole
    /// These bytes, with status 206.
    case part(Range<Int64>)
    /// The requested range is outside the file: status 416.
    case none

    /// - Parameters:
    ///   - header: the value of `Range`; nil if there is none.
    ///   - size: of the file.
    ///
    /// Several ranges at once are answered with the whole file, which section 14.2 allows: no player asks for them, and
    /// many small ones are a known way to keep a server busy.
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

    /// Returns the last bytes of a file; nil if the text is not a number.
    private static func suffix(_ length: Substring, _ size: Int64) -> Range<Int64>? {
        guard let length = number(length) else { return nil }
        return max(0, size - length)..<size
    }

    /// Returns the range from one byte through another; nil if it is invalid.
    private static func range(_ first: Substring, _ last: Substring, _ size: Int64) -> Range<Int64>? {
        guard let first = number(first) else { return nil }
        guard !last.isEmpty else { return min(first, size)..<size }
        guard let last = number(last), first <= last else { return nil }
        let end = last >= size ? size : last + 1
        return min(first, end)..<end
    }

    /// Parses digits and nothing else; a number too large for any file is larger than every file.
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
