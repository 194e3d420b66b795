import Foundation
import GRDB
import Synchronization
import TextMatching

/// Looks up which texts of a segment may match a pattern.
extension SegmentFile {
    /// How lines are treated of which only the best reading is known.
    enum LinesWithoutEvidence {
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

    /// Returns the numbers of the texts that a query selects, in order.
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

    /// Returns the texts that end in a hyphen, with their numbers. Theirs is the highest of the bits, so that the index
    /// has them in one place.
    func textsThatGoOn() throws -> [(line: Int, text: String)] {
        try read { database in
            try database.rows(
                "SELECT id, text FROM line WHERE kinds != 0 AND kinds >= ?", [Int64(LineGrams.goesOn)]
            ) { (try $0.count(0), try $0.text(1)) }
        }
    }

    // MARK: Plates of two lines

    /// Returns the texts that are one of the two lines of a plate in some picture, in order.
    func linesInPlates() throws -> [Int] {
        if let lines = known.linesInPlates.withLock({ $0 }) { return lines }
        let count = try read { try Self.meta($0)[Self.plates] }
        let lines =
            switch count {
            case nil: try unmarkedLinesInPlates()
            case "0": [Int]()
            default:
                try read {
                    try Self.numbers(
                        $0, "SELECT id FROM line WHERE kinds != 0 AND kinds & ? != 0", [Int64(LineGrams.isInPlate)])
                }
            }
        known.linesInPlates.withLock { $0 = lines }
        return lines
    }

    /// The key of the table `meta` for the number of marked texts (``LineGrams/isInPlate``).
    static let plates = "plates"

    /// Does the same for a segment of an older program, which did not mark lines.
    private func unmarkedLinesInPlates() throws -> [Int] {
        // A character may be more than one scalar.
        let longest = 4 * PlateOfTwoLines.longestHalf
        let halves = try read { database in
            var halves: [Int] = []
            let rows = try StatementRows(
                database, "SELECT id, text FROM line WHERE length(text) <= ? AND text NOT GLOB '*[a-z]*'")
            try rows.each(Int64(longest)) { row in
                if PlateOfTwoLines.mayBeHalf(RecognizedText(try row.text(1))) { halves.append(try row.count(0)) }
                return true
            }
            return halves
        }
        let places = Dictionary(grouping: try candidates(ofLines: halves), by: \.part)
        let parts = try parts(Set(places.keys))
        var lines = Set<Int>()
        for (number, candidates) in places where candidates.count > 1 {
            guard let steps = parts[number]?.steps else { throw ByteReader.Damage() }
            let recorded = try candidates.map { try KeptLine($0.data, text: $0.text).recorded }
            for index in PlateLines.numbers(in: recorded, steps: steps) { lines.insert(candidates[index].line) }
        }
        return lines.sorted()
    }
}
