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
