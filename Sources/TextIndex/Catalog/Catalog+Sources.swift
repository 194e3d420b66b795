import Foundation
import GRDB
import TextSpotting

extension Catalog {
    /// All recordings, by name.
    func sources() throws -> [IndexedSource] {
        try read { try Row.fetchAll($0, sql: "SELECT * FROM source ORDER BY name").map(Self.source) }
    }

    func source(named name: String, manner: String) throws -> IndexedSource? {
        try read {
            try Row.fetchOne($0, sql: "SELECT * FROM source WHERE name = ? AND manner = ?", arguments: [name, manner])
                .map(Self.source)
        }
    }

    func sources(withDigest digest: String, manner: String) throws -> [IndexedSource] {
        try read {
            try Row.fetchAll(
                $0, sql: "SELECT * FROM source WHERE digest = ? AND manner = ?", arguments: [digest, manner]
            ).map(Self.source)
        }
    }

    private static func source(_ row: Row) -> IndexedSource {
        let stamp: FileStamp? =
            if let size: Int64 = row["size"] {
                FileStamp(size: size, modified: row["modified"], inode: row["inode"], device: row["device"])
            } else { nil }
        let duration: Int64? = row["duration"]
        // Catalogs of older programs have no such column until they are written to.
        let (added, wall): (Double?, Double?) = (row["added"], row["wall"])
        let isLive: Bool? = row["live"]
        var source = IndexedSource(
            id: SourceID(number: row["id"]), name: row["name"], manner: row["manner"], stamp: stamp,
            digest: row["digest"], state: IndexedSource.State(rawValue: row["state"]) ?? .partial,
            end: StreamTime(nanoseconds: row["end"]), duration: duration.map(StreamTime.init(nanoseconds:)),
            isStill: row["still"], problem: row["problem"], added: added.map(Date.init(timeIntervalSince1970:)),
            wallStart: wall.map(Date.init(timeIntervalSince1970:)), isLive: isLive ?? false)
        let interval: Int64? = row["interval"]
        source.interval = interval.map(StreamTime.init(nanoseconds:))
        let clock: Data? = row["clock"]
        source.burntIn = (try? ClockCodec.decode(clock.map(Array.init) ?? [])) ?? nil
        return source
    }

    static func put(_ source: IndexedSource, _ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM source WHERE name = ? AND manner = ? AND id != ?;
                DELETE FROM part WHERE source NOT IN (SELECT id FROM source) AND source != ?;
                INSERT OR REPLACE INTO source (id, name, manner, size, modified, inode, device, digest, state, end, duration,
                    still, problem, added, wall, live, interval, clock) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                source.name, source.manner, source.id.number, source.id.number, source.id.number, source.name,
                source.manner,
                source.stamp?.size, source.stamp?.modified, source.stamp?.inode, source.stamp?.device, source.digest,
                source.state.rawValue, source.end.nanoseconds, source.duration?.nanoseconds, source.isStill,
                source.problem, source.added?.timeIntervalSince1970, source.wallStart?.timeIntervalSince1970,
                source.isLive, source.interval?.nanoseconds, source.burntIn.map { Data(ClockCodec.encode($0)) },
            ])
    }

    /// Takes recordings out, with what is said of their parts.
    static func remove(_ ids: [SourceID], _ database: Database) throws {
        for id in ids {
            try database.execute(
                sql: "DELETE FROM part WHERE source = ?; DELETE FROM source WHERE id = ?",
                arguments: [id.number, id.number])
        }
    }

    /// Nothing is kept of a recording any more, whose name stays known.
    static func removeParts(of id: SourceID, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM part WHERE source = ?", arguments: [id.number])
    }

    // MARK: Segments

    func segments() throws -> [Segment] {
        try read {
            try Row.fetchAll($0, sql: "SELECT * FROM segment ORDER BY name")
                .map { Segment(name: $0["name"], lines: $0["lines"], bytes: $0["bytes"]) }
        }
    }

    /// The recordings of which something was read.
    func sourcesOfParts() throws -> Set<SourceID> {
        try read { try Set(Int64.fetchAll($0, sql: "SELECT DISTINCT source FROM part").map(SourceID.init(number:))) }
    }

    func parts() throws -> [Part] {
        try read {
            try Row.fetchAll($0, sql: "SELECT * FROM part").map { row in
                Part(
                    source: SourceID(number: row["source"]), segment: row["segment"],
                    from: StreamTime(nanoseconds: row["first"]), to: StreamTime(nanoseconds: row["last"]))
            }
        }
    }

    /// A segment takes the place of others.
    ///
    /// - Parameter parts: what is in it.
    static func put(_ segment: Segment, _ parts: [Part], inPlaceOf others: [String], _ database: Database) throws {
        for name in others {
            try database.execute(
                sql: "DELETE FROM part WHERE segment = ?; DELETE FROM segment WHERE name = ?", arguments: [name, name])
        }
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
}

extension Catalog {
    /// Nothing lies in a segment any more.
    static func drop(_ segment: String, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM part WHERE segment = ?; DELETE FROM segment WHERE name = ?",
            arguments: [segment, segment])
    }
}
