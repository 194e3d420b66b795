public import Errors
import Foundation

/// Indexes that were made apart become one.
extension TextIndex {
    /// The outcome of copying from another index.
    public struct Merge: Sendable, Hashable {
        public var taken = 0
        /// Recordings that are there already, as far or further read.
        public var known = 0
        /// Damage found in the other index: recordings that it affects were not copied.
        public var problems: [FramegrepError] = []
    }

    /// Takes over what another index has and this one has not: recordings that are not known here, or were read less far. The
    /// other one stays as it is.
    ///
    /// Reads all of the other index first: damaged parts of it are not copied.
    ///
    /// A run that is killed leaves recordings that are taken over by the next one.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`, `outputFailed`).
    public func merge(_ other: TextIndex) throws -> Merge {
        upkeep.lock()
        defer { upkeep.unlock() }
        var merge = Merge()
        let findings = try other.check().filter { $0.kind == .damaged || $0.isLeftAlone && !$0.isAboutVectors }
        merge.problems = findings.map {
            FramegrepError(
                $0.kind == .newer ? .indexNewer : $0.kind == .unreadable ? .indexUnreadable : .indexDamaged, $0.message)
        }
        let damaged = Set(findings.map(\.segment))
        let lost = Set(try other.catalog.parts().filter { damaged.contains($0.segment) }.map(\.source))
        let own = Dictionary(
            try sources().map { (Recording($0), $0) }, uniquingKeysWith: { first, _ in first })
        var wanted: [SourceID: IndexedSource] = [:]
        for source in try other.sources() {
            guard source.state != .failed, source.state != .expired, !lost.contains(source.id) else { continue }
            if let known = own[Recording(source)], !Self.isMore(source, than: known) {
                merge.known += 1
            } else {
                wanted[source.id] = source
            }
        }
        guard !wanted.isEmpty else { return merge }
        // What is left of a run that was killed, and what was read less far.
        let stale = own.values.filter { known in
            wanted[known.id] != nil || wanted.values.contains { Recording($0) == Recording(known) }
        }
        try forget(Set(stale.map(\.id)))
        try takeSegments(of: other, wanted)
        try catalog.write { database in
            for source in wanted.values { try Catalog.put(source, database) }
        }
        merge.taken = wanted.count
        try mergeSmall()
        return merge
    }

    /// A recording as the catalog tells recordings apart.
    private struct Recording: Hashable {
        let name: String
        let manner: String

        init(_ source: IndexedSource) { (name, manner) = (source.name, source.manner) }
    }

    /// Whether another index has more of a recording than this one.
    static func isMore(_ source: IndexedSource, than known: IndexedSource) -> Bool {
        switch (source.state, known.state) {
        case (_, .failed): true
        case (_, .expired): false
        case (.complete, .complete):
            // The file has changed between the two: what is true of it now counts.
            // What was live is never read again, so that the longer one is the one that was copied later.
            source.isLive
                ? source.end > known.end
                : source.stamp != known.stamp && isAsItWas(source) && !isAsItWas(known)
        case (.complete, .partial): true
        default: source.state == known.state && source.end > known.end
        }
    }

    private func takeSegments(of other: TextIndex, _ wanted: [SourceID: IndexedSource]) throws {
        let parts = Set(try other.catalog.parts())
        let segments = Set(parts.filter { wanted[$0.source] != nil }.map(\.segment))
        for segment in try other.catalog.segments() where segments.contains(segment.name) {
            var contents = SegmentContents()
            try SegmentFile(path: other.folder.segment(segment.name)).add(to: &contents) { part in
                let entry = Catalog.Part(source: part.source, segment: segment.name, from: part.from, to: part.to)
                return wanted[part.source] != nil && parts.contains(entry)
            }
            guard !contents.parts.isEmpty else { continue }
            let sources = Set(contents.parts.map(\.source)).compactMap { wanted[$0] }
            try write(contents, inPlaceOf: []) { database in
                for var source in sources {
                    // Until all of it is here it is as if nothing were.
                    source.state = .failed
                    source.problem = "it was being taken over from another index"
                    try Catalog.put(source, database)
                }
            }
        }
    }
}
