import Foundation
import GRDB
import TextMatching

/// Reads a whole segment, to check it or to write it anew.
extension SegmentFile {
    /// Reads all of the segment.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`) if anything is not as it was written.
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

    /// Copies the contents, so that they can be written anew without some parts, or with more.
    ///
    /// - Parameters:
    ///   - contents: receives the contents.
    ///   - isKept: returns whether a part is copied.
    func add(to contents: inout SegmentContents, where isKept: (SegmentContents.Part) -> Bool) throws {
        // Their lines may not be marked in this segment.
        let plates = Set(try linesInPlates())
        try read { database in
            var parts: [Int: Int] = [:]
            let rows = try Row.fetchCursor(database, sql: try Self.selectParts(database) + " ORDER BY id")
            while let row = try rows.next() {
                // Do not copy anything that cannot be decoded.
                if !isSummed { _ = try Self.part(row) }
                let part = try Self.kept(row)
                if isKept(part) { parts[try row.count(0)] = contents.append(part) }
            }
            var numbers: [Int: Int] = [:]
            try copyLines(database, parts: parts, plates: plates, numbers: &numbers, contents: &contents)
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
        _ database: Database, parts: [Int: Int], plates: Set<Int>, numbers: inout [Int: Int],
        contents: inout SegmentContents
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
            let kinds =
                UInt32(truncatingIfNeeded: try row.number(6))
                | (plates.contains(candidate.line) ? LineGrams.isInPlate : 0)
            let number = contents.number(of: candidate.text) { kinds }
            contents.lines[number].kinds |= kinds
            numbers[candidate.line] = number
            contents.lines[number].seen.append(.init(part: part, steps: candidate.steps, data: candidate.data))
            return true
        }
    }

    // MARK: Vectors

    /// Copies the vectors of texts that were copied. Vectors that cannot be read stay unknown, until they are made
    /// again on request.
    ///
    /// - Parameter numbers: the numbers of texts in the new segment, keyed by their numbers in this one.
    func copyVectors(_ numbers: [Int: Int], _ contents: inout SegmentContents) {
        guard let file = (try? vectors()) ?? nil, contents.vectors.map({ $0.model == file.model }) ?? true else {
            return
        }
        var vectors = contents.vectors ?? TextVectors(model: file.model)
        var reader = VectorFile.Reader(file)
        for (own, other) in numbers.sorted(by: { $0.key < $1.key }) where contents.lines[other].vectors == .unknown {
            guard let entry = try? reader.entry(of: own) else { break }
            guard entry != .unknown else { continue }
            guard let rows = try? entry.numbers.map({ try reader.row($0) }) else { break }
            contents.lines[other].vectors = vectors.entry(of: rows)
        }
        contents.vectors = vectors
    }

    /// Copies the vectors of the texts that both have.
    func copyVectorsOfSameTexts(to contents: inout SegmentContents) {
        guard let texts = try? texts() else { return }
        var numbers: [Int: Int] = [:]
        for (own, text) in texts.enumerated() { numbers[own] = contents.knownNumber(of: text) }
        copyVectors(numbers, &contents)
    }
}

extension SegmentContents {
    /// Makes the vectors that are still unknown.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`).
    mutating func makeVectors(with source: MeaningSource) throws {
        let unknown = lines.indices.filter { lines[$0].vectors == .unknown }
        guard !unknown.isEmpty else { return }
        var own = try vectors ?? TextVectors(model: source.vectorName())
        let made = try own.make(of: unknown.map { lines[$0].text }, with: source, isSideBySide: false)
        for (line, entry) in zip(unknown, made) { lines[line].vectors = entry }
        vectors = own
    }
}
