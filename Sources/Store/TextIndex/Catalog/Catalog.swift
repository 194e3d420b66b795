import Errors
import Foundation
import GRDB
import Synchronization
import TextSpotting

/// The list of an index: its recordings, how far each was read, and the segments that hold their text.
///
/// It has one writing connection, with SQLite's rollback journal: the WAL of Debian's SQLite (3.40.1) can lose writes
/// that two connections make at the same instant. Thread-safe.
final class Catalog: Sendable {
    /// The format that this program writes. Since format 2 each page has a checksum (``PageSums``), which older
    /// programs would not maintain.
    static let format = 2

    /// A stretch of a recording, and the segment that contains it.
    struct Part: Sendable, Hashable {
        var source: SourceID
        var segment: String
        var from: StreamTime
        var to: StreamTime
    }

    /// The size of a segment, by which segments are chosen for merging.
    struct Segment: Sendable, Hashable {
        var name: String
        var lines: Int
        var bytes: Int64
    }

    /// The key of a reading: the index has one reading for each.
    struct Recording: Hashable {
        let name: ExactName
        let manner: String

        init(_ source: IndexedSource) { (name, manner) = (ExactName(source.name), source.manner) }
    }

    private let queue: DatabaseQueue
    private let path: String
    /// Deleted files that are still listed among the leftovers (``Leftover``).
    let deleted = Mutex<Set<String>>([])

    /// - Parameter isWritten: true to create the catalog if it is missing, with the contents of the existing segments;
    ///   false to open it for reading, on a disk that may be read-only.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`, `indexUnreadable`, `outputFailed`).
    init(_ folder: IndexFolder, isWritten: Bool) throws {
        path = folder.catalog
        do {
            if isWritten, !folder.exists || Disk.length(ofFile: path) == 0 && folder.isEmpty {
                let adoption = try Adoption(folder.segmentFiles(), in: folder)
                try Self.make(path) { database in
                    try database.inTransaction {
                        try adoption.put(in: database)
                        return .commit
                    }
                }
            }
            queue = try Self.open(folder, isWritten: isWritten)
            if isWritten { try queue.write { try Self.addWhatCameLater($0) } }
        } catch let error as FramegrepError {
            throw error
        } catch {
            throw Self.failure(path, error)
        }
    }

    private static func open(_ folder: IndexFolder, isWritten: Bool) throws -> DatabaseQueue {
        let path = folder.catalog
        guard isWritten else {
            do {
                let queue = try IndexDatabase.open(path, for: .reading)
                _ = try format(queue, folder)
                return queue
            } catch let error as DatabaseError where error.resultCode != .SQLITE_CORRUPT {
                // A program that was killed while writing has left its journal, which a program with write permission
                // rolls back.
                guard (try? IndexDatabase.open(path, for: .writing).read { _ = try SegmentFile.meta($0) }) != nil else {
                    throw error
                }
                let queue = try IndexDatabase.open(path, for: .reading)
                _ = try format(queue, folder)
                return queue
            }
        }
        let queue = try IndexDatabase.open(path, for: .writing)
        guard try format(queue, folder) < Self.format else { return queue }
        try queue.write { try addWhatCameLater($0) }
        try queue.close()
        try giveSums(path)
        return try IndexDatabase.open(path, for: .writing)
    }

    /// - Throws: ``FramegrepError`` (`indexNewer`); `ByteReader.Damage` if it is not a catalog, or if its pages lost
    ///   their checksums.
    private static func format(_ queue: DatabaseQueue, _ folder: IndexFolder) throws -> Int {
        let (meta, isSummed) = try queue.read { (try SegmentFile.meta($0), IndexDatabase.isSummed($0)) }
        guard let format = meta["format"].flatMap({ Int($0) }) else { throw ByteReader.Damage() }
        guard format <= Self.format else {
            throw FramegrepError(
                .indexNewer,
                "The index in \(folder.path) was written by a newer framegrep (format \(format)); use that one, or name another folder with --index."
            )
        }
        guard isSummed == (format >= 2) else { throw ByteReader.Damage() }
        return format
    }

    private static let tables = ["meta", "source", "segment", "part", "leftover"]

    /// Replaces the catalog of an older program by one whose pages have checksums.
    private static func giveSums(_ path: String) throws {
        try make(path) { database in
            try database.execute(sql: "ATTACH ? AS old", arguments: [path])
            for table in tables where table != "meta" {
                let columns = try database.columns(in: table).map(\.name).joined(separator: ", ")
                try database.execute(
                    sql: "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM old.\(table)")
            }
        }
    }

