import Errors
import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextSpotting

@Suite struct MediaProbeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func error(_ path: String) async -> FramegrepError? {
        await framegrepError { _ = try await MediaProbe.examine(uri: path) }
    }

    @Test func missingFile() async {
        let error = await error(folder.file("nosuch.mp4"))
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.contains("nosuch.mp4") == true && error?.message.contains("no such file") == true)
    }

    @Test func folderIsNoFile() async {
        let error = await error(folder.path)
        #expect(error?.code == .sourceUnavailable && error?.message.contains("is a folder") == true)
    }

    @Test func emptyFile() async throws {
        let error = await error(try folder.write([], to: "empty.mp4"))
        #expect(error?.code == .sourceNotVideo && error?.message.contains("is empty") == true)
    }

    @Test func textIsNoVideo() async throws {
        let error = await error(try folder.write(Array("It is only words, again and again.\n".utf8), to: "words.mp4"))
        #expect(error?.code == .sourceNotVideo)
        #expect(
            error?.message.contains("words.mp4") == true
                && error?.message.contains("is not a picture or a video") == true)
    }

    @Test func noiseIsNoVideo() async throws {
        let error = await error(
            try folder.write((0..<5000).map { UInt8(truncatingIfNeeded: $0 * $0 * 31 + 7) }, to: "noise.mp4"))
        #expect(error?.code == .sourceNotVideo)
    }

    @Test func soundAlone() async throws {
        try await recordSound(to: folder.file("sound.wav"))
        let error = await error(folder.file("sound.wav"))
        #expect(error?.code == .sourceNotVideo && error?.message.contains("has sound but no picture") == true)
    }

    @Test func truncatedFileWithoutItsIndex() async throws {
        try await record(20, to: folder.file("whole.mp4"))
        let bytes = try folder.bytes(of: "whole.mp4")
        let path = try folder.write(Array(bytes.prefix(bytes.count / 2)), to: "half.mp4")
        let error = await error(path)
        #expect(error?.code == .sourceDamaged)
        #expect(error?.message.contains("half.mp4") == true && error?.message.contains("cut short") == true)
    }

    @Test func boxesOfOtherKindsAreLeftToGStreamer() async throws {
        // A box that claims to be larger than the largest file, and one that goes on to the end of it.
        for size: [UInt8] in [
            [0, 0, 0, 1] + Array("ftyp".utf8) + .init(repeating: 255, count: 8), [0, 0, 0, 8] + Array("ftyp".utf8),
        ] {
            let error = await error(try folder.write(size + [0, 0, 0, 0] + Array("mdat".utf8), to: "boxes.mp4"))
            #expect(error?.code == .sourceDamaged || error?.code == .sourceNotVideo)
        }
    }

    @Test func unknownFormatNamesWhatIsMissing() async throws {
        try await record(3, to: folder.file("known.avi"), encoder: "jpegenc ! avimux")
        var bytes = try folder.bytes(of: "known.avi")
        for start in bytes.indices.dropLast(4) where Array(bytes[start..<(start + 4)]) == Array("MJPG".utf8) {
            bytes.replaceSubrange(start..<(start + 4), with: "QZQZ".utf8)
        }
        let error = await error(try folder.write(bytes, to: "unknown.avi"))
        #expect(error?.code == .missingPlugin, "\(String(describing: error))")
        #expect(error?.message.contains("gstreamer1.0-libav") == true)
    }

    @Test func orientationIsTold() async throws {
        try await record(3, to: folder.file("upright.mp4"))
        var bytes = try folder.bytes(of: "upright.mp4")
        // The matrix of a track is nine 32-bit fixed-point numbers (ISO/IEC 14496-12, 8.3.2): unchanged, and a quarter
        // turn.
        let one: [UInt8] = [0, 1, 0, 0]
        let minusOne: [UInt8] = [255, 255, 0, 0]
        let zero: [UInt8] = [0, 0, 0, 0]
        let last: [UInt8] = [64, 0, 0, 0]
        let identity = [one, zero, zero, zero, one, zero, zero, zero, last].flatMap { $0 }
        let quarter = [zero, one, zero, minusOne, zero, zero, [0, 48, 0, 0], zero, last].flatMap { $0 }
        let place = try #require(bytes.indices.dropLast(36).last { Array(bytes[$0..<($0 + 36)]) == identity })
        bytes.replaceSubrange(place..<(place + 36), with: quarter)
        let info = try await MediaProbe.examine(uri: try folder.write(bytes, to: "turned.mp4"))
        #expect(info.orientation == "rotate-90")
        #expect(info.width == 64 && info.height == 48)
    }

    @Test func truncatedFileWithItsIndexIsStillExamined() async throws {
        try await record(20, to: folder.file("whole.mkv"), encoder: "x264enc ! matroskamux")
        let bytes = try folder.bytes(of: "whole.mkv")
        let path = try folder.write(Array(bytes.prefix(bytes.count * 3 / 4)), to: "part.mkv")
        #expect(try await MediaProbe.examine(uri: path).width == 64)
    }

    @Test func stillPictureIsAnImage() async throws {
        try await record(1, to: folder.file("still.png"), encoder: "pngenc", width: 33, height: 21)
        let info = try await MediaProbe.examine(uri: folder.file("still.png"))
        #expect(info.isImage && info.width == 33 && info.height == 21 && info.duration == nil)
    }

    @Test(arguments: ["a b.mp4", "100%.mp4", "naïve – 映画 #1?.mp4", "it's \"so\".mp4", "-e.mp4", "a:b.mp4"])
    func oddNamesAreFound(name: String) async throws {
        try await record(3, to: folder.file("plain.mp4"))
        let path = try folder.write(try folder.bytes(of: "plain.mp4"), to: name)
        #expect(try await MediaProbe.examine(uri: path).width == 64)
        #expect(try await MediaProbe.examine(uri: try SourceURI(path).text).width == 64)
    }

    @Test func whatIsAboveALinkIsAboveItsTarget() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("a/b"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "a/b")
        try await record(3, to: folder.file("x.mp4"))
        try await record(1, to: folder.file("a/x.mp4"), encoder: "pngenc", width: 33, height: 21)
        #expect(try await MediaProbe.examine(uri: SourceURI(folder.file("link/../x.mp4")).text).width == 33)
    }

    @Test func silentServerTimesOut() async throws {
        let error = await framegrepError {
            // 192.0.2.0/24 is reserved for documentation (RFC 5737): no host answers, or the network rejects it at
            // once.
            _ = try await MediaProbe.examine(uri: "rtsp://user:s3cret@192.0.2.1/x", timeout: .seconds(1))
        }
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.contains("s3cret") == false && error?.message.contains("192.0.2.1") == true)
    }

    @Test func sourcesAreUnderstood() async throws {
        #expect(try SourceURI("/dev/video0").text == "v4l2:///dev/video0")
        #expect(try SourceURI("/dev/video0").isCamera)
        #expect(try SourceURI("/tmp/a b#.mp4").text == "file:///tmp/a%20b%23.mp4")
        #expect(try SourceURI("file:///tmp/a%20b.mp4").path == "/tmp/a b.mp4")
        #expect(try SourceURI("rtsp://camera/1").path == nil)
        #expect(await framegrepError { _ = try SourceURI("") }?.code == .sourceUnavailable)
    }
}
