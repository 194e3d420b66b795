public import Errors
public import Foundation
import GRDB
import Synchronization

/// Removes recordings that are old, or that exceed a budget.
extension TextIndex {
    /// The recordings that an expiry removed.
    public struct Expiry: Sendable {
        /// The removed recordings, the oldest first.
        public var recordings: [IndexedSource] = []
        /// The size of all segments before and after, in bytes.
        public var bytes: (before: Int64, after: Int64) = (0, 0)
    }

    /// The share of the budget down to which recordings are removed once it is exceeded, because every removal rewrites
    /// segments.
    private static let shareLeft = 0.95

    /// Removes recordings that were read too long ago, then the oldest of the others until the segments fit into the
    /// budget. Their names stay known, so that they are not read again.
    ///
    /// - Parameters:
    ///   - limit: recordings that were read before this time are removed; nil for none.
    ///   - budget: in bytes; nil for no limit.
    public func expire(readBefore limit: Date?, budget: Int64?) throws -> Expiry {
        upkeep.lock()
        defer { upkeep.unlock() }
        var expiry = Expiry()
        let unknown = try unknownFiles()
        let extra = unknown.reduce(0) { $0 + folder.bytes(ofSegment: $1) }
        expiry.bytes.before = try size().bytes + extra
        if let limit, try catalog.mayHold(readBefore: limit) {
            try expire(try byAge().filter { $0.added < limit }.map(\.source), &expiry)
        }
        if let budget {
            // Files that no search uses go first.
            if expiry.bytes.before > budget { try takeOutFiles(unknown) }
            try expire(downTo: budget, &expiry)
        }
        expiry.bytes.after =
            try size().bytes + unknownFiles().reduce(0) { $0 + folder.bytes(ofSegment: $1) }
        return expiry
    }

    /// Returns segments that the catalog does not list: files that killed programs of older versions left, or that were
    /// copied here. Segments of newer programs are not included.
    private func unknownFiles() throws -> [String] {
        let listed = Set(try catalog.segments().map(\.name))
        return folder.segmentFiles().filter { name in
            guard !listed.contains(name) else { return false }
            do { _ = try SegmentFile(path: folder.segment(name)) } catch let error as FramegrepError {
                return error.code != .indexNewer
            } catch { return true }
            return true
        }
    }

    private func takeOutFiles(_ names: [String]) throws {
        guard !names.isEmpty else { return }
        try catalog.write { try Catalog.note(names, .delete, $0) }
        deleteFiles(names)
    }

    private func expire(downTo budget: Int64, _ expiry: inout Expiry) throws {
        var goal = Double(budget)
        // The size of a recording is known only after its removal, so several rounds may be needed.
        while try size().bytes > budget {
            let shares = try bytesOfSources()
            var left = Double(try size().bytes)
            goal *= Self.shareLeft
            var chosen: [IndexedSource] = []
            for (source, _) in try byAge() where left > goal {
                chosen.append(source)
                left -= shares[source.id] ?? 0
            }
            guard !chosen.isEmpty else { return }
            try expire(chosen, &expiry)
        }
    }

    private func expire(_ sources: [IndexedSource], _ expiry: inout Expiry) throws {
        guard !sources.isEmpty else { return }
        let ids = Set(sources.map(\.id))
        // First hide them from searches, then delete them.
        try takeOut(ids, named: sources.map(\.name), leavesNothing: false) { database in
            for var source in sources {
                source.state = .expired
                source.problem = nil
                try Catalog.put(source, database)
                try Catalog.removeParts(of: source.id, database)
            }
        }
        expiry.recordings += sources
    }

    /// Returns the recordings that are kept, the oldest readings first.
    private func byAge() throws -> [(source: IndexedSource, added: Date)] {
        var segments: [SourceID: String] = [:]
        for part in try catalog.parts() {
            // Segment names sort by the time at which they were written.
            segments[part.source] = min(segments[part.source] ?? part.segment, part.segment)
        }
        return try catalog.sources().compactMap { source in
            guard let segment = segments[source.id] else { return nil }
            return (source, source.added ?? IndexFolder.time(ofSegment: segment) ?? .distantPast)
        }.sorted { ($0.added, $0.source.name) < ($1.added, $1.source.name) }
    }

    /// Estimates the share of each recording in the segments' size.
    private func bytesOfSources() throws -> [SourceID: Double] {
        var result: [SourceID: Double] = [:]
        for segment in try catalog.segments() {
            let file = try openSegment(segment.name)
            let shares = try file.bytesOfParts()
            let sources = try file.sourcesOfParts()
            let all = max(1, shares.values.reduce(0, +))
            for (part, bytes) in shares {
                guard let source = sources[part] else { continue }
                result[source, default: 0] += Double(folder.bytes(of: segment)) * Double(bytes) / Double(all)
            }
        }
        return result
    }
}