    /// Creates a catalog: complete under its name, or not at all. With an incomplete catalog, after a crash in between,
    /// the segments would be taken for unknown files.
    private static func make(_ path: String, _ fill: (Database) throws -> Void) throws {
        let unfinished = path + ".new"
        unlink(unfinished)
        do {
            let queue = try IndexDatabase.open(unfinished, for: .making(isLasting: false))
            try queue.inDatabase { database in
                try create(database)
                try fill(database)
            }
            try queue.close()
            try Disk.seal(unfinished, as: path)
        } catch {
            unlink(unfinished)
            throw error
        }
    }

    private static func create(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
                CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL, manner TEXT NOT NULL,
                    size INTEGER, modified INTEGER, inode INTEGER, device INTEGER, digest TEXT, state TEXT NOT NULL,
                    end INTEGER NOT NULL, duration INTEGER, still INTEGER NOT NULL, problem TEXT,
                    UNIQUE (name, manner));
                CREATE INDEX source_digest ON source (digest);
                CREATE TABLE segment (name TEXT PRIMARY KEY, lines INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE part (source INTEGER NOT NULL, segment TEXT NOT NULL, first INTEGER NOT NULL,
                    last INTEGER NOT NULL);
                CREATE INDEX part_source ON part (source);
                CREATE INDEX part_segment ON part (segment);
                """)
        try addWhatCameLater(database)
        try database.execute(sql: "INSERT INTO meta VALUES ('format', ?)", arguments: [String(Self.format)])
    }

    /// Adds the columns and tables that the first catalogs lacked.
    private static func addWhatCameLater(_ database: Database) throws {
        let known = try Set(database.columns(in: "source").map(\.name))
        for (name, type) in laterColumns where !known.contains(name) {
            try database.execute(sql: "ALTER TABLE source ADD COLUMN \(name) \(type)")
        }
        guard try !database.tableExists("leftover") else { return }
        try database.execute(
            sql: "CREATE TABLE leftover (name TEXT PRIMARY KEY, work TEXT NOT NULL) WITHOUT ROWID")
    }

    static let laterColumns = [
        ("added", "REAL"), ("wall", "REAL"), ("live", "INTEGER"), ("interval", "INTEGER"), ("clock", "BLOB"),
    ]

    /// Checks the whole catalog, as far as that is possible without the segments.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`).
    func check() throws {
        _ = try segments()
        _ = try sources()
        _ = try parts()
        _ = try leftovers()
        // Use one transaction, because another program may replace segments in between.
        try read { database in
            guard try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") == "ok",
                try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM part WHERE segment NOT IN (SELECT name FROM segment)") == 0
            else { throw ByteReader.Damage() }
        }
    }

    /// Returns the number of bytes after the last page, which SQLite does not read.
    func foreignBytes() throws -> Int64 { try read { Disk.length(ofFile: path) - (try Self.length($0)) } }

    func cutForeignBytes() throws {
        // In a transaction, because the file may have grown since.
        try write { database in
            guard truncate(path, off_t(try Self.length(database))) == 0 else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
    }

    private static func length(_ database: Database) throws -> Int64 {
        func number(_ name: String) throws -> Int64 { try Int64.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        return try number("page_count") * number("page_size")
    }

    static func failure(_ path: String, _ error: any Error) -> FramegrepError {
        // In these cases, making it anew would not help.
        switch (error as? DatabaseError)?.resultCode {
        case ResultCode.SQLITE_FULL?, ResultCode.SQLITE_IOERR?, ResultCode.SQLITE_READONLY?:
            return FramegrepError(
                .outputFailed,
                "The index cannot be written to \(path): \(IndexFailure.reason(error)). Make room, or name another folder with --index."
            )
        case ResultCode.SQLITE_BUSY?, ResultCode.SQLITE_LOCKED?, ResultCode.SQLITE_NOMEM?:
            return FramegrepError(
                .outputFailed,
                "The index's catalog \(path) cannot be used: \(IndexFailure.reason(error)). Try again later.")
        default: break
        }
        if IndexFailure.isAboutAccess(error, ofFile: path) {
            return FramegrepError(
                .indexUnreadable,
                "The index's catalog \(path) cannot be opened: \(IndexFailure.refusal(path) ?? IndexFailure.reason(error)). Make sure that you may read it and enter the folders above it, or name another folder with --index."
            )
        }
        return FramegrepError(
            .indexDamaged,
            "The index's catalog \(path) cannot be used: \(IndexFailure.reason(error)). 'framegrep index repair' rebuilds it from the segments."
        )
    }

    /// Records when vectors were made; the catalog stores nothing else about their files.
    static func note(vectorsMadeAt time: Date, _ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO meta VALUES ('vectors made', ?)",
            arguments: [String(time.timeIntervalSince1970)])
    }

    func read<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.read(body) } catch let error as FramegrepError { throw error } catch {
            throw Self.failure(path, error)
        }
    }

    /// Runs `body` in a transaction: all of it is written, or none of it.
    func write<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.write(body) } catch let error as FramegrepError { throw error } catch {
            throw Self.failure(path, error)
        }
    }
}
