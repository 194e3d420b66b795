public import Errors
public import TextMatching
public import TextSpotting

extension TextIndex {
    /// The result of searching the index.
    public struct Answer: Sendable {
        /// By recording; of those that hold nothing there is no entry.
        public var sightings: [SourceID: [Sighting]] = [:]
        /// Segments that could not be read.
        public var problems: [FramegrepError] = []
        /// Recordings of which some was in these.
        public var incomplete: Set<SourceID> = []
        /// Recordings that were asked for meanings and of which some texts have no vectors (``TextIndex/makeVectors(with:isCancelled:progress:)``).
        public var withoutVectors: Set<SourceID> = []

        /// Of a search that found nothing yet.
        public init() {}

        /// Why it may not say all of a recording; nil where it does.
        public func lack(of source: IndexedSource) -> IndexedSource.Lack? {
            incomplete.contains(source.id)
                ? .damaged : source.lack ?? (withoutVectors.contains(source.id) ? .withoutVectors : nil)
        }
    }

    /// Finds patterns in all that was read.
    ///
    /// Of what is asked for by its meaning the nearest texts are found, at most some hundreds (docs/INDEX.md).
    ///
    /// - Parameters:
    ///   - sources: which recordings are searched; nil for all.
    ///   - extent: how much is wanted; what is not wanted costs nothing, as far as it need not be known.
    ///   - keepsBoxes: with the place in every frame.
    ///   - listener: hears of what is found while others are searched still; it makes the search as a whole no faster.
    ///   - isCancelled: asked often; if it says so the search ends early, with its results so far.
    /// - Throws: ``FramegrepError`` (`indexDamaged`) if the catalog cannot be read. The answer lists segments that cannot be read.
    public func search(
        for matcher: Matcher, in sources: Set<SourceID>? = nil, minimumScore: Double, extent: SearchExtent = .all,
        keepsBoxes: Bool = false, listener: SearchListener? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> Answer {
        try search(
            SegmentQuery(matcher, minimumScore: minimumScore, isCancelled: isCancelled), in: sources, extent: extent,
            keepsBoxes: keepsBoxes, listener: listener)
    }

    func search(
        _ query: SegmentQuery, in sources: Set<SourceID>? = nil, extent: SearchExtent = .all, keepsBoxes: Bool = false,
        listener: SearchListener? = nil
    ) throws -> Answer {
        let known = try catalog.sourcesOfParts()
        var run = SearchRun(
            index: self, wanted: sources.map { known.intersection($0) } ?? known, query: query, extent: extent,
            keepsBoxes: keepsBoxes, listener: listener)
        return try run.run()
    }
}
