import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextSpotting

/// `framegrep redact`: matches are gone from the copy, the rest is unchanged, and an incompletely redacted file never
/// appears under its name.
@Suite(.serialized, .timeLimit(.minutes(8))) struct RedactTests {
    let engine = ["--engine", "tesseract", "--language", "eng"]
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func redact(_ arguments: [String], timeout: Double = 120) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["redact"] + arguments + engine, in: folder.path, timeout: timeout)
    }

    /// Returns the share of a place that is black, 0 to 1.
    func blackness(of picture: Picture, in rect: Rect) -> Double {
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

    /// Recipients assume that a copy is clean, so if nothing was found there is no copy unless requested.
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
        // The index comes first in the program's own copies.
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

    /// The examples of docs/REDACT.md: places may differ by a few pixels, because engines do.
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

    /// Returns the text before a place, and the numbers of the place.
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
        // The user's own pipeline gets redacted frames, too.
        let run = try await Framegrep.run(
            [
                "run",
                "filesrc location=\(clip) ! decodebin ! appsink name=frames appsrc name=overlay ! videoconvert ! x264enc "
                    + "! matroskamux ! filesink location=own.mkv", "--find", "BUBBLES", "--redact", "--redact-style",
                "pixelate",
            ] + engine, in: folder.path)
        #expect(run.status == 0, "\(run)")
        try await expectBubblesHidden(in: "clean.mkv")
        for name in ["clean.mkv", "own.mkv"] {
            let again = try await Framegrep.run(["find", "BUBBLES", name] + engine, in: folder.path)
            #expect(again.status == 1, "\(name): \(again)")
        }
    }

    private func expectBubblesHidden(in name: String) async throws {
        let before = try await pictures(of: try await cutsClip())
        let word = try #require(try KnownClip.cuts.place(of: "BUBBLES", inFrame: 20))
        let after = try await pictures(of: folder.file(name))
        #expect(after.count == before.count)
        for index in 18..<52 where index < after.count {
            #expect(blackness(of: after[index], in: word) > 0.99, "frame \(index)")
        }
    }

    /// A text is known some frames after its first one. A reader that takes long for these is waited for, as on a busy
    /// machine: the program stands still most of the time here.
    @Test func aSlowReaderLetsNothingPassThatLaterFramesHide() async throws {
        let job = try Running(
            Framegrep.path,
            ["live", "BUBBLES", try await cutsClip(), "--redact", "--headless", "--record", "slow.mkv"] + engine,
            folder: folder.path)
        for _ in 0..<400 where job.isRunning {
            try await Task.sleep(for: .milliseconds(150))
            job.send(SIGSTOP)
            try await Task.sleep(for: .milliseconds(750))
            job.send(SIGCONT)
        }
        let outcome = await job.end(within: 60)
        #expect(outcome.status == 0, "\(outcome)")
        try await expectBubblesHidden(in: "slow.mkv")
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
}
