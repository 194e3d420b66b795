import Testing

@testable import GStreamerMedia

/// Headers of still pictures, as in their specifications.
struct PictureHeaderTests {
    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Formats that contain more than one picture, of which only the first is read.
    @Test func animationsAndPagesAreSeen() {
        func png(_ chunks: (String, [UInt8])...) -> [UInt8] {
            var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            let header: (String, [UInt8]) = ("IHDR", [0, 0, 0, 9, 0, 0, 0, 9, 8, 2, 0, 0, 0])
            for (name, data) in [header] + chunks {
                bytes += [0, 0, 0, UInt8(data.count)]
                bytes += Self.text(name)
                bytes += data
                bytes += [0, 0, 0, 0]
            }
            return bytes
        }
        func tiff(_ next: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0]
            bytes += [0, 1, 4, 0, 1, 0, 0, 0, 9, 0, 0, 0] as [UInt8]
            bytes += (next.isEmpty ? [0, 0, 0, 0] : [26, 0, 0, 0]) as [UInt8]
            return bytes + next
        }
        func avif(_ brands: String) -> [UInt8] {
            let names = Self.text(brands)
            return [0, 0, 0, UInt8(names.count + 8)] + names.prefix(8) + [0, 0, 0, 0] + names.dropFirst(8)
        }
        let page: [UInt8] = [1, 0, 0, 1, 4, 0, 1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]
        let reduced: [UInt8] = [1, 0, 254, 0, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        let counts: [UInt8] = [0, 0, 0, 3, 0, 0, 0, 0]
        let cases: [(bytes: [UInt8], hasMore: Bool)] = [
            (png(("acTL", counts), ("IDAT", [1])), true),
            (png(("tEXt", [1, 2, 3]), ("acTL", counts), ("IDAT", [1])), true),
            (png(("acTL", [0, 0, 0, 1, 0, 0, 0, 0]), ("IDAT", [1])), false), (png(("IDAT", [1])), false),
            (png(("IDAT", [1]), ("acTL", counts)), false), (png(), false), (tiff([]), false), (tiff(page), true),
            (tiff(reduced), false),
            (avif("ftypavisavifavis"), true), (avif("ftypavifmif1"), false),
        ]
        for (bytes, hasMore) in cases {
            #expect(PictureHeader(bytes)?.hasMore == hasMore, "\(bytes)")
        }
    }

    private static let heads: [(StillFormat, Int, Int, [UInt8])] = [
        (
            .png, 60000, 300,
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + text("IHDR") + [
                0, 0, 0xEA, 0x60, 0, 0, 1, 44,
            ]
        ),
        (.gif, 640, 480, text("GIF89a") + [0x80, 2, 0xE0, 1, 0, 0]),
        (
            .bmp, 640, 480,
            text("BM") + .init(repeating: 0, count: 12) + [40, 0, 0, 0, 0x80, 2, 0, 0, 0x20, 0xFE, 0xFF, 0xFF]
        ),
        (.jpeg, 640, 480, [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC2, 0, 17, 8, 1, 0xE0, 2, 0x80, 3]),
        (.cmykJPEG, 640, 480, [0xFF, 0xD8, 0xFF, 0xFF, 0xC0, 0, 20, 8, 1, 0xE0, 2, 0x80, 4]),
        (
            .tiff, 640, 70000,
            [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2, 1, 0, 0, 3, 0, 0, 0, 1, 2, 0x80, 0, 0, 1, 1, 0, 4, 0, 0, 0, 1]
                + [0, 1, 0x11, 0x70]
        ),
        (.webp, 640, 480, text("RIFF    WEBPVP8X") + .init(repeating: 0, count: 8) + [0x7F, 2, 0, 0xDF, 1, 0]),
        (.animatedWebP, 640, 480, text("RIFF    WEBPVP8X") + [10, 0, 0, 0, 2, 0, 0, 0, 0x7F, 2, 0, 0xDF, 1, 0]),
        (
            .jpeg2000, 640, 480,
            [0xFF, 0x4F, 0xFF, 0x51, 0, 41, 0, 0, 0, 0, 2, 0x80, 0, 0, 1, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0]
        ),
        (
            .avif, 640, 480,
            [0, 0, 0, 20] + text("ftypavif") + [0, 0, 0, 0] + text("mif1") + [0, 0, 0, 20] + text("ispe")
                + [0, 0, 0, 0, 0, 0, 2, 0x80, 0, 0, 1, 0xE0]
        ),
        (.heic, 0, 0, [0, 0, 0, 20] + text("ftypheic") + [0, 0, 0, 0] + text("mif1")),
        (.portable, 640, 480, text("P6\n# a comment\n640 480\n255\n")),
        (.portable, 640, 480, text("P7\nWIDTH 640\nHEIGHT 480\n")),
        (.quiteOK, 640, 480, text("qoif") + [0, 0, 2, 0x80, 0, 0, 1, 0xE0, 3, 0]),
        (
            .openEXR, 640, 480,
            [0x76, 0x2F, 0x31, 1, 2, 0, 0, 0] + text("dataWindow\0box2i\0")
                + [16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 2, 0, 0, 0xDF, 1, 0, 0]
        ),
    ]

