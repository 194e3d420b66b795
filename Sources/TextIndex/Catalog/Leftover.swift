import Errors
import Foundation
import GRDB
import Synchronization

/// A file among the segments with which something is still to be done.
///
/// Files that must not stay on the disk are noted in the catalog in the same transaction that hides them from searches, and a new segment
/// is noted before its file exists. So a program that is killed in between leaves a note of its work, and the next program that may write
/// finishes it.
struct Leftover: Sendable, Hashable {
    enum Work: String, Sendable {
        /// It goes, unless the catalog has come to know it.
        case delete
        /// It is rewritten with only the parts that the catalog lists.
        case rewrite
    }

    /// The segment's name.
    var name: String
    var work: Work
}

extension Catalog {
    func leftovers() throws -> [Leftover] {
        try read { database in
            // Catalogs of older programs have no such table until they are written to.
            guard try database.tableExists("leftover") else { return [] }
            let rows = try Row.fetchCursor(database, sql: "SELECT name, work FROM leftover ORDER BY name")
            var leftovers: [Leftover] = []
            while let row = try rows.next() {
                let name = try row.text(0)
                guard IndexFolder.isSegmentName(name), let work = Leftover.Work(rawValue: try row.text(1)) else {
                    throw ByteReader.Damage()
                }
                leftovers.append(Leftover(name: name, work: work))
            }
            return leftovers
        }
    }

    static func note(_ names: some Sequence<String>, _ work: Leftover.Work, _ database: Database) throws {
        for name in names {
            try database.execute(
                sql: "INSERT OR REPLACE INTO leftover VALUES (?, ?)", arguments: [name, work.rawValue])
        }
    }

    /// Nothing is to be done with these any more.
    static func settle(_ names: some Sequence<String>, _ database: Database) throws {
        for name in names { try database.execute(sql: "DELETE FROM leftover WHERE name = ?", arguments: [name]) }
    }
}

extension TextIndex {
    /// Notes that a segment is about to be written, so that its file goes should this program be killed before the catalog knows it.
    func announce(_ name: String) throws {
        let deleted = catalog.deleted.withLock { $0 }
        try catalog.write { database in
            try Catalog.settle(deleted, database)
            try Catalog.note([name], .delete, database)
        }
        catalog.deleted.withLock { $0.subtract(deleted) }
    }

    /// Deletes files of which the catalog says that they go. Where that is not allowed, the note stays.
    func deleteFiles(_ names: some Sequence<String>) {
        for name in names
        where deleteFile(VectorFile.path(ofSegment: folder.segment(name))) && deleteFile(folder.segment(name)) {
            catalog.deleted.withLock { _ = $0.insert(name) }
        }
    }

    /// - Returns: false where it is there still.
    private func deleteFile(_ path: String?) -> Bool { path.map { unlink($0) == 0 || errno == ENOENT } ?? true }

    /// Does the remaining work. A segment that cannot be read is left for ``repair()``.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `outputFailed`) if the catalog cannot be used, or nothing be written.
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
        // What was written anew has left its old file, too.
        let rest = try catalog.leftovers()
        deleteFiles(rest.filter { $0.work == .delete && !known.contains($0.name) }.map(\.name))
        let deleted = catalog.deleted.withLock { $0 }
        let settled = rest.filter { left in
            switch left.work {
            case .delete: deleted.contains(left.name) || known.contains(left.name)
            case .rewrite: !known.contains(left.name)
            }
        }
        try catalog.write { try Catalog.settle(settled.map(\.name), $0) }
        catalog.deleted.withLock { $0 = [] }
    }
}

extension FramegrepError {
    /// One file of the index cannot be read; with the others nothing is wrong.
    var isAboutAFile: Bool { [.indexDamaged, .indexNewer, .indexUnreadable].contains(code) }
}
