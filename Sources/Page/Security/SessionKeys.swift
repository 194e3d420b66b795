import Synchronization

/// Who may see what is in the index: whoever has opened the address that was printed.
///
/// Loopback is open to every user of the machine, so that the address alone is no right. A key stands in the address behind `#`,
/// which browsers send to nobody; the page sends it once, and gets a cookie that no script can read. A key opens one session.
public final class SessionKeys: Sendable {
    private struct State {
        var key: String
        var sessions: [String] = []
    }

    /// More sessions than this nobody has at once: the oldest ends.
    private static let mostSessions = 64

    private let state: Mutex<State>
    private let cookieName: String
    /// The cookie goes over encrypted connections only.
    private let isEncrypted: Bool
    /// Told the next key, once one was used.
    private let renewed: @Sendable (String) -> Void

    /// - Parameters:
    ///   - isEncrypted: the server is reached by TLS only.
    ///   - port: of the server: cookies of several on one machine must not take each other's place.
    ///   - renewed: told a new key whenever one has been used.
    public init(port: Int, isEncrypted: Bool = false, renewed: @escaping @Sendable (String) -> Void = { _ in }) {
        state = Mutex(State(key: Self.drawn()))
        cookieName = "framegrep-\(port)"
        self.isEncrypted = isEncrypted
        self.renewed = renewed
    }

    /// The key that opens the next session.
    public var key: String { state.withLock { $0.key } }

    /// Opens a session.
    ///
    /// - Returns: the header that hands it to the browser; nil where the key is wrong or was used.
    func open(with key: String) -> String? {
        let opened = state.withLock { state -> (session: String, next: String)? in
            guard Self.areSame(key, state.key) else { return nil }
            let session = Self.begin(&state)
            state.key = Self.drawn()
            return (session, state.key)
        }
        guard let opened else { return nil }
        renewed(opened.next)
        return cookie(opened.session)
    }

    /// Opens a session for somebody who has shown a right to it, and returns the header that hands it to the browser.
    func open() -> String { cookie(state.withLock { Self.begin(&$0) }) }

    private static func begin(_ state: inout State) -> String {
        let session = drawn()
        state.sessions.append(session)
        if state.sessions.count > mostSessions { state.sessions.removeFirst() }
        return session
    }

    private func cookie(_ session: String) -> String {
        "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
            + (isEncrypted ? "; Secure" : "")
    }

    /// The request comes from a browser with an open session.
    func allows(_ request: PageRequest) -> Bool {
        let given = request.headers.filter { $0.name == "cookie" }
            .flatMap { $0.value.split(separator: ";") }
            .compactMap { pair -> String? in
                let halves = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                return halves.count == 2 && halves[0] == cookieName ? String(halves[1]) : nil
            }
        let sessions = state.withLock { $0.sessions }
        return given.contains { session in
            sessions.reduce(false) { known, other in Self.areSame(session, other) || known }
        }
    }

    /// 256 bits from the system's generator.
    private static func drawn() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Takes as long for one wrong letter as for another.
    private static func areSame(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
