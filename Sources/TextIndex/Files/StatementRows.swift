import GRDB
import GRDBSQLite

/// The rows of a query, whose values are looked at where SQLite has them: in a search that looks at thousands of rows, making values of
/// them is what takes longest.
struct StatementRows {
    private let statement: OpaquePointer
    private let database: OpaquePointer?

    /// - Parameter database: in whose access the rows are gone through.
    init(_ database: Database, _ sql: String) throws {
        statement = try database.cachedStatement(sql: sql).sqliteStatement
        self.database = database.sqliteConnection
    }

    /// Calls `row` with each row, until it says that it is enough. A row is valid during the call only.
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

    /// A number of things.
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

    /// A blob, valid until the next row; what is none is empty.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
    }
}
