/// Decides which requests are answered at all, before any of them is handled.
struct RequestGate: Sendable {
    let hosts: HostList

    /// The only type of body that an address takes, and its largest size.
    struct Body: Sendable {
        let type: String
        let most: Int

        /// Speech is sent as sound (``PageService/voiceAnswer(_:)``), everything else as JSON.
        init(of path: String) {
            self =
                path == "/api/voice"
                ? Body(type: "application/octet-stream", most: SpokenWords.mostBytes)
                : Body(type: "application/json", most: 4096)
        }

        private init(type: String, most: Int) { (self.type, self.most) = (type, most) }
    }

    /// - Throws: ``PageProblem`` with the reason for a refusal.
    func check(_ request: PageRequest) throws(PageProblem) {
        try checkHost(request)
        guard ["GET", "HEAD", "POST"].contains(request.method) else {
            throw PageProblem(
                405, "The method \(request.method.prefix(20)) is not answered here.",
                headers: [("Allow", "GET, HEAD, POST")])
        }
        try checkSite(request)
        guard request.method == "POST" else {
            guard request.body.isEmpty else { throw PageProblem(400, "A \(request.method) has no body.") }
            return
        }
        try checkPost(request)
    }

    private func checkHost(_ request: PageRequest) throws(PageProblem) {
        guard hosts.allows(host: request.header("host")) else {
            throw PageProblem(
                421, "The page is not served under this name; open the address that 'framegrep serve' printed.")
        }
    }

    /// Rejects requests that other sites start from a browser, which the browser marks (`Sec-Fetch-Site`). Other ports
    /// of this machine, which get the same cookies, count as other sites.
    private func checkSite(_ request: PageRequest) throws(PageProblem) {
        guard request.hasHeader("sec-fetch-site") else { return }
        let site = request.header("sec-fetch-site")
        if site == "same-origin" || site == "none" { return }
        // A link to the page may be on any site: without a session, whose cookie is not sent along, it shows nothing.
        let isLink = request.header("sec-fetch-mode") == "navigate" && request.header("sec-fetch-dest") == "document"
        guard request.method == "GET", request.path == "/", isLink else {
            throw PageProblem(403, "Another site has asked for this; only the page itself may.")
        }
    }

    private func checkPost(_ request: PageRequest) throws(PageProblem) {
        guard let origin = request.header("origin"), hosts.allows(origin: origin), let host = request.header("host"),
            hosts.isSame(origin: origin, host: host)
        else {
            throw PageProblem(403, "Another site has sent this; only the page itself may.")
        }
        let type = request.header("content-type")?.split(separator: ";").first?.lowercased()
        let body = Body(of: request.path)
        guard type == body.type else { throw PageProblem(415, "The body must have the type \(body.type).") }
        guard request.body.count <= body.most else {
            throw PageProblem(413, "The body may have at most \(body.most) bytes.")
        }
    }
}

/// The names under which the server may be addressed (`Host`).
///
/// A web site whose name resolves to this machine's own address (DNS rebinding) is same-origin with the server, so no
/// check of `Origin` keeps it out. But its name is in `Host`, which no script can set.
public struct HostList: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>
    private let scheme: String
    /// Whether the server uses TLS.
    let isEncrypted: Bool

    /// The names that this machine uses for itself.
    public static let ownNames = ["127.0.0.1", "localhost", "[::1]"]

    /// - Parameters:
    ///   - port: the port at which the server listens.
    ///   - names: the names; IPv6 addresses in brackets.
    ///   - isEncrypted: whether it uses TLS.
    public init(port: Int, names: [String] = ownNames, isEncrypted: Bool = false) {
        let usual = isEncrypted ? 443 : 80
        let scheme = isEncrypted ? "https://" : "http://"
        self.scheme = scheme
        self.isEncrypted = isEncrypted
        // A browser omits the default port.
        hosts = Set(
            names.map { $0.lowercased() }.flatMap { port == usual ? ["\($0):\(usual)", $0] : ["\($0):\(port)"] })
        origins = Set(hosts.map { scheme + $0 })
    }

    func allows(host: String?) -> Bool { host.map { hosts.contains($0.lowercased()) } ?? false }

    func allows(origin: String?) -> Bool { origin.map { origins.contains($0.lowercased()) } ?? false }

    /// Returns whether both name the same server by the same name.
    func isSame(origin: String, host: String) -> Bool { origin.lowercased() == scheme + host.lowercased() }
}

/// The headers of every answer, including errors.
public enum SecurityHeaders {
    /// The page loads only its own scripts, styles, pictures and recordings, and no text becomes markup or script.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "media-src 'self'",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    public static let all: [(name: String, value: String)] = [
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Permissions-Policy", "camera=(), microphone=(self), geolocation=(), display-capture=()"),
    ]

    /// The header with which an encrypted page asks the browser to use only encryption for the next 30 days. Browsers
    /// obey it for names, not for bare addresses, and only if they trust the certificate.
    private static let encrypted = [(name: "Strict-Transport-Security", value: "max-age=2592000")]

    /// Adds the headers that an answer lacks; unless the answer says otherwise, the browser stores nothing.
    ///
    /// - Parameter isEncrypted: whether the page is reached by TLS only.
    public static func complete(_ headers: inout [(name: String, value: String)], isEncrypted: Bool) {
        for header in all + (isEncrypted ? encrypted : []) + [("Cache-Control", "no-store")]
        where !headers.contains(where: { $0.name.lowercased() == header.name.lowercased() }) {
            headers.append(header)
        }
    }
}
