import Errors
import Foundation
import GStreamerMedia
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// Pictures of unusual sizes, shapes and rates, read correctly or refused with a sentence.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OddPicturesTests {
    private let find = ["find", "--engine", "tesseract", "--format", "jsonl"]

    @Test(arguments: [(1, 1), (2, 2), (3, 500), (500, 3), (17, 33)])
    func tinyPicturesAreNoTrouble(size: (Int, Int)) async throws {
        let path = try await ClipCache.shared.path(
            "tiny\(size.0)x\(size.1).mkv",
            KnownClip(width: size.0, height: size.1, frameCount: 5, words: [], encoding: "avenc_ffv1 ! matroskamux"))
        let outcome = try await Framegrep.run(find + ["x", path])
        #expect(outcome.status == 1 && outcome.stderr == "", "\(outcome)")
    }

    @Test func oddSizesHaveTheirBoxesInPlace() async throws {
        let clip = KnownClip(
            width: 322, height: 181, frameCount: 30,
            words: [KnownWord(text: "BUBBLES", x: 41, y: 61, size: 40, frames: 5..<25)],
            encoding: "videoconvert ! video/x-raw,format=Y444 ! avenc_ffv1 ! matroskamux")
        let outcome = try await Framegrep.run(find + ["BUBBLES", try await ClipCache.shared.path("odd.mkv", clip)])
        let object = try #require(outcome.objects.first, "\(outcome)")
        #expect([object["start"] as? Double, object["end"] as? Double] == [0.2, 1])
        let box = try #require(boundsOf((object["peak"] as? [String: Any])?["quad"]))
        #expect(box.overlap(try #require(try clip.place(of: "BUBBLES", inFrame: 10))) > 0.6)
    }

    /// A phone writes this into its recordings: the matrix with which the picture is to be rotated (ISO/IEC 14496-12,
    /// 8.3.2, `tkhd`), as the signs of its four leading numbers.
    private func tag(_ path: String, turnedBy signs: [Int], in folder: TemporaryFolder) throws -> String {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let place = try #require((0..<(bytes.count - 100)).first { bytes[$0..<($0 + 4)].elementsEqual("tkhd".utf8) })
        // Version 1 has three times of 64 bits.
        let matrix = place + (bytes[place + 4] == 1 ? 56 : 44)
        for (index, sign) in zip([0, 1, 3, 4], signs) {
            let number = UInt32(bitPattern: Int32(sign) << 16)
            for byte in 0..<4 {
                bytes[matrix + index * 4 + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte))
            }
        }
        return try folder.write(Data(bytes), to: "tagged.mp4")
    }

    @Test(arguments: [
        ("rotate-90", "90l", [0, 1, -1, 0]), ("rotate-180", "180", [-1, 0, 0, -1]),
        ("rotate-270", "90r", [0, -1, 1, 0]),
    ])
    func turnedPicturesAreReadUprightAndPlacesAreAsShown(name: String, direction: String, signs: [Int]) async throws {
        // The words are drawn rotated, and the tag says how to rotate the picture back.
        var clip = KnownClip.cuts
        clip.encoding =
            "videoflip video-direction=\(direction) ! x264enc bframes=0 speed-preset=veryfast quantizer=18 pass=qual ! mp4mux"
        let folder = try TemporaryFolder()
        let path = try tag(try await ClipCache.shared.path("turned-\(name).mp4", clip), turnedBy: signs, in: folder)
        let info = try await MediaProbe.examine(uri: path)
        try #require(info.orientation == name)
        #expect((info.width > info.height) == (direction == "180"))
        let outcome = try await Framegrep.run(find + ["BUBBLES", path])
        let object = try #require(outcome.objects.first, "\(outcome)")
        let box = try #require(boundsOf((object["peak"] as? [String: Any])?["quad"]))
        #expect(box.overlap(try #require(try clip.place(of: "BUBBLES", inFrame: 30))) > 0.6, "\(box)")
        #expect(abs((object["start"] as? Double ?? 0) - 0.8) <= 0.041)
        // The drawing is upright too.
        _ = try await Framegrep.run(find + ["BUBBLES", path, "--save-frames", folder.file("frames")])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("frames"))
        let saved = try PNGReader.read(folder.file("frames") + "/" + (try #require(names.first)))
        #expect(saved.width == 640 && saved.height == 360)
    }

    @Test func widePixelsStretchThePlaces() async throws {
        var clip = KnownClip.cuts
        clip.encoding =
            "video/x-raw,format=I420 ! capssetter caps=video/x-raw,pixel-aspect-ratio=3/2 ! x264enc bframes=0 speed-preset=veryfast quantizer=18 pass=qual ! mp4mux"
        let outcome = try await Framegrep.run(find + ["BUBBLES", try await ClipCache.shared.path("wide.mp4", clip)])
        let box = try #require(boundsOf((outcome.objects.first?["peak"] as? [String: Any])?["quad"]), "\(outcome)")
        let truth = try #require(try clip.place(of: "BUBBLES", inFrame: 30))
        #expect(box.overlap(Rect(x: truth.x * 1.5, y: truth.y, width: truth.width * 1.5, height: truth.height)) > 0.6)
    }

    @Test(.enabled(if: Tool.exists("ffmpeg"))) func aVaryingFrameRateKeepsItsTimes() async throws {
        let folder = try TemporaryFolder()
        let ffmpeg = try #require(Tool("ffmpeg"))
        // Every frame that shows the same as the one before is left out.
        let made = try await ffmpeg.run([
            "-v", "error", "-i", try await cutsClip(), "-vf", "mpdecimate=hi=2000:lo=2000:frac=1", "-fps_mode", "vfr",
            "-c:v", "libx264", "-crf", "15",
            folder.file("vfr.mkv"),
        ])
        #expect(made.status == 0, "\(made)")
        let outcome = try await Framegrep.run(find + ["BUBBLES", folder.file("vfr.mkv")])
        let object = try #require(outcome.objects.first, "\(outcome)")
        #expect(abs((object["start"] as? Double ?? 0) - 0.8) <= 0.041)
        #expect(abs((object["end"] as? Double ?? 0) - 2.0) <= 0.041, "\(object)")
    }

    @Test func interlacedPicturesAreRead() async throws {
        var clip = KnownClip.cuts
        clip.encoding =
            "video/x-raw,format=I420 ! capssetter caps=video/x-raw,interlace-mode=interleaved ! avenc_mpeg2video interlaced=true bitrate=6000000 ! matroskamux"
        do {
            let outcome = try await Framegrep.run(
                find + ["GATE", try await ClipCache.shared.path("interlaced.mkv", clip)])
            #expect(outcome.objects.count == 1, "\(outcome)")
        } catch let error as FramegrepError where error.code == .badPipeline {
            // This encoder has no such option.
        }
    }
}
