public import Errors
import Foundation
import GRDB
import Synchronization
import TextSpotting

/// Keeps an index small and intact.
extension TextIndex {
    /// Removes recordings from the index for good: nothing of them is left in its files.
    ///
    /// - Returns: the number of recordings removed.
    @discardableResult
    public func forget(_ ids: Set<SourceID>) throws -> Int {
        upkeep.lock()
        defer { upkeep.unlock() }
        let known = try catalog.sources().filter { ids.contains($0.id) }
        let kept = Set(try catalog.sources().map(\.id)).subtracting(ids)
        // First hide them from searches, then delete them.
        try takeOut(ids, named: known.map(\.name), leavesNothing: kept.isEmpty) {
            try Catalog.remove(known.map(\.id), $0)
        }
        return known.count
    }

    /// Makes a change to the catalog that hides some recordings from searches, and deletes everything that was kept of
    /// them, if necessary after the next start.
    ///
    /// - Parameters:
    ///   - names: the names of the recordings, under which they may also have been read before.
    ///   - leavesNothing: whether to delete files that the catalog does not list too, whatever they contain.
    func takeOut(
        _ ids: Set<SourceID>, named names: [String], leavesNothing: Bool, _ change: (Database) throws -> Void
    ) throws {
        let names = Set(names.map(ExactName.init))
        let listed = Set(try catalog.segments().map(\.name))
        let parts = Set(try catalog.parts())
        var rewritten = Set(parts.filter { ids.contains($0.source) }.map(\.segment))
        var deleted = Set<String>()
        for name in folder.segmentFiles() {
            guard let segment = try? SegmentFile(path: folder.segment(name)), let own = try? segment.parts() else {
                // Its contents are unknown, or belong to a newer program, so leave it alone.
                continue
            }
            let isTouched = own.values.contains { part in
                let entry = Catalog.Part(source: part.source, segment: name, from: part.from, to: part.to)
                // The old segment still contains an earlier reading under the same name.
                return ids.contains(part.source) || names.contains(ExactName(part.name)) && !parts.contains(entry)
            }
            if !listed.contains(name) {
                if isTouched || leavesNothing { deleted.insert(name) }
            } else if isTouched {
                rewritten.insert(name)
            }
        }
        try catalog.write { [rewritten, deleted] database in
            try change(database)
            try Catalog.note(rewritten, .rewrite, database)
            try Catalog.note(deleted, .delete, database)
        }
        deleteFiles(deleted)
        for name in rewritten.sorted() { try rewrite([name]) }
    }

    /// Removes an earlier skim of a recording that has now been read completely with the same options.
    public func dropSkim(of source: IndexedSource, manner: String) throws {
        let skim = SkimProfile.text(manner)
        // It may have been skimmed under another name.
        let alike = try source.digest.map { try catalog.sources(withDigest: $0, manner: skim) } ?? []
        let renamed = alike.filter { ExactName($0.name) != ExactName(source.name) && FileStamp(path: $0.name) == nil }
        let own = try catalog.source(named: source.name, manner: skim)
        if let id = own?.id ?? renamed.first?.id { try forget([id]) }
    }

    /// Merges small segments, so that a search opens few files. Segments that cannot be read are left to ``repair()``
    /// and do not stop the indexing.
    ///
    /// - Returns: the reasons some of them are left, each once while the index is open.
    @discardableResult
    public func mergeSmall() throws -> [FramegrepError] {
        upkeep.lock()
        defer { upkeep.unlock() }
        var problems: [FramegrepError] = []
        func merge(_ names: [String]) throws {
            do { try replace(names, with: try contents(of: names)) } catch let error as SegmentProblem
                where error.problem.isAboutAFile
            {
                unreadable.withLock { _ = $0.insert(error.segment) }
                problems.append(error.problem)
            }
        }
        // Everything in these segments was read again.
        let known = unreadable.withLock { $0 }
        for name in try catalog.unusedSegments() where !known.contains(name) { try merge([name]) }
        while true {
            let chosen = MergePolicy.next(try readableSegments())
            guard !chosen.isEmpty else { return problems }
            try merge(chosen.map(\.name))
        }
    }

    /// Returns all segments except those that are known to be unreadable.
    private func readableSegments() throws -> [Catalog.Segment] {
        let unreadable = self.unreadable.withLock { $0 }
        return try catalog.segments().filter { !unreadable.contains($0.name) }
    }

    /// Writes the contents of some segments, as far as the catalog lists them, into one segment.
    func rewrite(_ names: [String]) throws {
        do { try replace(names, with: try contents(of: names)) } catch let error as SegmentProblem {
            throw error.problem
        }
    }

    /// Returns the contents of some segments as far as the catalog lists them, without anything that was read again or
    /// forgotten.
    ///
    /// - Throws: ``SegmentProblem`` for a segment that cannot be read.
    private func contents(of names: [String]) throws -> SegmentContents {
        var contents = SegmentContents()
        for name in names {
            let parts = Set(try catalog.parts(in: name))
            try SegmentProblem.told(of: name, self) {
                try openSegment(name).add(to: &contents) { part in
                    parts.contains(Catalog.Part(source: part.source, segment: name, from: part.from, to: part.to))
                }
            }
        }
        return contents
    }

    private func replace(_ names: [String], with contents: SegmentContents) throws {
        guard !contents.parts.isEmpty else {
            try catalog.write { database in
                for name in names { try Catalog.drop(name, database) }
            }
            deleteFiles(names)
            return
        }
        try write(contents, inPlaceOf: names)
    }
}
