import Glibc

/// The format and the size of a still picture, from its header, without decoding anything.
///
/// Sources: ISO/IEC 15948 (PNG), ITU-T T.81 (JPEG), the GIF89a specification, Microsoft's BITMAPINFOHEADER, TIFF 6.0, RFC 9649
/// (WebP), ITU-T T.800 (JPEG 2000), ISO/IEC 23008-12 (HEIF), netpbm's pages, and the specifications of the others.
public struct PictureHeader: Hashable, Sendable {
    public let format: StillFormat
    /// In pixels; 0 if the header does not say.
    public let width: Int
    /// In pixels; 0 if the header does not say.
    public let height: Int
    /// The rotation with which it is to be shown; nil if it is upright, or if that is unknown.
    public let orientation: PictureOrientation?
    /// Whether it contains further pictures that GStreamer's decoders leave out: those of an animation, or pages.
    public let hasMore: Bool

    /// Returns nil if it is not a still picture in a known format.
    public init?(fileAt path: String) {
        guard let file = FileBytes(path) else { return nil }
        let bytes = PictureBytes { offset, count in
            UInt64(exactly: offset).map { file.bytes(at: $0, count: count) } ?? []
        }
        if let known = PictureHeader(bytes) {
            self = known
            return
        }
        // This is the only format without a signature at its beginning: it is recognized by its file name and plausible
        // values in its header.
        let head = bytes.read(0, 18)
        guard path.lowercased().hasSuffix(".tga"), head.count == 18, head[1] <= 1,
            [1, 2, 3, 9, 10, 11].contains(head[2]),
            [8, 15, 16, 24, 32].contains(head[16])
        else { return nil }
        let isKnown = head[1] == 1 && [1, 9].contains(head[2]) || head[1] == 0 && head[2] == 2
        (format, width, height) = (isKnown ? .targa : .otherTarga, bytes.little(12, 2), bytes.little(14, 2))
        (orientation, hasMore) = (nil, false)
    }

    /// Does the same for the first bytes of a picture.
    init?(_ bytes: [UInt8]) {
        self.init(
            PictureBytes { offset, count in
                offset < bytes.count ? Array(bytes[offset..<min(bytes.count, offset + count)]) : []
            })
    }

    init?(_ bytes: PictureBytes) {
        let head = bytes.read(0, 32)
        guard head.count >= 12 else { return nil }
        for look in Self.looks {
            if let (format, width, height) = look(head, bytes) {
                (self.format, self.width, self.height) = (format, max(0, width), max(0, height))
                orientation = [.jpeg, .cmykJPEG].contains(format) ? PictureOrientation(ofJPEG: bytes) : nil
                hasMore = Self.hasMore(format, bytes)
                return
            }
        }
        return nil
    }

    private static func hasMore(_ format: StillFormat, _ bytes: PictureBytes) -> Bool {
        switch format {
        case .png, .deepPNG: isAnimatedPNG(bytes)
        // `avis` is the brand of a sequence of pictures.
        case .avif: bytes.places(of: Array("avis".utf8), within: min(256, max(0, bytes.big(0, 4)))).first != nil
        case .tiff: hasPages(bytes)
        default: false
        }
    }

    /// Animations count their pictures (`acTL`) before the first.
    private static func isAnimatedPNG(_ bytes: PictureBytes) -> Bool {
        var place = 8
        for _ in 0..<1000 {
            switch bytes.text(place + 4, 4) {
            case "acTL": return bytes.big(place + 8, 4) > 1
            case "IDAT", "": return false
            default: place += 12 + bytes.big(place, 4)
            }
        }
        return false
    }

    /// Returns whether there are pages. A further directory is a page unless it is marked as a smaller version of the
    /// picture (tag 254, first bit).
    private static func hasPages(_ bytes: PictureBytes) -> Bool {
        let isLittle = bytes.text(0, 2) == "II"
        func number(_ place: Int, _ count: Int) -> Int {
            isLittle ? bytes.little(place, count) : bytes.big(place, count)
        }
        let first = number(4, 4)
        let next = number(first + 2 + 12 * min(number(first, 2), 4096), 4)
        guard next > 0 else { return false }
        let entries = (0..<min(number(next, 2), 4096)).map { next + 2 + 12 * $0 }
        return !entries.isEmpty && !entries.contains { number($0, 2) == 254 && number($0 + 8, 4) & 1 == 1 }
    }

    typealias Found = (StillFormat, width: Int, height: Int)

    private static var looks: [(_ head: [UInt8], _ bytes: PictureBytes) -> Found?] {
        [simple, jpeg, webp, tiff, jpeg2000, boxed, openEXR, portable]
    }

