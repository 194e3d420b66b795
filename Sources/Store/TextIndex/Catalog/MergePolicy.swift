/// Chooses which segments are merged, as log-structured stores do: those of about one size, as soon as there are many.
///
/// So each line is copied a few times only, and there are few segments of each size. A segment that holds more than half of what one may hold
/// stays as it is.
struct MergePolicy {
    /// How many segments of about one size are merged into one.
    static let mostOfASize = 8

    /// The segments that are merged next, in the order in which they were written; none if there are few enough.
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

    /// Equal for segments whose sizes are within a factor of eight.
    private static func size(_ segment: Catalog.Segment) -> Int {
        (64 - (UInt64(max(1, segment.bytes)) >> 16).leadingZeroBitCount) / 3
    }
}
