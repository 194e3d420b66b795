import GStreamerMedia
import Synchronization
import TestSupport
import Testing
import TextSpotting

@Suite struct OverlayTests {
    private static let patch = OverlayPatch(
        x: 10, y: 6, width: 8, height: 4, bgra: .init(repeating: 255, count: 8 * 4 * 4))

    /// Pulls black frames from `frames`, draws the patches, and pushes them into `overlay`; returns the frames that
    /// come out at `shown`.
    private func roundTrip(
        _ source: String, drawing patches: [OverlayPatch], as format: Picture.Format = .luma,
        onEvery step: Int = 1,
        seekTo time: StreamTime? = nil
    ) async throws -> (pictures: [Picture], times: [Double], others: [Picture]) {
        let pipeline = try Pipeline(parsing: "\(source) appsrc name=overlay ! appsink name=shown")
        let frames = try pipeline.appSink(named: "frames")
        let shown = try pipeline.appSink(named: "shown")
        let overlay = try #require(pipeline.appSource(named: "overlay"))
        let other = pipeline.hasElement(named: "other") ? try pipeline.appSink(named: "other") : nil
        try frames.configure(maxBuffers: 2, drop: false, sync: false)
        try shown.configure(maxBuffers: 2, drop: false, sync: false)
        try other?.configure(maxBuffers: 100, drop: false, sync: false)
        overlay.configure(maxBuffers: 2, block: true, isLive: false)
        #expect(try await pipeline.prepare() == .recorded)
        if let time { #expect(await pipeline.seek(to: time, accurate: true)) }
        try await pipeline.play()
        async let pushed: Void = onThread {
            var index = 0
            while case .sample(let sample) = frames.pull(timeout: .seconds(30)) {
                guard overlay.push(sample, drawing: index % step == 0 ? patches : []) == .ok else { break }
                index += 1
            }
            overlay.endOfStream()
        }
        let converter = PictureConverter()
        @Sendable func drain(_ sink: AppSink) -> [(Picture, Double)] {
            var found: [(Picture, Double)] = []
            while case .sample(let sample) = sink.pull(timeout: .seconds(30)) {
                guard let picture = try? converter.picture(from: sample, format: format) else { break }
                found.append((picture, sample.runningTime?.seconds ?? -1))
            }
            return found
        }
        let result = await onThread { drain(shown) }
        await pushed
        let others = await onThread { other.map(drain) ?? [] }
        await pipeline.stop()
        return (result.map(\.0), result.map(\.1), others.map(\.0))
    }

    private func isPatched(_ picture: Picture, by patch: OverlayPatch, tolerance: Int = 3) -> Bool {
        (0..<picture.height).allSatisfy { y in
            (0..<picture.width).allSatisfy { x in
                let inside = x >= patch.x && x < patch.x + patch.width && y >= patch.y && y < patch.y + patch.height
                return abs(Int(picture.bytes[y * picture.width + x]) - (inside ? 255 : 0)) <= tolerance
            }
        }
    }

    @Test(arguments: [
        "I420", "YV12", "NV12", "NV21", "Y42B", "Y444", "Y41B", "YUY2", "UYVY", "AYUV", "RGB", "BGR", "BGRx", "xRGB",
        "RGBA",
        "ARGB", "GRAY8", "I420_10LE", "P010_10LE", "Y444_10LE", "v210", "NV16", "NV24", "RGB16", "ARGB64", "GBR",
        "Y210",
        "NV12_4L4", "GRAY16_LE", "I422_10LE", "Y410", "RGB8P", "A420", "NV12_64Z32", "I420_12LE", "v308", "YVU9",
        "IYU1",
    ])
    func patchIsShownAtItsPlace(format: String) async throws {
        let result = try await roundTrip(
            "videotestsrc pattern=black num-buffers=3 ! video/x-raw,format=\(format),width=66,height=34,framerate=10/1 ! "
                + "appsink name=frames", drawing: [Self.patch])
        #expect(result.pictures.count == 3)
        // In gray frames videotestsrc's black is 16, and the blender's white 235.
        let tolerance = format.hasPrefix("GRAY") ? 21 : 3
        #expect(result.pictures.allSatisfy { isPatched($0, by: Self.patch, tolerance: tolerance) })
        #expect(result.times == [0, 0.1, 0.2])
    }

    /// Pixels that share their color with others, and the last ones of odd sizes.
    @Test(arguments: ["I420", "NV12", "Y41B", "YVU9", "YUY2", "UYVY", "RGB", "P010_10LE", "v210", "NV12_64Z32"])
    func patchesAtOddPlacesTouchNothingElse(format: String) async throws {
        for (x, y, width, height) in [(11, 7, 9, 5), (1, 1, 1, 1), (58, 26, 20, 20), (-3, -5, 8, 8), (64, 32, 3, 3)] {
            let patch = OverlayPatch(
                x: x, y: y, width: width, height: height, bgra: .init(repeating: 255, count: width * height * 4))
            let result = try await roundTrip(
                "videotestsrc pattern=black num-buffers=1 ! video/x-raw,format=\(format),width=65,height=33,framerate=10/1 ! "
                    + "appsink name=frames", drawing: [patch])
            #expect(result.pictures.count == 1)
            #expect(result.pictures.allSatisfy { isPatched($0, by: patch) }, "\(x), \(y)")
        }
    }

    /// Lines of two pixels, at even and at odd places, where four pixels share a color. (Not the formats of two planes:
    /// the conversion to RGB for this check mixes their neighboring colors.)
    @Test(arguments: ["I420", "YV12"], [8, 9])
    func aThinLineKeepsItsColor(format: String, place: Int) async throws {
        for isUpright in [true, false] {
            let patch = OverlayPatch(
                x: place, y: place, width: isUpright ? 2 : 20, height: isUpright ? 20 : 2,
                bgra: (0..<40).flatMap { _ in [0, 0, 255, 255] as [UInt8] })
            let result = try await roundTrip(
                "videotestsrc pattern=white num-buffers=1 ! video/x-raw,format=\(format),width=65,height=33,framerate=10/1 "
                    + "! appsink name=frames", drawing: [patch], as: .rgb)
            let picture = try #require(result.pictures.first)
            for offset in [0, 1] {
                let (x, y) = isUpright ? (place + offset, place + 10) : (place + 10, place + offset)
                let pixel = Array(picture.bytes[((y * picture.width + x) * 3)...].prefix(3))
                #expect(zip(pixel, [255, 0, 0]).allSatisfy { abs(Int($0) - $1) <= 30 }, "\(x), \(y): \(pixel)")
            }
        }
    }

    /// The result does not depend on the frame's colorimetry; half of a color is halfway to it.
    @Test(
        arguments: ["I420", "YV12", "NV12", "NV21", "RGB"], ["bt601", "bt709"])
    func colorsAreThoseOfTheFrame(format: String, colorimetry: String) async throws {
        // Blue, green, red, alpha, multiplied by it; on white.
        for (pixel, expected) in [
            ([0, 0, 255, 255], [255, 0, 0]), ([255, 0, 0, 255], [0, 0, 255]), ([0, 200, 0, 255], [0, 200, 0]),
            ([0, 0, 128, 128], [255, 127, 127]), ([0, 0, 0, 64], [191, 191, 191]),
        ] as [([UInt8], [Int])] {
            let patch = OverlayPatch(
                x: 9, y: 5, width: 12, height: 10, bgra: (0..<120).flatMap { _ in pixel })
            let colors = format == "RGB" ? "" : ",colorimetry=\(colorimetry)"
            let result = try await roundTrip(
                "videotestsrc pattern=white num-buffers=1 ! video/x-raw,format=\(format)\(colors),width=65,height=33,framerate=10/1 "
                    + "! appsink name=frames", drawing: [patch], as: .rgb)
            let picture = try #require(result.pictures.first)
            let middle = (10 * picture.width + 14) * 3
            for (found, wanted) in zip(picture.bytes[middle..<middle + 3], expected) {
                #expect(abs(Int(found) - wanted) <= 4, "\(pixel): \(picture.bytes[middle..<middle + 3])")
            }
            #expect(picture.bytes[0..<3].allSatisfy { $0 >= 253 })
        }
    }

    @Test func nothingIsDrawnForOtherBranches() async throws {
        let result = try await roundTrip(
            "videotestsrc pattern=black num-buffers=3 ! video/x-raw,format=I420,width=64,height=32 ! tee name=t "
                + "t. ! queue ! appsink name=frames t. ! queue ! appsink name=other",
            drawing: [Self.patch])
        #expect(result.pictures.count == 3 && result.others.count == 3)
        #expect(result.pictures.allSatisfy { isPatched($0, by: Self.patch) })
        #expect(result.others.allSatisfy { $0.bytes.allSatisfy { $0 == 0 } })
    }

    /// A decoder continues to predict from the frames that it has returned.
    @Test(arguments: ["x264enc key-int-max=30 ! mp4mux", "vp8enc deadline=1 ! webmmux"])
    func nothingIsDrawnForTheDecoder(encoder: String) async throws {
        let folder = try TemporaryFolder()
        try await record(24, to: folder.file("clip"), encoder: encoder)
        let source = "filesrc location=\(folder.file("clip")) ! decodebin ! appsink name=frames"
        let plain = try await roundTrip(source, drawing: [])
        let drawn = try await roundTrip(source, drawing: [Self.patch], onEvery: 2)
        #expect(plain.pictures.count == 24 && drawn.pictures.count == 24)
        for index in plain.pictures.indices {
            #expect((plain.pictures[index].bytes == drawn.pictures[index].bytes) == (index % 2 == 1), "frame \(index)")
        }
    }

    @Test(arguments: [(-4, -2), (60, 30), (-100, 0), (200, 200)]) func patchesAreCutAtTheEdges(place: (Int, Int))
        async throws
    {
        let shape = Self.patch
        let patch = OverlayPatch(x: place.0, y: place.1, width: shape.width, height: shape.height, bgra: shape.bgra)
        let result = try await roundTrip(
            "videotestsrc pattern=black num-buffers=1 ! video/x-raw,format=I420,width=64,height=32 ! appsink name=frames",
            drawing: [patch, OverlayPatch(x: 0, y: 0, width: 0, height: 0, bgra: [])])
        #expect(result.pictures.count == 1)
        #expect(result.pictures.allSatisfy { isPatched($0, by: patch) })
    }

    @Test func alphaIsPremultiplied() async throws {
        // Half-transparent white, on black: 128 of 255.
        let patch = OverlayPatch(x: 2, y: 2, width: 4, height: 4, bgra: .init(repeating: 128, count: 64))
        let result = try await roundTrip(
            "videotestsrc pattern=black num-buffers=1 ! video/x-raw,format=BGRx,width=8,height=8 ! appsink name=frames",
            drawing: [patch])
        let middle = try #require(result.pictures.first).bytes[3 * 8 + 3]
        #expect(abs(Int(middle) - 128) <= 2)
    }

    @Test(arguments: ["I420", "NV12", "YUY2", "BGRx", "P010_10LE", "GRAY8"]) func patchesKeepTheirColors(format: String)
        async throws
    {
        let red = OverlayPatch(x: 8, y: 8, width: 16, height: 8, bgra: (0..<128).flatMap { _ in [0, 0, 255, 255] })
        let green = OverlayPatch(x: 32, y: 8, width: 16, height: 8, bgra: (0..<128).flatMap { _ in [0, 255, 0, 255] })
        let result = try await roundTrip(
            "videotestsrc pattern=black num-buffers=1 ! video/x-raw,format=\(format),width=64,height=32 ! appsink name=frames",
            drawing: [red, green], as: .rgb)
        let picture = try #require(result.pictures.first)
        func pixel(_ x: Int, _ y: Int) -> [Int] { (0..<3).map { Int(picture.bytes[(y * 64 + x) * 3 + $0]) } }
        func isClose(_ a: [Int], _ b: [Int]) -> Bool { zip(a, b).allSatisfy { abs($0 - $1) <= 30 } }
        #expect(isClose(pixel(16, 12), format == "GRAY8" ? [81, 81, 81] : [255, 0, 0]), "\(pixel(16, 12))")
        #expect(isClose(pixel(40, 12), format == "GRAY8" ? [145, 145, 145] : [0, 255, 0]), "\(pixel(40, 12))")
    }

    @Test func timesStartAgainAfterASeek() async throws {
        let result = try await roundTrip(
            "videotestsrc pattern=black num-buffers=30 ! video/x-raw,format=I420,width=64,height=32,framerate=10/1 ! "
                + "appsink name=frames", drawing: [], seekTo: StreamTime(seconds: 1))
        #expect(result.times.first == 0)
        #expect(result.times.dropFirst().first == 0.1)
    }
}
