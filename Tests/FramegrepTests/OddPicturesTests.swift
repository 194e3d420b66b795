import Foundation
import GStreamerMedia
import Testing
import TextSpotting

/// Pictures of unusual sizes, shapes and rates, read correctly or refused with a sentence.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OddPicturesTests {
    private let find = ["find", "--engine", "tesseract", "--format", "jsonl"]

    @Test(arguments: [(1, 1), (2, 2), (3, 500), (500, 3), (17, 33)])
    func tinyPicturesAreNoTrouble(size: (Int, Int)) async throws {
        let path = try await ClipShelf.shared.path(
            "tiny\(size.0)x\(size.1).mkv",
            KnownClip(width: size.0, height: size.1, frameCount: 5, words: [], encoding: "avenc_ffv1 ! matroskamux"))
        let outcome = try await Framegrep.run(find + ["x", path])
        #expect(outcome.status == 1 && outcome.stderr == "", "\(outcome)")
    }

    @Test func oddSizesHaveTheirBoxesInPlace() async throws {
        let clip = KnownClip(
            width: 322, height: 181, frameCount: 30, words: [KnownWord(text: "BUBBLES", x: 41, y: 61, size: 40, frames: 5..<25)],
            encoding: "videoconvert ! video/x-raw,format=Y444 ! avenc_ffv1 ! matroskamux")
        let outcome = try await Framegrep.run(find + ["BUBBLES", try await ClipShelf.shared.path("odd.mkv", clip)])
        let object = try #require(outcome.objects.first, "\(outcome)")
        #expect([object["start"] as? Double, object["end"] as? Double] == [0.2, 1])
        let box = try #require(boundsOf((object["peak"] as? [String: Any])?["quad"]))
        #expect(box.overlap(try #require(try clip.place(of: "BUBBLES", inFrame: 10))) > 0.6)
    }

    @Test(arguments: [("rotate-90", "90l"), ("rotate-180", "180"), ("rotate-270", "90r"), ("flip-rotate-0", "horiz")])
    func turnedPicturesAreReadUprightAndPlacesAreAsShown(tag: String, direction: String) async throws {
        // The words are drawn turned, and a tag says how to turn the picture back.
        var clip = KnownClip.cuts
        clip.encoding = "videoflip video-direction=\(direction) ! x264enc bframes=0 speed-preset=veryfast quantizer=18 pass=qual "
            + "! taginject tags=image-orientation=\(tag) ! mp4mux"
        let path = try await ClipShelf.shared.path("turned-\(tag).mp4", clip)
        let info = try await MediaProbe.examine(uri: path)
        try #require(info.orientation == tag)
        #expect((info.width > info.height) == (direction == "180" || direction == "horiz"))
        let outcome = try await Framegrep.run(find + ["BUBBLES", path])
        let object = try #require(outcome.objects.first, "\(outcome)")
        let box = try #require(boundsOf((object["peak"] as? [String: Any])?["quad"]))
        #expect(box.overlap(try #require(try clip.place(of: "BUBBLES", inFrame: 30))) > 0.6, "\(box)")
        #expect(abs((object["start"] as? Double ?? 0) - 0.8) <= 0.041)
    }

    @Test func widePixelsStretchThePlaces() async throws {
        var clip = KnownClip.cuts
        clip.encoding = "video/x-raw,format=I420 ! capssetter caps=video/x-raw,pixel-aspect-ratio=3/2 ! x264enc bframes=0 speed-preset=veryfast quantizer=18 pass=qual ! mp4mux"
        let outcome = try await Framegrep.run(find + ["BUBBLES", try await ClipShelf.shared.path("wide.mp4", clip)])
        let box = try #require(boundsOf((outcome.objects.first?["peak"] as? [String: Any])?["quad"]), "\(outcome)")
        let truth = try #require(try clip.place(of: "BUBBLES", inFrame: 30))
        #expect(box.overlap(Rect(x: truth.x * 1.5, y: truth.y, width: truth.width * 1.5, height: truth.height)) > 0.6)
    }

    @Test(.enabled(if: Tool.exists("ffmpeg"))) func aVaryingFrameRateKeepsItsTimes() async throws {
        let folder = try TemporaryFolder()
        let ffmpeg = try #require(Tool("ffmpeg"))
        // Every frame that shows the same as the one before is left out.
        let made = try await ffmpeg.run([
            "-v", "error", "-i", try await cutsClip(), "-vf", "mpdecimate=hi=2000:lo=2000:frac=1", "-fps_mode", "vfr", "-c:v", "libx264", "-crf", "15",
            folder.file("vfr.mkv"),
        ])
        #expect(made.status == 0, "\(made)")
        let outcome = try await Framegrep.run(find + ["BUBBLES", folder.file("vfr.mkv")])
        let object = try #require(outcome.objects.first, "\(outcome)")
        #expect(abs((object["start"] as? Double ?? 0) - 0.8) <= 0.041)
        withKnownIssue("a frame that says no duration counts as long as the one before, not as until the next") {
            #expect(abs((object["end"] as? Double ?? 0) - 2.0) <= 0.041, "\(object)")
        }
    }

    @Test func interlacedPicturesAreRead() async throws {
        var clip = KnownClip.cuts
        clip.encoding = "video/x-raw,format=I420 ! capssetter caps=video/x-raw,interlace-mode=interleaved ! avenc_mpeg2video interlaced=true bitrate=6000000 ! matroskamux"
        do {
            let outcome = try await Framegrep.run(find + ["GATE", try await ClipShelf.shared.path("interlaced.mkv", clip)])
            #expect(outcome.objects.count == 1, "\(outcome)")
        } catch let error as FramegrepError where error.code == .badPipeline {
            // This encoder has no such option.
        }
    }
}
