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
    }

    /// Finds patterns in all that was read.
    ///
    /// - Parameters:
    ///   - sources: which recordings are searched; nil for all.
    ///   - keepsBoxes: with the place in every frame.
    ///   - listener: hears of recordings while others are searched still; it makes the search no faster.
    ///   - isCancelled: asked often; if it says so the search ends early, with its results so far.
    /// - Throws: ``FramegrepError`` (`indexDamaged`) if the catalog cannot be read. The answer lists segments that cannot be read.
    public func search(
        for matcher: Matcher, in sources: Set<SourceID>? = nil, minimumScore: Double, keepsBoxes: Bool = false,
        listener: SearchListener? = nil, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> Answer {
        let known = try catalog.sourcesOfParts()
        var run = try SearchRun(
            index: self, wanted: sources.map { known.intersection($0) } ?? known, matcher: matcher,
            minimumScore: minimumScore,
            keepsBoxes: keepsBoxes, listener: listener, isCancelled: isCancelled)
        return try run.run()
    }
}
