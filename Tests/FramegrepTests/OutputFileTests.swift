import Foundation
import TestSupport
import Testing

/// Output files never overwrite an input, never replace a complete file with an incomplete one, and are refused before
/// anything is read if possible.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OutputFileTests {
    private let engine = ["--engine", "tesseract"]

    /// Returns a copy of the clip that the test may lose.
    private func clip(in folder: TemporaryFolder, named name: String = "c.mp4") async throws -> (String, Data) {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))
        return (try folder.write(bytes, to: name), bytes)
    }

    private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

    @Test func whatIsReadIsNeverWrittenHoweverItIsNamed() async throws {
        let folder = try TemporaryFolder()
        let (path, before) = try await clip(in: folder)
        try FileManager.default.createSymbolicLink(atPath: folder.file("soft.mp4"), withDestinationPath: "c.mp4")
        try FileManager.default.linkItem(atPath: path, toPath: folder.file("hard.mp4"))
        let words = try folder.write("GATE\n", to: "words.mp4")
        for target in [
            "c.mp4", "./c.mp4", path, "soft.mp4",
            folder.path + "/../" + folder.path.split(separator: "/").last! + "/hard.mp4",
        ] {
            for job in [
                ["find", "GATE", "c.mp4", "--save-video", target], ["find", "GATE", "file://\(path)", "-o", target],
                ["find", "GATE", "soft.mp4", "--boxes", target],
                ["live", "GATE", "c.mp4", "--headless", "--record", target],
                ["live", "GATE", "file://\(path)", "--headless", "--events", "jsonl", "-o", target],
                ["run", "filesrc location=c.mp4 ! decodebin ! appsink name=frames", "--find", "GATE", "-o", target],
            ] {
                let outcome = try await Framegrep.run(job + engine, in: folder.path)
                #expect(outcome.status == 2 && outcome.stdout == "", "\(job) \(outcome)")
                #expect(outcome.stderr.contains("is an input and would be overwritten"), "\(job) \(outcome)")
                #expect(bytes(path) == before, "\(job)")
            }
        }
        let outcome = try await Framegrep.run(
            ["find", "-f", words, "c.mp4", "-o", "words.mp4"] + engine, in: folder.path)
        #expect(outcome.status == 2 && bytes(words) == Data("GATE\n".utf8))
        // The shell redirects into the input.
        let shell = try #require(Tool("sh"))
        let appended = try await shell.run(
            ["-c", "cd \"$0\"; exec \"$1\" find GATE c.mp4 --engine tesseract >> c.mp4", folder.path, Framegrep.path])
        #expect(appended.status == 2 && bytes(path) == before, "\(appended)")
        #expect(folder.names == ["c.mp4", "hard.mp4", "soft.mp4", "words.mp4"])
    }

    @Test func twoOutputsAreTwoFiles() async throws {
        let folder = try TemporaryFolder()
        let (path, _) = try await clip(in: folder)
        let find = ["find", "GATE", path] + engine
        for outputs in [
            ["-o", "x", "--boxes", "x"], ["-o", "x", "--boxes", "./x"],
            ["-o", "x.mp4", "--save-video", folder.file("x.mp4")],
        ] {
            let outcome = try await Framegrep.run(find + outputs, in: folder.path)
            #expect(outcome.status == 2 && outcome.stderr.contains("both write"), "\(outcome)")
            #expect(folder.names == ["c.mp4"])
        }
        let shell = try #require(Tool("sh"))
        let same = try await shell.run(
            [
                "-c", "cd \"$0\"; exec \"$1\" find GATE c.mp4 --engine tesseract --boxes x > x", folder.path,
                Framegrep.path,
            ])
        #expect(same.status == 2 && same.stderr.contains("standard output"), "\(same)")
        // Several outputs may write to a device that stores nothing.
        #expect(try await Framegrep.run(find + ["-o", "/dev/null", "--boxes", "/dev/null"]).status == 0)
    }

    @Test func whatCannotBeWrittenIsSaidBeforeAnythingIsRead() async throws {
        let folder = try TemporaryFolder()
        let (path, before) = try await clip(in: folder)
        try FileManager.default.createDirectory(atPath: folder.file("folder.mp4"), withIntermediateDirectories: false)
        for (outputs, word) in [
            (["--save-video", "/nope/b.mp4"], "/nope/b.mp4"), (["--save-video", "b.avi"], ".mkv"),
            (["--save-video", "b"], ".webm"), (["--save-video", "folder.mp4"], "folder.mp4"),
            (["--save-frames", "c.mp4"], "c.mp4"), (["--save-frames", "/proc/nofolder"], "/proc/nofolder"),
            (["-o", "c.mp4/x"], "c.mp4/x"), (["-o", ""], "name"),
        ] {
            let outcome = try await Framegrep.run(["find", "GATE", path] + engine + outputs, in: folder.path)
            #expect(outcome.status == 2 && outcome.stdout == "" && outcome.stderr.contains(word), "\(outcome)")
            #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)")
        }
        let live = ["live", "GATE", path, "--headless"] + engine
        for (outputs, word) in [(["--record", "b.avi"], ".mkv"), (["--record", "/nope/b.mp4"], "/nope/b.mp4")] {
            let outcome = try await Framegrep.run(live + outputs, in: folder.path)
            #expect(outcome.status == 2 && outcome.stderr.contains(word), "\(outcome)")
        }
        let run = try await Framegrep.run([
            "run", "videotestsrc num-buffers=2 ! appsink name=frames", "--find", "NOWHERE 4711", "--record",
            folder.file("b.mp4"),
        ])
        #expect(run.status == 2 && run.stderr.contains("record.launch"), "\(run)")
        #expect(folder.names == ["c.mp4", "folder.mp4"] && bytes(path) == before)
    }

    @Test func whatWasThereStaysUntilTheNewIsWhole() async throws {
        let folder = try TemporaryFolder()
        let (path, _) = try await clip(in: folder)
        let old = Data("of before".utf8)
        for name in ["out.txt", "boxes", "copy.mp4"] { _ = try folder.write(old, to: name) }
        chmod(folder.file("out.txt"), 0o640)
        // The input cannot be read.
        let failed = try await Framegrep.run(
            [
                "find", "GATE", "nothere.mp4", "-o", "out.txt", "--format", "csv", "--boxes", "boxes", "--save-video",
                "copy.mp4",
            ]
                + engine, in: folder.path)
        #expect(failed.status == 2)
        #expect(["out.txt", "boxes", "copy.mp4"].allSatisfy { bytes(folder.file($0)) == old })
        // The output cannot be written completely: the blocks of ulimit have 512 bytes.
        let shell = try #require(Tool("sh"))
        let full = try await shell.run([
            "-c", "ulimit -f 40; cd \"$0\"; exec \"$1\" find GATE c.mp4 --engine tesseract --save-video copy.mp4",
            folder.path, Framegrep.path,
        ])
        #expect(full.status == 2 && full.stderr.contains("copy.mp4 is as it was before"), "\(full)")
        #expect(bytes(folder.file("copy.mp4")) == old)
        // Everything can be written.
        let link = folder.file("link.mp4")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "copy.mp4")
        let whole = try await Framegrep.run(
            ["find", "GATE", path, "-o", "out.txt", "--boxes", "boxes", "--save-video", "link.mp4"] + engine,
            in: folder.path)
        #expect(whole.status == 0 && whole.stderr == "", "\(whole)")
        #expect(bytes(folder.file("out.txt"))?.count ?? 0 > 20 && bytes(folder.file("boxes"))?.count ?? 0 > 2000)
        var status = stat()
        #expect(stat(folder.file("out.txt"), &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(try await pictures(of: folder.file("copy.mp4")).count == 75)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "copy.mp4")
        #expect(folder.names == ["boxes", "c.mp4", "copy.mp4", "link.mp4", "out.txt"])
    }

    @Test func aRecordingTakesThePlaceOfAnEarlierOneAtItsEnd() async throws {
        let folder = try TemporaryFolder()
        let old = Data("of before".utf8)
        let path = try folder.write(old, to: "seen.mp4")
        let events = try folder.write(old, to: "events")
        let live =
            [
                "live", "GATE", try await standingClip(), "--headless", "--record", path, "--events", "jsonl", "-o",
                events,
            ] + engine
        let killed = try Running(Framegrep.path, live)
        // Other programs follow the events as they are written.
        #expect(await killed.wait { String(decoding: bytes(events) ?? Data(), as: UTF8.self).contains("appeared") })
        #expect(await killed.wait { bytes(folder.file("seen-unfinished.mp4"))?.count ?? 0 > 10_000 })
        killed.send(SIGKILL)
        _ = await killed.end(within: 30)
        #expect(bytes(path) == old)
        #expect(try await pictures(of: folder.file("seen-unfinished.mp4")).count >= 5)
        // A file that was left is not overwritten either.
        let whole = try Running(Framegrep.path, live)
        #expect(await whole.wait { bytes(folder.file("seen-unfinished-2.mp4"))?.count ?? 0 > 10_000 })
        whole.send(SIGINT)
        #expect(!(await whole.end(within: 30)).timedOut)
        #expect(try await pictures(of: path).count >= 5)
        #expect(folder.names == ["events", "seen-unfinished.mp4", "seen.mp4"])
    }

    @Test func boxesGoToStandardOutput() async throws {
        let outcome = try await Framegrep.run(["find", "BUBBLES", try await cutsClip(), "-q", "--boxes", "-"] + engine)
        #expect(outcome.status == 0 && outcome.objects.count == 30, "\(outcome)")
        #expect(outcome.objects.allSatisfy { $0["type"] as? String == "box" })
    }

    @Test func whatWouldRunIsShownWithItsWriter() async throws {
        let clip = try await cutsClip()
        let find = try await Framegrep.run("find", "x", clip, "--save-video", "/nope/b.mkv", "--print-pipeline")
        #expect(
            find.status == 0 && find.stdout.contains("matroskamux") && find.stdout.contains("/nope/b.mkv"), "\(find)")
        let live = try await Framegrep.run("live", "--record", "x.mov", "--print-pipeline", "--headless", "x", clip)
        #expect(live.status == 0 && live.stdout.contains("qtmux"), "\(live)")
        // This needs no pattern; a machine without a camera reports that.
        let bare = try await Framegrep.run("live", "--record", "x.mp4", "--print-pipeline")
        #expect(!bare.stderr.contains("pattern"), "\(bare)")
        let only = try await Framegrep.run("live", "--record", "x.mp4", "--print-pipeline", clip)
        #expect(only.status == 0 && only.stdout.contains("cuts.mp4"), "\(only)")
        let run = try await Framegrep.run("run", "videotestsrc ! appsink name=frames", "--print-pipeline")
        #expect(run.status == 0, "\(run)")
    }
}