    /// Recognizes formats with their size at a fixed offset.
    private static func simple(_ head: [UInt8], _ bytes: PictureBytes) -> Found? {
        func begins(_ signature: [UInt8], at offset: Int = 0) -> Bool {
            head.count >= offset + signature.count && head[offset...].starts(with: signature)
        }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            // The bits per sample follow the size.
            return (bytes.big(24, 1) == 16 ? .deepPNG : .png, bytes.big(16, 4), bytes.big(20, 4))
        }
        if begins(Array("GIF8".utf8)) { return (.gif, bytes.little(6, 2), bytes.little(8, 2)) }
        if begins(Array("%PDF-".utf8)) { return (.pdf, 0, 0) }
        if begins(Array("8BPS".utf8)) { return (.photoshop, bytes.big(18, 4), bytes.big(14, 4)) }
        if begins(Array("qoif".utf8)) { return (.quiteOK, bytes.big(4, 4), bytes.big(8, 4)) }
        if begins([0x01, 0xDA]) { return (.sgi, bytes.big(6, 2), bytes.big(8, 2)) }
        if begins(Array("SDPX".utf8)) { return (.dpx, bytes.big(772, 4), bytes.big(776, 4)) }
        if begins(Array("XPDS".utf8)) { return (.dpx, bytes.little(772, 4), bytes.little(776, 4)) }
        if begins(Array("BM".utf8)), [12, 40, 52, 56, 64, 108, 124].contains(bytes.little(14, 4)) {
            if bytes.little(14, 4) == 12 { return (.bmp, bytes.little(18, 2), bytes.little(20, 2)) }
            // A negative height means that the rows begin at the top.
            let height = Int(Int32(truncatingIfNeeded: bytes.little(22, 4)))
            return (.bmp, bytes.little(18, 4), abs(height))
        }
        if begins([0, 0, 1, 0]), (1...256).contains(bytes.little(4, 2)) { return (.icon, 256, 256) }
        if head[0] == 0x0A, head[1] <= 5, head[2] <= 1, [1, 2, 4, 8].contains(head[3]) {
            return (.pcx, bytes.little(8, 2) - bytes.little(4, 2) + 1, bytes.little(10, 2) - bytes.little(6, 2) + 1)
        }
        return nil
    }

    /// Goes from marker to marker up to that of the frame (SOF), which may come after a large color profile.
    private static func jpeg(_ head: [UInt8], _ bytes: PictureBytes) -> Found? {
        guard head.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var place = 2
        for _ in 0..<1000 {
            guard bytes.big(place, 1) == 0xFF else { break }
            let marker = bytes.big(place + 1, 1)
            switch marker {
            case 0xF7: return (.jpegLS, bytes.big(place + 7, 2), bytes.big(place + 5, 2))
            case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
                let isPrinted = bytes.big(place + 9, 1) == 4
                return (isPrinted ? .cmykJPEG : .jpeg, bytes.big(place + 7, 2), bytes.big(place + 5, 2))
            case 0xFF: place += 1
            case 0xD0...0xD9, 0x01: place += 2
            default: place += 2 + max(2, bytes.big(place + 2, 2))
            }
        }
        return (.jpeg, 0, 0)
    }

    private static func webp(_ head: [UInt8], _ bytes: PictureBytes) -> Found? {
        guard head.starts(with: Array("RIFF".utf8)), head[8..<12].elementsEqual("WEBP".utf8) else { return nil }
        switch bytes.text(12, 4) {
        case "VP8X":
            let isAnimated = bytes.little(20, 1) & 2 != 0
            return (isAnimated ? .animatedWebP : .webp, bytes.little(24, 3) + 1, bytes.little(27, 3) + 1)
        case "VP8L":
            let bits = bytes.little(21, 4)
            return (.webp, bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        default: return (.webp, bytes.little(26, 2) & 0x3FFF, bytes.little(28, 2) & 0x3FFF)
        }
    }

    /// Looks for width (256) and height (257) in the first directory, which may be anywhere in the file.
    private static func tiff(_ head: [UInt8], _ bytes: PictureBytes) -> Found? {
        let isLittle = head.starts(with: [0x49, 0x49, 0x2A, 0])
        guard isLittle || head.starts(with: [0x4D, 0x4D, 0, 0x2A]) else { return nil }
        func number(_ place: Int, _ count: Int) -> Int {
            isLittle ? bytes.little(place, count) : bytes.big(place, count)
        }
        let directory = number(4, 4)
        var (width, height) = (0, 0)
        for index in 0..<min(number(directory, 2), 4096) {
            let entry = directory + 2 + 12 * index
            // Type 3 is a short number.
            let value = number(entry + 8, number(entry + 2, 2) == 3 ? 2 : 4)
            switch number(entry, 2) {
            case 256: width = value
            case 257: height = value
            default: continue
            }
        }
        return (.tiff, width, height)
    }

    private static func jpeg2000(_ head: [UInt8], _ bytes: PictureBytes) -> Found? {
        if head.starts(with: [0xFF, 0x4F, 0xFF, 0x51]) {
            return (.jpeg2000, bytes.big(8, 4) - bytes.big(16, 4), bytes.big(12, 4) - bytes.big(20, 4))
        }
        guard head[4..<8].elementsEqual([0x6A, 0x50, 0x20, 0x20]) else { return nil }
        let size = bytes.places(of: Array("ihdr".utf8), within: 4096).first
        return (.jpeg2000, size.map { bytes.big($0 + 8, 4) } ?? 0, size.map { bytes.big($0 + 4, 4) } ?? 0)
    }

    /// Recognizes the forms of HEIF, by the brands of the first box, and JPEG XL.
    private static func boxed(_ head: [UInt8], _ bytes: PictureBytes) -> Found? {
        if head.starts(with: [0xFF, 0x0A]) || head[4..<8].elementsEqual("JXL ".utf8) { return (.jpegXL, 0, 0) }
        guard head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let end = min(bytes.big(0, 4), 256)
        let brands = stride(from: 8, to: max(end, 12), by: 4).filter { $0 != 12 }.map { bytes.text($0, 4) }
        let isMovie = ["isom", "mp42", "qt  "].contains(brands.first ?? "")
        let format: StillFormat? =
            if isMovie {
                nil
            } else if brands.contains("avif") {
                .avif
            } else {
                brands.contains { ["heic", "heix", "heim", "heis", "mif1"].contains($0) } ? .heic : nil
            }
        guard let format else { return nil }
        // Use the largest of its pictures: a large one may consist of tiles, and a thumbnail may be stored with it.
        let sizes = bytes.places(of: Array("ispe".utf8), within: 1 << 16)
            .map { (width: bytes.big($0 + 8, 4), height: bytes.big($0 + 12, 4)) }
        let largest = sizes.max { Double($0.width) * Double($0.height) < Double($1.width) * Double($1.height) }
        return (format, largest?.width ?? 0, largest?.height ?? 0)
    }

    private static func openEXR(_ head: [UInt8], _ bytes: PictureBytes) -> Found? {
        guard head.starts(with: [0x76, 0x2F, 0x31, 0x01]) else { return nil }
        let name = Array("dataWindow\0box2i\0".utf8)
        guard let place = bytes.places(of: name, within: 1 << 16).first else { return (.openEXR, 0, 0) }
        let window = (0..<4).map { Int(Int32(truncatingIfNeeded: bytes.little(place + name.count + 4 + 4 * $0, 4))) }
        return (.openEXR, window[2] - window[0] + 1, window[3] - window[1] + 1)
    }

    /// Reads width and height in digits, after white space and comments.
    private static func portable(_ head: [UInt8], _ bytes: PictureBytes) -> Found? {
        guard head[0] == UInt8(ascii: "P"), (UInt8(ascii: "1")...UInt8(ascii: "7")).contains(head[1]),
            [0x09, 0x0A, 0x0D, 0x20].contains(head[2])
        else { return nil }
        let text = String(decoding: bytes.read(2, 1024), as: UTF8.self)
            .split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
        let words = text.flatMap { $0.split(separator: " ") }
        guard head[1] == UInt8(ascii: "7") else {
            return (.portable, words.first.flatMap { Int($0) } ?? 0, words.dropFirst().first.flatMap { Int($0) } ?? 0)
        }
        func value(_ name: Substring) -> Int {
            words.firstIndex(of: name).map { words.dropFirst($0 + 1).first.flatMap { Int($0) } ?? 0 } ?? 0
        }
        return (.portable, value("WIDTH"), value("HEIGHT"))
    }
}