extension SegmentFile {
    /// Returns the number of bytes that the lines of each part take, without the data that helps to find them.
    fileprivate func bytesOfParts() throws -> [Int: Int] {
        try read { database in
            var result: [Int: Int] = [:]
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT part.id, length(frames) + length(steps) + 100 + coalesce((SELECT sum(length(data) + 60)
                        FROM seen WHERE seen.part = part.id), 0) FROM part
                    """)
            while let row = try rows.next() { result[try row.count(0)] = try row.count(1) }
            return result
        }
    }
}

extension IndexFolder {
    /// Returns the time at which a segment was written, according to its name (ULID).
    static func time(ofSegment name: String) -> Date? {
        let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        guard let file = name.split(separator: "/").last, file.count >= 10 else { return nil }
        var milliseconds: UInt64 = 0
        for letter in file.prefix(10) {
            guard let value = letters.firstIndex(of: letter) else { return nil }
            milliseconds = milliseconds << 5 | UInt64(value)
        }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

/// A file among the segments that still needs work.
///
/// Files that must not stay on the disk are recorded in the catalog in the same transaction that hides them from
/// searches, and a new segment is recorded before its file exists. So if a program is killed in between, the next
/// program with write permission finishes its work.
struct Leftover: Sendable, Hashable {
    enum Work: String, Sendable {
        /// It is to be deleted, unless the catalog lists it by now.
        case delete
        /// It is to be rewritten with only the parts that the catalog lists.
        case rewrite
    }

    var name: String
    var work: Work
}

extension Catalog {
    func leftovers() throws -> [Leftover] {
        try read { database in
            // Catalogs of older programs lack this table until they are written to.
            guard try database.tableExists("leftover") else { return [] }
            return try database.rows("SELECT name, work FROM leftover ORDER BY name") { row in
                let name = try row.text(0)
                guard IndexFolder.isSegmentName(name), let work = Leftover.Work(rawValue: try row.text(1)) else {
                    throw ByteReader.Damage()
                }
                return Leftover(name: name, work: work)
            }
        }
    }

    static func note(_ names: some Sequence<String>, _ work: Leftover.Work, _ database: Database) throws {
        for name in names {
            try database.execute(
                sql: "INSERT OR REPLACE INTO leftover VALUES (?, ?)", arguments: [name, work.rawValue])
        }
    }

    /// Removes the records of these files, because the work is done.
    static func settle(_ names: some Sequence<String>, _ database: Database) throws {
        for name in names { try database.execute(sql: "DELETE FROM leftover WHERE name = ?", arguments: [name]) }
    }
}

extension TextIndex {
    /// Records that a segment is about to be written, so that its file is deleted if this program is killed before the
    /// catalog lists it.
    ///
    /// - Returns: the name of the segment.
    func announce() throws -> String {
        if announced.withLock({ $0 == nil }) { try announceNext { _ in } }
        return announced.withLock { $0.take() } ?? IndexFolder.newSegmentName()
    }

    /// Changes the catalog, and records the segment that is written next, in one transaction for each segment: a
    /// transaction waits for the disk five times.
    func announceNext(_ change: (Database) throws -> Void) throws {
        let (next, deleted) = (IndexFolder.newSegmentName(), deletedForGood())
        try catalog.write { database in
            try change(database)
            try Catalog.settle(deleted, database)
            try Catalog.note([next], .delete, database)
        }
        catalog.deleted.withLock { $0.subtract(deleted) }
        announced.withLock { $0 = next }
    }

    /// Returns the files whose deletion would survive a power failure.
    private func deletedForGood() -> Set<String> {
        let deleted = catalog.deleted.withLock { $0 }
        let folders = Set(deleted.map { (folder.segment($0) as NSString).deletingLastPathComponent })
        return folders.allSatisfy({ access($0, F_OK) != 0 || (try? Disk.sync($0)) != nil }) ? deleted : []
    }

    /// Deletes files that are recorded for deletion. If that is not permitted, the record stays.
    func deleteFiles(_ names: some Sequence<String>) {
        for name in names
        where deleteFile(VectorFile.path(ofSegment: folder.segment(name))) && deleteFile(folder.segment(name)) {
            catalog.deleted.withLock { _ = $0.insert(name) }
        }
    }

    /// - Returns: false if it still exists.
    private func deleteFile(_ path: String?) -> Bool {
        // A folder of that name is not a part of the index, and stays.
        path.map { unlink($0) == 0 || errno == ENOENT || errno == EISDIR } ?? true
    }

    /// Does the remaining work. A segment that cannot be read is left to ``repair()``.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `outputFailed`) if the catalog cannot be used, or nothing can be
    ///   written.
    func finishLeftovers() throws {
        upkeep.lock()
        defer { upkeep.unlock() }
        let left = try catalog.leftovers()
        guard !left.isEmpty else { return }
        var known = Set(try catalog.segments().map(\.name))
        for leftover in left where leftover.work == .rewrite && known.contains(leftover.name) {
            do { try rewrite([leftover.name]) } catch let error as FramegrepError where error.isAboutAFile {}
        }
        known = Set(try catalog.segments().map(\.name))
        // Rewriting leaves the old file, which must be deleted too.
        let rest = try catalog.leftovers()
        let isAnyThere = rest.contains { $0.work == .rewrite || access(folder.segment($0.name), F_OK) == 0 }
        deleteFiles(rest.filter { $0.work == .delete && !known.contains($0.name) }.map(\.name))
        // The record of this program's next segment may be among them.
        announced.withLock { $0 = nil }
        // The next transaction removes records without a file, as each program leaves one.
        guard isAnyThere else { return }
        let deleted = deletedForGood()
        let settled = rest.filter { left in
            switch left.work {
            case .delete: deleted.contains(left.name) || known.contains(left.name)
            case .rewrite: !known.contains(left.name)
            }
        }
        try catalog.write { try Catalog.settle(settled.map(\.name), $0) }
        catalog.deleted.withLock { $0.subtract(deleted) }
    }
}

extension FramegrepError {
    /// Whether it is about a single file of the index that cannot be read; the others are fine.
    public var isAboutAFile: Bool { [.indexDamaged, .indexNewer, .indexUnreadable].contains(code) }
}
