import Errors
import Foundation
import GRDB
import Synchronization
import TextMatching
import TextSpotting

/// A segment on the disk: an SQLite file that nobody changes any more.
///
/// Opened as immutable, so no lock is taken and no file is made beside it: it may lie on a read-only disk or be copied while it
/// is searched.
struct SegmentFile {
    /// The format that this program writes and reads.
    static let format = 1

    /// A line found by its grams or its kinds.
    struct Candidate: Sendable {
        var part: Int
        var steps: Range<Int>
        var text: String
        var data: [UInt8]
    }

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
        /// What a clock in the picture said.
        var clock: ClockTrack?
    }

    let path: String
    private let queue: DatabaseQueue
    /// What was looked up: a segment never changes.
    private let known = Known()

    private final class Known: Sendable {
        let linesWithoutEvidence = Mutex<LinesWithoutEvidence?>(nil)
        let clocks = Mutex<[Int]?>(nil)
        let sourcesOfParts = Mutex<[Int: SourceID]?>(nil)
        let parts = Mutex<[Int: Part]>([:])
    }

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

    /// - Throws: ``FramegrepError`` (`indexDamaged`) where it is no segment of ours.
    init(path: String) throws {
        self.path = path
        do {
            var configuration = Configuration()
            configuration.readonly = true
            queue = try DatabaseQueue(path: Self.immutableURI(path), configuration: configuration)
            let format = try queue.read { try Int.fetchOne($0, sql: "SELECT value FROM meta WHERE key = 'format'") }
            guard let format, format <= Self.format else {
                throw FramegrepError(
                    .indexDamaged,
                    "The part \(path) of the index was written by a newer framegrep; search it with that one.")
            }
        } catch let error as FramegrepError {
            throw error
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// Reads with errors told in our words.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.read(body) } catch let error as FramegrepError { throw error } catch {
            throw Self.failure(path, error)
        }
    }

    static func failure(_ path: String, _ error: any Error) -> FramegrepError {
        FramegrepError(
            .indexDamaged,
            "The part \(path) of the index cannot be read: \(IndexFailure.reason(error)). 'framegrep index repair' reads its recordings again."
        )
    }

    private static func immutableURI(_ path: String) -> String {
        let kept = CharacterSet(charactersIn: "/-._~").union(.alphanumerics)
        return "file:" + (path.addingPercentEncoding(withAllowedCharacters: kept) ?? path) + "?immutable=1"
    }

    func lineCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM line") ?? 0 }
    }

    // MARK: Searching

    /// Which recording each part is of.
    func sourcesOfParts() throws -> [Int: SourceID] {
        if let sources = known.sourcesOfParts.withLock({ $0 }) { return sources }
        let sources = try read { database in
            var result: [Int: SourceID] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT id, source FROM part")
            while let row = try rows.next() { result[row[0]] = SourceID(number: row[1]) }
            return result
        }
        known.sourcesOfParts.withLock { $0 = sources }
        return sources
    }

    /// All parts by their numbers.
    func parts() throws -> [Int: Part] {
        try read { database in
            var result: [Int: Part] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM part")
            while let row = try rows.next() { result[row["id"]] = try Self.part(row) }
            return result
        }
    }

    /// Some of them.
    func parts(_ numbers: Set<Int>) throws -> [Int: Part] {
        var result = known.parts.withLock { $0.filter { numbers.contains($0.key) } }
        let missing = numbers.filter { result[$0] == nil }
        guard !missing.isEmpty else { return result }
        let fetched = try read { database in
            let statement = try database.cachedStatement(sql: "SELECT * FROM part WHERE id = ?")
            var parts: [Int: Part] = [:]
            for number in missing {
                if let row = try Row.fetchOne(statement, arguments: [number]) { parts[number] = try Self.part(row) }
            }
            return parts
        }
        result.merge(fetched) { first, _ in first }
        known.parts.withLock { $0.merge(fetched) { first, _ in first } }
        return result
    }

    private static func part(_ row: Row) throws -> Part {
        let (frames, steps): (Data, Data) = (row["frames"], row["steps"])
        // Segments of older programs have no such column.
        let clock: Data? = row["clock"]
        return Part(
            source: SourceID(number: row["source"]), name: row["name"], digest: row["digest"], manner: row["manner"],
            from: StreamTime(nanoseconds: row["first"]), to: StreamTime(nanoseconds: row["last"]),
            frames: try PartCodec.decodeFrames(Array(frames)), steps: try PartCodec.decodeSteps(Array(steps)),
            clock: try ClockCodec.decode(clock.map(Array.init) ?? []))
    }

    /// The parts in whose pictures a clock stands.
    func partsWithClock() throws -> [Int] {
        if let numbers = known.clocks.withLock({ $0 }) { return numbers }
        let numbers = try read { database in
            let hasColumn = try database.columns(in: "part").contains { $0.name == "clock" }
            return hasColumn ? try Int.fetchAll(database, sql: "SELECT id FROM part WHERE clock IS NOT NULL") : []
        }
        known.clocks.withLock { $0 = numbers }
        return numbers
    }

    /// The numbers of the texts that a query asks for, in their order.
    func lines(for query: CandidateQuery) throws -> [Int] {
        try read { database in
            switch query {
            case .all:
                return try Int.fetchAll(database, sql: "SELECT id FROM line")
            case .kinds(let kinds):
                return try Int.fetchAll(
                    database, sql: "SELECT id FROM line WHERE kinds != 0 AND kinds & ? != 0", arguments: [Int64(kinds)])
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

    /// What the blocks say of these grams, for each block that has enough of them.
    private static func postings(_ database: Database, _ grams: [Gram], _ needed: Int) throws -> [Int: [Data]] {
        let statement = try database.cachedStatement(sql: "SELECT id, posting FROM gram WHERE id BETWEEN ? AND ?")
        var blocks: [Int: [Data]] = [:]
        var missing = 0
        for gram in grams {
            let first = SegmentContents.key(gram.hash47, block: 0)
            let rows = try Row.fetchCursor(statement, arguments: [first, first | 0xFFFF])
            var isThere = false
            while let row = try rows.next() {
                let (key, posting): (Int64, Data) = (row[0], row[1])
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
        let count = try Int.fetchOne(database, sql: "SELECT value FROM meta WHERE key = 'without evidence'") ?? 0
        let all = try Int.fetchOne(database, sql: "SELECT value FROM meta WHERE key = 'lines'") ?? 0
        let lines: LinesWithoutEvidence =
            count == 0
            ? .none
            : count == all
                ? .all
                : .some(
                    try Set(
                        Int.fetchAll(
                            database, sql: "SELECT id FROM line WHERE kinds != 0 AND kinds & ? != 0",
                            arguments: [Int64(LineGrams.hasNoEvidence)])))
        known.linesWithoutEvidence.withLock { $0 = lines }
        return lines
    }

    /// The texts that end in a hyphen, with their numbers. Theirs is the highest of the bits, so that the index has them in one
    /// place.
    func textsThatGoOn() throws -> [(line: Int, text: String)] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT id, text FROM line WHERE kinds != 0 AND kinds >= ?",
                arguments: [Int64(LineGrams.goesOn)]
            ).map { ($0["id"], $0["text"]) }
        }
    }

    /// Calls `found` with the places of these texts, so many texts at a time, as long as it says so.
    func places(ofLines lines: [Int], atATime count: Int = 2_048, found: ([Candidate]) throws -> Bool) throws {
        for first in stride(from: 0, to: lines.count, by: count) {
            let some = lines[first..<min(lines.count, first + count)]
            let candidates = try read { database in
                // One statement for all of them, which takes a fraction of the time of one for each.
                let statement = try database.cachedStatement(
                    sql: """
                        SELECT seen.part, seen.first, seen.last, seen.data, line.text FROM json_each(?)
                        CROSS JOIN line ON line.id = json_each.value CROSS JOIN seen ON seen.line = line.id
                        """)
                let numbers = "[" + some.map(String.init).joined(separator: ",") + "]"
                let rows = try Row.fetchCursor(statement, arguments: [numbers])
                var candidates: [Candidate] = []
                candidates.reserveCapacity(some.count)
                while let row = try rows.next() { candidates.append(try Self.candidate(row)) }
                return candidates
            }
            guard try found(candidates) else { return }
        }
    }

    /// All lines that stood there at one of the part's readings.
    func lines(ofPart part: Int, at step: Int) throws -> [Candidate] {
        try read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT seen.part, first, last, data, text FROM seen JOIN line ON line.id = seen.line
                    WHERE part = ? AND first <= ? AND last > ?
                    """, arguments: [part, step, step])
            var result: [Candidate] = []
            while let row = try rows.next() { result.append(try Self.candidate(row)) }
            return result
        }
    }

    /// - Parameter row: the part, the first reading, the one behind the last, the data, the text.
    private static func candidate(_ row: Row) throws -> Candidate {
        let (first, last): (Int, Int) = (row[1], row[2])
        guard first >= 0, first <= last else { throw ByteReader.Damage() }
        let data = try row.withUnsafeData(atIndex: 3) { data in data.map { Array($0) } ?? [] }
        return Candidate(part: row[0], steps: first..<last, text: row[4], data: data)
    }

    // MARK: All of it

    /// Reads all of it.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`) where something is not as it was written.
    func check() throws {
        try read { database in
            let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
            guard verdict == "ok" else { throw ByteReader.Damage() }
            let rows = try Row.fetchCursor(
                database, sql: "SELECT part, first, last, data, text FROM seen JOIN line ON line.id = seen.line")
            while let row = try rows.next() {
                let candidate = try Self.candidate(row)
                _ = try LineCodec.decode(candidate.data, text: candidate.text)
            }
            let postings = try Row.fetchCursor(database, sql: "SELECT posting FROM gram")
            while let row = try postings.next() {
                let posting: Data = row["posting"]
                try posting.withUnsafeBytes { try PostingBlock.decode($0) { _ in } }
            }
        }
        _ = try parts()
    }

    /// Everything in it, so that it can be written anew without some of it, or with more.
    ///
    /// - Parameters:
    ///   - contents: what it is added to.
    ///   - isKept: whether a part goes over.
    func add(to contents: inout SegmentContents, where isKept: (SegmentContents.Part) -> Bool) throws {
        try read { database in
            var parts: [Int: Int] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM part ORDER BY id")
            while let row = try rows.next() {
                let (frames, steps): (Data, Data) = (row["frames"], row["steps"])
                let clock: Data? = row["clock"]
                let part = SegmentContents.Part(
                    source: SourceID(number: row["source"]), name: row["name"], digest: row["digest"],
                    from: StreamTime(nanoseconds: row["first"]), to: StreamTime(nanoseconds: row["last"]),
                    manner: row["manner"], frames: Array(frames), steps: Array(steps),
                    clock: clock.map(Array.init) ?? [])
                if isKept(part) { parts[row["id"]] = contents.append(part) }
            }
            var numbers: [Int: Int] = [:]
            try copyLines(database, parts, &numbers, &contents)
            let grams = try Row.fetchCursor(database, sql: "SELECT id, posting FROM gram")
            while let row = try grams.next() {
                let (key, posting): (Int64, Data) = (row["id"], row["posting"])
                let first = Int(key & 0xFFFF) * PostingBlock.size
                let gram = UInt64(bitPattern: key) >> 16
                try posting.withUnsafeBytes { block in
                    try PostingBlock.decode(block) { line in
                        if let number = numbers[first + line] { contents.add(gram, number) }
                    }
                }
            }
        }
    }

    private func copyLines(
        _ database: Database, _ parts: [Int: Int], _ numbers: inout [Int: Int], _ contents: inout SegmentContents
    ) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT part, first, last, data, text, line.id AS id, kinds FROM line JOIN seen ON seen.line = line.id
                ORDER BY line.id, number
                """)
        while let row = try rows.next() {
            guard let part = parts[row["part"]] else { continue }
            let kinds: Int64 = row["kinds"]
            let number = contents.number(of: row["text"]) { UInt32(truncatingIfNeeded: kinds) }
            contents.lines[number].kinds |= UInt32(truncatingIfNeeded: kinds)
            numbers[row["id"]] = number
            let candidate = try Self.candidate(row)
            contents.lines[number].seen.append(.init(part: part, steps: candidate.steps, data: candidate.data))
        }
    }
}
