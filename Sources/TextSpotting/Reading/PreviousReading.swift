/// What is known when a picture is to be read that differs only in part from one that was read before.
public struct PreviousReading: Sendable {
    /// What was read then; waits until that reading is done.
    public let lines: @Sendable () async throws -> [TextLine]
    /// What changed since; its grid's picture shows the same as the one to be read, perhaps smaller.
    public let changed: TileMask
    /// By how much everything else moved since, in pixels of the same grid's picture.
    public let displacement: Displacement

    public init(
        changed: TileMask, displacement: Displacement = .none,
        lines: @escaping @Sendable () async throws -> [TextLine]
    ) {
        self.lines = lines
        self.changed = changed
        self.displacement = displacement
    }
}
