import Foundation
import GRDB
import TextSpotting

extension Catalog {
    /// Returns all recordings, by name.
    func sources() throws -> [IndexedSource] { try sources("ORDER BY name") }

    func source(named name: String, manner: String) throws -> IndexedSource? {
        try sources("WHERE name = ? AND manner = ?", [name, manner]).first
    }

    func sources(withDigest digest: String, manner: String) throws -> [IndexedSource] {
        try sources("WHERE digest = ? AND manner = ?", [digest, manner])
    }

    private func sources(
        _ which: String, _ arguments: StatementArguments = StatementArguments()
    ) throws -> [IndexedSource] {
        try read { database in
            // Catalogs of older programs lack these columns until they are written to.
            let known = try Set(database.columns(in: "source").map(\.name))
            let later = Self.laterColumns.map { known.contains($0.0) ? $0.0 : "NULL" }.joined(separator: ", ")
            return try database.rows(
                """
                SELECT id, name, manner, size, modified, inode, device, digest, state, end, duration, still, problem, \(later)
                FROM source \(which)
                """, arguments, Self.source)
        }
    }

    private static func source(_ row: Row) throws -> IndexedSource {
        let stamp: FileStamp? =
            if let size = try row.optionalNumber(3) {
                FileStamp(
                    size: size, modified: try row.number(4), inode: try row.number(5), device: try row.number(6))
            } else { nil }
        guard let state = IndexedSource.State(rawValue: try row.text(8)) else { throw ByteReader.Damage() }
        var source = IndexedSource(
            id: SourceID(number: try row.number(0)), name: try row.text(1), manner: try row.text(2), stamp: stamp,
            digest: try row.optionalText(7), state: state, end: StreamTime(nanoseconds: try row.amount(9)),
            duration: try row.optionalAmount(10).map(StreamTime.init(nanoseconds:)),
            isStill: try row.number(11) != 0, problem: try row.optionalText(12),
            added: try row.optionalReal(13).map(Date.init(timeIntervalSince1970:)),
            wallStart: try row.optionalReal(14).map(Date.init(timeIntervalSince1970:)),
            isLive: try row.optionalNumber(15) ?? 0 != 0)
        source.interval = try row.optionalAmount(16).map(StreamTime.init(nanoseconds:))
        source.burntIn = try ClockCodec.decode(try row.bytes(17))
        return source
    }

