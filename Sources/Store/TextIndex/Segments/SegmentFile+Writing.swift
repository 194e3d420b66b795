import Errors
import Foundation
import GRDB
import TextMatching
import TextSpotting

extension SegmentFile {
    /// Writes a segment: complete and on the disk, or not at all.
    ///
    /// - Parameter meta: further entries of the table `meta`.
    /// - Throws: ``FramegrepError`` (`outputFailed`) if it cannot be written.
    static func write(_ contents: SegmentContents, to path: String, meta: [String: String] = [:]) throws {
        let unfinished = path + ".new"
        do {
            try? FileManager.default.removeItem(atPath: unfinished)
            // No reader opens it until it gets its final name, and after a crash it is gone.
            let queue = try IndexDatabase.open(unfinished, for: .making(isLasting: false))
            try queue.write { database in
                try fill(database, with: contents)
                for (key, value) in meta.sorted(by: { $0.key < $1.key }) {
                    try database.execute(sql: "INSERT INTO meta VALUES (?, ?)", arguments: [key, value])
                }
            }
            try queue.close()
            try Disk.seal(unfinished, as: path)
            if let vectors = contents.vectors {
                try VectorFile.write(vectors, contents.lines.map(\.vectors), ofSegment: path)
            }
        } catch {
            // If it does not fit on the disk, the incomplete file must not occupy the rest.
            try? FileManager.default.removeItem(atPath: unfinished)
            throw (error as? FramegrepError)
                ?? FramegrepError(
                    .outputFailed,
                    "The index cannot be written to \(path): \(IndexFailure.reason(error)). Make room, or name another folder with --index."
                )
        }
    }

    private static let tables = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
        CREATE TABLE part (id INTEGER PRIMARY KEY, source INTEGER, name TEXT, digest TEXT, first INTEGER, last INTEGER,
            manner TEXT, frames BLOB, steps BLOB, clock BLOB);
        CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT, kinds INTEGER);
        CREATE TABLE seen (line INTEGER, number INTEGER, part INTEGER, first INTEGER, last INTEGER, data BLOB,
            PRIMARY KEY (line, number)) WITHOUT ROWID;
        CREATE TABLE gram (id INTEGER PRIMARY KEY, posting BLOB);
        """

    private static func fill(_ database: Database, with contents: SegmentContents) throws {
        try database.execute(sql: tables)
        try database.execute(
            sql:
                "INSERT INTO meta VALUES ('format', ?), ('lines', ?), ('without evidence', ?), ('\(SegmentFile.plates)', ?), ('sums', '1')",
            arguments: [
                String(SegmentFile.format), String(contents.lines.count),
                String(contents.lines.count { $0.kinds & LineGrams.hasNoEvidence != 0 }),
                String(contents.lines.count { $0.kinds & LineGrams.isInPlate != 0 }),
            ])
        let part = try database.makeStatement(sql: "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for (number, row) in contents.parts.enumerated() {
            try part.execute(arguments: [
                number, row.source.number, row.name, row.digest, row.from.nanoseconds, row.to.nanoseconds,
                row.manner, Data(row.frames), Data(row.steps), row.clock.isEmpty ? nil : Data(row.clock),
            ])
        }
        let line = try database.makeStatement(sql: "INSERT INTO line VALUES (?, ?, ?)")
        let seen = try database.makeStatement(sql: "INSERT INTO seen VALUES (?, ?, ?, ?, ?, ?)")
        for (number, row) in contents.lines.enumerated() {
            try line.execute(arguments: [number, row.text, Int64(row.kinds)])
            for (index, place) in row.seen.enumerated() {
                try seen.execute(arguments: [
                    number, index, place.part, place.steps.lowerBound, place.steps.upperBound, Data(place.data),
                ])
            }
        }
        let gram = try database.makeStatement(sql: "INSERT INTO gram VALUES (?, ?)")
        for (key, block) in contents.postings() { try gram.execute(arguments: [key, Data(block)]) }
        try database.execute(sql: "CREATE INDEX line_kinds ON line (kinds) WHERE kinds != 0")
        // Create this after the rows, so that it is filled at once. Phrases ask for the other lines of a picture.
        try database.execute(sql: "CREATE INDEX seen_part ON seen (part, first, last)")
    }
}
