/// A browser's request as the page's server sees it: independent of any HTTP library.
public struct PageRequest: Sendable {
    public var method: String
    /// As it was sent, percent signs and all, without the query.
    public var path: String
    /// The text after the question mark, as it was sent.
    public var query: String
    /// Names in small letters; a name may come twice.
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

    /// The value of a header that came once; nil if it did not come, or came twice, so that two checks can never see different values.
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    func hasHeader(_ name: String) -> Bool { headers.contains { $0.name == name } }
}
