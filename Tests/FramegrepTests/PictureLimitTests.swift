import Errors
import Foundation
import GStreamerMedia
import TestSupport
import Testing

/// Pictures beyond the limit are refused before they are decoded, wherever they come from.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PictureLimitTests {
    private let find = ["find", "--engine", "tesseract", "--language", "eng"]
    /// 1.28 megapixels.
    private let large = KnownClip(
        width: 1600, height: 800, frameCount: 5, words: [KnownWord(text: "BUBBLES", x: 230, y: 130, frames: 0..<5)])

    private func refused(_ outcome: Framegrep.Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(outcome.status == 2 && !outcome.timedOut, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.stderr.contains("--max-picture"), "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)", sourceLocation: sourceLocation)
    }

    /// The head of a PNG of 60000×60000 pixels, which would take 10 GB.
    private let endless = Data(
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0xEA, 0x60, 0, 0]
            + [0xEA, 0x60, 8, 2, 0, 0, 0, 0x0B, 0x8C, 0xB4, 0x9E] + [UInt8](repeating: 0, count: 100))

    @Test func aPictureThatIsTooLargeIsRefusedAndTheOthersAreSearched() async throws {
        let folder = try TemporaryFolder()
        try large.picture(0).writePNG(to: folder.file("good.png"))
        _ = try folder.write(endless, to: "endless.png")
        let outcome = try await Framegrep.run(find + ["BUBBLES", "endless.png", "good.png"], in: folder.path)
        refused(outcome)
        #expect(outcome.stderr.contains("60000×60000") && outcome.stderr.contains("--max-picture 3600"))
        #expect(outcome.lines == ["good.png: BUBBLES"])
    }

    /// A file is decoded in pieces of some kilobytes; one of them may begin like the header of an SGI picture of
    /// 60000×60000 pixels.
    @Test func onlyTheBeginningOfAPictureIsTakenForItsHead() async throws {
        let folder = try TemporaryFolder()
        try large.picture(0).writePNG(to: folder.file("good.png"))
        let made = try await (try #require(Tool("gst-launch-1.0"))).run(
            "-q filesrc location=\(folder.file("good.png")) ! pngdec ! videoconvert ! jpegenc ! filesink location=\(folder.file("good.jpg"))"
                .split(separator: " ").map(String.init))
        try #require(made.status == 0, "\(made)")
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("good.jpg"))))
        let head: [UInt8] = [0x01, 0xDA, 0, 1, 0, 3, 0xEA, 0x60, 0xEA, 0x60, 0, 1, 0, 0]
        // A comment (COM) that goes from the file's beginning over several pieces.
        var comment = [UInt8](repeating: 0x20, count: 3 * 4096)
        for piece in 1...2 { comment.replaceSubrange(piece * 4096 - 6..<piece * 4096 - 6 + head.count, with: head) }
        let length = comment.count + 2
        bytes.insert(contentsOf: [0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 0xFF)] + comment, at: 2)
        _ = try folder.write(Data(bytes), to: "odd.jpg")
        let outcome = try await Framegrep.run(find + ["BUBBLES", "odd.jpg"], in: folder.path)
        #expect(outcome.status == 0 && outcome.lines == ["odd.jpg: BUBBLES"], "\(outcome)")
        // Do the same through a pipe, which reveals less about the offsets of its pieces.
        let bash = try #require(Tool("bash"))
        let script = "\"$0\" find --engine tesseract BUBBLES - <\"$1\""
        let piped = await (try Running(bash.path, ["-c", script, Framegrep.path, folder.file("odd.jpg")])).end()
        #expect(piped.status == 0, "\(piped)")
    }

    @Test(arguments: [
        ("h264.mkv", "x264enc speed-preset=veryfast ! matroskamux"), ("vp8.webm", "vp8enc ! webmmux"),
        ("raw.avi", "video/x-raw,format=I420 ! avimux"),
    ])
    func theLimitHoldsForRecordings(name: String, encoding: String) async throws {
        var clip = large
        clip.encoding = encoding
        let path = try await ClipCache.shared.path("limit-" + name, clip)
        let limit = ["--max-picture", "1"]
        refused(try await Framegrep.run(find + ["BUBBLES", path] + limit))
        refused(try await Framegrep.run(["live", "--headless", "--engine", "tesseract", "BUBBLES", path] + limit))
        let own = "filesrc location=\(path) ! decodebin ! videoconvert ! appsink name=frames"
        refused(
            try await Framegrep.run(["run", "--headless", "--engine", "tesseract", own, "--find", "BUBBLES"] + limit))
        #expect(try await Framegrep.run(find + ["BUBBLES", path, "--max-picture", "2"]).status == 0)
    }

    @Test func theLimitHoldsForWhatComesThroughAPipe() async throws {
        var clip = large
        clip.encoding = "jpegenc ! matroskamux"
        let path = try await ClipCache.shared.path("limit-jpeg.mkv", clip)
        let bash = try #require(Tool("bash"))
        let script = "cat \"$1\" 2>/dev/null | \"$0\" find --engine tesseract BUBBLES - --max-picture 1"
        let outcome = await (try Running(bash.path, ["-c", script, Framegrep.path, path])).end()
        refused(outcome)
        #expect(outcome.stderr.hasPrefix("framegrep: '-' is not decoded"), "\(outcome)")
    }

    /// The container declares a small size, but the pictures in it are larger.
    @Test(.enabled(if: Tool.exists("ffmpeg")), arguments: ["png", "mjpeg"])
    func aContainerThatLiesIsNotBelieved(codec: String) async throws {
        let folder = try TemporaryFolder()
        try large.picture(0).writePNG(to: folder.file("large.png"))
        let made = try await (try #require(Tool("ffmpeg"))).run(
            ["-v", "error", "-i", folder.file("large.png"), "-frames:v", "2", "-c:v", codec, folder.file("honest.avi")])
        #expect(made.status == 0, "\(made)")
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("honest.avi"))))
        // Replace 1600 and 800 wherever the file's header has these numbers.
        for (old, new) in [
            ([0x40, 6, 0, 0] as [UInt8], [0x40, 0, 0, 0] as [UInt8]), ([0x20, 3, 0, 0], [0x20, 0, 0, 0]),
        ] {
            for place in 0..<400 where bytes[place..<(place + 4)].elementsEqual(old) {
                bytes.replaceSubrange(place..<(place + 4), with: new)
            }
        }
        let path = try folder.write(Data(bytes), to: "lying.avi")
        refused(try await Framegrep.run(find + ["BUBBLES", path, "--max-picture", "1"]))
        #expect(try await Framegrep.run(find + ["BUBBLES", path]).status == 0)
    }

    @Test func aPartOfARowOfPicturesThatAnnouncesTooMuchIsNotWaitedFor() async throws {
        let folder = try TemporaryFolder()
        let head = "--x\r\nContent-Type: image/jpeg\r\nContent-Length: 2000000000\r\n\r\n"
        let path = try folder.write(Data(head.utf8) + Data(repeating: 0xFF, count: 4000), to: "row.mjpg")
        let own = "filesrc location=\(path) ! multipartdemux boundary=x ! jpegdec ! appsink name=frames"
        let outcome = try await Framegrep.run(["run", "--headless", "--engine", "tesseract", own, "--find", "x"])
        refused(outcome)
        #expect(outcome.stderr.contains("megabytes"))
    }

    @Test func aPartWithoutEndIsNotWaitedFor() async throws {
        let folder = try TemporaryFolder()
        let head = "--x\r\nContent-Type: image/jpeg\r\n\r\n"
        let path = try folder.write(Data(head.utf8) + Data(repeating: 0xAA, count: 3_000_000), to: "row.mjpg")
        let own = "filesrc location=\(path) ! multipartdemux boundary=x ! jpegdec ! appsink name=frames"
        refused(
            try await Framegrep.run(
                ["run", "--headless", "--engine", "tesseract", own, "--find", "x", "--max-picture", "1"]))
    }

    @Test func tooLittleAddressSpaceIsSaid() async throws {
        let bash = try #require(Tool("bash"))
        let clip = try await cutsClip()
        for (limit, engine) in [(900_000, "tesseract"), (1_500_000, "neural")] {
            let script = "ulimit -v \(limit); exec \"$0\" find --engine \(engine) GATE \"$1\""
            let outcome = await (try Running(bash.path, ["-c", script, Framegrep.path, clip])).end()
            #expect(outcome.status == 2 && outcome.signal == nil, "\(outcome)")
            #expect(outcome.stderr.contains("ulimit -v") || outcome.stderr.contains("framegrep setup"), "\(outcome)")
        }
    }
}
