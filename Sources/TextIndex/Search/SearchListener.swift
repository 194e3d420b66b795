public import TextSpotting

/// Hears of recordings while a search goes on. Called on the thread that searches.
public struct SearchListener {
    let order: [SourceID]
    let hear: (SourceID, [Sighting]) -> Void

    /// - Parameters:
    ///   - order: the recordings that it asks for, those that are wanted first at the beginning.
    ///   - hear: given each of them once, when all that was read of it is searched, with what was found, which may be nothing. Not
    ///     in the order above: a recording is whole when the last segment that has some of it is searched.
    public init(order: [SourceID], hear: @escaping (SourceID, [Sighting]) -> Void) {
        (self.order, self.hear) = (order, hear)
    }
}
