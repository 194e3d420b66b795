import Errors
import GStreamerMedia
import Testing
import TextSpotting

@Suite struct PictureConverterTests {
    /// Converts a frame of color bars in a format with `make`.
    private func bars(
        _ format: String, width: Int = 64, height: Int = 48, more: String = "",
        _ make: @escaping @Sendable (PictureConverter, borrowing Sample) throws -> Picture
    ) async throws -> Picture {
        let converter = PictureConverter()
        let pictures = try await collect(
            "videotestsrc num-buffers=1 pattern=smpte ! video/x-raw,format=RGB,width=\(width),height=\(height) ! videoconvert "
                + "dither=none ! video/x-raw,format=\(format)\(more) ! appsink name=frames"
        ) { try make(converter, $0) }
        return try #require(pictures.first)
    }

    private func largestDifference(_ a: Picture, _ b: Picture) -> Int {
        zip(a.bytes, b.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    static let formats = [
        "I420", "YV12", "NV12", "NV21", "Y42B", "Y444", "Y41B", "GRAY8", "YUY2", "UYVY", "YVYU", "AYUV", "v308",
        "I420_10LE", "I422_10LE", "Y444_10LE", "P010_10LE", "NV16", "NV24", "NV12_10LE32", "Y210", "Y410", "v210",
        "GRAY16_LE",
        "I420_12LE", "RGB", "BGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA", "ARGB", "ABGR", "ARGB64", "RGB16",
        "GBR",
        "GBR_10LE", "NV12_4L4", "NV12_64Z32", "A420",
    ]

    @Test(arguments: formats) func everyFormatGivesTheSameLuma(format: String) async throws {
        let reference = try await bars("RGB") { try $0.picture(from: $1, format: .luma) }
        let luma = try await bars(format) { try $0.picture(from: $1, format: .luma) }
        #expect(luma.width == 64 && luma.height == 48 && luma.format == .luma)
        // RGB16 has five bits a color.
        #expect(largestDifference(reference, luma) <= (format == "RGB16" ? 8 : 3))
    }

    @Test(arguments: ["I420", "NV12", "YUY2", "P010_10LE", "BGRx"], [(1, 1), (322, 7), (65, 49), (2, 3), (3, 1)])
    func oddSizesAreWholePictures(format: String, size: (Int, Int)) async throws {
        let luma = try await bars(format, width: size.0, height: size.1) { try $0.picture(from: $1, format: .luma) }
        let rgb = try await bars(format, width: size.0, height: size.1) { try $0.picture(from: $1, format: .rgb) }
        #expect(luma.width == size.0 && luma.height == size.1 && rgb.width == size.0 && rgb.height == size.1)
    }

    @Test(arguments: formats) func colorsAreInOrder(format: String) async throws {
        for (pattern, expected) in [("red", [255, 0, 0]), ("green", [0, 255, 0]), ("blue", [0, 0, 255])] {
            let converter = PictureConverter()
            let pictures = try await collect(
                "videotestsrc num-buffers=1 pattern=\(pattern) ! video/x-raw,format=RGB,width=30,height=18 ! videoconvert ! "
                    + "video/x-raw,format=\(format) ! appsink name=frames"
            ) { try converter.picture(from: $0, format: .rgb) }
            let picture = try #require(pictures.first)
            let middle = (9 * 30 + 15) * 3
            let pixel = picture.bytes[middle..<(middle + 3)].map { Int($0) }
            if format.hasPrefix("GRAY") {
                #expect((pixel.max() ?? 0) - (pixel.min() ?? 0) <= 1)
            } else {
                #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 10 }, "\(pattern): \(pixel)")
            }
        }
    }

    @Test(arguments: ["I420", "GRAY8", "YUY2", "I420_10LE", "BGRx"]) func halvesAndOddFractionsAgree(format: String)
        async throws
    {
        let half = try await bars(format, width: 128, height: 96) {
            try $0.picture(from: $1, format: .luma, size: (64, 48))
        }
        let third = try await bars(format, width: 192, height: 144) {
            try $0.picture(from: $1, format: .luma, size: (64, 48))
        }
        let odd = try await bars(format, width: 150, height: 100) {
            try $0.picture(from: $1, format: .luma, size: (64, 48))
        }
        #expect(half.width == 64 && third.height == 48 && odd.bytes.count == 64 * 48)
        // Inside the first bar all of them are uniform.
        let reference = try await bars("RGB") { try $0.picture(from: $1, format: .luma) }
        let places = (4..<12).flatMap { y in (1..<5).map { y * 64 + $0 } }
        for picture in [half, third, odd] {
            #expect(places.allSatisfy { abs(Int(picture.bytes[$0]) - Int(reference.bytes[$0])) <= 3 })
        }
    }

    @Test(arguments: ["I420", "BGRx", "P010_10LE"]) func regionIsCutOutOfTheFrame(format: String) async throws {
        let whole = try await bars(format) { try $0.picture(from: $1, format: .luma) }
        let part = try await bars(format) {
            try $0.picture(from: $1, format: .luma, region: Rect(x: 20.4, y: 10.2, width: 19.1, height: 30))
        }
        #expect(part.width == 20 && part.height == 31)
        let expected = (10..<41).flatMap { y in whole.bytes[(y * 64 + 20)..<(y * 64 + 40)] }
        #expect(part.bytes == expected)
    }

    @Test func regionOutsideIsRefused() async {
        let error = await framegrepError {
            _ = try await bars("I420") {
                try $0.picture(from: $1, format: .luma, region: Rect(x: 64, y: 0, width: 5, height: 5))
            }
        }
        #expect(error?.code == .badArgument)
    }

    @Test(arguments: ["I420", "UYVY", "BGRx"]) func interlacedFramesAreWholePictures(format: String) async throws {
        let reference = try await bars("RGB") { try $0.picture(from: $1, format: .luma) }
        let converter = PictureConverter()
        let pictures = try await collect(
            "videotestsrc num-buffers=1 pattern=smpte ! video/x-raw,format=RGB,width=64,height=48,interlace-mode=interleaved ! "
                + "videoconvert dither=none ! video/x-raw,format=\(format) ! appsink name=frames"
        ) { sample in
            [
                try converter.picture(from: sample, format: .luma),
                try converter.picture(from: sample, format: .rgb, size: (33, 25)),
            ]
        }
        #expect(largestDifference(reference, try #require(pictures.first?.first)) <= 4)
        #expect(pictures.first?.last?.bytes.count == 33 * 25 * 3)
    }

    @Test func fullRangeIsLeftAsItIs() async throws {
        let converter = PictureConverter()
        for colorimetry in ["1:4:0:0", "2:4:0:0"] {
            let pictures = try await collect(
                "videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=RGB,width=8,height=8 ! videoconvert ! "
                    + "video/x-raw,format=I420,colorimetry=(string)\(colorimetry) ! appsink name=frames"
            ) { try converter.picture(from: $0, format: .luma) }
            #expect(pictures.first?.bytes.allSatisfy { $0 >= 254 } == true)
        }
    }

    /// The results are equal to the last bit, because matches must not depend on how the mean is computed.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 16])
    func aSmallerPictureIsTheMeanOfItsPixels(factor: Int) async throws {
        let converter = PictureConverter()
        let (width, height) = (35 * factor, 6 * factor)
        let pictures = try await collect(
            "videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=I420,width=\(width),height=\(height),"
                + "colorimetry=(string)1:4:0:0 ! appsink name=frames"
        ) { sample in
            [
                try converter.picture(from: sample, format: .luma),
                try converter.picture(from: sample, format: .luma, size: (width / factor, height / factor)),
            ]
        }
        let (whole, small) = (try #require(pictures.first?.first), try #require(pictures.first?.last))
        #expect(Set(whole.bytes).count > 100)
        for (index, pixel) in small.bytes.enumerated() {
            let (left, top) = (index % small.width * factor, index / small.width * factor)
            var sum = factor * factor / 2
            for y in top..<(top + factor) { for x in left..<(left + factor) { sum += Int(whole.bytes[y * width + x]) } }
            #expect(Int(pixel) == sum / (factor * factor))
        }
    }

    @Test(arguments: [1, 2, 3]) func videoRangeIsSpread(factor: Int) async throws {
        // Of I420 in video range, whose own brightness is taken here as that of a gray format in full range.
        let converter = PictureConverter()
        var of: [[UInt8]] = []
        for colorimetry in ["1:4:0:0", "2:4:0:0"] {
            let pictures = try await collect(
                "videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=I420,width=\(64 * factor),height=\(8 * factor),"
                    + "colorimetry=(string)1:4:0:0 ! capssetter caps=video/x-raw,colorimetry=(string)\(colorimetry) ! appsink name=frames"
            ) { try converter.picture(from: $0, format: .luma, size: (64, 8)) }
            of.append(try #require(pictures.first?.bytes))
        }
        for (full, spread) in zip(of[0], of[1]) {
            #expect(Int(spread) == min(255, max(0, (Int(full) - 16) * 298 + 128) >> 8))
        }
    }

    @Test func formatMayChangeInMidStream() async throws {
        let converter = PictureConverter()
        let sizes = try await collect(
            "concat name=c ! appsink name=frames "
                + "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=32,height=16 ! c. "
                + "videotestsrc num-buffers=2 ! video/x-raw,format=BGRx,width=50,height=20 ! c."
        ) { sample in
            let picture = try converter.picture(from: sample, format: .luma)
            return [picture.width, picture.height]
        }
        #expect(sizes == [[32, 16], [32, 16], [50, 20], [50, 20]])
    }
}
