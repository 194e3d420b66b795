import CGStreamer

/// Takes a GIF apart into its pictures, each with the time for which it is shown; fed with the file's bytes as they come.
///
/// Holds the bytes of one picture and what was appended last. A picture of more than 64 MiB is damage: else a picture without an end, which
/// a server may send, would fill the memory.
///
/// Source: GIF89a Specification (CompuServe, 1990), 15 to 27.
struct GIFSplitter: Sendable {
    /// One picture as the file holds it, with the blocks before it.
    ///
    /// FFmpeg 7 decodes nothing before a picture that begins with the file's header and can be decoded. So if the first picture is broken,
    /// the next ones begin with the header too.
    struct Packet: Sendable, Hashable {
        var bytes: [UInt8]
        /// In hundredths of a second.
        var delay: Int
    }

    /// Browsers and FFmpeg take a delay of less than two hundredths for one that was forgotten, and show ten.
    private static let leastDelay = 2
    private static let usualDelay = 10

    /// A picture with the blocks before it has no more bytes.
    private let largestPacket: Int
    private var bytes: [UInt8] = []
    /// Where the block begins that was not looked at yet.
    private var place = 0
    /// Where the next sub-block of that block begins, so that none is looked at twice; nil before the first.
    private var scanned: Int?
    private var delay = 0
    private var headerLength = 0
    private var hasHeader: Bool { headerLength > 0 }
    /// The bytes to put in front of the next picture: the header until the first picture can be decoded, then nil.
    private var repeatedHeader: [UInt8]? = []
    /// The size that the file declares, once it is known.
    private(set) var size: (width: Int, height: Int)?
    /// The end was reached: later bytes are not part of the GIF.
    private(set) var isOver = false
    /// Something stood where no block begins, or a picture is too large.
    private(set) var isDamaged = false

    /// - Parameter largestPacket: in bytes.
    init(largestPacket: Int = 64 << 20) { self.largestPacket = largestPacket }

    /// Takes the next bytes of the file.
    mutating func append(_ more: some Sequence<UInt8>) {
        if !isOver { bytes += more }
    }

    /// The next picture, when all of it has come.
    mutating func next() -> Packet? {
        guard !isOver, hasHeader || readHeader() else { return nil }
        guard let end = endOfPicture() else {
            if !isOver, bytes.count > largestPacket { refuse() }
            return nil
        }
        guard end <= largestPacket else {
            refuse()
            return nil
        }
        return cut(at: end)
    }

    /// Where the next picture ends; nil while it has not all come, and at the end of the file.
    private mutating func endOfPicture() -> Int? {
        while place < bytes.count {
            switch bytes[place] {
            case 0x21:
                guard let end = subBlocks(from: place + 2) else { return nil }
                // A graphic control extension: its delay is that of the next picture.
                if bytes[place + 1] == 0xF9, end - place >= 8 {
                    delay = Int(bytes[place + 4]) | Int(bytes[place + 5]) << 8
                }
                place = end
            case 0x2C:
                guard place + 10 <= bytes.count else { return nil }
                return subBlocks(from: place + 11 + Self.tableSize(bytes[place + 9]))
            default:
                isDamaged = bytes[place] != 0x3B
                isOver = true
                return nil
            }
        }
        return nil
    }

    /// Returns the beginning of a picture that was cut off; nil if the file ended between two.
    mutating func rest() -> Packet? {
        guard !isOver, hasHeader, place < bytes.count, bytes[place] == 0x2C else { return nil }
        return cut(at: bytes.count)
    }

    /// The file breaks off in the middle of something, if nothing more comes. That the last byte is missing, which only says
    /// that this is the end, does no harm.
    var isCutOff: Bool { !isOver && (!hasHeader || !bytes.isEmpty) }

    private mutating func cut(at end: Int) -> Packet {
        defer {
            bytes.removeFirst(end)
            (place, scanned, delay) = (0, nil, 0)
        }
        let delay = delay < Self.leastDelay ? Self.usualDelay : delay
        guard let header = repeatedHeader else { return Packet(bytes: Array(bytes[..<end]), delay: delay) }
        repeatedHeader = canBeDecoded(end: end) ? nil : header.isEmpty ? Array(bytes[..<headerLength]) : header
        return Packet(bytes: header + bytes[..<end], delay: delay)
    }

    /// Whether the picture at `place` has codes of a size that there is. With other damage something of a picture is decoded.
    private func canBeDecoded(end: Int) -> Bool {
        guard place + 9 < end else { return false }
        let codeSize = place + 10 + Self.tableSize(bytes[place + 9])
        return codeSize < end && (1...11).contains(bytes[codeSize])
    }

    /// The picture is too large: it and what comes after it are not part of the GIF.
    private mutating func refuse() {
        (isDamaged, isOver) = (true, true)
        bytes = []
    }

    private mutating func readHeader() -> Bool {
        guard bytes.count >= 13 else { return false }
        let end = 13 + Self.tableSize(bytes[10])
        guard bytes.count >= end else { return false }
        size = (Int(bytes[6]) | Int(bytes[7]) << 8, Int(bytes[8]) | Int(bytes[9]) << 8)
        (place, headerLength) = (end, end)
        return true
    }

    /// Bytes of a table of colors, as the flags in front of it say.
    private static func tableSize(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    /// Where a row of sub-blocks ends that begins at `start`; nil while it has not all come.
    private mutating func subBlocks(from start: Int) -> Int? {
        var index = scanned ?? start
        while index < bytes.count {
            let length = Int(bytes[index])
            index += length + 1
            if length == 0 {
                scanned = nil
                return index
            }
        }
        scanned = index
        return nil
    }
}
