import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextSpotting

/// Plans, regions, stills and folders.
extension RedactTests {
    @Test func aPlanCanBeEditedAndFollowed() async throws {
        let clip = try await cutsClip()
        let planned = try await redact(["BUBBLES", "GATE", clip, "--plan", "plan.jsonl"])
        #expect(planned.status == 0 && folder.names == ["plan.jsonl"], "\(planned)")
        let lines = try String(decoding: folder.bytes(of: "plan.jsonl"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 3 && !lines.joined().contains("BUBBLES"))
        // Leave out GATE, which begins first, and add a custom box.
        let own = "{\"start\":0,\"end\":3,\"box\":[400,200,100,60]}"
        _ = try folder.write(([lines[0], lines[2]].joined(separator: "\n")) + "\n# mine\n" + own, to: "plan.jsonl")
        let outcome = try await redact([clip, "--apply", "plan.jsonl", "-o", "clean.mp4"])
        #expect(outcome.status == 0 && outcome.stderr.contains("not searched again"), "\(outcome)")
        // With patterns the copy is checked, and matches that the plan leaves out are hidden too.
        let checked = try await redact(["BUBBLES", "GATE", clip, "--apply", "plan.jsonl", "-o", "checked.mp4"])
        #expect(checked.status == 0 && checked.stderr.contains("can read is left"), "\(checked)")
        let gone = try await Framegrep.run(
            ["find", "-e", "GATE", "-e", "BUBBLES", folder.file("checked.mp4")] + engine)
        #expect(gone.status == 1, "\(gone)")
        let after = try await pictures(of: folder.file("clean.mp4"))
        let word = try #require(try KnownClip.cuts.place(of: "BUBBLES", inFrame: 30))
        let gate = try #require(try KnownClip.cuts.place(of: "GATE", inFrame: 30))
        #expect(blackness(of: after[30], in: word) > 0.99 && blackness(of: after[30], in: gate) < 0.5)
        #expect(blackness(of: after[0], in: Rect(x: 402, y: 202, width: 96, height: 56)) > 0.99)
        for bad in [
            "{", "{\"start\":2,\"end\":1,\"box\":[0,0,9,9]}", "{\"start\":0,\"end\":1}",
            "{\"start\":0,\"end\":1,\"box\":[0,0,0,9]}",
        ] {
            _ = try folder.write("\n" + bad, to: "bad.jsonl")
            let refused = try await redact([clip, "--apply", "bad.jsonl", "-o", "bad.mp4"])
            #expect(
                refused.status == 2 && refused.stderr.contains("line 2") && !folder.names.contains("bad.mp4"),
                "\(refused)")
        }
        // It would be reported as hidden without hiding anything.
        _ = try folder.write("{\"start\":9000,\"end\":9500,\"box\":[0,0,50,50]}", to: "late.jsonl")
        for arguments in [["--apply", "late.jsonl"], ["--region", "0,0,50,50", "--from", "50"]] {
            let refused = try await redact(arguments + [clip, "-o", "late.mp4"])
            #expect(refused.status == 2 && refused.stderr.contains("ends at 00:00:03.000"), "\(refused)")
            #expect(!folder.names.contains { $0.hasPrefix("late") && $0 != "late.jsonl" }, "\(folder.names)")
        }
    }

