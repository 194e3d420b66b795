import GRDB
import TextMatching

extension SegmentFile {
    /// The vectors of its texts; nil if it has none.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`, `indexUnreadable`).
    func vectors() throws -> VectorFile? { try VectorFile.of(segment: path) }

    /// All texts, by their numbers.
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

    /// These texts, in their order.
    func texts(ofLines lines: [Int]) throws -> [String] {
        try read { database in
            let statement = try database.cachedStatement(sql: "SELECT text FROM line WHERE id = ?")
            return try lines.map { line in
                guard let row = try Row.fetchOne(statement, arguments: [line]) else { throw ByteReader.Damage() }
                return try row.text(0)
            }
        }
    }

    /// The numbers of all texts in these parts.
    func lines(ofParts parts: [Int]) throws -> Set<Int> {
        try read { database in
            var lines = Set<Int>()
            for part in parts {
                lines.formUnion(try Self.numbers(database, "SELECT line FROM seen WHERE part = ?", [part]))
            }
            return lines
        }
    }

    /// Takes over the vectors of texts that were copied. What cannot be read stays unknown: it is made anew when somebody asks for that.
    ///
    /// - Parameter numbers: of texts here, their numbers there.
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

    /// Takes over the vectors of the texts that both have.
    func copyVectorsOfSameTexts(to contents: inout SegmentContents) {
        guard let texts = try? texts() else { return }
        var numbers: [Int: Int] = [:]
        for (own, text) in texts.enumerated() { numbers[own] = contents.knownNumber(of: text) }
        copyVectors(numbers, &contents)
    }
}

extension SegmentContents {
    /// Makes the vectors that are unknown yet.
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
