import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// The video and the pictures that `find` writes, and the state in which Ctrl-C leaves them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WrittenFilesTests {
    private let find = ["find", "--engine", "tesseract"]

    @Test(arguments: ["out.mp4", "out file!.mkv"])
    func theAnnotatedVideoHasAllFramesAndItsBoxesWhereTheWordsAre(name: String) async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let outcome = try await Framegrep.run(find + ["BUBBLES", clip, "--save-video", folder.file(name)])
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        let (before, after) = (try await pictures(of: clip), try await pictures(of: folder.file(name)))
        #expect(before.count == 75 && after.count == 75)
        for index in [0, 10, 18, 52, 70] {
            #expect((difference(before[index], after[index], above: 150)?.count ?? 0) < 20, "frame \(index)")
        }
        let truth = try #require(try KnownClip.cuts.place(of: "BUBBLES", inFrame: 30))
        for index in [20, 21, 35, 48, 49] {
            let drawn = try #require(difference(before[index], after[index], above: 150), "frame \(index)")
            #expect(drawn.count > 200)
            #expect(drawn.bounds.intersection(truth).area > 0.9 * truth.area)
            // A margin around the word, and a label above or below it.
            #expect(drawn.bounds.intersection(truth.grown(by: 60)).area > 0.99 * drawn.bounds.area)
        }
        // The times are those of the original: results in the copy begin at the same times.
        let again = try await Framegrep.run(find + ["Kitchen", folder.file(name), "--format", "jsonl"])
        #expect(abs((again.objects.first?["end"] as? Double ?? 0) - 1.2) <= 0.041)
    }

    @Test func aPictureOfEachSightingWithItsBox() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let target = folder.file("made/by/it")
        let outcome = try await Framegrep.run(
            find + ["-e", "BUBBLES", "-e", "../EXIT", "-e", "EXIT", clip, "--save-frames", target, "--format", "jsonl"])
        #expect(outcome.status == 0, "\(outcome)")
        let names = try FileManager.default.contentsOfDirectory(atPath: target).sorted()
        #expect(names.count == outcome.objects.count && names.count >= 2)
        for object in outcome.objects {
            let id = try #require(object["id"] as? Int)
            let name = try #require(names.first { $0.hasPrefix("cuts-00.00.0") && $0.contains("-\(id)-") })
            let time = try #require((object["peak"] as? [String: Any])?["t"] as? Double)
            let picture = try PNGReader.read(target + "/" + name).picture(.rgb)
            let drawn = try #require(
                difference(picture, try await pictures(of: clip)[Int((time * 25).rounded())], above: 60))
            let box = try #require(boundsOf((object["peak"] as? [String: Any])?["quad"]))
            #expect(drawn.bounds.intersection(box).area > 0.9 * box.area)
            #expect(drawn.bounds.intersection(box.grown(by: 60)).area > 0.99 * drawn.bounds.area)
        }
    }

    @Test func withoutSightingsTheCopyIsStillWhole() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let outcome = try await Framegrep.run(
            find + ["zebra", clip, "--save-video", folder.file("out.mp4"), "--save-frames", folder.file("frames")])
        #expect(outcome.status == 1)
        #expect(try await pictures(of: folder.file("out.mp4")).count == 75)
    }

    /// Many words that come and go, so that a search takes a while.
    private func longClip() async throws -> String {
        let words = (0..<60).map {
            KnownWord(text: "WORD\($0)", x: 60, y: 30 + Double($0 % 4) * 80, frames: ($0 * 10)..<($0 * 10 + 8))
        }
        return try await ClipCache.shared.path("long.mp4", KnownClip(frameCount: 600, words: words))
    }

    @Test(arguments: [SIGINT, SIGTERM]) func theFirstSignalKeepsWhatWasFound(signal: Int32) async throws {
        let clip = try await longClip()
        let folder = try TemporaryFolder()
        let running = try Running(
            Framegrep.path,
            find + ["WORD", clip, "--format", "jsonl", "--threads", "1", "--save-video", folder.file("out.mp4")])
        #expect(await running.wait { running.stdout.contains("\n") })
        running.send(signal)
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 128 + signal, "\(outcome)")
        #expect(outcome.objects.count == outcome.lines.count && outcome.objects.count >= 1)
        let written = try await pictures(of: folder.file("out.mp4"))
        #expect(written.count > 1, "\(outcome.stderr)")
    }

    @Test func theSecondSignalStopsAtOnce() async throws {
        let running = try Running(Framegrep.path, find + ["zebra", try await longClip(), "--threads", "1"])
        try await Task.sleep(for: .milliseconds(400))
        // Some signals may arrive before it handles them, and several at once count as one.
        for _ in 0..<500 where running.isRunning {
            running.send(SIGINT)
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(!(await running.end(within: 30)).timedOut)
    }

    @Test func interruptedBeforeTheSourceHasAnsweredItSaysThatAndNoMore() async throws {
        let server = try SilentServer()
        let running = try Running(Framegrep.path, find + ["zebra", server.address])
        #expect(await running.wait { server.hasGuest })
        running.send(SIGINT)
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 130, "\(outcome)")
        #expect(outcome.stderr == "framegrep: interrupted; what was found until then is above.\n")
    }

    @Test func nothingIsLeftInTheTemporaryFolder() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        for arguments in [
            find + ["BUBBLES", clip], ["live", "GATE", clip, "--headless", "--engine", "tesseract"],
            find + ["x", "nothere"],
        ] {
            _ = try await Framegrep.run(arguments, environment: ["TMPDIR": folder.path])
            #expect(folder.names == [])
        }
    }

    @Test func nothingIsLeftAlive() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let live = ["live", "GATE", clip, "--headless", "--engine", "tesseract"]
        let jobs = [
            find + ["BUBBLES", clip],
            find + ["BUBBLES", clip, "--save-video", folder.file("out.mp4"), "--save-frames", folder.path],
            live, live + ["--record", folder.file("seen.mp4")],
        ]
        try await sideBySide(jobs, width: 2) { arguments in
            let outcome = try await Framegrep.run(
                arguments,
                environment: ["GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_NO_COLOR": "1"])
            #expect(outcome.status == 0, "\(outcome.stderr.suffix(500))")
            let alive = outcome.stderr.split(separator: "\n").filter {
                $0.contains("object-alive, ") && !$0.contains("%s") && !$0.contains("(structure)")
            }
            #expect(alive.isEmpty, "\(alive.prefix(5))")
            // The tracer ran to its end.
            #expect(outcome.stderr.contains("GST_TRACER"))
        }
    }
}
