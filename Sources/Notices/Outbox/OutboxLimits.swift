/// How much waits for somebody who does not answer; what is older or more is dropped, the oldest first, and counted.
public struct OutboxLimits: Sendable, Hashable {
    /// Nobody acts upon what was seen a week ago.
    public var age = Duration.seconds(7 * 24 * 3600)
    /// For each receiver: some thousand notices with pictures.
    public var bytes = 256 << 20

    public init() {}
}
