import Errors
import Foundation
import GRDB
import Synchronization
import TextSpotting

/// A segment on the disk: an SQLite file that never changes.
///
/// It is opened as immutable, so no lock is taken and no file is created beside it: it may be on a read-only disk or be
/// copied while it is searched. Each page that is read is verified against its sum (``PageSums``); files of older
/// programs have none, so their contents may be anything.
struct SegmentFile {
    /// The format that this program writes and reads.
    static let format = 1

    /// A part, decoded as far as a search needs.
    struct Part: Sendable {
        var source: SourceID
        var name: String
        var digest: String
        var manner: String
        var from: StreamTime
        var to: StreamTime
        var frames: FrameTimes
        var steps: [Int]
        var clock: ClockTrack?
    }

    let path: String
    private let queue: DatabaseQueue
    /// A cache of lookups, valid because a segment never changes.
    let known = Known()

    final class Known: Sendable {
        /// The limit on cached readings and runs of frames of parts, because a server may run for months.
        static let mostKept = 100_000

        let linesWithoutEvidence = Mutex<LinesWithoutEvidence?>(nil)
        let linesInPlates = Mutex<[Int]?>(nil)
        let clocks = Mutex<[Int]?>(nil)
        let heads = Mutex<[Int: PartHead]?>(nil)
        private let parts = Mutex<(byNumber: [Int: Part], size: Int)>(([:], 0))

        var partCount: Int { parts.withLock { $0.byNumber.count } }

        func parts(_ numbers: Set<Int>) -> [Int: Part] {
            parts.withLock { parts in
                Dictionary(
                    numbers.compactMap { number in parts.byNumber[number].map { (number, $0) } },
                    uniquingKeysWith: { first, _ in first })
            }
        }

        /// Caches these parts, replacing others if there is no room for both.
        func keep(_ new: [Int: Part]) {
            parts.withLock { parts in
                for (number, part) in new where parts.byNumber[number] == nil {
                    let size = part.steps.count + part.frames.runs.count + 10
                    if parts.size + size > Self.mostKept { parts = ([:], 0) }
                    guard size <= Self.mostKept else { continue }
                    parts.byNumber[number] = part
                    parts.size += size
                }
            }
        }
    }

    /// The number of cached parts.
    var keptParts: Int { known.partCount }

