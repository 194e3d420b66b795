internal import TextMatching

/// The vectors of a segment's texts while it is put together, each vector once. A value.
struct TextVectors: Sendable {
    /// Which vectors are a text's: those of its forms (``MeaningForm/line(_:)``), by their numbers.
    struct Entry: Hashable, Sendable {
        var first: UInt32
        var second: UInt32

        /// No form.
        static let none = UInt32.max
        /// The text's vectors were never made.
        static let unknown = Entry(first: none - 1, second: none - 1)
        /// The text has no form: it means nothing.
        static let nothing = Entry(first: none, second: none)

        var numbers: [Int] { [first, second].filter(Self.isNumber).map(Int.init) }

        /// It is a vector's number and none of the above.
        static func isNumber(_ value: UInt32) -> Bool { value < none - 1 }
    }

    /// Of which model they are (``MeaningSource/vectorName()``).
    let model: String
    /// Behind each other, ``VectorCode/size`` bytes each.
    private(set) var bytes: [UInt8] = []
    /// The first vector with such a hash.
    private var numbers: [UInt64: UInt32] = [:]

    init(model: String) { self.model = model }

    var count: Int { bytes.count / VectorCode.size }

    /// The number of a vector, which is new or known.
    mutating func number(of row: [UInt8]) -> UInt32 {
        precondition(row.count == VectorCode.size, "a vector")
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in row { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let known = numbers[hash]
        if let known {
            let start = Int(known) * VectorCode.size
            if bytes[start..<start + VectorCode.size].elementsEqual(row) { return known }
        }
        let number = UInt32(count)
        bytes += row
        if known == nil { numbers[hash] = number }
        return number
    }

    mutating func entry(of rows: [[UInt8]]) -> Entry {
        let numbers = rows.prefix(2).map { number(of: $0) }
        return Entry(first: numbers.first ?? Entry.none, second: numbers.dropFirst().first ?? Entry.none)
    }

    /// How many texts go through the model at a time.
    private static let atATime = 512

    /// Makes the vectors of some texts.
    ///
    /// - Parameters:
    ///   - isSideBySide: on all processors.
    ///   - isCancelled: asked now and then; where it says so, the others stay unknown.
    /// - Returns: one for each text.
    /// - Throws: ``FramegrepError`` (`engineUnavailable`).
    mutating func make(
        of texts: [String], with source: MeaningSource, isSideBySide: Bool,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> [Entry] {
        let groups = stride(from: 0, to: texts.count, by: Self.atATime).map {
            Array(texts[$0..<min(texts.count, $0 + Self.atATime)])
        }
        let made = try SideBySide.map(groups, fewest: isSideBySide ? 2 : .max, atATime: 1) { group in
            isCancelled() ? [] : try Self.rows(of: group, source)
        }
        var entries: [Entry] = []
        for (group, rows) in zip(groups, made) {
            entries += group.indices.map { rows.indices.contains($0) ? entry(of: rows[$0]) : .unknown }
        }
        return entries
    }

    /// For each text the vectors of its forms.
    private static func rows(of texts: [String], _ source: MeaningSource) throws -> [[[UInt8]]] {
        let forms = texts.map { MeaningForm.line($0) }
        var places: [String: Int] = [:]
        var distinct: [String] = []
        for form in forms.joined() where places[form] == nil {
            places[form] = distinct.count
            distinct.append(form)
        }
        let rows = try source.points(ofForms: distinct).map(VectorCode.bytes)
        return forms.map { forms in forms.compactMap { places[$0].flatMap { rows[$0] } } }
    }
}
