import Testing

@testable import TextIndex

/// The number of segments after a long time, and how often their lines are copied.
@Suite struct MergePolicyTests {
    /// An index as seen by its merge policy.
    private struct Sizes {
        var segments: [Catalog.Segment] = []
        var copied = 0
        var most = 0
        private var number = 0

        /// These are about the sizes of segments: some pages for an empty one, 388 bytes for a line.
        mutating func add(lines: Int) {
            number += 1
            let name = "2026-01/" + String(repeating: "0", count: 8 - "\(number)".count) + "\(number)"
            segments.append(Catalog.Segment(name: name, lines: lines, bytes: Int64(36_000 + 388 * lines)))
        }

        mutating func merge() {
            while true {
                let chosen = MergePolicy.next(segments)
                guard !chosen.isEmpty else { break }
                let lines = chosen.reduce(0) { $0 + $1.lines }
                segments.removeAll(where: chosen.contains)
                copied += lines
                add(lines: lines)
            }
            most = max(most, segments.count)
        }
    }

    /// A year of a few long recordings a day, of many short ones, and of six live sources with an hour each.
    @Test(arguments: [(4, 30_000), (200, 100), (144, 3_000)])
    func aYearLeavesFewSegments(recordings: Int, lines: Int) {
        var sizes = Sizes()
        for number in 0..<365 * recordings {
            // They have different lengths, the same in each run.
            sizes.add(lines: lines / 2 + lines * (number * 7_919 % 101) / 100)
            sizes.merge()
        }
        let all = sizes.segments.reduce(0) { $0 + $1.lines }
        // The largest are at least half full, and there are at most seven of each smaller size.
        #expect(sizes.most <= 2 * all / SegmentContents.mostLines + 4 * MergePolicy.mostOfASize)
        // Each line is copied at most once for each size, and there are five.
        #expect(sizes.copied <= 5 * all)
        #expect(sizes.segments.allSatisfy { $0.lines <= SegmentContents.mostLines })
    }

    /// Segments that cannot be merged must not keep others from being merged.
    @Test func sizesAreMergedWhereOthersCannotBe() {
        var sizes = Sizes()
        // Two of them have too many lines and are of one size; the others are larger only in bytes.
        for _ in 0..<8 { sizes.add(lines: 600_000) }
        #expect(MergePolicy.next(sizes.segments).isEmpty)
        for number in 0..<8 {
            sizes.segments.append(Catalog.Segment(name: "large \(number)", lines: 10_000, bytes: 1 << 33))
        }
        #expect(MergePolicy.next(sizes.segments).map(\.name) == (0..<8).map { "large \($0)" })
    }
}
