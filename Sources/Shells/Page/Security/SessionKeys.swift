import Synchronization

/// Grants access to the index to browsers that opened the printed address.
///
/// Loopback is open to every user of the machine, so the address alone grants nothing. The address contains a key after
/// `#`, which browsers do not send; the page sends it once, and gets a cookie that no script can read. A key opens one
/// session, which ends when the user signs out, after a week without use, after 30 days, and with the server.
/// Thread-safe.
public final class SessionKeys: Sendable {
    private struct Session {
        var secret: String
        var opened: ContinuousClock.Instant
        var used: ContinuousClock.Instant
    }

    private struct State {
        var key: String
        var sessions: [Session] = []
    }

    /// The time without use after which a session ends.
    static let longestIdle = Duration.seconds(7 * 86_400)
    /// The time after which any session ends.
    static let longest = Duration.seconds(30 * 86_400)

    /// The largest number of sessions; with more, the oldest ends.
    private static let mostSessions = 64

    private let state: Mutex<State>
    private let cookieName: String
    /// Whether the cookie is sent over encrypted connections only.
    private let isEncrypted: Bool
    /// Called with the next key when one was used.
    private let renewed: @Sendable (String) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - isEncrypted: whether the server is reached by TLS only.
    ///   - port: the port of the server: cookies of several servers on one machine must not replace each other.
    ///   - renewed: called with a new key whenever one has been used.
    ///   - now: returns the time; tests have a clock of their own.
    public init(
        port: Int, isEncrypted: Bool = false, renewed: @escaping @Sendable (String) -> Void = { _ in },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        state = Mutex(State(key: Self.drawn()))
        cookieName = "framegrep-\(port)"
        self.isEncrypted = isEncrypted
        self.renewed = renewed
        self.now = now
    }

    /// The key that opens the next session.
    public var key: String { state.withLock { $0.key } }

    /// Opens a session.
    ///
    /// - Returns: the header that sends it to the browser; nil if the key is wrong or was used.
    func open(with key: String) -> String? {
        let opened = state.withLock { state -> (session: String, next: String)? in
            guard Self.areSame(key, state.key) else { return nil }
            let session = begin(&state)
            state.key = Self.drawn()
            return (session, state.key)
        }
        guard let opened else { return nil }
        renewed(opened.next)
        return cookie(opened.session)
    }

    /// Opens a session for an authorized browser, and returns the header that sends it.
    func open() -> String { cookie(state.withLock { begin(&$0) }) }

    private func begin(_ state: inout State) -> String {
        let session = Session(secret: Self.drawn(), opened: now(), used: now())
        state.sessions.append(session)
        if state.sessions.count > Self.mostSessions { state.sessions.removeFirst() }
        return session.secret
    }

    private func cookie(_ session: String, seconds: Int64 = longest.components.seconds) -> String {
        "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=/; Max-Age=\(seconds)"
            + (isEncrypted ? "; Secure" : "")
    }

    /// Ends the session of a request, and returns the header that removes it from the browser.
    func end(_ session: String) -> String {
        state.withLock { $0.sessions.removeAll { Self.areSame(session, $0.secret) } }
        return cookie("", seconds: 0)
    }

    /// Returns whether the session is still open. Asking counts as use.
    func isOpen(_ session: String) -> Bool {
        let now = now()
        return state.withLock { state in
            state.sessions.removeAll { now - $0.used > Self.longestIdle || now - $0.opened > Self.longest }
            // Compare all of them, so that the time does not show which one it is.
            var isOpen = false
            for index in state.sessions.indices where Self.areSame(session, state.sessions[index].secret) {
                state.sessions[index].used = now
                isOpen = true
            }
            return isOpen
        }
    }

    /// Returns the open session that a request comes from; nil for none.
    func session(of request: PageRequest) -> String? {
        let given = request.headers.filter { $0.name == "cookie" }
            .flatMap { $0.value.split(separator: ";") }
            .compactMap { pair -> String? in
                let halves = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                return halves.count == 2 && halves[0] == cookieName ? String(halves[1]) : nil
            }
        return given.first(where: isOpen)
    }

    /// Returns 256 bits from the system's generator.
    private static func drawn() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares in a time that does not depend on which letter is wrong.
    private static func areSame(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The password that opens a session from another machine. Thread-safe.
///
/// It is compared before any delay, so the right one is accepted after half a second, however many wrong guesses arrive
/// meanwhile. The answer to a wrong one is delayed by half a second for each recent wrong one. The right one takes half
/// a second too; otherwise a guesser who gets no answer at once would know that it was wrong.
public final class PagePassword: Sendable {
    /// The least number of letters; fewer could be guessed.
    static let shortest = 12
    private static let pause = Duration.milliseconds(500)
    /// The longest delay, because it holds a connection.
    private static let longestPause = Duration.seconds(8)

    private let bytes: [UInt8]
    private let waiting = Waiting()

    init(_ text: String) { bytes = Array(text.utf8) }

    /// - Throws: `CancellationError`.
    func allows(_ given: String) async throws -> Bool {
        guard !isSame(Array(given.utf8)) else {
            try await Task.sleep(for: Self.pause)
            return true
        }
        let pause = min(Self.longestPause, Self.pause * waiting.enter(for: Self.longestPause))
        try await Task.sleep(for: pause)
        return false
    }

    /// Counts recent wrong passwords, including those of clients that have disconnected.
    private final class Waiting: Sendable {
        /// The largest number that is counted, because the delay has reached its limit then.
        private static let most = 64
        private let count = Mutex(0)

        /// - Returns: the number including this one.
        func enter(for time: Duration) -> Int {
            let number = count.withLock { count in
                guard count < Self.most else { return Self.most + 1 }
                count += 1
                return count
            }
            if number <= Self.most {
                // This continues when the client disconnects, so that disconnecting does not speed up the answers to
                // others.
                Task { [self] in
                    try? await Task.sleep(for: time)
                    count.withLock { $0 -= 1 }
                }
            }
            return number
        }
    }

    /// Compares in a time that does not depend on which letter is wrong.
    private func isSame(_ given: [UInt8]) -> Bool {
        var difference = given.count == bytes.count ? 0 : 1 as UInt8
        for index in bytes.indices { difference |= bytes[index] ^ (index < given.count ? given[index] : 0) }
        return difference == 0
    }
}