    static func put(_ source: IndexedSource, _ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM part WHERE source IN (SELECT id FROM source WHERE name = ? AND manner = ? AND id != ?);
                DELETE FROM source WHERE name = ? AND manner = ? AND id != ?;
                INSERT OR REPLACE INTO source (id, name, manner, size, modified, inode, device, digest, state, end, duration,
                    still, problem, added, wall, live, interval, clock) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                source.name, source.manner, source.id.number, source.name, source.manner, source.id.number,
                source.id.number, source.name, source.manner,
                source.stamp?.size, source.stamp?.modified, source.stamp?.inode, source.stamp?.device, source.digest,
                source.state.rawValue, source.end.nanoseconds, source.duration?.nanoseconds, source.isStill,
                source.problem, source.added?.timeIntervalSince1970, source.wallStart?.timeIntervalSince1970,
                source.isLive, source.interval?.nanoseconds, source.burntIn.map { Data(ClockCodec.encode($0)) },
            ])
    }

    /// Removes recordings, with the entries of their parts.
    static func remove(_ ids: [SourceID], _ database: Database) throws {
        for id in ids {
            try database.execute(
                sql: "DELETE FROM part WHERE source = ?; DELETE FROM source WHERE id = ?",
                arguments: [id.number, id.number])
        }
    }

    /// Marks a recording as no longer kept; its name stays known.
    static func removeParts(of id: SourceID, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM part WHERE source = ?", arguments: [id.number])
    }

    /// Removes the entries of a stretch of a recording.
    static func removeParts(
        of id: SourceID, from: StreamTime, to: StreamTime, _ database: Database
    ) throws {
        try database.execute(
            sql: "DELETE FROM part WHERE source = ? AND first >= ? AND last <= ?",
            arguments: [id.number, from.nanoseconds, to.nanoseconds])
    }

    // MARK: Segments

    func segments() throws -> [Segment] {
        try read { database in
            try database.rows("SELECT name, lines, bytes FROM segment ORDER BY name") { row in
                let name = try row.text(0)
                // A name from a damaged file must not lead out of the folder.
                guard IndexFolder.isSegmentName(name) else { throw ByteReader.Damage() }
                return Segment(name: name, lines: try row.count(1), bytes: try row.amount(2))
            }
        }
    }

    /// Returns one of the parts in a segment; nil if the catalog lists none.
    func somePart(in segment: String) throws -> Part? {
        try read { database in
            try Row.fetchOne(
                database, sql: "SELECT source, segment, first, last FROM part WHERE segment = ? LIMIT 1",
                arguments: [segment]
            ).map(Self.part)
        }
    }

    /// Returns the recordings of which something was read.
    func sourcesOfParts() throws -> Set<SourceID> {
        try read { Set(try $0.rows("SELECT DISTINCT source FROM part") { SourceID(number: try $0.number(0)) }) }
    }

    /// Returns the segments of which nothing is used any more.
    func unusedSegments() throws -> [String] {
        try read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM segment WHERE NOT EXISTS (SELECT 1 FROM part WHERE part.segment = segment.name)
                    ORDER BY name
                    """)
        }.filter(IndexFolder.isSegmentName)
    }

    /// Returns whether anything that is kept was read before this time, or at an unknown time.
    func mayHold(readBefore limit: Date) throws -> Bool {
        try read { database in
            try Bool.fetchOne(
                database,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM source WHERE (added IS NULL OR added < ?)
                        AND EXISTS (SELECT 1 FROM part WHERE part.source = source.id))
                    """, arguments: [limit.timeIntervalSince1970]) ?? false
        }
    }

    func parts() throws -> [Part] { try parts("") }

    func parts(in segment: String) throws -> [Part] { try parts("WHERE segment = ?", [segment]) }

    func parts(of source: SourceID) throws -> [Part] { try parts("WHERE source = ?", [source.number]) }

    private func parts(_ which: String, _ arguments: StatementArguments = StatementArguments()) throws -> [Part] {
        try read { try $0.rows("SELECT source, segment, first, last FROM part \(which)", arguments, Self.part) }
    }

    private static func part(_ row: Row) throws -> Part {
        let (first, last) = (try row.amount(2), try row.amount(3))
        guard first <= last else { throw ByteReader.Damage() }
        return Part(
            source: SourceID(number: try row.number(0)), segment: try row.text(1),
            from: StreamTime(nanoseconds: first), to: StreamTime(nanoseconds: last))
    }

    /// Replaces segments by a new one.
    ///
    /// - Parameter parts: the contents of the new segment.
    static func put(_ segment: Segment, _ parts: [Part], inPlaceOf others: [String], _ database: Database) throws {
        for name in others { try drop(name, database) }
        try settle([segment.name], database)
        try database.execute(
            sql: "INSERT OR REPLACE INTO segment VALUES (?, ?, ?)",
            arguments: [segment.name, segment.lines, segment.bytes])
        for part in parts {
            try database.execute(
                sql: "INSERT INTO part VALUES (?, ?, ?, ?)",
                arguments: [
                    part.source.number, part.segment, part.from.nanoseconds, part.to.nanoseconds,
                ])
        }
    }

    /// Removes a segment that is empty; its file is to be deleted.
    static func drop(_ segment: String, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM part WHERE segment = ?; DELETE FROM segment WHERE name = ?",
            arguments: [segment, segment])
        try note([segment], .delete, database)
    }
}