/// The bytes of a picture, read on demand; bytes beyond the end read as 0.
struct PictureBytes {
    /// - Parameters: an offset, and the number of bytes wanted. Returns fewer at the end.
    let read: (_ offset: Int, _ count: Int) -> [UInt8]

    /// A big-endian number.
    func big(_ offset: Int, _ count: Int) -> Int { number(read(offset, count), count) }

    /// A little-endian number.
    func little(_ offset: Int, _ count: Int) -> Int {
        let bytes = read(offset, count)
        return bytes.count == count ? number(bytes.reversed(), count) : 0
    }

    func text(_ offset: Int, _ count: Int) -> String { String(decoding: read(offset, count), as: UTF8.self) }

    /// Returns the offsets of a sequence of bytes in the beginning of the file.
    func places(of wanted: [UInt8], within count: Int) -> [Int] {
        let bytes = read(0, count)
        guard let first = wanted.first, bytes.count >= wanted.count else { return [] }
        return (0...(bytes.count - wanted.count)).filter {
            bytes[$0] == first && bytes[$0..<($0 + wanted.count)].elementsEqual(wanted)
        }
    }

    private func number(_ bytes: [UInt8], _ count: Int) -> Int {
        bytes.count == count ? bytes.reduce(0) { $0 << 8 | Int($1) } : 0
    }
}