    /// A plan does not apply to a file after any change to it.
    @Test func aPlanOfAnotherFileIsRefused() async throws {
        let clip = try await cutsClip()
        let planned = try await redact(["BUBBLES", clip, "--plan", "plan.jsonl"])
        #expect(planned.status == 0, "\(planned)")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: clip))
        bytes.append(contentsOf: [0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65])
        try bytes.write(to: URL(fileURLWithPath: folder.file("other.mp4")))
        let refused = try await redact(["other.mp4", "--apply", "plan.jsonl", "-o", "clean.mp4"])
        #expect(
            refused.status == 2 && refused.stderr.contains("bytes") && !folder.names.contains("clean.mp4"), "\(refused)"
        )
    }

    /// A copy in which nothing is hidden looks like a clean one.
    @Test func aPlanThatHidesNothingMakesNoCopy() async throws {
        let clip = try await cutsClip()
        _ = try folder.write("{\"type\":\"plan\"}\n# every other line was removed", to: "plan.jsonl")
        for patterns in [[], ["ZEBRA"]] {
            let outcome = try await redact(patterns + [clip, "--apply", "plan.jsonl", "-o", "clean.mp4"])
            #expect(outcome.status == 1 && outcome.stderr.contains("no copy is written"), "\(outcome)")
            #expect(folder.names == ["plan.jsonl"], "\(folder.names)")
        }
        let asked = try await redact([clip, "--apply", "plan.jsonl", "-o", "clean.mp4", "--copy-anyway"])
        #expect(asked.status == 1 && folder.names.contains("clean.mp4"), "\(asked)")
    }

    /// The times of a plan are those of a recording; a still is visible at all of them.
    @Test func aPlanHidesInAStillWhateverItsTimes() async throws {
        try KnownClip.cuts.picture(30).writePNG(to: folder.file("shot.png"))
        _ = try folder.write("{\"start\":3,\"end\":8.5,\"box\":[400,200,100,60]}", to: "plan.jsonl")
        let outcome = try await redact(["shot.png", "--apply", "plan.jsonl", "-o", "clean.png"])
        #expect(outcome.status == 0, "\(outcome)")
        let after = try #require(try await pictures(of: folder.file("clean.png")).first)
        #expect(blackness(of: after, in: Rect(x: 400, y: 200, width: 100, height: 60)) == 1)
    }

    @Test func aRegionIsHiddenWhateverStandsThere() async throws {
        let outcome = try await redact([
            "--region", "0,0,50%,25%", "--to", "2s", try await cutsClip(), "-o", "clean.mp4",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        let after = try await pictures(of: folder.file("clean.mp4"))
        let corner = Rect(x: 2, y: 2, width: 314, height: 84)
        #expect(blackness(of: after[20], in: corner) > 0.99 && blackness(of: after[70], in: corner) < 0.5)
    }

    @Test(arguments: ["png", "jpg"]) func stillsAreRedacted(kind: String) async throws {
        try KnownClip.cuts.picture(30).writePNG(to: folder.file("shot.png"))
        let outcome = try await redact(["BUBBLES", "shot.png", "-o", "clean.\(kind)"])
        #expect(outcome.status == 0, "\(outcome)")
        let after = try #require(try await pictures(of: folder.file("clean.\(kind)")).first)
        let word = try #require(try KnownClip.cuts.place(of: "BUBBLES", inFrame: 30))
        #expect(blackness(of: after, in: word) > 0.99)
        let again = try await Framegrep.run(["find", "-e", "BUBBLES", folder.file("clean.\(kind)")] + engine)
        #expect(again.status == 1, "\(again)")
    }

    /// Creates the picture with the word as stored when the camera is held differently.
    private func still(_ name: String, _ turn: String, _ tags: String = "") async throws {
        try KnownClip.cuts.picture(30).writePNG(to: folder.file("upright.png"))
        let encoder = name.hasSuffix("png") ? "pngenc" : "jpegenc quality=95 ! taginject tags=\"\(tags)\" ! jifmux"
        try await Pipeline(
            parsing:
                "filesrc location=\(folder.file("upright.png")) ! pngdec ! videoflip video-direction=\(turn) ! videoconvert ! \(encoder) ! "
                + "filesink location=\(folder.file(name))"
        ).playToItsEnd()
    }

    /// Phones store pictures in the sensor's orientation, with a tag for the rotation. The copy is upright and has no
    /// tag.
    @Test(arguments: [("90l", "rotate-90"), ("90r", "rotate-270"), ("180", "rotate-180"), ("horiz", "flip-rotate-0")])
    func aPhonesPictureIsReadAndWrittenAsItIsShown(turn: String, orientation: String) async throws {
        try await still("phone.jpg", turn, "image-orientation=\(orientation)")
        let word = try #require(try KnownClip.cuts.place(of: "BUBBLES", inFrame: 30))
        let found = try await Framegrep.run(
            ["find", "BUBBLES", folder.file("phone.jpg"), "--format", "jsonl"] + engine)
        #expect(found.status == 0, "\(found)")
        let outcome = try await redact(["BUBBLES", "phone.jpg", "-o", "clean.png"])
        #expect(outcome.status == 0, "\(outcome)")
        let after = try #require(try await pictures(of: folder.file("clean.png")).first)
        #expect(after.width == 640 && after.height == 360)
        #expect(blackness(of: after, in: word) > 0.99)
    }

    /// A search also reads a still rotated if its text makes no sense, so it would find the word in the copy.
    @Test(arguments: ["180", "horiz"]) func aStillThatIsHeldOtherwiseIsRedactedToo(turn: String) async throws {
        try await still("held.png", turn)
        let before = try await Framegrep.run(["find", "BUBBLES", folder.file("held.png")] + engine)
        #expect(before.status == 0, "\(before)")
        let outcome = try await redact(["BUBBLES", "held.png", "-o", "clean.png"])
        #expect(outcome.status == 0, "\(outcome)")
        let again = try await Framegrep.run(["find", "BUBBLES", folder.file("clean.png")] + engine)
        #expect(again.status == 1, "\(again)")
    }

    @Test func aPipeIsRefusedAtOnce() async throws {
        try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
        let outcome = try await redact(["BUBBLES", "pipe", "-o", "clean.mp4"], timeout: 20)
        #expect(outcome.status == 2 && !outcome.timedOut && outcome.stderr.contains("only once"), "\(outcome)")
    }

    /// Text that is visible outside the searched part of the time is not reported as gone.
    @Test func aPlanThatNeverComesIsNotWaitedForAfterASignal() async throws {
        try #require(mkfifo(folder.file("plan"), 0o600) == 0)
        let clip = try await cutsClip()
        let running = try Running(
            Framegrep.path, ["redact", clip, "--apply", "plan", "-o", "clean.mp4"], folder: folder.path)
        try await Task.sleep(for: .seconds(1))
        #expect(running.isRunning, "\(running.stderr)")
        running.send(SIGTERM)
        let outcome = await running.end(within: 20)
        #expect(!outcome.timedOut, "\(outcome)")
        #expect(folder.names == ["plan"])
    }

    /// Frames without a rate have individual durations, including the last one: none is lost in the copy.
    @Test(.enabled(if: Tool.exists("ffmpeg"), "needs ffmpeg"), arguments: ["mp4", "mov", "mkv"])
    func aGIFIsRedactedToItsLastFrame(kind: String) async throws {
        let tool = try #require(Tool("ffmpeg"))
        for (name, frame) in [("1.png", 0), ("2.png", 30)] {
            try KnownClip.cuts.picture(frame).writePNG(to: folder.file(name))
        }
        let made = try await tool.run([
            "-v", "error", "-framerate", "1", "-i", folder.file("%d.png"), folder.file("two.gif"),
        ])
        try #require(made.status == 0, "\(made)")
        let outcome = try await redact(["BUBBLES", "two.gif", "-o", "clean.\(kind)"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try await pictures(of: folder.file("clean.\(kind)")).count == 2)
    }

    @Test func aPartOfTheTimeIsSpokenOfAsSuch() async throws {
        let outcome = try await redact(["GATE", try await cutsClip(), "--to", "0.5", "-o", "clean.mp4"])
        #expect(
            outcome.status == 0 && outcome.stderr.contains("can read is left there; the rest is as it was"),
            "\(outcome)")
        let none = try await redact(["BUBBLES", try await cutsClip(), "--to", "0.5", "-o", "none.mp4"])
        #expect(none.status == 1 && !none.stderr.contains("is left"), "\(none)")
    }

    /// If the list cannot be written to a full disk, that is reported and there is no copy. A list whose reader is gone
    /// does not matter.
    @Test(arguments: [(">/dev/full", 2), ("| sleep 0; exit ${PIPESTATUS[0]}", 0)])
    func aListThatCannotBeWrittenIsSaid(end: String, status: Int32) async throws {
        let shell = try #require(Tool("bash"))
        try KnownClip.cuts.picture(30).writePNG(to: folder.file("shot.png"))
        let command = "cd \"$1\"; \"$0\" redact BUBBLES shot.png -o clean.png --engine tesseract --language eng "
        let outcome = try await shell.run(["-c", command + end, Framegrep.path, folder.path])
        #expect(outcome.status == status, "\(outcome)")
        guard status == 0 else {
            #expect(outcome.stderr.contains("space") && !folder.names.contains("clean.png"), "\(outcome)")
            return
        }
        let again = try await Framegrep.run(["find", "BUBBLES", folder.file("clean.png")] + engine)
        #expect(again.status == 1, "\(again)")
    }

    @Test func aFolderIsRedactedIntoAnother() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("in/deep"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("in/deep/c.mp4"))
        try KnownClip.cuts.picture(30).writePNG(to: folder.file("in/shot.png"))
        _ = try folder.write("BUBBLES", to: "in/notes.txt")
        _ = try folder.write("BUBBLES", to: "in/captions.srt")
        try FileManager.default.createSymbolicLink(atPath: folder.file("in/link"), withDestinationPath: "deep")
        _ = try folder.write("BUBBLES", to: "in/damaged.mp4")
        let outcome = try await redact(["BUBBLES", "-r", "in", "-o", "out"])
        // Recipients of the output folder must not take it for the complete set.
        #expect(
            outcome.status == 0
                && outcome.stderr.contains("without a copy: 3 files (in/captions.srt, in/notes.txt, in/damaged.mp4)"),
            "\(outcome)")
        #expect(outcome.stderr.contains("without a copy: 1 (link to a folder, pipe or device) (in/link)"), "\(outcome)")
        #expect(
            FileManager.default.subpaths(atPath: folder.file("out"))?.sorted() == ["deep", "deep/c.mp4", "shot.png"])
        let again = try await Framegrep.run(["find", "-e", "BUBBLES", "-r", folder.file("out")] + engine)
        #expect(again.status == 1, "\(again)")
        let quiet = try await redact(["BUBBLES", "-r", "in", "-o", "out", "-q"])
        #expect(quiet.status == 0 && quiet.stderr.isEmpty, "\(quiet)")
    }

    /// Whether a GIF is animated is not known before it is opened, so its copy is a recording either way.
    @Test func aCopyHasAKindThatItsInputCanBe() async throws {
        let tool = try #require(Tool("ffmpeg"))
        try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: true)
        for (name, frame) in [("1.png", 30), ("2.png", 0)] {
            try KnownClip.cuts.picture(frame).writePNG(to: folder.file(name))
        }
        for (input, output) in [("1.png", "one.gif"), ("%d.png", "two.gif"), ("1.png", "picture.bmp")] {
            let made = try await tool.run([
                "-v", "error", "-framerate", "1", "-i", folder.file(input), folder.file("in/\(output)"),
            ])
            try #require(made.status == 0, "\(made)")
        }
        let outcome = try await redact(["BUBBLES", "-r", "in", "-o", "out"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            FileManager.default.subpaths(atPath: folder.file("out"))?.sorted()
                == ["one.gif.mkv", "picture.bmp.png", "two.gif.mkv"])
    }

    @Test func twoCopiesOfOneNameAreRefusedBeforeAnythingIsMade() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: true)
        for name in ["c.avi", "c.avi.mkv"] {
            try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("in/\(name)"))
        }
        let outcome = try await redact(["BUBBLES", "-r", "in", "-o", "out/deep"])
        #expect(outcome.status == 2 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(outcome.stderr.contains("in/c.avi and in/c.avi.mkv would both be out/deep/c.avi.mkv"), "\(outcome)")
        #expect(folder.names == ["in"], "\(folder.names)")
    }

    /// Folders without a copy in them are not left behind.
    @Test func nothingIsLeftWhereNoCopyCouldBeMade() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("in/deep"), withIntermediateDirectories: true)
        let bytes = Data((try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))).prefix(5000))
        try bytes.write(to: URL(fileURLWithPath: folder.file("in/deep/cut.mp4")))
        let outcome = try await redact(["BUBBLES", "-r", "in", "-o", "out"])
        #expect(outcome.status == 2 && outcome.stderr.contains("cut.mp4"), "\(outcome)")
        #expect(folder.names == ["in"], "\(folder.names)")
    }
}
