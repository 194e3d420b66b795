/// How long to wait before what failed is tried again: each pause is twice the one before, up to a minute, and a quarter more or
/// less by chance, so that many senders do not come back to a server in one instant.
public struct RetryPauses: Sendable {
    public static let first = Duration.milliseconds(500)
    public static let longest = Duration.seconds(60)
    /// A server may ask for more than we would wait, but not for more than this.
    public static let longestAsked = Duration.seconds(600)

    private var failures = 0

    public init() {}

    /// The pause after one more failure.
    ///
    /// - Parameters:
    ///   - asked: how long the server wants not to be asked (`Retry-After`).
    ///   - chance: 0 to 1.
    public mutating func next(asked: Duration? = nil, chance: Double = .random(in: 0...1)) -> Duration {
        // Seven doublings are more than the longest.
        let pause = min(Self.first * (1 << min(failures, 8)), Self.longest)
        failures += 1
        let jittered = pause * (0.75 + chance / 2)
        return max(jittered, min(asked ?? .zero, Self.longestAsked))
    }

    /// It went well.
    public mutating func reset() { failures = 0 }
}
