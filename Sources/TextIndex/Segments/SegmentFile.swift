import Errors
import Foundation
import GRDB
import Synchronization
import TextMatching
import TextSpotting

/// A segment on the disk: an SQLite file that never changes again.
///
/// Opened as immutable, so no lock is taken and no file is made beside it: it may lie on a read-only disk or be copied while it
/// is searched. Each page that is read is held against its sum (``PageSums``); what is read of files of older programs, which have none,
/// may say anything.
struct SegmentFile {
    /// The format that this program writes and reads.
    static let format = 1

    /// A part, taken apart as far as a search needs.
    struct Part: Sendable {
        var source: SourceID
        var name: String
        var digest: String
        var manner: String
        var from: StreamTime
        var to: StreamTime
        var frames: FrameTimes
        var steps: [Int]
        /// The clock in the picture.
        var clock: ClockTrack?
    }

    let path: String
    private let queue: DatabaseQueue
    /// A cache of lookups, valid because a segment never changes.
    private let known = Known()

    private final class Known: Sendable {
        /// The limit of cached readings and runs of frames of parts: a server searches for months.
        static let mostKept = 100_000

        let linesWithoutEvidence = Mutex<LinesWithoutEvidence?>(nil)
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

        /// Keeps these parts, in exchange for others if there is no room for both.
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

    /// How many parts are kept taken apart.
    var keptParts: Int { known.partCount }

    /// The lines of which only the best reading is known.
    private enum LinesWithoutEvidence {
        case none, all
        case some(Set<Int>)

        func contains(_ line: Int) -> Bool {
            switch self {
            case .none: false
            case .all: true
            case .some(let lines): lines.contains(line)
            }
        }

        var areNone: Bool { if case .none = self { true } else { false } }
    }

