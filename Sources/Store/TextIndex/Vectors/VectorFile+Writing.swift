import Errors
import Foundation
internal import TextMatching

extension VectorFile {
    /// The contents of the first page.
    struct Head {
        var texts: Int
        var rows: Int
        var unknown: Int
        var model: String
        var name: String

        init(texts: Int, rows: Int, unknown: Int, model: String, name: String) {
            (self.texts, self.rows, self.unknown, self.model, self.name) = (texts, rows, unknown, model, name)
        }

        /// - Returns: nil for the file of a newer program.
        ///
        /// - Throws: `ByteReader.Damage`.
        init?(_ page: [UInt8]) throws {
            guard page.starts(with: VectorFile.magic) else { throw ByteReader.Damage() }
            func number(_ place: Int) -> Int {
                page[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            }
            guard number(16) <= VectorFile.format else { return nil }
            (texts, rows, unknown) = (number(20), number(24), number(28))
            func text(_ place: Int, upTo end: Int) throws -> String {
                let length = number(place)
                guard place + 4 + length <= end else { throw ByteReader.Damage() }
                return String(decoding: page[place + 4..<place + 4 + length], as: UTF8.self)
            }
            model = try text(VectorFile.modelPlace, upTo: VectorFile.namePlace)
            name = try text(VectorFile.namePlace, upTo: VectorPage.capacity)
            guard unknown <= texts, rows <= 2 * texts, texts <= 1 << 28 else { throw ByteReader.Damage() }
        }

        var page: [UInt8] {
            var bytes = [UInt8](repeating: 0, count: VectorFile.namePlace) + [UInt8](repeating: 0, count: 4)
            func put(_ number: Int, _ place: Int) {
                for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
            }
            bytes.replaceSubrange(0..<VectorFile.magic.count, with: VectorFile.magic)
            for (number, place) in [(VectorFile.format, 16), (texts, 20), (rows, 24), (unknown, 28)] {
                put(number, place)
            }
            let model = Array(model.utf8.prefix(VectorFile.namePlace - VectorFile.modelPlace - 4))
            put(model.count, VectorFile.modelPlace)
            bytes.replaceSubrange(VectorFile.modelPlace + 4..<VectorFile.modelPlace + 4 + model.count, with: model)
            put(name.utf8.count, VectorFile.namePlace)
            return VectorPage.seal(bytes + name.utf8, number: 0)
        }
    }

    /// Writes the vectors of a segment's texts: complete and on the disk, or not at all. Writes no file if no text has
    /// any.
    ///
    /// - Parameters:
    ///   - entries: one for each text.
    ///   - segment: the path of the segment.
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    static func write(_ vectors: TextVectors, _ entries: [TextVectors.Entry], ofSegment segment: String) throws {
        guard let path = path(ofSegment: segment), entries.contains(where: { $0 != .unknown }) else { return }
        let (renumbered, order) = renumbered(entries, of: vectors.count)
        let head = Head(
            texts: entries.count, rows: order.count, unknown: entries.count { $0 == .unknown }, model: vectors.model,
            name: (path as NSString).lastPathComponent)
        do {
            let file = try PageWriter(path + ".new")
            try file.write(head.page)
            for first in stride(from: 0, to: order.count, by: rowsOfPage) {
                try file.write(rows(order[first..<min(order.count, first + rowsOfPage)], of: vectors))
            }
            for first in stride(from: 0, to: renumbered.count, by: textsOfPage) {
                try file.write(texts(renumbered[first..<min(renumbered.count, first + textsOfPage)]))
            }
            try file.finish()
            try Disk.seal(path + ".new", as: path)
        } catch {
            unlink(path + ".new")
            throw (error as? FramegrepError)
                ?? FramegrepError(
                    .outputFailed,
                    "The index cannot be written to \(path): \(IndexFailure.reason(error)). Make room, or name another folder with --index."
                )
        }
    }

    /// Renumbers the vectors so that those of neighboring texts are neighbors, and leaves out unused ones.
    ///
    /// - Returns: the entries with the new numbers, and the old numbers in order.
    private static func renumbered(
        _ entries: [TextVectors.Entry], of count: Int
    ) -> (entries: [TextVectors.Entry], order: [Int]) {
        var order: [Int] = []
        var numbers = [UInt32](repeating: .max, count: count)
        let entries = entries.map { entry in
            var entry = entry
            for member in [\TextVectors.Entry.first, \.second] where TextVectors.Entry.isNumber(entry[keyPath: member])
            {
                let old = Int(entry[keyPath: member])
                if numbers[old] == .max {
                    numbers[old] = UInt32(order.count)
                    order.append(old)
                }
                entry[keyPath: member] = numbers[old]
            }
            return entry
        }
        return (entries, order)
    }

    private static func rows(_ numbers: ArraySlice<Int>, of vectors: TextVectors) -> [UInt8] {
        var codes: [UInt8] = []
        var rest: [UInt8] = []
        for number in numbers {
            let start = number * VectorCode.size
            codes += vectors.bytes[start..<start + VectorCode.codeSize]
            rest += vectors.bytes[start + VectorCode.codeSize..<start + VectorCode.size]
        }
        return codes + [UInt8](repeating: 0, count: rowsOfPage * VectorCode.codeSize - codes.count) + rest
    }

    private static func texts(_ entries: ArraySlice<TextVectors.Entry>) -> [UInt8] {
        entries.flatMap { entry in
            [entry.first, entry.second].flatMap { number in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
            }
        }
    }
}

/// Writes pages one after the other and numbers them from the head, which is already sealed.
private final class PageWriter {
    private let file: FileHandle
    private var waiting: [UInt8] = []
    private var count = 0

    init(_ path: String) throws {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ bytes: [UInt8]) throws {
        waiting += count == 0 ? bytes : VectorPage.seal(bytes, number: count)
        count += 1
        if waiting.count >= 1 << 20 { try flush() }
    }

    private func flush() throws {
        try file.write(contentsOf: waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    func finish() throws {
        try flush()
        try file.close()
    }
}

/// The vectors of a segment's texts while the segment is put together, each vector once. A value.
struct TextVectors: Sendable {
    /// The vectors of a text: those of its forms (``MeaningForm/line(_:)``), by their numbers.
    struct Entry: Hashable, Sendable {
        var first: UInt32
        var second: UInt32

        /// Stands for the absence of a form.
        static let none = UInt32.max
        /// The text's vectors were never made.
        static let unknown = Entry(first: none - 1, second: none - 1)

        var numbers: [Int] { [first, second].filter(Self.isNumber).map(Int.init) }

        static func isNumber(_ value: UInt32) -> Bool { value < none - 1 }
    }

    /// The name of their model (``MeaningSource/vectorName()``).
    let model: String
    /// The vectors one after the other, ``VectorCode/size`` bytes each.
    private(set) var bytes: [UInt8] = []
    /// The number of the first vector with a hash.
    private var numbers: [UInt64: UInt32] = [:]

    init(model: String) { self.model = model }

    var count: Int { bytes.count / VectorCode.size }

    /// Returns the number of a vector, which may be new.
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

    /// The number of texts that go through the model at a time.
    private static let atATime = 512

    /// Makes the vectors of some texts.
    ///
    /// - Parameters:
    ///   - isSideBySide: whether to use all processors.
    ///   - isCancelled: called now and then; if it returns true, the others stay unknown.
    /// - Returns: one entry for each text.
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

    /// Returns the vectors of the forms of each text.
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
