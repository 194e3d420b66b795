/// Bounds on notices for a receiver that does not answer; older ones and those beyond the bounds are dropped, the
/// oldest first, and counted.
public struct OutboxLimits: Sendable, Hashable {
    /// News of a week ago is no longer useful.
    public var age = Duration.seconds(7 * 24 * 3600)
    /// For each receiver: some thousand notices with pictures.
    public var bytes = 256 << 20
    /// Where the disk does not take any more, this many wait in memory.
    public var unsaved = 1000
    /// The same in bytes: notices of webhooks have pictures in them.
    public var unsavedBytes = 32 << 20

    public init() {}
}
