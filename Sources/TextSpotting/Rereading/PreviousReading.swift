/// Knowledge from earlier pictures of the same size, for reading the next one.
public struct PreviousReading: Sendable {
    /// The lines that were in view before, and how they looked; waits until the reading before is done.
    public let tracker: @Sendable () async throws -> TextTracker
    /// The tiles that changed since; its grid's picture shows the same as the one to be read, perhaps smaller. Nil if that is unknown:
    /// everything may have changed.
    public let changed: TileMask?
    /// By how much everything else moved since, in pixels of the same grid's picture.
    public let displacement: Displacement
    /// The frame that was read before, those since, and last the one to be read, as thumbnails of the same grid; empty if
    /// lines are not to be followed through them.
    public let frames: [FrameHistory.Frame]

    /// Only lines are read that keep changing their letters and stand where something changed: nothing else is looked for.
    public let rereadsOnly: Bool

    /// The thumbnails of the reading before and of the one to come.
    var ends: (first: Picture, last: Picture)? {
        guard let first = frames.first?.picture, let last = frames.last?.picture else { return nil }
        return (first, last)
    }

    public init(
        changed: TileMask?, displacement: Displacement = .none, frames: [FrameHistory.Frame] = [],
        rereadsOnly: Bool = false, tracker: @escaping @Sendable () async throws -> TextTracker
    ) {
        self.tracker = tracker
        self.changed = changed
        self.displacement = displacement
        self.frames = frames
        self.rereadsOnly = rereadsOnly
    }
}
