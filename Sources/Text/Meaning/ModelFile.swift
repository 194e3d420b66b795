import Errors
import Glibc
public import TextMatching

/// The file that `framegrep setup --meaning` makes, mapped into memory: it is not parsed or copied, and only the parts
/// in use are read from the disk. Owns the mapping.
final class ModelFile {
    private let bytes: UnsafeRawBufferPointer
    private let path: String
    private var sections: [String: Range<Int>] = [:]

    private static let magic: [UInt8] = Array("FGMEAN\0\u{1}".utf8)
    private static let headSize = 16
    private static let entrySize = 32
    private static let nameSize = 16
    /// Each section begins at a multiple of this, in bytes.
    private static let alignment = 64

    /// - Throws: ``FramegrepError`` (`engineUnavailable`) for a file that is missing or is not a model.
    init(path: String) throws {
        self.path = path
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw Self.failure("\(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size >= Self.headSize else {
            throw Self.failure("\(path) is not the file that search by meaning needs.")
        }
        let size = Int(status.st_size)
        guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), start != MAP_FAILED else {
            throw Self.failure("\(path) cannot be mapped into memory: \(String(cString: strerror(errno))).")
        }
        bytes = UnsafeRawBufferPointer(start: start, count: size)
        try readHead()
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }

    private func readHead() throws {
        let count = Int(bytes.loadUnaligned(fromByteOffset: Self.magic.count, as: UInt32.self))
        guard bytes.starts(with: Self.magic), count < 1000, bytes.count >= Self.headSize + count * Self.entrySize
        else { throw damaged }
        for number in 0..<count {
            let entry = Self.headSize + number * Self.entrySize
            let name = String(
                decoding: bytes[entry..<entry + Self.nameSize].prefix { $0 != 0 }, as: UTF8.self)
            let start = bytes.loadUnaligned(fromByteOffset: entry + Self.nameSize, as: UInt64.self)
            let length = bytes.loadUnaligned(fromByteOffset: entry + Self.nameSize + 8, as: UInt64.self)
            guard start <= UInt64(bytes.count), length <= UInt64(bytes.count) - start,
                start % UInt64(Self.alignment) == 0
            else { throw damaged }
            sections[name] = Int(start)..<Int(start + length)
        }
    }

    /// Returns the bytes of a section; valid as long as this object.
    func section(_ name: String) throws -> UnsafeRawBufferPointer {
        guard let range = sections[name] else { throw damaged }
        return UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// Returns the numbers of a section; valid as long as this object.
    ///
    /// - Parameter count: the required number; nil for any.
    func numbers<Number>(_ name: String, count: Int? = nil) throws -> UnsafeBufferPointer<Number> {
        let section = try section(name)
        let stride = MemoryLayout<Number>.stride
        guard section.count % stride == 0, count.map({ $0 == section.count / stride }) ?? true else { throw damaged }
        return section.bindMemory(to: Number.self)
    }

    var damaged: FramegrepError {
        Self.failure("\(path) is damaged, or was made for another version of framegrep.")
    }

    private static func failure(_ reason: String) -> FramegrepError {
        FramegrepError(
            .engineUnavailable,
            "Search by meaning is not possible: \(reason) Run 'framegrep setup --remove --meaning', then 'framegrep setup --meaning'."
        )
    }
}

/// Google's Universal Sentence Encoder in sixteen languages, from the file that `framegrep setup --meaning` makes.
///
/// Opening it is quick, because the file is only mapped. Its vectors do not depend on the processor, the number of
/// threads, or the other texts of a call. Thread-safe.
// Tokenizer and network point into the file's mapping, which is never changed and lasts as long as this object.
public final class MeaningEncoder: MeaningModel, @unchecked Sendable {
    private let file: ModelFile
    private let tokenizer: PieceTokenizer
    private let encoder: SentenceEncoder
    public let background: [Float]
    public let name = "universal-sentence-encoder-multilingual 3"

    /// The number of pieces that go through the network together: enough to reuse the weights fetched from memory, and
    /// few enough to stay in the cache.
    private static let batch = 256

    /// - Parameter path: the path of the file.
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) if it is missing or damaged.
    public init(path: String) throws {
        file = try ModelFile(path: path)
        tokenizer = try PieceTokenizer(file)
        encoder = try SentenceEncoder(file)
        background = MeaningBackground.values.map { Float($0) * MeaningBackground.scale }
    }

    public func vectors(of texts: [String]) -> [[Float]] {
        var vectors: [[Float]] = []
        var waiting: [[UInt32]] = []
        var pieces = 0
        for text in texts {
            let cut = tokenizer.pieces(of: text)
            if pieces + cut.count > Self.batch {
                vectors += encoder.vectors(of: waiting)
                (waiting, pieces) = ([], 0)
            }
            waiting.append(cut)
            pieces += cut.count
        }
        return vectors + encoder.vectors(of: waiting)
    }

    public func probability(ofCloseness closeness: Double) -> Double { MeaningCalibration.map(closeness) }

    /// Returns the numbers of a text's pieces, as SentencePiece gives them; for comparison only.
    func pieces(of text: String) -> [UInt32] { tokenizer.pieces(of: text) }
}