    /// Whether its pages have sums, so that each that was read is as it was written.
    let isSummed: Bool

    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`) if it is no segment of ours; `indexUnreadable` if that cannot be checked.
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

    /// Reads with errors told in our words. Without a transaction: nobody changes a segment.
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
                "The part \(path) of the index cannot be opened: \(reason). Nothing is known to be wrong with it, and it is left as it is; see to it that it can be read."
            )
        }
        return FramegrepError(
            .indexDamaged,
            "The part \(path) of the index cannot be read: \(IndexFailure.reason(error)). 'framegrep index repair' takes it out, so that its recordings can be read again."
        )
    }

    func lineCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM line") ?? 0 }
    }

    // MARK: Searching

    /// Which recording a part is of, and where in it the part begins.
    struct PartHead: Sendable {
        var source: SourceID
        var from: StreamTime
    }

    /// The heads of all parts.
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

    /// Which recording each part is of.
    func sourcesOfParts() throws -> [Int: SourceID] { try heads().mapValues(\.source) }

    /// All parts by their numbers.
    func parts() throws -> [Int: Part] {
        try read { database in
            var result: [Int: Part] = [:]
            let rows = try Row.fetchCursor(database, sql: try Self.selectParts(database))
            while let row = try rows.next() { result[try row.count(0)] = try Self.part(row) }
            return result
        }
    }

    /// Some of them.
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

    /// One of them.
    func part(_ number: Int) throws -> Part {
        guard let part = try parts([number])[number] else { throw ByteReader.Damage() }
        return part
    }

    /// The query whose rows ``part(_:)`` and ``kept(_:)`` decode.
    private static func selectParts(_ database: Database) throws -> String {
        // Segments of older programs have no such column.
        let clock = try hasClocks(database) ? "clock" : "NULL"
        return "SELECT id, source, name, digest, first, last, manner, frames, steps, \(clock) FROM part"
    }

    private static func hasClocks(_ database: Database) throws -> Bool {
        try database.columns(in: "part").contains { $0.name == "clock" }
    }

    /// A part as it is kept.
    private static func kept(_ row: Row) throws -> SegmentContents.Part {
        let (first, last) = (try row.amount(4), try row.amount(5))
        guard first <= last else { throw ByteReader.Damage() }
        return SegmentContents.Part(
            source: SourceID(number: try row.number(1)), name: try row.text(2), digest: try row.text(3),
            from: StreamTime(nanoseconds: first), to: StreamTime(nanoseconds: last), manner: try row.text(6),
            frames: try row.bytes(7), steps: try row.bytes(8), clock: try row.bytes(9))
    }

    private static func part(_ row: Row) throws -> Part {
        let kept = try kept(row)
        return Part(
            source: kept.source, name: kept.name, digest: kept.digest, manner: kept.manner, from: kept.from,
            to: kept.to, frames: try PartCodec.decodeFrames(kept.frames), steps: try PartCodec.decodeSteps(kept.steps),
            clock: try ClockCodec.decode(kept.clock))
    }

    /// The parts in whose pictures a clock stands.
    func partsWithClock() throws -> [Int] {
        if let numbers = known.clocks.withLock({ $0 }) { return numbers }
        let numbers = try read { database in
            try Self.hasClocks(database)
                ? try Self.numbers(database, "SELECT id FROM part WHERE clock IS NOT NULL") : []
        }
        known.clocks.withLock { $0 = numbers }
        return numbers
    }

    /// The numbers of a query's first column.
    static func numbers(
        _ database: Database, _ sql: String, _ arguments: StatementArguments = StatementArguments()
    ) throws -> [Int] {
        let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
        var result: [Int] = []
        while let row = try rows.next() { result.append(try row.count(0)) }
        return result
    }

    /// The numbers of the texts that a query asks for, in their order.
    func lines(for query: CandidateQuery) throws -> [Int] {
        try read { database in
            switch query {
            case .all:
                return try Self.numbers(database, "SELECT id FROM line")
            case .kinds(let kinds):
                return try Self.numbers(
                    database, "SELECT id FROM line WHERE kinds != 0 AND kinds & ? != 0", [Int64(kinds)])
            case .grams(let grams, let least, let withoutEvidence):
                let unsure = withoutEvidence < least ? try linesWithoutEvidence(database) : .none
                let needed = unsure.areNone ? least : withoutEvidence
                let postings = try Self.postings(database, grams, needed)
                return try postings.sorted { $0.key < $1.key }.flatMap { block, postings in
                    let first = block * PostingBlock.size
                    let enough = try PostingBlock.lines(in: postings, atLeast: needed)
                    guard !unsure.areNone else { return enough.map { $0 + first } }
                    let sure = Set(try PostingBlock.lines(in: postings, atLeast: least))
                    return enough.compactMap { line in
                        unsure.contains(line + first) || sure.contains(line) ? line + first : nil
                    }
                }
            }
        }
    }

    /// Reads the postings of these grams, for each block that has enough of them.
    private static func postings(_ database: Database, _ grams: [Gram], _ needed: Int) throws -> [Int: [Data]] {
        let statement = try database.cachedStatement(sql: "SELECT id, posting FROM gram WHERE id BETWEEN ? AND ?")
        var blocks: [Int: [Data]] = [:]
        var missing = 0
        for gram in grams {
            let first = SegmentContents.key(gram.hash47, block: 0)
            let rows = try Row.fetchCursor(statement, arguments: [first, first | 0xFFFF])
            var isThere = false
            while let row = try rows.next() {
                let key = try row.number(0)
                let posting = try row.withUnsafeData(atIndex: 1) { data in
                    data.map { $0.withUnsafeBytes { Data($0) } } ?? Data()
                }
                blocks[Int(key & 0xFFFF), default: []].append(posting)
                isThere = true
            }
            missing += isThere ? 0 : 1
            // No line can have enough of them any more.
            if grams.count - missing < needed { return [:] }
        }
        return blocks.filter { $0.value.count >= needed }
    }

    private func linesWithoutEvidence(_ database: Database) throws -> LinesWithoutEvidence {
        if let lines = known.linesWithoutEvidence.withLock({ $0 }) { return lines }
        let meta = try Self.meta(database)
        guard let count = meta["without evidence"].flatMap({ Int($0) }), let all = meta["lines"].flatMap({ Int($0) })
        else { throw ByteReader.Damage() }
        let lines: LinesWithoutEvidence =
            count == 0
            ? .none
            : count == all
                ? .all
                : .some(
                    try Set(
                        Self.numbers(
                            database, "SELECT id FROM line WHERE kinds != 0 AND kinds & ? != 0",
                            [Int64(LineGrams.hasNoEvidence)])))
        known.linesWithoutEvidence.withLock { $0 = lines }
        return lines
    }

    /// Those of the lines whose texts have no more characters than this.
    func lines(_ lines: [Int], ofAtMost length: Int) throws -> [Int] {
        try read { database in
            let statement = try database.cachedStatement(sql: "SELECT id FROM line WHERE id = ? AND length(text) <= ?")
            return try lines.filter { try Int64.fetchOne(statement, arguments: [$0, length]) != nil }
        }
    }

    /// The texts that end in a hyphen, with their numbers. Theirs is the highest of the bits, so that the index has them in one
    /// place.
    func textsThatGoOn() throws -> [(line: Int, text: String)] {
        try read { database in
            let rows = try Row.fetchCursor(
                database, sql: "SELECT id, text FROM line WHERE kinds != 0 AND kinds >= ?",
                arguments: [Int64(LineGrams.goesOn)])
            var result: [(line: Int, text: String)] = []
            while let row = try rows.next() { result.append((try row.count(0), try row.text(1))) }
            return result
        }
    }

    // MARK: All of it

    /// Reads all of it.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`) if something is not as it was written.
    func check() throws {
        do {
            let isSummed = try PageSums.check(fileAt: path)
            guard isSummed == self.isSummed else { throw ByteReader.Damage() }
        } catch {
            throw Self.failure(path, error)
        }
        let numbers = Set(try parts().keys)
        try read { database in
            let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
            guard verdict == "ok" else { throw ByteReader.Damage() }
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM line")
            let meta = try Self.meta(database)
            guard let lines = meta["lines"].flatMap({ Int($0) }), lines == count else { throw ByteReader.Damage() }
            let rows = try StatementRows(
                database, "SELECT part, first, last, data, text, line.id FROM seen JOIN line ON line.id = seen.line")
            try rows.each { row in
                let candidate = try Self.candidate(row)
                _ = try LineCodec.decode(candidate.data, text: candidate.text)
                guard numbers.contains(candidate.part) else { throw ByteReader.Damage() }
                return true
            }
            let postings = try Row.fetchCursor(database, sql: "SELECT id, posting FROM gram")
            while let row = try postings.next() { try Self.posting(row) { _, _ in } }
        }
    }

