import Foundation
import GRDB
import GRDBSQLite

/// Opens the SQLite files of the index, all of them with ``PageSums``.
enum IndexDatabase {
    /// The ways to open a file.
    enum Use {
        /// The file is read and never changes: no lock is taken, and no file is created beside it.
        case immutable
        /// The file is read, while other programs may write to it.
        case reading
        /// The file is read and written.
        case writing
        /// The file is created. If `isLasting` is true, it is written so that it survives a crash; otherwise it does
        /// not count until it is renamed.
        case making(isLasting: Bool)
    }

    static func open(_ path: String, for use: Use) throws -> DatabaseQueue {
        guard PageSums.isReady else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
        if case .making = use {} else { try check(path) }
        var configuration = Configuration()
        var parameters = "?vfs=\(PageSums.name)"
        switch use {
        case .immutable:
            configuration.readonly = true
            parameters += "&immutable=1"
        case .reading:
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
        case .writing:
            configuration.busyMode = .timeout(10)
            // With FULL, the folder is not synced after the journal was deleted: if the power fails then, the journal
            // may be there again and undo a transaction that was committed.
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = EXTRA") }
        case .making(let isLasting):
            parameters += "&sums=1"
            configuration.busyMode = .timeout(10)
            configuration.prepareDatabase { try prepare($0, isLasting: isLasting) }
        }
        return try DatabaseQueue(path: "file:" + escaped(path) + parameters, configuration: configuration)
    }

    /// Checks that the path is not a pipe, because opening one would wait for its writer.
    ///
    /// - Throws: `ByteReader.Damage`.
    private static func check(_ path: String) throws(ByteReader.Damage) {
        var status = stat()
        guard stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
        throw ByteReader.Damage()
    }

    private static func prepare(_ database: Database, isLasting: Bool) throws {
        try database.execute(sql: "PRAGMA page_size = 4096")
        if !isLasting { try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF") }
        var count = Int32(PageSums.reserved)
        let status = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        guard status == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: status)) }
    }

    /// Returns whether the pages of an open file have checksums. Valid only after something was read from it.
    static func isSummed(_ database: Database) -> Bool {
        var answer: Int32 = 0
        let status = sqlite3_file_control(database.sqliteConnection, "main", PageSums.question, &answer)
        return status == SQLITE_OK && answer == 1
    }

    private static func escaped(_ path: String) -> String {
        let kept = CharacterSet(charactersIn: "/-._~").union(.alphanumerics)
        return path.addingPercentEncoding(withAllowedCharacters: kept) ?? path
    }
}

/// Values of a row. A damaged file may contain anything: a value of another kind, or a missing one, is damage.
extension Database {
    /// Returns what each row of a query has.
    func rows<Value>(
        _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ value: (Row) throws -> Value
    ) throws -> [Value] {
        let rows = try Row.fetchCursor(self, sql: sql, arguments: arguments)
        var values: [Value] = []
        while let row = try rows.next() { values.append(try value(row)) }
        return values
    }
}

extension Row {
    /// Larger numbers are never written, and sums of a few smaller ones never overflow.
    static let farthest: Int64 = 1 << 60

    func number(_ column: Int) throws(ByteReader.Damage) -> Int64 {
        guard let number = try optionalNumber(column) else { throw ByteReader.Damage() }
        return number
    }

    func optionalNumber(_ column: Int) throws(ByteReader.Damage) -> Int64? {
        switch value(column) {
        case .null: return nil
        case .int64(let number): return number
        default: throw ByteReader.Damage()
        }
    }

    /// Returns a number of nanoseconds, bytes or items.
    func amount(_ column: Int) throws(ByteReader.Damage) -> Int64 {
        guard let amount = try optionalAmount(column) else { throw ByteReader.Damage() }
        return amount
    }

    func optionalAmount(_ column: Int) throws(ByteReader.Damage) -> Int64? {
        guard let number = try optionalNumber(column) else { return nil }
        guard abs(number.clamped) <= Self.farthest else { throw ByteReader.Damage() }
        return number
    }

    func count(_ column: Int) throws(ByteReader.Damage) -> Int {
        let number = try amount(column)
        guard number >= 0 else { throw ByteReader.Damage() }
        return Int(number)
    }

    func text(_ column: Int) throws(ByteReader.Damage) -> String {
        guard let text = try optionalText(column) else { throw ByteReader.Damage() }
        return text
    }

    func optionalText(_ column: Int) throws(ByteReader.Damage) -> String? {
        switch value(column) {
        case .null: return nil
        case .string(let text): return text
        default: throw ByteReader.Damage()
        }
    }

    /// Returns a date in seconds since 1970, or another number with a fraction.
    func optionalReal(_ column: Int) throws(ByteReader.Damage) -> Double? {
        switch value(column) {
        case .null: return nil
        case .double(let number) where abs(number) <= 1e15: return number
        case .int64(let number) where abs(number.clamped) <= 1 << 50: return Double(number)
        default: throw ByteReader.Damage()
        }
    }

    func bytes(_ column: Int) throws(ByteReader.Damage) -> [UInt8] {
        switch value(column) {
        case .null: return []
        case .blob(let data): return Array(data)
        // SQLite cannot distinguish an empty blob from an empty text.
        case .string(let text) where text.isEmpty: return []
        default: throw ByteReader.Damage()
        }
    }

    private func value(_ column: Int) -> DatabaseValue.Storage {
        let value: DatabaseValue = self[column]
        return value.storage
    }
}

extension Int64 {
    /// The number itself, except for the one that cannot be negated.
    fileprivate var clamped: Int64 { Swift.max(self, -.max) }
}

/// The rows of a query, whose values are read in SQLite's memory: in a search of thousands of rows, copying them into
/// values would take longest.
struct StatementRows {
    private let statement: OpaquePointer
    private let database: OpaquePointer?

    /// - Parameter database: the access in which the rows are read.
    init(_ database: Database, _ sql: String) throws {
        statement = try database.cachedStatement(sql: sql).sqliteStatement
        self.database = database.sqliteConnection
    }

    /// Calls `row` with each row, until it returns that no more are needed. A row is valid only during the call.
    ///
    /// - Parameter arguments: one for each question mark of the query.
    func each(_ arguments: Int64..., row: (StatementRows) throws -> Bool) throws {
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        sqlite3_reset(statement)
        for (place, argument) in arguments.enumerated() {
            try check(sqlite3_bind_int64(statement, Int32(place + 1), argument), is: SQLITE_OK)
        }
        while true {
            let status = sqlite3_step(statement)
            guard status == SQLITE_ROW else { return try check(status, is: SQLITE_DONE) }
            guard try row(self) else { return }
        }
    }

    private func check(_ status: Int32, is expected: Int32) throws {
        guard status != expected else { return }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(database)),
            message: String(cString: sqlite3_errmsg(database)))
    }

    // MARK: Columns

    func number(_ column: Int32) throws(ByteReader.Damage) -> Int64 {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { throw ByteReader.Damage() }
        return sqlite3_column_int64(statement, column)
    }

    /// Returns a number of items.
    func count(_ column: Int32) throws(ByteReader.Damage) -> Int {
        let number = try number(column)
        guard number >= 0, number <= Row.farthest else { throw ByteReader.Damage() }
        return Int(number)
    }

    func text(_ column: Int32) throws(ByteReader.Damage) -> String {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT, let text = sqlite3_column_text(statement, column)
        else { throw ByteReader.Damage() }
        return String(cString: text)
    }

    /// Returns a blob, valid until the next row; empty for any other value.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
    }
}
