/// How long to wait before something that failed is tried again: each pause is twice the one before, up to a longest one.
///
/// The only place where pauses grow: lost cameras, brokers, webhooks, jobs of a service and of the page all use it. A value; whoever
/// waits keeps it.
///
///     var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
///     while !connect() { wait(backoff.next()) }
///     backoff.reset()
public struct Backoff: Sendable, Hashable {
    public let first: Duration
    public let longest: Duration
    private var failures = 0

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The pause after one more failure.
    public mutating func next() -> Duration {
        defer { failures += 1 }
        return pause(after: failures)
    }

    /// The pause that follows so many earlier failures.
    public func pause(after earlier: Int) -> Duration {
        // More doublings than that are longer than any pause that makes sense, and would overflow at some point.
        min(first * (1 << min(max(0, earlier), 20)), longest)
    }

    /// It went well: the next pause is the shortest.
    public mutating func reset() { failures = 0 }
}

extension Backoff {
    /// For servers on the network that many clients may come back to: from half a second to a minute.
    public static let server = Backoff(first: .milliseconds(500), longest: .seconds(60))
    /// A server may ask for more than we would wait, but not for more than this.
    private static let longestAsked = Duration.seconds(600)

    /// The pause after one more failure, a quarter more or less by chance, so that many clients do not come back in one instant.
    ///
    /// - Parameters:
    ///   - asked: how long the server wants not to be asked (`Retry-After`).
    ///   - chance: 0 to 1.
    public mutating func nextJittered(
        asked: Duration? = nil, chance: Double = .random(in: 0...1)
    ) -> Duration {
        max(next() * (0.75 + chance / 2), min(asked ?? .zero, Self.longestAsked))
    }
}
