public import Errors
public import Foundation
import GRDB
import Synchronization
import TextSpotting

/// The notices for one receiver that it has not yet acknowledged, in the order in which they were made, in a file that outlives the program:
/// at least once.
///
/// Calls block for the time of a small write to the disk: call it on a thread of your own. Thread-safe.
public final class Outbox: Sendable {
    /// A notice that waits, with its place in the order.
    public struct Entry: Sendable, Hashable {
        public var number: Int64
        public var notice: Notice
    }

    private struct State {
        var dropped = 0
        /// Entries that could not be written to the disk.
        var unsaved: [Entry] = []
        var unsavedBytes = 0
        /// Notices that were sent or given up, but could not be deleted from the disk yet.
        var removed: Set<Int64> = []
        /// Of the next notice, wherever it waits: there is one order.
        var nextNumber: Int64 = 1
        /// Of the first notice that this program has made.
        var firstOwn: Int64 = 1
    }

    /// How many programs may send to one receiver at the same time.
    private static let mostPrograms = 64

    private let queue: DatabaseQueue
    private let lock: OutboxLock
    private let limits: OutboxLimits
    private let state = Mutex(State())
    private let path: String
    /// When this program began to add notices.
    private let begun = ContinuousClock.now

    /// Opens the notices that wait for a receiver, including those of programs that are gone.
    ///
    /// - Parameters:
    ///   - receiver: identifies the receiver, the same at every start.
    ///   - warn: called for files of other programs that cannot be used; their notices are not sent.
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    public init(
        in folder: OutboxFolder, for receiver: String, limits: OutboxLimits = OutboxLimits(),
        warn: NoticeWarning = { _ in }
    ) throws(FramegrepError) {
        self.limits = limits
        var own: (number: Int, lock: OutboxLock)?
        for number in 1...Self.mostPrograms {
            guard let lock = OutboxLock(folder.file(of: receiver, number)) else { continue }
            own = (number, lock)
            break
        }
        guard let own else {
            throw FramegrepError(
                .outputFailed,
                "Notices cannot wait in the folder \(folder.path): no file can be opened there. Check that it can be written to, or name another with --outbox."
            )
        }
        lock = own.lock
        path = folder.file(of: receiver, own.number)
        do {
            queue = try Self.open(path)
            for number in own.number + 1...Self.mostPrograms + 1 {
                let file = folder.file(of: receiver, number)
                guard access(file, F_OK) == 0, let lock = OutboxLock(file) else { continue }
                try withExtendedLifetime(lock) { try adopt(file, warn) }
            }
            let last = try queue.write { database in
                // The program that made them is gone, so the sightings that were in view then are over.
                try database.execute(sql: "UPDATE notice SET held = 0")
                return try Int64.fetchOne(database, sql: "SELECT max(number) FROM notice")
            }
            let next = (last ?? 0) + 1
            state.withLock { ($0.firstOwn, $0.nextNumber) = (next, next) }
        } catch {
            throw FramegrepError(
                .outputFailed,
                "The file \(path), in which notices wait, cannot be used: \(error). If the disk is full, make room; otherwise remove the file, or name another folder with --outbox."
            )
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        // Made here, so that it is never readable for others; SQLite's journals get the same mode.
        let descriptor = FileName.withCName(path) {
            Foundation.open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptor >= 0 else {
            let reason = errno == ELOOP ? "it is a symbolic link" : String(cString: strerror(errno))
            throw FramegrepError(.outputFailed, "\(path): \(reason)")
        }
        close(descriptor)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS notice (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                        topic TEXT NOT NULL, body BLOB NOT NULL, made REAL NOT NULL, held INTEGER NOT NULL);
                    """)
        }
        return queue
    }

    /// Takes over what another program has left. A file that cannot be used stays as it is, and is reported.
    ///
    /// - Throws: where the program's own file does not take it.
    private func adopt(_ file: String, _ warn: NoticeWarning) throws {
        @discardableResult
        func attempt<Value>(_ consequence: String, _ work: () throws -> Value) -> Value? {
            do { return try work() } catch {
                warn(
                    FramegrepError(
                        .outputFailed,
                        "The file \(file), in which an ended program has left notices, cannot be used: \(error). \(consequence)"
                    ))
                return nil
            }
        }
        let left = attempt("They are not sent; all others are. Remove the file.") {
            let other = try Self.open(file)
            return (
                file: other, rows: try other.read { try Row.fetchAll($0, sql: "SELECT * FROM notice ORDER BY number") }
            )
        }
        guard let left else { return }
        try queue.write { database in
            for row in left.rows {
                try database.execute(
                    sql: "INSERT OR IGNORE INTO notice (id, topic, body, made, held) VALUES (?, ?, ?, ?, 0)",
                    arguments: [
                        row["id"] as String, row["topic"] as String, row["body"] as Data, row["made"] as Double,
                    ])
            }
        }
        // Here twice for a moment rather than nowhere: the id is the same.
        attempt("They are sent, and once more with each start, until the file is removed.") {
            try left.file.write { try $0.execute(sql: "DELETE FROM notice") }
        }
    }

    // MARK: What is made

    /// Adds a notice, in place of the one of the same id that was held back.
    ///
    /// - Parameter held: send it only if the program ends before it can add that notice itself.
    /// - Returns: why it only waits in memory; nil if it is on the disk.
    @discardableResult
    public func add(_ notice: Notice, holding held: Notice? = nil, now: Date = Date()) -> FramegrepError? {
        do {
            let dropped = try queue.write { database in
                // Taken under the writers' lock, so that no entry comes to the file before one with a smaller number.
                let number = takeNumber()
                try database.execute(sql: "DELETE FROM notice WHERE id = ? AND held = 1", arguments: [notice.id])
                try Self.insert(notice, number: number, held: false, now: now, database: database)
                if let held { try Self.insert(held, number: takeNumber(), held: true, now: now, database: database) }
                return try keepLimits(database, now)
            }
            if dropped > 0 { state.withLock { $0.dropped += dropped } }
            return nil
        } catch {
            return keep(notice, because: error)
        }
    }

    private func takeNumber() -> Int64 {
        state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
    }

    private static func insert(
        _ notice: Notice, number: Int64?, held: Bool, now: Date, database: Database
    ) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO notice (number, id, topic, body, made, held) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [number, notice.id, notice.topic, Data(notice.body), now.timeIntervalSince1970, held])
    }

    /// Drops notices that are too old or too many; returns how many.
    private func keepLimits(_ database: Database, _ now: Date) throws -> Int {
        let oldest = now.timeIntervalSince1970 - Double(limits.age.components.seconds)
        // No notice is older than the program that made it, whatever the clock says: it may have been set since, as on
        // machines that learn the time from the network.
        let end = .now - begun < limits.age ? state.withLock { $0.firstOwn } : .max
        try database.execute(
            sql: "DELETE FROM notice WHERE held = 0 AND made < ? AND number < ?", arguments: [oldest, end])
        var dropped = database.changesCount
        var bytes = try Int.fetchOne(database, sql: "SELECT sum(length(body)) FROM notice") ?? 0
        while bytes > limits.bytes {
            guard
                let row = try Row.fetchOne(
                    database,
                    sql: "SELECT number, length(body) AS size FROM notice WHERE held = 0 ORDER BY number LIMIT 1")
            else { break }
            try database.execute(sql: "DELETE FROM notice WHERE number = ?", arguments: [row["number"] as Int64])
            bytes -= row["size"] as Int
            dropped += 1
        }
        return dropped
    }

    private func keep(_ notice: Notice, because error: any Error) -> FramegrepError {
        state.withLock { state in
            // Not the number that it had in the file: later notices may have been sent already, and only those after them are requested.
            state.unsaved.append(Entry(number: state.nextNumber, notice: notice))
            state.nextNumber += 1
            state.unsavedBytes += notice.body.count
            while state.unsaved.count > limits.unsaved
                || state.unsavedBytes > limits.unsavedBytes && state.unsaved.count > 1
            {
                state.unsavedBytes -= state.unsaved.removeFirst().notice.body.count
                state.dropped += 1
            }
        }
        return FramegrepError(
            .outputFailed,
            "Notices that wait cannot be written to \(path): \(error). They wait in memory, and are lost if the program ends before they are sent. Make room on the disk."
        )
    }

    // MARK: What is sent

    /// The next notices to be sent, in order.
    ///
    /// - Parameter number: those behind this one; 0 for the first.
    public func next(after number: Int64 = 0, limit: Int = 1) -> [Entry] {
        func unsaved() -> [Entry] { state.withLock { $0.unsaved.filter { $0.number > number } } }
        let removed = state.withLock { $0.removed }
        let entries =
            try? queue.read { database in
                let saved = try Row.fetchAll(
                    database,
                    sql:
                        "SELECT number, id, topic, body FROM notice WHERE held = 0 AND number > ? ORDER BY number LIMIT ?",
                    arguments: [number, limit + removed.count]
                ).filter { !removed.contains($0["number"]) }.map { row in
                    Entry(
                        number: row["number"],
                        notice: Notice(id: row["id"], topic: row["topic"], body: [UInt8](row["body"] as Data)))
                }
                // Under the writers' lock: everything that comes later, here or there, has a larger number than these.
                return saved + unsaved()
            }
        return Array((entries ?? unsaved()).sorted { $0.number < $1.number }.prefix(limit))
    }

    /// Forgets notices that the receiver has, or will never take.
    public func remove(_ numbers: [Int64]) {
        guard !numbers.isEmpty else { return }
        let removed = state.withLock { state in
            state.removed.formUnion(Set(numbers).subtracting(state.unsaved.map(\.number)))
            state.unsaved.removeAll { numbers.contains($0.number) }
            state.unsavedBytes = state.unsaved.reduce(0) { $0 + $1.notice.body.count }
            return state.removed
        }
        guard !removed.isEmpty else { return }
        // If the disk cannot be written, the next program sends them again, with the same ids.
        let isWritten: Void? = try? queue.write { database in
            for number in removed {
                try database.execute(sql: "DELETE FROM notice WHERE number = ?", arguments: [number])
            }
        }
        if isWritten != nil { state.withLock { $0.removed.subtract(removed) } }
    }

    /// How many wait to be sent.
    public var count: Int {
        let saved = try? queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notice WHERE held = 0") }
        return state.withLock { max(0, (saved ?? 0) - $0.removed.count) + $0.unsaved.count }
    }

    /// How many of these wait in memory only, and are gone with it.
    public var unsavedCount: Int { state.withLock { $0.unsaved.count } }

    /// How many were dropped since this was last asked, because they were too old or too many.
    public func takeDropped() -> Int {
        state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
    }
}

/// The folder of waiting notices, which only its user can read, with a file for each receiver.
public struct OutboxFolder: Sendable, Hashable {
    public let path: String

    /// - Parameter path: nil for the user's own: `framegrep/outbox` in the folder for state (XDG).
    /// - Throws: ``FramegrepError`` (`badArgument`) if no folder is given anywhere; `outputFailed` if it cannot be made, or belongs to
    ///   another user.
    public init(_ path: String?) throws(FramegrepError) {
        let environment = ProcessInfo.processInfo.environment
        if let path {
            self.path = path
        } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            self.path = state + "/framegrep/outbox"
        } else if let home = environment["HOME"], !home.isEmpty {
            self.path = home + "/.local/state/framegrep/outbox"
        } else {
            throw FramegrepError(
                .badArgument, "Waiting notices have no place, because HOME is not set. Name a folder with --outbox.")
        }
        try make()
    }

    /// Checks whether notices could wait there, without making or changing anything.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    public static func check(_ path: String) throws(FramegrepError) {
        guard let status = FileStatus(of: path) else { return }
        guard status.isFolder else { throw failure(path, "it is not a folder") }
        guard status.values.st_uid == geteuid() else { throw failure(path, "it belongs to another user") }
    }

    private func make() throws(FramegrepError) {
        var part = ""
        for name in path.split(separator: "/", omittingEmptySubsequences: true) {
            part += (part.isEmpty && !path.hasPrefix("/") ? "" : "/") + name
            guard FileName.withCName(part, { mkdir($0, 0o700) }) != 0, errno != EEXIST else { continue }
            throw failure(String(cString: strerror(errno)))
        }
        guard let status = FileStatus(of: path) else { throw failure("it is not a folder") }
        try Self.check(path)
        if status.values.st_mode & 0o077 != 0, FileName.withCName(path, { chmod($0, 0o700) }) != 0 {
            throw failure("others may look into it, and that cannot be changed")
        }
    }

    private func failure(_ reason: String) -> FramegrepError { Self.failure(path, reason) }

    private static func failure(_ path: String, _ reason: String) -> FramegrepError {
        FramegrepError(
            .outputFailed, "Notices cannot wait in the folder \(path): \(reason). Name another with --outbox.")
    }

    /// A file of this receiver's, the number of which no other program has open.
    func file(of receiver: String, _ number: Int) -> String { "\(path)/\(Self.name(of: receiver))-\(number).db" }

    /// 16 digits that are practically unique to the receiver (FNV-1a of 64 bits). Not the address itself, because it may contain secrets.
    private static func name(of receiver: String) -> String {
        let hash = receiver.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

/// A lock on a file of the outbox, which one program has at a time. It is released when the program ends, however that happens.
final class OutboxLock: Sendable {
    private let descriptor: Int32

    /// Nil while another program has it, or if it cannot be locked.
    init?(_ file: String) {
        descriptor = FileName.withCName(file + ".lock") { open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }
}

/// Bounds on notices for a receiver that does not answer; older ones and those beyond the bounds are dropped, the
/// oldest first, and counted.
public struct OutboxLimits: Sendable, Hashable {
    /// News of a week ago is no longer useful.
    public var age = Duration.seconds(7 * 24 * 3600)
    /// For each receiver: some thousand notices with pictures.
    public var bytes = 256 << 20
    /// If the disk is full, this many wait in memory.
    public var unsaved = 1000
    /// The same in bytes: notices of webhooks have pictures in them.
    public var unsavedBytes = 32 << 20

    public init() {}
}
