import Errors
import Foundation

/// The vectors of a segment's texts, in an immutable file beside the segment, which is created, deleted and rewritten
/// with it, or created later. If it is lost, no recording is lost.
///
/// The file has pages of 4,096 bytes, each with its sum (``VectorPage``), which is verified at each read: the head; 30
/// vectors per page, their elements first; for each text the numbers of its vectors, 511 texts per page. It is read
/// with plain calls rather than mapped, so that a failing disk causes an error and does not end the program.
/// Thread-safe. Owns its descriptor.
final class VectorFile: Sendable {
    static let format = 1
    static let rowsOfPage = VectorPage.capacity / VectorCode.size
    static let textsOfPage = VectorPage.capacity / 8
    static let magic = Array("framegrep vector".utf8)
    static let modelPlace = 64
    static let namePlace = 512

    let path: String
    /// The number of the segment's texts, with and without vectors.
    let textCount: Int
    let rowCount: Int
    /// The number of texts without vectors.
    let unknownCount: Int
    /// The name of their model.
    let model: String
    private let descriptor: Int32

    /// Returns the path of a segment's vectors; nil if it is not a segment of an index.
    static func path(ofSegment path: String) -> String? {
        path.hasSuffix(".fgi") ? path.dropLast(4) + suffix : nil
    }

    static let suffix = ".fgv"

