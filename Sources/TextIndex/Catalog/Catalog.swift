import Errors
import Foundation
import GRDB
import TextSpotting

/// The list of an index: which recordings, how far each was read, and in which segments what was read lies.
///
/// One writing connection, with SQLite's rollback journal: the WAL of Debian's SQLite (3.40.1) can lose what two connections
/// write at the same instant. Thread-safe.
final class Catalog: Sendable {
    /// The format that this program writes and reads.
    static let format = 1

    /// A stretch of a recording, and where it lies.
    struct Part: Sendable, Hashable {
        var source: SourceID
        var segment: String
        var from: StreamTime
        var to: StreamTime
    }

    /// A segment's size, by which it is chosen to be merged.
    struct Segment: Sendable, Hashable {
        var name: String
        var lines: Int
        var bytes: Int64
    }

    private let queue: DatabaseQueue
    private let path: String

    /// - Parameter isWritten: made where there is none; else opened for reading, on a disk that may be read-only.
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `outputFailed`).
    init(_ folder: IndexFolder, isWritten: Bool) throws {
        path = folder.catalog
        do {
            queue = try Self.open(path, isWritten: isWritten)
            if isWritten { try queue.write { try Self.make($0) } }
            let format = try queue.read { try Int.fetchOne($0, sql: "SELECT value FROM meta WHERE key = 'format'") }
            guard let format, format <= Self.format else {
                throw FramegrepError(
                    .indexDamaged,
                    "The index in \(folder.path) was written by a newer framegrep (format \(format ?? 0)); use that one, or name another folder with --index."
                )
            }
        } catch let error as FramegrepError {
            throw error
        } catch {
            throw Self.failure(path, error)
        }
    }

    private static func open(_ path: String, isWritten: Bool) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.readonly = !isWritten
        guard !isWritten else {
            let made = access(path, F_OK) != 0
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            if made { chmod(path, 0o600) }
            return queue
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM meta") }
            return queue
        } catch {
            // A program that was killed while it wrote has left its journal: whoever may write takes it back.
            configuration.readonly = false
            guard (try? DatabaseQueue(path: path, configuration: configuration).read({ _ in })) != nil else {
                throw error
            }
            configuration.readonly = true
            return try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    private static func make(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS source (id INTEGER PRIMARY KEY, name TEXT NOT NULL, manner TEXT NOT NULL,
                    size INTEGER, modified INTEGER, inode INTEGER, device INTEGER, digest TEXT, state TEXT NOT NULL,
                    end INTEGER NOT NULL, duration INTEGER, still INTEGER NOT NULL, problem TEXT,
                    UNIQUE (name, manner));
                CREATE INDEX IF NOT EXISTS source_digest ON source (digest);
                CREATE TABLE IF NOT EXISTS segment (name TEXT PRIMARY KEY, lines INTEGER NOT NULL, bytes INTEGER NOT NULL)
                    WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS part (source INTEGER NOT NULL, segment TEXT NOT NULL, first INTEGER NOT NULL,
                    last INTEGER NOT NULL);
                CREATE INDEX IF NOT EXISTS part_source ON part (source);
                CREATE INDEX IF NOT EXISTS part_segment ON part (segment);
                """)
        // What came later: older programs pass over it.
        let known = try Set(database.columns(in: "source").map(\.name))
        let later = [
            ("added", "REAL"), ("wall", "REAL"), ("live", "INTEGER"), ("interval", "INTEGER"), ("clock", "BLOB"),
        ]
        for (name, type) in later where !known.contains(name) {
            try database.execute(sql: "ALTER TABLE source ADD COLUMN \(name) \(type)")
        }
        try database.execute(
            sql: "INSERT OR IGNORE INTO meta VALUES ('format', ?)", arguments: [String(Self.format)])
    }

    static func failure(_ path: String, _ error: any Error) -> FramegrepError {
        // Nothing is wrong with it that could be mended by making it anew.
        if (error as? DatabaseError)?.resultCode == .SQLITE_FULL {
            return FramegrepError(
                .outputFailed,
                "The index cannot be written to \(path): \(IndexFailure.reason(error)). Make room, or name another folder with --index."
            )
        }
        return FramegrepError(
            .indexDamaged,
            "The index's catalog \(path) cannot be used: \(IndexFailure.reason(error)). 'framegrep index repair' makes it anew from the segments."
        )
    }

    func read<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.read(body) } catch let error as FramegrepError { throw error } catch {
            throw Self.failure(path, error)
        }
    }

    /// All of it is written, or none of it.
    func write<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.write(body) } catch let error as FramegrepError { throw error } catch {
            throw Self.failure(path, error)
        }
    }
}
