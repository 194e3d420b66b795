extension TextTracker {
    /// The parts of a picture that must be read, according to ``TextTracker/look(at:in:at:isChanged:motion:)``.
    public struct Request: Sendable {
        struct Item: Sendable {
            var region: Quad
            /// The index in the tracker's list of the track that the picture shows there.
            var track: Int?
            var isCertain = false
            /// Whether the picture seems to show the letters of the track; otherwise the track may be gone.
            var isShown = true
            /// Whether the line is read together with its surroundings, where a longer text may be.
            var isStretched = false
            var isEvidence: Bool
        }

        var items: [Item] = []
        /// The tracks that, according to the pictures, are no longer where they were.
        var missing: [Int] = []
        /// The movements of the tracks that were found.
        var moves: [Point] = []

        /// The regions to read, in this order.
        public var regions: [Quad] { items.map(\.region) }
    }
}