/// The kinds of still pictures, recognized by their first bytes.
public enum StillFormat: Sendable, Hashable, CaseIterable {
    case png, jpeg, gif, webp, jpeg2000, portable, openEXR
    /// A JPEG in the four colors of printing.
    case cmykJPEG
    /// A PNG with 16 bits a channel, whose colors GStreamer's decoder changes (1.22).
    case deepPNG
    case bmp, tiff, icon, targa
    case heic, avif, jpegXL
    case photoshop, quiteOK, pcx, sgi, dpx, jpegLS
    /// A WebP of several pictures, which GStreamer's decoder refuses (1.22).
    case animatedWebP
    /// Not a picture, but people store scans in it.
    case pdf
    /// The TGA pictures that gdk-pixbuf does not recognize: compressed and gray ones.
    case otherTarga

    /// How it is decoded.
    public enum Decoding: Sendable, Hashable {
        /// `decodebin` finds the decoder.
        case found
        /// By gdk-pixbuf, which recognizes the format by itself; GStreamer's element has caps for only some formats.
        case pixbuf
        /// It cannot be decoded.
        case none
    }

    public var decoding: Decoding {
        switch self {
        case .png, .jpeg, .gif, .webp, .jpeg2000, .portable, .openEXR: .found
        case .cmykJPEG, .deepPNG, .bmp, .tiff, .icon, .targa, .heic, .avif, .jpegXL: .pixbuf
        case .photoshop, .quiteOK, .pcx, .sgi, .dpx, .jpegLS, .animatedWebP, .otherTarga, .pdf: .none
        }
    }

    /// Whether at most one picture of such a file is decoded.
    var isOnePicture: Bool { self != .gif && self != .webp }

    /// Its usual name, with an article.
    public var name: String {
        switch self {
        case .png, .deepPNG: "a PNG picture"
        case .jpeg: "a JPEG picture"
        case .gif: "a GIF picture"
        case .webp: "a WebP picture"
        case .animatedWebP: "an animated WebP"
        case .jpeg2000: "a JPEG 2000 picture"
        case .portable: "a PNM picture"
        case .openEXR: "an OpenEXR picture"
        case .cmykJPEG: "a JPEG picture in CMYK"
        case .bmp: "a BMP picture"
        case .tiff: "a TIFF picture"
        case .icon: "an icon (ICO)"
        case .targa: "a TGA picture"
        case .heic: "a HEIC picture"
        case .avif: "an AVIF picture"
        case .jpegXL: "a JPEG XL picture"
        case .otherTarga: "a compressed or gray TGA picture"
        case .photoshop: "a Photoshop picture (PSD)"
        case .quiteOK: "a QOI picture"
        case .pcx: "a PCX picture"
        case .sgi: "an SGI picture"
        case .dpx: "a DPX picture"
        case .jpegLS: "a JPEG-LS picture"
        case .pdf: "a PDF document"
        }
    }

    /// Advice for a format that nothing here reads.
    var advice: String {
        switch self {
        case .pdf:
            "Make pictures of its pages with pdftoppm (Debian package poppler-utils) and search those: pdftoppm -r 150 -png FILE page."
        case .animatedWebP: "Convert it, for example to GIF."
        default: "Convert it, for example to PNG."
        }
    }

    /// Whether gdk-pixbuf reads it only with an additional loader.
    var needsLoader: Bool { [.heic, .avif, .jpegXL].contains(self) }

    /// The Debian package with which gdk-pixbuf reads it; nil if it does by itself, or none is known.
    var package: String? {
        switch self {
        case .heic: "heif-gdk-pixbuf"
        case .avif: "libavif-gdk-pixbuf"
        default: nil
        }
    }
}
