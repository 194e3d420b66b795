import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextSpotting

/// `framegrep redact`: what is found is gone from the copy, the rest of it is as it was, and nothing that is not clean stands in its place.
@Suite(.serialized, .timeLimit(.minutes(8))) struct RedactTests {
    private let engine = ["--engine", "tesseract", "--language", "eng"]
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func redact(_ arguments: [String], timeout: Double = 120) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["redact"] + arguments + engine, in: folder.path, timeout: timeout)
    }

    /// How much of a place is black, 0 to 1.
    private func blackness(of picture: Picture, in rect: Rect) -> Double {
        let part = picture.cropped(to: rect)
        let dark = stride(from: 0, to: part.bytes.count, by: 3).count { part.bytes[$0] < 12 && part.bytes[$0 + 1] < 12 }
        return Double(dark) / Double(max(1, part.width * part.height))
    }

    // MARK: Recordings

    @Test(arguments: ["mp4", "mkv", "webm"]) func whatIsFoundIsGoneFromTheCopy(kind: String) async throws {
        let clip = try await cutsClip()
        let outcome = try await redact(["BUBBLES", clip, "-o", "clean.\(kind)"])
        #expect(outcome.status == 0 && outcome.lines.count == 1, "\(outcome)")
        #expect(
            outcome.stderr.contains("Searched again with Tesseract")
                && outcome.stderr.contains(": nothing that this program can read is left."), "\(outcome)")
        // Logs leak too.
        #expect(!(outcome.stdout + outcome.stderr).uppercased().contains("BUBBLES"), "\(outcome)")
        #expect(folder.names == ["clean.\(kind)"])
        let (before, after) = (try await pictures(of: clip), try await pictures(of: folder.file("clean.\(kind)")))
        #expect(before.count == after.count && after[0].width == 640 && after[0].height == 360)
        let word = try #require(try KnownClip.cuts.place(of: "BUBBLES", inFrame: 20))
        for index in 18..<52 { #expect(blackness(of: after[index], in: word) > 0.99, "frame \(index)") }
        for index in [10, 60] {
            #expect(blackness(of: after[index], in: word) < 0.01, "frame \(index)")
            #expect(difference(before[index], after[index]) == nil, "frame \(index)")
        }
        let place = try #require(difference(before[30], after[30])?.bounds)
        let allowed = word.grown(by: 40)
        #expect(allowed.intersection(place) == place, "\(place)")
        let again = try await Framegrep.run(["find", "BUBBLES", folder.file("clean.\(kind)")] + engine)
        #expect(again.status == 1, "\(again)")
    }

    @Test(arguments: ["pixelate", "blur"]) func otherStylesCannotBeReadEither(style: String) async throws {
        let outcome = try await redact(["BUBBLES", try await cutsClip(), "-o", "clean.mp4", "--style", style, "--show"])
        #expect(outcome.status == 0 && outcome.stdout.contains("BUBBLES"), "\(outcome)")
        let again = try await Framegrep.run(["find", "BUBBLES", folder.file("clean.mp4")] + engine)
        #expect(again.status == 1, "\(again)")
    }

    /// Whoever gets a copy takes it for a clean one: where nothing was found there is none, unless it is asked for.
    @Test func withoutMatchesThereIsNoCopyUnlessItIsAskedFor() async throws {
        let clip = try await cutsClip()
        let none = try await redact(["ZEBRA", clip, "-o", "clean.mp4"])
        #expect(
            none.status == 1 && none.stdout.isEmpty && none.stderr.contains("nothing was found")
                && !none.stderr.contains("is left"), "\(none)")
        #expect(folder.names.isEmpty, "\(folder.names)")
        let outcome = try await redact(["ZEBRA", clip, "-o", "clean.mp4", "--copy-anyway"])
        #expect(
            outcome.status == 1 && outcome.stdout.isEmpty && outcome.stderr.contains("nothing was found")
                && !outcome.stderr.contains("nothing that"), "\(outcome)")
        let (before, after) = (try await pictures(of: clip), try await pictures(of: folder.file("clean.mp4")))
        #expect(before.count == after.count && difference(before[30], after[30]) == nil)
    }

    /// A title, an artist and a comment of the container, and of its sound; the sound itself stays.
    @Test(arguments: [("mkv", "mkv"), ("mkv", "mp4"), ("mp4", "mkv")]) func wordsBesideThePicturesAreLeftOut(
        from: String, to: String
    ) async throws {
        let tags = "taginject tags=\"title=BUBBLES,artist=BUBBLES,comment=BUBBLES\""
        let muxer = from == "mkv" ? "matroskamux name=m" : "mp4mux name=m"
        try await Pipeline(
            parsing:
                "filesrc location=\(try await cutsClip()) ! qtdemux ! h264parse ! \(tags) ! \(muxer) ! filesink "
                + "location=\(folder.file("in.\(from)")) audiotestsrc num-buffers=130 ! avenc_aac ! aacparse ! \(tags) ! m."
        ).playToItsEnd()
        #expect(try String(decoding: folder.bytes(of: "in.\(from)"), as: UTF8.self).contains("BUBBLES"))
        let outcome = try await redact(["BUBBLES", "in.\(from)", "-o", "out.\(to)"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(!(try String(decoding: folder.bytes(of: "out.\(to)"), as: UTF8.self).uppercased().contains("BUBBLES")))
        let info = try await MediaProbe.examine(uri: folder.file("out.\(to)"), timeout: .seconds(10))
        #expect(info.hasAudio && info.hasVideo)
    }

    // MARK: Nothing that is not clean

    @Test func whatCannotBeSearchedToItsEndIsNotWritten() async throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))
        // The index stands in front in the program's own copies.
        let made = try await redact(["ZEBRA", try await cutsClip(), "-o", "front.mkv", "--copy-anyway"])
        #expect(made.status == 1, "\(made)")
        let bytes = try folder.bytes(of: "front.mkv")
        _ = try folder.write(Array(bytes[..<(bytes.count / 2)]), to: "cut.mkv")
        _ = try folder.write(whole.prefix(whole.count / 2), to: "headless.mp4")
        for name in ["cut.mkv", "headless.mp4"] {
            let outcome = try await redact(["BUBBLES", name, "-o", "clean.mp4"])
            #expect(outcome.status == 2 && !outcome.stderr.isEmpty, "\(name): \(outcome)")
            #expect(!folder.names.contains { $0.hasPrefix("clean") }, "\(name): \(folder.names)")
        }
    }

    @Test func anInterruptedCopyIsNotThere() async throws {
        let words = (0..<4).map { KnownWord(text: "WORD\($0)", x: 60, y: 30 + Double($0) * 80, frames: 0..<900) }
        let clip = try await ClipCache.shared.path(
            "still.mp4", KnownClip(width: 960, frameCount: 900, words: words))
        for isBeingWritten in [false, true] {
            let running = try Running(
                Framegrep.path, ["redact", "WORD1", clip, "-o", "clean.mp4"] + engine, folder: folder.path)
            _ = await running.wait {
                !isBeingWritten || FileManager.default.fileExists(atPath: folder.file("clean-unfinished.mp4"))
            }
            running.send(SIGINT)
            let outcome = await running.end(within: 60)
            #expect(!outcome.timedOut && outcome.signal == SIGINT, "\(outcome)")
            #expect(folder.names.isEmpty, "\(folder.names)")
        }
    }

    @Test func aFileThatIsThereStaysUntilTheCopyIsClean() async throws {
        _ = try folder.write("mine", to: "clean.mp4")
        let failed = try await redact(["BUBBLES", "nothing.mp4", "-o", "clean.mp4"])
        #expect(failed.status == 2, "\(failed)")
        #expect(try folder.bytes(of: "clean.mp4") == Array("mine".utf8))
        let outcome = try await redact(["BUBBLES", try await cutsClip(), "-o", "clean.mp4"])
        #expect(outcome.status == 0 && folder.names == ["clean.mp4"], "\(outcome)")
        #expect(try folder.bytes(of: "clean.mp4").count > 1000)
    }

    @Test func whatCannotWorkIsSaidBefore() async throws {
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("c.mp4"))
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("d.mp4"))
        for (arguments, reason) in [
            (["GATE", "c.mp4", "-o", "c.mp4"], "input"), (["GATE", "c.mp4", "-o", "/dev/null"], "device"),
            (["GATE", "c.mp4", "-o", "-"], "searched again"),
            (["c.mp4", "d.mp4", "-o", "o.mp4"], "one recording at a time"),
            (["c.mp4", "-o", "o.mp4"], "no pattern"), (["GATE", "c.mp4"], "-o OUT"),
            (["GATE", "c.mp4", "-o", "o.avi"], ".mp4"), (["GATE", "c.mp4", "-o", "o.png"], ".mp4"),
            (["GATE", ".", "-o", "o.mp4"], "-r"), ([":nonsense", "c.mp4", "-o", "o.mp4"], ":nonsense"),
            (["GATE", "c.mp4", "--region", "1,2", "-o", "o.mp4"], "region"),
        ] {
            let outcome = try await redact(arguments)
            #expect(outcome.status == 2 && outcome.stderr.contains(reason), "\(arguments): \(outcome)")
            #expect(folder.names == ["c.mp4", "d.mp4"], "\(arguments)")
        }
    }

    @Test(
        .enabled(if: Tool.mountsFileSystems, "mounting a small file system needs root"),
        arguments: ["mp4", "mkv", "webm"])
    func onAFullDiskNothingIsLeft(kind: String) async throws {
        let outcome = try await Tool("unshare")?.run(
            [
                "-m", "sh", "-c",
                "mount -t tmpfs -o size=16k none /mnt; \"$0\" redact GATE \"$1\" --engine tesseract -o /mnt/o.\(kind); "
                    + "status=$?; ls -A /mnt > \"$2\"; exit $status",
                Framegrep.path, try await cutsClip(), folder.file("list"),
            ], timeout: 60)
        #expect(outcome?.status == 2 && outcome?.timedOut == false, "\(String(describing: outcome))")
        let left = try folder.bytes(of: "list")
        #expect(left.isEmpty, "\(left)")
    }

    /// The examples of docs/REDACT.md: places may be a few pixels elsewhere, as engines are.
    @Test func theDocumentsExamplesPrintWhatTheyShow() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("lobby.mp4"), withDestinationPath: try await cutsClip())
        let blocks = try Checkout.text("docs/REDACT.md").components(separatedBy: "```console\n").dropFirst()
        let lines = blocks.flatMap { $0.components(separatedBy: "\n```")[0].split(separator: "\n").map(String.init) }
        var (commands, expected): ([String], [[String]]) = ([], [])
        for line in lines {
            if line.hasPrefix("$ framegrep ") {
                commands.append(String(line.dropFirst(12)))
                expected.append([])
            } else {
                expected[expected.count - 1].append(line)
            }
        }
        #expect(commands.count == 3)
        for (command, shown) in zip(commands, expected) {
            let words = command.replacing("'EXIT 12'", with: "EXIT_12").split(separator: " ").map {
                $0 == "EXIT_12" ? "EXIT 12" : String($0)
            }
            let outcome = try await Framegrep.run(words + engine, in: folder.path)
            #expect(outcome.status == 0 && outcome.lines.count == shown.count, "\(outcome)")
            for (line, wanted) in zip(outcome.lines, shown) {
                let (a, b) = (Self.parts(line), Self.parts(wanted))
                #expect(a.text == b.text, "\(line)")
                #expect(zip(a.numbers, b.numbers).allSatisfy { abs($0 - $1) <= 8 }, "\(line)")
            }
        }
    }

    /// What stands before a place, and the numbers of the place.
    private static func parts(_ line: String) -> (text: String, numbers: [Int]) {
        let halves = line.components(separatedBy: " at ")
        return (halves[0], halves.last?.split { !$0.isNumber }.compactMap { Int($0) } ?? [])
    }

    // MARK: Running pictures

    @Test func aRunningPictureIsRecordedWithoutWhatIsFound() async throws {
        let clip = try await cutsClip()
        let outcome = try await Framegrep.run(
            ["live", "BUBBLES", clip, "--redact", "--headless", "--record", "clean.mkv"] + engine, in: folder.path)
        #expect(outcome.status == 0 && outcome.lines.count == 1, "\(outcome)")
        #expect(!(outcome.stdout + outcome.stderr).uppercased().contains("BUBBLES"), "\(outcome)")
        // Its own pipeline gets the frames hidden, too.
        let run = try await Framegrep.run(
            [
                "run",
                "filesrc location=\(clip) ! decodebin ! appsink name=frames appsrc name=overlay ! videoconvert ! x264enc "
                    + "! matroskamux ! filesink location=own.mkv", "--find", "BUBBLES", "--redact", "--redact-style",
                "pixelate",
            ] + engine, in: folder.path)
        #expect(run.status == 0, "\(run)")
        let before = try await pictures(of: clip)
        let word = try #require(try KnownClip.cuts.place(of: "BUBBLES", inFrame: 20))
        let after = try await pictures(of: folder.file("clean.mkv"))
        #expect(after.count == before.count)
        for index in 18..<52 where index < after.count {
            #expect(blackness(of: after[index], in: word) > 0.99, "frame \(index)")
        }
        for name in ["clean.mkv", "own.mkv"] {
            let again = try await Framegrep.run(["find", "BUBBLES", name] + engine, in: folder.path)
            #expect(again.status == 1, "\(name): \(again)")
        }
    }

    @Test(arguments: [
        (["--redact", "--headless"], "nowhere"),
        (["--redact", "--headless", "--record", "o.mp4", "--boxes"], "--boxes"),
        (["--redact", "--save-frames", "f", "--record", "o.mp4"], "--save-frames"),
        (["--redact", "--overlay", "tracked", "--record", "o.mp4"], "tracked"),
        (["--to", "fakesink", "--headless"], "--redact"), (["--redact-style", "black", "--headless"], "--redact"),
        (["--redact", "--headless", "--to", "nothing-of-that-name"], "nothing-of-that-name"),
    ]) func whatWouldShowItIsRefused(options: [String], reason: String) async throws {
        let outcome = try await Framegrep.run(
            ["live", "GATE", try await cutsClip()] + options + engine, in: folder.path)
        #expect(outcome.status == 2 && outcome.stderr.contains(reason), "\(outcome)")
        #expect(folder.names.isEmpty, "\(folder.names)")
    }

    // MARK: Plans, regions, stills, folders

    @Test func aPlanCanBeEditedAndFollowed() async throws {
        let clip = try await cutsClip()
        let planned = try await redact(["BUBBLES", "GATE", clip, "--plan", "plan.jsonl"])
        #expect(planned.status == 0 && folder.names == ["plan.jsonl"], "\(planned)")
        let lines = try String(decoding: folder.bytes(of: "plan.jsonl"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 3 && !lines.joined().contains("BUBBLES"))
        // Without GATE, which begins first, and with a box of one's own.
        let own = "{\"start\":0,\"end\":3,\"box\":[400,200,100,60]}"
        _ = try folder.write(([lines[0], lines[2]].joined(separator: "\n")) + "\n# mine\n" + own, to: "plan.jsonl")
        let outcome = try await redact([clip, "--apply", "plan.jsonl", "-o", "clean.mp4"])
        #expect(outcome.status == 0 && outcome.stderr.contains("not searched again"), "\(outcome)")
        // With patterns the copy is looked at, and what the plan leaves out is hidden too.
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
        // It would be called hidden, and nothing would be.
        _ = try folder.write("{\"start\":9000,\"end\":9500,\"box\":[0,0,50,50]}", to: "late.jsonl")
        for arguments in [["--apply", "late.jsonl"], ["--region", "0,0,50,50", "--from", "50"]] {
            let refused = try await redact(arguments + [clip, "-o", "late.mp4"])
            #expect(refused.status == 2 && refused.stderr.contains("ends at 00:00:03.000"), "\(refused)")
            #expect(!folder.names.contains { $0.hasPrefix("late") && $0 != "late.jsonl" }, "\(folder.names)")
        }
    }

    /// Whatever is changed about a file, its plan is not its own any more.
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

    /// The times of a plan are those of a recording; a still is there at all of them.
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

    /// The picture with the word as another way to hold it stores it.
    private func still(_ name: String, _ turn: String, _ tags: String = "") async throws {
        try KnownClip.cuts.picture(30).writePNG(to: folder.file("upright.png"))
        let encoder = name.hasSuffix("png") ? "pngenc" : "jpegenc quality=95 ! taginject tags=\"\(tags)\" ! jifmux"
        try await Pipeline(
            parsing:
                "filesrc location=\(folder.file("upright.png")) ! pngdec ! videoflip video-direction=\(turn) ! videoconvert ! \(encoder) ! "
                + "filesink location=\(folder.file(name))"
        ).playToItsEnd()
    }

    /// As phones write them: stored as the sensor lies, with a tag that says how it is held. The copy is upright and says nothing.
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

    /// A search holds a still otherwise where its text makes no sense, so that it would find the word in the copy.
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

    /// What is visible outside of a part of the time is not called gone.
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

    /// Frames of no rate have a length of their own, the last one too: none is lost on the way into the copy.
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

    /// The list is lost on a full disk, and that is said; there is no copy then. A list whose reader has gone is not missed.
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
        // A person who is given the other folder should not take it for all there is.
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

    /// Whether a GIF moves is not known before it is opened, so its copy is a recording either way.
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

    /// Folders in which no copy came to stand are not left behind.
    @Test func nothingIsLeftWhereNoCopyCouldBeMade() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("in/deep"), withIntermediateDirectories: true)
        let bytes = Data((try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))).prefix(5000))
        try bytes.write(to: URL(fileURLWithPath: folder.file("in/deep/cut.mp4")))
        let outcome = try await redact(["BUBBLES", "-r", "in", "-o", "out"])
        #expect(outcome.status == 2 && outcome.stderr.contains("cut.mp4"), "\(outcome)")
        #expect(folder.names == ["in"], "\(folder.names)")
    }
}
