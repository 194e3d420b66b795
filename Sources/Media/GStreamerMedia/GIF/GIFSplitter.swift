import CGStreamer

/// Splits a GIF into its pictures, each with the time for which it is shown, as the file's bytes arrive.
///
/// It holds the bytes of one picture and those that were appended last. A picture of more than 64 MiB counts as damage:
/// otherwise an endless picture, which a server may send, would fill the memory.
///
/// Source: GIF89a Specification (CompuServe, 1990), 15 to 27.
struct GIFSplitter: Sendable {
    /// One picture as stored in the file, with the blocks before it.
    ///
    /// FFmpeg 7 decodes nothing until it gets a picture that begins with the file's header and can be decoded. So if
    /// the first picture is broken, the next ones begin with the header too.
    struct Packet: Sendable, Hashable {
        var bytes: [UInt8]
        /// In hundredths of a second.
        var delay: Int
    }

    /// Browsers and FFmpeg treat a delay of less than two hundredths as missing, and use ten.
    private static let leastDelay = 2
    private static let usualDelay = 10

    /// The largest size of a picture with the blocks before it, in bytes.
    private let largestPacket: Int
    private var bytes: [UInt8] = []
    /// The offset of the next block to examine.
    private var place = 0
    /// The offset of that block's next sub-block, so that none is examined twice; nil before the first.
    private var scanned: Int?
    private var delay = 0
    private var headerLength = 0
    private var hasHeader: Bool { headerLength > 0 }
    /// The bytes to put before the next picture: the header until the first picture can be decoded, then nil.
    private var repeatedHeader: [UInt8]? = []
    /// The size that the file declares, once it is known.
    private(set) var size: (width: Int, height: Int)?
    /// Whether the end was reached: later bytes are not part of the GIF.
    private(set) var isOver = false
    /// Whether there was something other than a block where one must begin, or a picture was too large.
    private(set) var isDamaged = false

    /// - Parameter largestPacket: in bytes.
    init(largestPacket: Int = 64 << 20) { self.largestPacket = largestPacket }

    /// Takes the next bytes of the file.
    mutating func append(_ more: some Sequence<UInt8>) {
        if !isOver { bytes += more }
    }

    /// Returns the next picture if all of it has arrived.
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

    /// Returns the offset at which the next picture ends; nil if not all of it has arrived, and at the end of the file.
    private mutating func endOfPicture() -> Int? {
        while place < bytes.count {
            switch bytes[place] {
            case 0x21:
                guard let end = subBlocks(from: place + 2) else { return nil }
                // This is a graphic control extension, whose delay is that of the next picture.
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

    /// Returns the beginning of a truncated picture; nil if the file ended between two pictures.
    mutating func rest() -> Packet? {
        guard !isOver, hasHeader, place < bytes.count, bytes[place] == 0x2C else { return nil }
        return cut(at: bytes.count)
    }

    /// Whether the file is truncated, if nothing more arrives. A missing last byte, which only marks the end, does no
    /// harm.
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

    /// Returns whether the picture at `place` has codes of a valid size. With other damage at least a part of the
    /// picture can be decoded.
    private func canBeDecoded(end: Int) -> Bool {
        guard place + 9 < end else { return false }
        let codeSize = place + 10 + Self.tableSize(bytes[place + 9])
        return codeSize < end && (1...11).contains(bytes[codeSize])
    }

    /// Rejects a picture that is too large: neither it nor anything after it is part of the GIF.
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

    /// Returns the size of a color table in bytes, according to the flags before it.
    private static func tableSize(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    /// Returns the offset at which the sequence of sub-blocks that begins at `start` ends; nil if not all of it has
    /// arrived.
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
