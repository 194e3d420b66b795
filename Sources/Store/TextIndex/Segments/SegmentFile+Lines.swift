import GRDB

extension SegmentFile {
    /// A line found by its grams or its kinds.
    struct Candidate: Sendable {
        /// The number of the text.
        var line: Int
        var part: Int
        var steps: Range<Int>
        var text: String
        var data: [UInt8]
    }

    /// One place of a text in a part, without its data.
    struct Place: Sendable {
        /// The number of the text.
        var line: Int
        /// The number of the place among those of the text.
        var number: Int
        var first: Int
    }

    /// The columns of ``candidate(_:)``.
    private static let columns = "seen.part, seen.first, seen.last, seen.data, line.text, line.id"

    static func candidate(_ row: StatementRows) throws -> Candidate {
        let (first, last) = (try row.count(1), try row.count(2))
        guard first <= last else { throw ByteReader.Damage() }
        return Candidate(
            line: try row.count(5), part: try row.count(0), steps: first..<last, text: try row.text(4),
            data: Array(row.bytes(3)))
    }

    /// Calls `found` with the places of these texts, this many texts at a time, until it returns false.
    func places(ofLines lines: [Int], atATime count: Int = 2_048, found: ([Candidate]) throws -> Bool) throws {
        for first in stride(from: 0, to: lines.count, by: count) {
            let candidates = try candidates(ofLines: lines[first..<min(lines.count, first + count)])
            guard try found(candidates) else { return }
        }
    }

    /// Returns the places of these texts, in the order of the texts.
    func candidates(ofLines lines: some Collection<Int>) throws -> [Candidate] {
        try read { database in
            var candidates: [Candidate] = []
            candidates.reserveCapacity(lines.count)
            let rows = try StatementRows(
                database, "SELECT \(Self.columns) FROM line CROSS JOIN seen ON seen.line = line.id WHERE line.id = ?")
            for line in lines {
                try rows.each(Int64(line)) { row in
                    candidates.append(try Self.candidate(row))
                    return true
                }
            }
            return candidates
        }
    }

    /// Returns the times of these texts, in no particular order: the readings of each of their places, by part.
    ///
    /// - Parameter isEnough: called now and then with the number so far.
    func steps(
        ofLines lines: [Int], isEnough: (Int) -> Bool
    ) throws -> [(line: Int, part: Int, steps: Range<Int>)] {
        try read { database in
            var result: [(line: Int, part: Int, steps: Range<Int>)] = []
            let rows = try StatementRows(database, "SELECT part, first, last FROM seen WHERE line = ?")
            for (number, line) in lines.enumerated() {
                if number > 0, number.isMultiple(of: 2_048), isEnough(result.count) { break }
                try rows.each(Int64(line)) { row in
                    let (first, last) = (try row.count(1), try row.count(2))
                    guard first <= last else { throw ByteReader.Damage() }
                    result.append((line, try row.count(0), first..<last))
                    return true
                }
            }
            return result
        }
    }

    /// Calls `found` with the places of a part's texts, in the order of appearance, until it returns false.
    func places(inPart part: Int, found: (Place) throws -> Bool) throws {
        try read { database in
            let rows = try StatementRows(
                database, "SELECT first, line, number FROM seen WHERE part = ? ORDER BY first, last, line, number")
            try rows.each(Int64(part)) { row in
                try found(Place(line: row.count(1), number: row.count(2), first: row.count(0)))
            }
        }
    }

    /// Returns the lines at these places, in order.
    func candidates(at places: some Collection<Place>) throws -> [Candidate] {
        try read { database in
            var candidates: [Candidate] = []
            candidates.reserveCapacity(places.count)
            let rows = try StatementRows(
                database,
                "SELECT \(Self.columns) FROM line CROSS JOIN seen ON seen.line = line.id WHERE line.id = ? AND number = ?"
            )
            for place in places {
                try rows.each(Int64(place.line), Int64(place.number)) { row in
                    candidates.append(try Self.candidate(row))
                    return true
                }
            }
            guard candidates.count == places.count else { throw ByteReader.Damage() }
            return candidates
        }
    }

    /// Returns all lines that were there at one of the part's readings.
    func lines(ofPart part: Int, at step: Int?) throws -> [Candidate] {
        try read { database in
            var result: [Candidate] = []
            let rows = try StatementRows(
                database,
                """
                SELECT \(Self.columns) FROM seen JOIN line ON line.id = seen.line
                WHERE part = ? \(step == nil ? "AND first >= ? ORDER BY first" : "AND first <= ?2 AND last > ?2")
                """)
            try rows.each(Int64(part), Int64(step ?? 0)) { row in
                result.append(try Self.candidate(row))
                return true
            }
            return result
        }
    }

    /// Returns the lines that were there at one of the part's readings, if they are among those that appeared last
    /// before it: in a part of many thousand lines it would take long to examine all of them.
    func lines(ofPart part: Int, at step: Int, amongLast most: Int) throws -> [Candidate] {
        try read { database in
            var result: [Candidate] = []
            let rows = try StatementRows(
                database,
                """
                SELECT \(Self.columns) FROM
                (SELECT line, number, last FROM seen WHERE part = ?1 AND first <= ?2 ORDER BY first DESC LIMIT ?3) AS recent
                JOIN seen ON seen.line = recent.line AND seen.number = recent.number JOIN line ON line.id = seen.line
                WHERE recent.last > ?2
                """)
            try rows.each(Int64(part), Int64(step), Int64(most)) { row in
                result.append(try Self.candidate(row))
                return true
            }
            return result
        }
    }
}

extension SegmentFile {
    /// Returns the vectors of its texts; nil if it has none.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`, `indexUnreadable`).
    func vectors() throws -> VectorFile? { try VectorFile.of(segment: path) }

    func texts() throws -> [String] {
        try read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT id, text FROM line ORDER BY id")
            var texts: [String] = []
            while let row = try rows.next() {
                guard try row.count(0) == texts.count else { throw ByteReader.Damage() }
                texts.append(try row.text(1))
            }
            return texts
        }
    }

    func texts(ofLines lines: [Int]) throws -> [String] {
        try read { database in
            let statement = try database.cachedStatement(sql: "SELECT text FROM line WHERE id = ?")
            return try lines.map { line in
                guard let row = try Row.fetchOne(statement, arguments: [line]) else { throw ByteReader.Damage() }
                return try row.text(0)
            }
        }
    }

    /// Returns the numbers of all texts in these parts.
    func lines(ofParts parts: [Int]) throws -> Set<Int> {
        try read { database in
            var lines = Set<Int>()
            for part in parts {
                lines.formUnion(try Self.numbers(database, "SELECT line FROM seen WHERE part = ?", [part]))
            }
            return lines
        }
    }
}
