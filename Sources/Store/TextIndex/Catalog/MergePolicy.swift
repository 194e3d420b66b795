/// Chooses which segments are merged, as log-structured stores do: segments of similar size, as soon as there are many.
///
/// So each line is copied only a few times, and there are few segments of each size. A segment that is more than half
/// full is left as it is.
struct MergePolicy {
    /// The number of segments of similar size from which they are merged.
    static let mostOfASize = 8

    /// Returns the segments to merge next, in the order in which they were written; none if there are few enough.
    static func next(_ segments: [Catalog.Segment]) -> [Catalog.Segment] {
        let most = SegmentContents.mostLines
        let sizes = Dictionary(grouping: segments.filter { $0.lines <= most / 2 }, by: size)
        for (_, some) in sizes.sorted(by: { $0.key < $1.key }) where some.count >= mostOfASize {
            var chosen: [Catalog.Segment] = []
            var lines = 0
            for segment in some.sorted(by: { $0.name < $1.name })
            where lines + segment.lines <= most {
                chosen.append(segment)
                lines += segment.lines
            }
            if chosen.count > 1 { return chosen }
        }
        return []
    }

    /// Returns the same number for segments whose sizes are within a factor of eight.
    private static func size(_ segment: Catalog.Segment) -> Int {
        (64 - (UInt64(max(1, segment.bytes)) >> 16).leadingZeroBitCount) / 3
    }
}