    @Test(arguments: heads.indices) func formatAndSize(index: Int) {
        let (format, width, height, bytes) = Self.heads[index]
        let header = PictureHeader(bytes)
        #expect(header?.format == format)
        #expect(header?.width == width && header?.height == height, "\(String(describing: header))")
    }

    @Test(arguments: heads.indices) func aHeadThatIsCutShortIsNoTrouble(index: Int) {
        let bytes = Self.heads[index].3
        for count in bytes.indices { _ = PictureHeader(Array(bytes[..<count])) }
        // Nor is one with the largest numbers.
        for start in bytes.indices {
            _ = PictureHeader(bytes[..<start] + .init(repeating: 0xFF, count: bytes.count - start + 40))
        }
    }

    /// Returns a JPEG header with an EXIF segment whose only entry is the orientation, in one of the two byte orders.
    private static func turned(_ value: UInt8, isLittle: Bool) -> [UInt8] {
        func number(_ bytes: [UInt8]) -> [UInt8] { isLittle ? bytes.reversed() : bytes }
        let head = text(isLittle ? "II" : "MM") + number([0, 42]) + number([0, 0, 0, 8])
        let entry = number([1, 18]) + number([0, 3]) + number([0, 0, 0, 1]) + number([0, value]) + [0, 0]
        let exif = text("Exif") + [0, 0] + head + number([0, 1]) + entry + [0, 0, 0, 0]
        return [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif
            + [0xFF, 0xC0, 0, 17, 8, 1, 0xE0, 2, 0x80, 3]
    }

    /// Checks GStreamer's names for EXIF's numbers; a player rotates a video of that name in the same way.
    @Test(arguments: [false, true]) func aPhonesPictureSaysHowItIsHeld(isLittle: Bool) {
        let names = [
            nil, nil, "flip-rotate-0", "rotate-180", "flip-rotate-180", "flip-rotate-270", "rotate-90",
            "flip-rotate-90",
            "rotate-270", nil,
        ]
        for (value, name) in names.enumerated() {
            let bytes = Self.turned(UInt8(value), isLittle: isLittle)
            let header = PictureHeader(bytes)
            #expect(header?.format == .jpeg && header?.width == 640 && header?.orientation?.name == name, "\(value)")
            for count in bytes.indices {
                _ = PictureHeader(Array(bytes[..<count]))
                _ = PictureHeader(bytes[..<count] + .init(repeating: 0xFF, count: 60))
            }
        }
    }

    @Test(arguments: ["RIFF    AVI LIST    ", "\u{0}\u{0}\u{0}\u{18}ftypisom....isommp41", "only some words of text"])
    func whatIsNoStill(text: String) {
        #expect(PictureHeader(Array(text.utf8)) == nil)
    }

    @Test func lengthsThatAreAnnounced() {
        #expect(
            PartWatch.announced(in: Array("--x\r\nContent-Type: image/jpeg\r\ncontent-LENGTH:  2000000000\r\n".utf8))
                == 2_000_000_000)
        #expect(PartWatch.announced(in: Array("Content-Length: 99999999999999999999999".utf8)) == Int.max / 2)
        #expect(PartWatch.announced(in: Array("--x\r\nContent-Type: image/jpeg\r\n".utf8)) == nil)
    }
}
