import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextSpotting

/// Bad input gets one sentence and exit status 2, never a crash or a hang.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BadInputTests {
    /// Runs it and checks the properties of every error.
    @discardableResult
    private func refused(
        _ arguments: [String], environment: [String: String] = [:], mentions words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Framegrep.Outcome {
        let outcome = try await Framegrep.run(arguments, environment: environment, timeout: 30)
        #expect(outcome.status == 2 && !outcome.timedOut, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.stdout == "", sourceLocation: sourceLocation)
        #expect(outcome.stderr.hasPrefix("framegrep: "), "\(outcome.stderr)", sourceLocation: sourceLocation)
        #expect(outcome.stderr.hasSuffix(".\n"), "\(outcome.stderr)", sourceLocation: sourceLocation)
        #expect(
            !outcome.stderr.contains("CRITICAL") && !outcome.stderr.contains("WARNING"), "\(outcome.stderr)",
            sourceLocation: sourceLocation)
        for word in words {
            #expect(outcome.stderr.contains(word), "\(outcome.stderr)", sourceLocation: sourceLocation)
        }
        return outcome
    }

    private func find(_ path: String) -> [String] { ["find", "--engine", "tesseract", "x", path] }

    @Test func filesThatAreNone() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await refused(find(folder.file("nothere.mp4")), mentions: "nothere.mp4")
        #expect(outcome.stderr.split(separator: "\n").count == 1)
        try await refused(find(try folder.write("", to: "zero.mp4")), mentions: "zero.mp4", "empty")
        try await refused(
            find(try folder.write(String(repeating: "Only words. ", count: 500), to: "text.mp4")), mentions: "text.mp4")
        try await refused(find(folder.path), mentions: "folder")
        try await refused(
            find(
                try folder.write(Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }), to: "noise.mkv")
            ), mentions: "noise.mkv")
        try await refused(find(""))
        try await refused(find("http://127.0.0.1:9/none.mp4"), mentions: "127.0.0.1")
        try await refused(find("nosuchscheme://x/y"), mentions: "nosuchscheme")
    }

    @Test(.enabled(if: getuid() != 0 || Tool.exists("setpriv"))) func aFileThatMayNotBeRead() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x", to: "secret.mp4")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        guard let outcome = try await unprivileged(find(path), in: folder) else { return }
        #expect(outcome.status == 2 && outcome.stderr.contains("secret.mp4"), "\(outcome)")
    }

    /// As with grep, a folder that cannot be read is an error, also if something is found elsewhere.
    @Test(.enabled(if: getuid() != 0 || Tool.exists("setpriv"))) func aFolderThatMayNotBeRead() async throws {
        let folder = try TemporaryFolder()
        let secret = folder.file("secret")
        try FileManager.default.createDirectory(
            atPath: secret, withIntermediateDirectories: false, attributes: [.posixPermissions: 0])
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: secret) }
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("cuts.mp4"))
        for folders in [[folder.path], [secret, folder.path]] {
            let search = ["find", "--engine", "tesseract", "GATE", "-r"] + folders
            guard let outcome = try await unprivileged(search, in: folder) else { return }
            #expect(outcome.stdout.contains("GATE") && outcome.stderr.contains(secret), "\(outcome)")
            #expect(outcome.status == 2, "\(outcome)")
        }
        let quiet = try await unprivileged(
            ["find", "--engine", "tesseract", "GATE", "-q", "-r", folder.path], in: folder)
        #expect(quiet?.status == 0)
        let index = ["index", "--engine", "tesseract", "--index", folder.file("kept"), folder.path]
        let watching = try await unprivileged(["index", "--watch", "--index", folder.file("kept"), secret], in: folder)
        #expect(watching.map { $0.status == 2 && !$0.timedOut && $0.stderr.contains(secret) } ?? true)
        let read = try await unprivileged(index, in: folder)
        #expect(read.map { $0.status == 2 && $0.stderr.contains("1 read") } ?? true, "\(String(describing: read))")
    }

    /// Runs the program as a user who may not read everything; nil if that user may not run it, so that nothing can be
    /// tested.
    private func unprivileged(_ arguments: [String], in folder: TemporaryFolder) async throws -> Framegrep.Outcome? {
        let isRoot = getuid() == 0
        if isRoot { try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path) }
        let tool = try #require(Tool(isRoot ? "setpriv" : "env"))
        let user = isRoot ? ["--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        let outcome = try await tool.run(
            user + [Framegrep.path] + arguments, environment: ["HOME": "/nonexistent", "TMPDIR": folder.path],
            timeout: 60)
        return outcome.stderr.contains("setpriv") ? nil : outcome
    }

    @Test func soundAlone() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("tone.wav")
        let pipeline = try Pipeline(parsing: "audiotestsrc num-buffers=30 ! wavenc ! filesink location=\(path)")
        _ = try await pipeline.prepare()
        try await pipeline.play()
        for await message in pipeline.bus.messages where message == .endOfStream { break }
        await pipeline.stop()
        try await refused(find(path), mentions: "tone.wav", "sound")
    }

    @Test func aRecordingThatWasCutOffIsSearchedAsFarAsItGoes() async throws {
        var clip = KnownClip.cuts
        clip.encoding =
            "x264enc bframes=0 speed-preset=veryfast quantizer=18 pass=qual key-int-max=10 ! mp4mux faststart=true"
        let whole = try Data(contentsOf: URL(fileURLWithPath: try await ClipCache.shared.path("faststart.mp4", clip)))
        let folder = try TemporaryFolder()
        let path = try folder.write(whole.prefix(whole.count * 7 / 10), to: "cut.mp4")
        let outcome = try await Framegrep.run("find", "--engine", "tesseract", "GATE", path, "--format", "jsonl")
        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("cut.mp4"))
        #expect(outcome.objects.count == 1)
        #expect(outcome.objects.first?["start"] as? Double == 0)
        // The index at the end of the file is missing completely.
        let ordinary = try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))
        try await refused(
            find(try folder.write(ordinary.prefix(ordinary.count / 2), to: "noindex.mp4")), mentions: "noindex.mp4")
    }

    @Test func aMatroskaThatWasCutOffIsSearchedToo() async throws {
        var clip = KnownClip.cuts
        clip.encoding = "jpegenc quality=90 ! matroskamux"
        let whole = try Data(contentsOf: URL(fileURLWithPath: try await ClipCache.shared.path("jpeg.mkv", clip)))
        let folder = try TemporaryFolder()
        let path = try folder.write(whole.prefix(whole.count * 6 / 10), to: "cut.mkv")
        let outcome = try await Framegrep.run("find", "--engine", "tesseract", "GATE", path, "--format", "jsonl")
        #expect(outcome.objects.count == 1)
        #expect(outcome.status == 2 && outcome.stderr.contains("cut.mkv"), "\(outcome)")
        // A search that ends before the cut, or has found enough, needs no warning.
        #expect(try await Framegrep.run("find", "--engine", "tesseract", "GATE", path, "--to", "0.5").status == 0)
        #expect(try await Framegrep.run("find", "--engine", "tesseract", "GATE", path, "-m", "1").stderr.isEmpty)
    }

    @Test func damagedBytesNeverCrash() async throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))
        let folder = try TemporaryFolder()
        var seed: UInt64 = 1
        for round in 0..<6 {
            var damaged = whole
            for _ in 0..<200 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                damaged[Int(seed >> 33) % damaged.count] = UInt8(truncatingIfNeeded: seed >> 20)
            }
            let outcome = try await Framegrep.run(
                find(try folder.write(damaged, to: "damaged\(round).mp4")), timeout: 40)
            #expect(!outcome.timedOut && outcome.signal == nil, "\(outcome)")
        }
    }

    @Test func patternsThatAreNone() async throws {
        let clip = try await cutsClip()
        try await refused(["find", "", clip], mentions: "pattern")
        try await refused(["find", "-e", "  ", clip], mentions: "pattern")
        try await refused(["find", "-e", "a", "-e", "", clip], mentions: "pattern")
        try await refused(["find", "-f", "/nonexistent/words", clip], mentions: "/nonexistent/words")
        let folder = try TemporaryFolder()
        try await refused(["find", "-f", try folder.write("\n\n", to: "empty"), clip], mentions: "empty")
        try await refused(
            ["find", "-f", try folder.write(Data([0xFF, 0xFE, 0x80]), to: "bytes"), clip], mentions: "UTF-8")
        try await refused(["find", String(repeating: "x", count: 2000), clip], mentions: "1000")
        try await refused(["find", "--engine", "tesseract"], mentions: "pattern")
        try await refused(["find", "x"], mentions: "nothing to search in")
        try await refused(["find", clip], mentions: "pattern")
    }

    @Test func aLanguageThatIsNotInstalledNamesItsPackage() async throws {
        let clip = try await cutsClip()
        try await refused(
            ["find", "--engine", "tesseract", "--language", "tlh", "x", clip], mentions: "tlh", "apt", "tesseract-ocr-")
        try await refused(
            ["find", "--engine", "tesseract", "--language", "eng+frk_nonsense", "x", clip], mentions: "frk_nonsense")
        try await refused(["find", "--engine", "tesseract", "--language", "", "x", clip])
    }

    @Test func optionsThatMakeNoSense() async throws {
        let clip = try await cutsClip()
        for arguments in [
            ["--region", "1,2,3"], ["--region", "5000,5000,10,10"], ["--min-score", "2"], ["--threads", "0"],
            ["-m", "0"],
            ["--from", "2", "--to", "1"], ["--from", "yesterday"], ["--from", "1:99"], ["--format", "xml"],
            ["-c", "-l"],
            ["--engine", "magic"],
            ["--nosuchoption"], ["-o", clip], ["--save-video", clip],
        ] {
            let outcome = try await Framegrep.run(["find", "x", clip] + arguments)
            #expect(outcome.status == 2, "\(arguments) \(outcome)")
            #expect(outcome.stdout == "" && !outcome.stderr.isEmpty)
        }
        #expect(try await Framegrep.run("find", "BUBBLES", clip, "-q", "--engine", "tesseract").status == 0)
    }

    @Test func pipelinesThatDoNotDo() async throws {
        let run = ["run", "--find", "NOWHERE 4711"]
        try await refused(run + ["videotestsrc ! ! fakesink"])
        try await refused(run + ["videotestsrc ! nosuchelement ! appsink name=frames"], mentions: "nosuchelement")
        try await refused(run + ["videotestsrc num-buffers=2 ! fakesink"], mentions: "appsink name=frames")
        try await refused(run + ["videotestsrc num-buffers=2 ! appsink"], mentions: "appsink name=frames")
        let frames = "videotestsrc num-buffers=2 ! appsink name=frames "
        try await refused(
            run + [frames + "identity name=overlay ! fakesink"], mentions: "identity", "appsrc name=overlay")
        try await refused(run + [frames + "appsrc name=overlay"], mentions: "Nothing follows `appsrc name=overlay`")
        try await refused(run + ["videotestsrc name=${device} ! appsink name=frames"], mentions: "device")
        try await refused(run + ["videotestsrc ! appsink name=frames", "pattern=ball"], mentions: "pattern")
        try await refused(run + ["videotestsrc ! appsink name=frames", "ball"], mentions: "ball")
        try await refused(run + ["nothere.launch"], mentions: "nothere.launch")
        try await refused(
            run + ["filesrc location=/nonexistent/a ! decodebin ! appsink name=frames"], mentions: "/nonexistent/a")
        try await refused(["run", "videotestsrc ! appsink name=frames"], mentions: "pattern")
    }

    @Test func withoutADisplayAWindowIsRefusedAtOnce() async throws {
        let clip = try await cutsClip()
        try await refused(["live", "x", clip, "--engine", "tesseract"], mentions: "--headless")
        try await refused(
            ["live", "x", clip, "--engine", "tesseract"], environment: ["DISPLAY": ":9871"], mentions: "--headless")
    }

    @Test func camerasThatAreNone() async throws {
        try await refused(
            ["live", "x", "/dev/video987", "--headless", "--engine", "tesseract"], mentions: "/dev/video987",
            "no such device")
        try await refused(["live", "x", "--headless", "--size", "big", "/dev/video987"], mentions: "1280x720")
    }

    @Test func outputsThatCannotBeWritten() async throws {
        let clip = try await cutsClip()
        let find = ["find", "--engine", "tesseract", "BUBBLES", clip]
        try await refused(find + ["-o", "/nonexistent/folder/out"], mentions: "/nonexistent/folder/out")
        try await refused(find + ["--boxes", "/nonexistent/folder/out"], mentions: "/nonexistent/folder/out")
        try await refused(find + ["-o", "/dev/full"], mentions: "/dev/full", "space")
        let video = try await Framegrep.run(find + ["--save-video", "/nonexistent/folder/out.mp4"])
        #expect(video.status == 2 && video.stderr.contains("/nonexistent/folder/out.mp4"), "\(video)")
        let frames = try await Framegrep.run(find + ["--save-frames", "/proc/nofolder"])
        #expect(frames.status == 2 && frames.stderr.contains("/proc/nofolder"), "\(frames)")
        let full = try await Framegrep.run(find, output: "/dev/full")
        #expect(full.status == 2 && full.stderr.contains("space"), "\(full)")
    }

    @Test func aClosedPipeIsNoError() async throws {
        let clip = try await cutsClip()
        let shell = try #require(Tool("bash"))
        let outcome = try await shell.run([
            "-c",
            "set -o pipefail; \"$0\" find --engine tesseract --all-text e \"$1\" --format jsonl | true; echo ${PIPESTATUS[0]}",
            Framegrep.path, clip,
        ])
        #expect(outcome.stderr == "")
        #expect(outcome.lines.last == "0")
        let first = try await shell.run([
            "-c", "\"$0\" find --engine tesseract -e BUBBLES -e GATE -e EXIT \"$1\" | head -1", Framegrep.path, clip,
        ])
        #expect(first.lines.count == 1 && first.stderr == "")
    }

    @Test func passwordsAreNeverPrinted() async throws {
        for uri in [
            "rtsp://admin:hunter2@127.0.0.1:9/stream", "http://admin:hunter2@127.0.0.1:9/a.mp4",
            // No grammar allows these addresses, but people write them.
            "rtsp://admin:x#hunter2/?@127.0.0.1:9/stream", "http://admin:' \"hunter2@127.0.0.1:9/a.mp4",
        ] {
            let commands = [
                ["find", "x", uri], ["find", "x", uri, "-v"], ["live", "x", uri, "--headless", "-v"],
                ["live", "x", uri, "--headless", "--events", "jsonl"], ["live", "x", uri, uri],
                ["find", "x", uri, "--print-pipeline"],
                ["live", "x", uri, "--print-pipeline"], ["find", "x", "nothere.mp4", uri],
                ["run", "uridecodebin uri=\(uri) ! appsink name=frames", "--find", "NOWHERE 4711"],
                ["run", "uridecodebin uri=${uri} ! appsink name=frames", "--find", "NOWHERE 4711", "uri=\(uri)", "-v"],
                ["run", "videotestsrc ! appsink name=frames", "--find", "x", uri], ["find", "x", "--nosuch=\(uri)"],
            ]
            try await sideBySide(commands) { arguments in
                let outcome = try await Framegrep.run(arguments + ["--engine", "tesseract"], timeout: 40)
                #expect(!outcome.timedOut, "\(arguments)")
                #expect(
                    !outcome.stdout.contains("hunter2") && !outcome.stderr.contains("hunter2"),
                    "\(arguments) \(outcome)")
            }
        }
    }

    @Test func aMissingDecoderNamesItsPackage() async throws {
        let clip = try await cutsClip()
        let ranks = [
            "avdec_h264", "openh264dec", "vah264dec", "v4l2h264dec", "nvh264dec", "vaapih264dec", "vaapidecodebin",
            "avdec_h264_v4l2m2m",
        ]
        .map { "\($0):NONE" }.joined(separator: ",")
        try await refused(
            find(clip), environment: ["GST_PLUGIN_FEATURE_RANK": ranks], mentions: "H.264", "gstreamer1.0-libav")
    }
}