    /// Whether its pages have sums, so that every page that is read is as it was written.
    let isSummed: Bool

    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`) if it is not a segment; `indexUnreadable` if that
    ///   cannot be checked.
    init(path: String) throws {
        self.path = path
        do {
            queue = try IndexDatabase.open(path, for: .immutable)
            let (format, says, isSummed) = try queue.read { database in
                let meta = try Self.meta(database)
                return (meta["format"].flatMap { Int($0) }, meta["sums"] != nil, IndexDatabase.isSummed(database))
            }
            guard let format else { throw ByteReader.Damage() }
            guard format <= Self.format else {
                throw FramegrepError(
                    .indexNewer,
                    "The part \(path) of the index was written by a newer framegrep, and is left as it is; search it with that one."
                )
            }
            guard says == isSummed else { throw ByteReader.Damage() }
            self.isSummed = isSummed
        } catch let error as FramegrepError {
            throw error
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// Reads the table `meta`.
    static func meta(_ database: Database) throws -> [String: String] {
        var meta: [String: String] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT key, value FROM meta")
        while let row = try rows.next() { meta[try row.text(0)] = try row.text(1) }
        return meta
    }

    /// Runs `body` and describes any error in one sentence. Needs no transaction, because a segment never changes.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.unsafeRead(body) } catch let error as FramegrepError { throw error } catch {
            throw Self.failure(path, error)
        }
    }

    static func failure(_ path: String, _ error: any Error) -> FramegrepError {
        if IndexFailure.isAboutAccess(error, ofFile: path) {
            let reason = IndexFailure.refusal(path) ?? IndexFailure.reason(error)
            return FramegrepError(
                .indexUnreadable,
                "The part \(path) of the index cannot be opened: \(reason). Nothing is known to be wrong with it, and it is left as it is; make sure that it can be read."
            )
        }
        let reason = IndexFailure.isFolder(path) ? "it is a folder" : IndexFailure.reason(error)
        return FramegrepError(
            .indexDamaged,
            "The part \(path) of the index cannot be read: \(reason). 'framegrep index repair' moves it aside, so that its recordings can be read again."
        )
    }

    func lineCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM line") ?? 0 }
    }

    // MARK: Parts

    /// The recording that a part belongs to, and the beginning of the part in it.
    struct PartHead: Sendable {
        var source: SourceID
        var from: StreamTime
    }

    func heads() throws -> [Int: PartHead] {
        if let heads = known.heads.withLock({ $0 }) { return heads }
        let heads = try read { database in
            var result: [Int: PartHead] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT id, source, first FROM part")
            while let row = try rows.next() {
                result[try row.count(0)] = PartHead(
                    source: SourceID(number: try row.number(1)), from: StreamTime(nanoseconds: try row.amount(2)))
            }
            return result
        }
        known.heads.withLock { $0 = heads }
        return heads
    }

    /// Returns the recording of each part.
    func sourcesOfParts() throws -> [Int: SourceID] { try heads().mapValues(\.source) }

    func parts() throws -> [Int: Part] {
        try read { database in
            var result: [Int: Part] = [:]
            let rows = try Row.fetchCursor(database, sql: try Self.selectParts(database))
            while let row = try rows.next() { result[try row.count(0)] = try Self.part(row) }
            return result
        }
    }

    /// Returns whether it has exactly this part of a recording.
    func has(_ source: SourceID, from: StreamTime, to: StreamTime) throws -> Bool {
        try read { database in
            try Row.fetchOne(
                database, sql: "SELECT 1 FROM part WHERE source = ? AND first = ? AND last = ?",
                arguments: [source.number, from.nanoseconds, to.nanoseconds]) != nil
        }
    }

    func parts(_ numbers: Set<Int>) throws -> [Int: Part] {
        var result = known.parts(numbers)
        let missing = numbers.filter { result[$0] == nil }
        guard !missing.isEmpty else { return result }
        let fetched = try read { database in
            let statement = try database.cachedStatement(sql: try Self.selectParts(database) + " WHERE id = ?")
            var parts: [Int: Part] = [:]
            for number in missing {
                if let row = try Row.fetchOne(statement, arguments: [number]) { parts[number] = try Self.part(row) }
            }
            return parts
        }
        result.merge(fetched) { first, _ in first }
        known.keep(fetched)
        return result
    }

    func part(_ number: Int) throws -> Part {
        guard let part = try parts([number])[number] else { throw ByteReader.Damage() }
        return part
    }

    /// Returns the query for the rows that ``part(_:)`` and ``kept(_:)`` decode.
    static func selectParts(_ database: Database) throws -> String {
        // Segments of older programs lack this column.
        let clock = try hasClocks(database) ? "clock" : "NULL"
        return "SELECT id, source, name, digest, first, last, manner, frames, steps, \(clock) FROM part"
    }

    private static func hasClocks(_ database: Database) throws -> Bool {
        try database.columns(in: "part").contains { $0.name == "clock" }
    }

    /// Returns a part in its stored form.
    static func kept(_ row: Row) throws -> SegmentContents.Part {
        let (first, last) = (try row.amount(4), try row.amount(5))
        guard first <= last else { throw ByteReader.Damage() }
        return SegmentContents.Part(
            source: SourceID(number: try row.number(1)), name: try row.text(2), digest: try row.text(3),
            from: StreamTime(nanoseconds: first), to: StreamTime(nanoseconds: last), manner: try row.text(6),
            frames: try row.bytes(7), steps: try row.bytes(8), clock: try row.bytes(9))
    }

    static func part(_ row: Row) throws -> Part {
        let kept = try kept(row)
        return Part(
            source: kept.source, name: kept.name, digest: kept.digest, manner: kept.manner, from: kept.from,
            to: kept.to, frames: try PartCodec.decodeFrames(kept.frames), steps: try PartCodec.decodeSteps(kept.steps),
            clock: try ClockCodec.decode(kept.clock))
    }

    func partsWithClock() throws -> [Int] {
        if let numbers = known.clocks.withLock({ $0 }) { return numbers }
        let numbers = try read { database in
            try Self.hasClocks(database)
                ? try Self.numbers(database, "SELECT id FROM part WHERE clock IS NOT NULL") : []
        }
        known.clocks.withLock { $0 = numbers }
        return numbers
    }

    /// Returns the numbers in the first column of a query.
    static func numbers(
        _ database: Database, _ sql: String, _ arguments: StatementArguments = StatementArguments()
    ) throws -> [Int] {
        try database.rows(sql, arguments) { try $0.count(0) }
    }
}