    /// - Returns: nil if the segment has none.
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexNewer`; `indexUnreadable` if it cannot be opened).
    static func of(segment path: String) throws -> VectorFile? {
        guard let own = self.path(ofSegment: path), access(own, F_OK) == 0 else { return nil }
        return try VectorFile(own)
    }

    private init(_ path: String) throws {
        self.path = path
        // Do not wait for the writer if it is a pipe.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure(path, .indexUnreadable, String(cString: strerror(errno))) }
        var kind = stat()
        guard fstat(descriptor, &kind) == 0, [S_IFREG, S_IFDIR].contains(kind.st_mode & S_IFMT) else {
            close(descriptor)
            throw Self.damaged(path)
        }
        var head: Head?
        do {
            head = try Head(Self.page(0, of: descriptor, path))
        } catch {
            close(descriptor)
            throw error is ByteReader.Damage ? Self.damaged(path) : error
        }
        guard let head else {
            close(descriptor)
            throw Self.failure(
                path, .indexNewer, "they were written by a newer framegrep, and are left as they are")
        }
        (textCount, rowCount, unknownCount, model) = (head.texts, head.rows, head.unknown, head.model)
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int(status.st_size) == pageCount * VectorPage.size,
            path.hasSuffix("/" + head.name)
        else {
            close(descriptor)
            throw Self.damaged(path)
        }
    }

    deinit { close(descriptor) }

    private var rowPages: Int { (rowCount + Self.rowsOfPage - 1) / Self.rowsOfPage }
    private var textPages: Int { (textCount + Self.textsOfPage - 1) / Self.textsOfPage }
    private var pageCount: Int { 1 + rowPages + textPages }

    static func failure(_ path: String, _ code: FramegrepError.Code, _ reason: String) -> FramegrepError {
        FramegrepError(
            code,
            "The vectors \(path), by which the index is searched for meanings, cannot be used: \(reason). Words are still found; 'framegrep index repair' moves aside what is damaged, and 'framegrep index --meaning' rebuilds it without reading a recording."
        )
    }

    static func damaged(_ path: String) -> FramegrepError { failure(path, .indexDamaged, "they are damaged") }

    // MARK: Reading

    /// Reads consecutive pages, and verifies each.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexUnreadable`).
    private func read(_ pages: Range<Int>, into buffer: UnsafeMutableRawBufferPointer) throws {
        try Self.read(pages, of: descriptor, path, into: buffer)
    }

    private static func read(
        _ pages: Range<Int>, of descriptor: Int32, _ path: String, into buffer: UnsafeMutableRawBufferPointer
    ) throws {
        let length = pages.count * VectorPage.size
        var done = 0
        while done < length {
            let count = pread(
                descriptor, buffer.baseAddress.map { $0 + done }, length - done,
                pages.lowerBound * VectorPage.size + done)
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw count == 0 ? damaged(path) : failure(path, .indexUnreadable, String(cString: strerror(errno)))
            }
            done += count
        }
        for (index, page) in pages.enumerated() {
            let bytes = UnsafeRawBufferPointer(
                rebasing: buffer[index * VectorPage.size..<(index + 1) * VectorPage.size])
            guard VectorPage.isWhole(bytes, number: page) else { throw damaged(path) }
        }
    }

    private static func page(_ number: Int, of descriptor: Int32, _ path: String) throws -> [UInt8] {
        var page = [UInt8](repeating: 0, count: VectorPage.size)
        try page.withUnsafeMutableBytes { try read(number..<number + 1, of: descriptor, path, into: $0) }
        return page
    }

    /// The number of pages that are read at once.
    private static let atATime = 256

    /// Calls `body` on all processors with some pages at a time; returns its results in order.
    private func map<Result: Sendable>(
        _ pages: Range<Int>, _ isCancelled: @escaping @Sendable () -> Bool,
        _ body: @escaping @Sendable (_ page: Int, UnsafeRawBufferPointer) throws -> [Result]
    ) throws -> [[Result]] {
        let groups = stride(from: pages.lowerBound, to: pages.upperBound, by: Self.atATime).map {
            $0..<min(pages.upperBound, $0 + Self.atATime)
        }
        return try SideBySide.map(groups, fewest: 2, atATime: 1) { [self] group -> [Result] in
            guard !isCancelled() else { return [] }
            return try withUnsafeTemporaryAllocation(byteCount: group.count * VectorPage.size, alignment: 64) {
                buffer in
                try read(group, into: buffer)
                var results: [Result] = []
                for (index, page) in group.enumerated() {
                    results += try body(
                        page,
                        UnsafeRawBufferPointer(
                            rebasing: buffer[index * VectorPage.size..<(index + 1) * VectorPage.size]))
                }
                return results
            }
        }
    }

    /// Reads the whole file.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexUnreadable`).
    func check(texts count: Int) throws {
        guard textCount == count else { throw Self.damaged(path) }
        _ = try map(0..<pageCount, { false }) { _, _ in [Int]() }
        guard try entries().count(where: { $0 == .unknown }) == unknownCount else { throw Self.damaged(path) }
    }

    /// Returns the vectors of each text.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexUnreadable`).
    func entries(isCancelled: @escaping @Sendable () -> Bool = { false }) throws -> [TextVectors.Entry] {
        let first = 1 + rowPages
        let groups = try map(first..<pageCount, isCancelled) { [self] page, bytes in
            let texts = min(Self.textsOfPage, textCount - (page - first) * Self.textsOfPage)
            return try (0..<texts).map { try entry(in: bytes, at: $0) }
        }
        return Array(groups.joined())
    }

    private func entry(in page: UnsafeRawBufferPointer, at place: Int) throws -> TextVectors.Entry {
        func number(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: page.loadUnaligned(fromByteOffset: 8 * place + offset, as: UInt32.self))
        }
        let entry = TextVectors.Entry(first: number(0), second: number(4))
        guard entry.numbers.allSatisfy({ $0 < rowCount }) else { throw Self.damaged(path) }
        return entry
    }

    struct NearText: Sendable {
        var text: Int
        var closeness: Float
    }

    /// Returns the texts that are at least this close to a question; if a text has several forms, the closest counts.
    ///
    /// - Returns: no texts if it was cancelled.
    /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexUnreadable`).
    func texts(
        nearTo question: VectorCode.Question, least: Float, isCancelled: @escaping @Sendable () -> Bool
    ) throws -> [NearText] {
        let values = Array(try closeness(of: question, isCancelled).joined())
        guard values.count == rowCount else { return [] }
        let first = 1 + rowPages
        let groups = try map(first..<pageCount, isCancelled) { [self] page, bytes in
            let begin = (page - first) * Self.textsOfPage
            var near: [NearText] = []
            for place in 0..<min(Self.textsOfPage, textCount - begin) {
                var best = -Float.infinity
                for offset in [0, 4] {
                    let number = UInt32(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * place + offset, as: UInt32.self))
                    guard TextVectors.Entry.isNumber(number) else { continue }
                    guard number < rowCount else { throw Self.damaged(path) }
                    best = max(best, values[Int(number)])
                }
                if best >= least { near.append(NearText(text: begin + place, closeness: best)) }
            }
            return near
        }
        return Array(groups.joined())
    }

    /// Returns the closeness of a question to each vector; fewer if it was cancelled.
    private func closeness(
        of question: VectorCode.Question, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> [[Float]] {
        try map(1..<1 + rowPages, isCancelled) { [rowCount] page, bytes in
            let count = min(Self.rowsOfPage, rowCount - (page - 1) * Self.rowsOfPage)
            return [Float](unsafeUninitializedCapacity: count) { values, used in
                question.closeness(toRows: bytes, count: Self.rowsOfPage) { row, value in
                    if row < count { values.initializeElement(at: row, to: value) }
                }
                used = count
            }
        }
    }

    /// Reads the vectors of single texts, and caches the page that was read last.
    struct Reader {
        private let file: VectorFile
        private var rows: (page: Int, bytes: [UInt8]) = (-1, [])
        private var texts: (page: Int, bytes: [UInt8]) = (-1, [])

        init(_ file: VectorFile) { self.file = file }

        /// - Throws: ``FramegrepError`` (`indexDamaged`, `indexUnreadable`).
        mutating func entry(of text: Int) throws -> TextVectors.Entry {
            guard 0..<file.textCount ~= text else { throw VectorFile.damaged(file.path) }
            let page = 1 + file.rowPages + text / VectorFile.textsOfPage
            if texts.page != page { texts = (page, try VectorFile.page(page, of: file.descriptor, file.path)) }
            return try texts.bytes.withUnsafeBytes { try file.entry(in: $0, at: text % VectorFile.textsOfPage) }
        }

        /// Returns the bytes of a vector, encoded by ``VectorCode``.
        mutating func row(_ number: Int) throws -> [UInt8] {
            let page = 1 + number / VectorFile.rowsOfPage
            let place = number % VectorFile.rowsOfPage
            if rows.page != page { rows = (page, try VectorFile.page(page, of: file.descriptor, file.path)) }
            let end = VectorFile.rowsOfPage * VectorCode.codeSize
            return Array(rows.bytes[place * VectorCode.codeSize..<(place + 1) * VectorCode.codeSize])
                + rows.bytes[end + 4 * place..<end + 4 * place + 4]
        }

        /// Returns the closeness of a question to a text; nil if that is unknown, or if the text has no meaning.
        mutating func closeness(of question: VectorCode.Question, to text: Int) throws -> Double? {
            var best: Double?
            for number in try entry(of: text).numbers {
                try row(number).withUnsafeBytes { bytes in
                    question.closeness(toRows: bytes, count: 1) { _, value in best = max(best ?? -9, Double(value)) }
                }
            }
            return best
        }
    }
}

/// A page of a file of vectors: its last 8 bytes hold the sum of the others and of its position in the file.
///
/// Sixteen numbers are summed in parallel, which is as fast as reading memory: a search by meaning reads all vectors,
/// while one for words reads few pages of a segment (``PageSums``).
enum VectorPage {
    static let size = 4_096
    /// The number of bytes for contents.
    static let capacity = size - 8

    /// Returns the sum: two Fletcher sums for each of eight lanes, folded into one number. Any change of a single
    /// number changes it.
    static func sum(of page: UnsafeRawBufferPointer, number: Int) -> UInt64 {
        var (first, second) = (
            SIMD8<UInt32>(repeating: 1), SIMD8<UInt32>(repeating: UInt32(truncatingIfNeeded: number))
        )
        var place = 0
        while place + 64 <= capacity {
            first &+= page.loadUnaligned(fromByteOffset: place, as: SIMD8<UInt32>.self) &+ second
            second &+= page.loadUnaligned(fromByteOffset: place + 32, as: SIMD8<UInt32>.self) &+ first
            place += 64
        }
        var sum: UInt64 = 0
        for lane in 0..<8 {
            sum = (sum ^ (UInt64(first[lane]) | UInt64(second[lane]) << 32)) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
        }
        while place < capacity {
            sum = (sum ^ page.loadUnaligned(fromByteOffset: place, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
            place += 8
        }
        return sum
    }

    static func isWhole(_ page: UnsafeRawBufferPointer, number: Int) -> Bool {
        sum(of: page, number: number)
            == UInt64(littleEndian: page.loadUnaligned(fromByteOffset: capacity, as: UInt64.self))
    }

    /// Pads a page, and writes its sum.
    static func seal(_ bytes: [UInt8], number: Int) -> [UInt8] {
        precondition(bytes.count <= capacity, "no more than fits")
        var page = bytes + [UInt8](repeating: 0, count: size - bytes.count)
        let sum = page.withUnsafeBytes { Self.sum(of: $0, number: number) }
        for byte in 0..<8 { page[capacity + byte] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(byte))) }
        return page
    }
}