    /// Calls `found` with each line that has a gram.
    ///
    /// - Parameter row: the key, and the block.
    private static func posting(_ row: Row, _ found: (_ gram: UInt64, _ line: Int) -> Void) throws {
        let key = try row.number(0)
        guard key >= 0 else { throw ByteReader.Damage() }
        let (gram, first) = (UInt64(key) >> 16, Int(key & 0xFFFF) * PostingBlock.size)
        try row.withUnsafeData(atIndex: 1) { data in
            try (data ?? Data()).withUnsafeBytes { block in
                try PostingBlock.decode(block) { found(gram, first + $0) }
            }
        }
    }

    /// Everything in it, so that it can be written anew without some of it, or with more.
    ///
    /// - Parameters:
    ///   - contents: to which it is added.
    ///   - isKept: whether a part goes over.
    func add(to contents: inout SegmentContents, where isKept: (SegmentContents.Part) -> Bool) throws {
        try read { database in
            var parts: [Int: Int] = [:]
            let rows = try Row.fetchCursor(database, sql: try Self.selectParts(database) + " ORDER BY id")
            while let row = try rows.next() {
                // Nothing that cannot be taken apart goes over.
                if !isSummed { _ = try Self.part(row) }
                let part = try Self.kept(row)
                if isKept(part) { parts[try row.count(0)] = contents.append(part) }
            }
            var numbers: [Int: Int] = [:]
            try copyLines(database, parts: parts, numbers: &numbers, contents: &contents)
            copyVectors(numbers, &contents)
            let grams = try Row.fetchCursor(database, sql: "SELECT id, posting FROM gram")
            while let row = try grams.next() {
                try Self.posting(row) { gram, line in
                    if let number = numbers[line] { contents.add(gram, number) }
                }
            }
        }
    }

    private func copyLines(
        _ database: Database, parts: [Int: Int], numbers: inout [Int: Int], contents: inout SegmentContents
    ) throws {
        let rows = try StatementRows(
            database,
            """
            SELECT part, first, last, data, text, line.id, kinds FROM line JOIN seen ON seen.line = line.id
            ORDER BY line.id, number
            """)
        try rows.each { row in
            let candidate = try Self.candidate(row)
            guard let part = parts[candidate.part] else { return true }
            if !isSummed { _ = try LineCodec.decode(candidate.data, text: candidate.text) }
            let kinds = UInt32(truncatingIfNeeded: try row.number(6))
            let number = contents.number(of: candidate.text) { kinds }
            contents.lines[number].kinds |= kinds
            numbers[candidate.line] = number
            contents.lines[number].seen.append(.init(part: part, steps: candidate.steps, data: candidate.data))
            return true
        }
    }
}
