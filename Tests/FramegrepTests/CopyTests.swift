import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextSpotting

/// Copies and recordings of unusual pictures, with sound, and writes that fail halfway.
@Suite(.serialized, .timeLimit(.minutes(8))) struct CopyTests {
    private let engine = ["--engine", "tesseract"]

    /// Runs a separate pipeline to its end.
    private func run(_ description: String) async throws {
        try await Pipeline(parsing: description).playToItsEnd()
    }

    /// Half a second of a word, in a picture with an odd number of pixels each way.
    private func oddClip() async throws -> String {
        var clip = KnownClip(
            width: 301, height: 161, frameCount: 12, words: [KnownWord(text: "GATE", x: 60, y: 50, frames: 0..<12)])
        clip.encoding = "jpegenc quality=92 ! matroskamux"
        return try await ClipCache.shared.path("odd-sized.mkv", clip)
    }

    @Test(arguments: ["mp4", "mov", "mkv", "webm"]) func oddSizesAreFilledUp(kind: String) async throws {
        let folder = try TemporaryFolder()
        let clip = try await oddClip()
        for job in [["find", "GATE", clip, "--save-video"], ["live", "GATE", clip, "--headless", "--record"]] {
            let path = folder.file("\(job[0]).\(kind)")
            let outcome = try await Framegrep.run(job + [path] + engine, timeout: 60)
            #expect(outcome.status != 2 && !outcome.timedOut && outcome.stderr.isEmpty, "\(outcome)")
            let written = try await pictures(of: path)
            #expect(
                written.count == 12 && written[0].width == 302 && written[0].height == 162, "\(job) \(written.count)")
        }
        // The picture itself is neither scaled nor moved; only its box is drawn on it.
        let (before, after) = (try await pictures(of: clip)[5], try await pictures(of: folder.file("find.\(kind)"))[5])
        let place = try #require(difference(before, after, above: 150)?.bounds)
        #expect(place.x > 20 && place.x + place.width < 290 && place.y > 10, "\(place)")
    }

    @Test(arguments: ["mp4", "mkv", "webm"]) func aPictureThatChangesItsSizeIsBroughtToTheFirst(kind: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let clip = folder.file("sizes.ts")
        let parts = ["width=320,height=180,framerate=25/1", "width=242,height=160,framerate=30/1"].map {
            " videotestsrc num-buffers=15 pattern=ball ! video/x-raw,format=I420,\($0) ! c."
        }
        try await run(
            "concat name=c ! x264enc bframes=0 speed-preset=ultrafast ! mpegtsmux ! filesink location=\(clip)"
                + parts.joined())
        let outcome = try await Framegrep.run(
            ["find", "GATE", clip, "--save-video", folder.file("out.\(kind)")] + engine, timeout: 60)
        #expect(outcome.status != 2 && !outcome.timedOut, "\(outcome)")
        let written = try await pictures(of: folder.file("out.\(kind)"))
        #expect(written.count >= 28 && written.allSatisfy { $0.width == 320 && $0.height == 180 }, "\(written.count)")
    }

    @Test(arguments: ["mp4", "mov", "mkv", "webm"]) func aWriterThatFailsEndsTheJob(kind: String) async throws {
        let folder = try TemporaryFolder()
        let clip = try await cutsClip()
        let path = folder.file("full.\(kind)")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
        for job in [["find", "GATE", clip, "--save-video"], ["live", "GATE", clip, "--headless", "--record"]] {
            let outcome = try await Framegrep.run(job + [path] + engine, timeout: 40)
            #expect(outcome.status == 2 && !outcome.timedOut, "\(outcome)")
            #expect(outcome.stderr.contains("cannot be written"), "\(outcome)")
            #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)")
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/full")
    }

    @Test(
        .enabled(if: Tool.mountsFileSystems, "mounting a small file system needs root"),
        arguments: ["mp4", "mkv", "webm"])
    func onAFullDiskWhatWasWrittenPlays(kind: String) async throws {
        let folder = try TemporaryFolder()
        let unshare = try #require(Tool("unshare"))
        let outcome = try await unshare.run(
            [
                "-m", "sh", "-c",
                "mount -t tmpfs -o size=16k none /mnt; \"$0\" find GATE \"$1\" --engine tesseract --save-video /mnt/o.\(kind); "
                    + "status=$?; cp /mnt/o.\(kind) \"$2\"; exit $status",
                Framegrep.path, try await cutsClip(), folder.file("o.\(kind)"),
            ], timeout: 40)
        #expect(outcome.status == 2 && !outcome.timedOut && outcome.stderr.contains("plays"), "\(outcome)")
        #expect(try await pictures(of: folder.file("o.\(kind)")).count >= 5)
    }

    /// A clip whose copy takes a while to write.
    private func longClip() async throws -> String {
        let words = (0..<4).map { KnownWord(text: "WORD\($0)", x: 60, y: 30 + Double($0) * 80, frames: 0..<900) }
        return try await ClipCache.shared.path("still.mp4", KnownClip(width: 960, frameCount: 900, words: words))
    }

    @Test(arguments: ["mp4", "mkv", "webm"]) func anInterruptedCopyIsCompletedAndSaysHowFarItGoes(kind: String)
        async throws
    {
        let clip = try await longClip()
        let folder = try TemporaryFolder()
        let path = folder.file("out.\(kind)")
        let running = try Running(Framegrep.path, ["find", "WORD1", clip, "--save-video", path] + engine)
        #expect(await running.wait { (FileManager.default.contents(atPath: path)?.count ?? 0) > 20_000 })
        running.send(SIGINT)
        let outcome = await running.end(within: 40)
        #expect(!outcome.timedOut && outcome.signal == SIGINT && outcome.stderr.contains("plays up to"), "\(outcome)")
        // The file has its index: its length is known and is that of the pictures.
        let info = try await MediaProbe.examine(uri: "file://\(path)")
        let count = try await pictures(of: path).count
        #expect(count > 5 && count < 900)
        #expect(
            abs((info.duration ?? .zero).seconds * 25 - Double(count)) <= 2,
            "\(String(describing: info.duration)) \(count)")
    }

    @Test func anInterruptedCopyReplacesNothing() async throws {
        let clip = try await longClip()
        let folder = try TemporaryFolder()
        let path = try folder.write("of before", to: "out.mp4")
        let unfinished = folder.file("out-unfinished.mp4")
        let running = try Running(Framegrep.path, ["find", "WORD1", clip, "--save-video", path] + engine)
        #expect(await running.wait { (FileManager.default.contents(atPath: unfinished)?.count ?? 0) > 20_000 })
        running.send(SIGINT)
        let outcome = await running.end(within: 40)
        #expect(!outcome.timedOut && outcome.stderr.contains("out.mp4 is as it was before"), "\(outcome)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "of before" && folder.names == ["out.mp4"])
    }

    /// Three seconds of silence with a tone from 1.2 to 1.5, as a WAV file.
    private func tone() -> Data {
        let samples = (0..<(3 * 8000)).map { index -> Int16 in
            guard (9600..<12000).contains(index) else { return 0 }
            return Int16(12000 * sin(Double(index) * 2 * .pi * 1000 / 8000))
        }
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        let body = samples.flatMap { bytes(Int(UInt16(bitPattern: $0)), 2) }
        let format =
            bytes(16, 4) + bytes(1, 2) + bytes(1, 2) + bytes(8000, 4) + bytes(16000, 4) + bytes(2, 2) + bytes(16, 2)
        return Data(
            Array("RIFF".utf8) + bytes(36 + body.count, 4) + Array("WAVEfmt ".utf8) + format + Array("data".utf8)
                + bytes(body.count, 4) + body)
    }

    /// Returns the time at which the tone of a file begins, in seconds.
    private func onset(of path: String, _ folder: TemporaryFolder) async throws -> Double {
        try await run(
            "uridecodebin uri=file://\(path) caps=audio/x-raw expose-all-streams=false ! audioconvert ! audioresample ! "
                + "audio/x-raw,format=S16LE,channels=1,rate=8000 ! wavenc ! filesink location=\(folder.file("heard.wav"))"
        )
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.file("heard.wav"))).dropFirst(44))
        let first = stride(from: 0, to: bytes.count - 1, by: 2).first {
            abs(Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))) > 3000
        }
        return Double(try #require(first)) / 2 / 8000
    }

    @Test(arguments: [
        ("voaacenc ! mp4mux", ["mp4", "webm"]), ("vorbisenc ! matroskamux", ["mkv", "mov"]), ("avimux", ["mp4"]),
    ])
    func copiesKeepTheSound(encoding: String, kinds: [String]) async throws {
        let folder = try TemporaryFolder()
        let wav = try folder.write(tone(), to: "tone.wav")
        let muxer = encoding.split(separator: " ").last!
        let encoder = encoding.contains("!") ? "\(encoding.split(separator: "!")[0]) ! " : ""
        let clip = folder.file("clip")
        try await run(
            "filesrc location=\(try await cutsClip()) ! qtdemux ! h264parse ! queue ! \(muxer) name=m ! filesink location=\(clip) "
                + "filesrc location=\(wav) ! wavparse ! audioconvert ! audioresample ! audio/x-raw,rate=44100 ! \(encoder)queue ! m."
        )
        // An encoder may delay it by some hundredths of a second; the copy begins with the same sound as its input.
        let before = try await onset(of: clip, folder)
        #expect(abs(before - 1.2) < 0.1)
        for kind in kinds {
            let path = folder.file("out.\(kind)")
            let outcome = try await Framegrep.run(["find", "BUBBLES", clip, "--save-video", path] + engine)
            #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
            #expect(try await pictures(of: path).count == 75)
            let after = try await onset(of: path, folder)
            #expect(abs(after - before) < 0.06, "\(kind): \(before), \(after)")
        }
        // The sound ends where the picture does.
        let part = folder.file("part.mkv")
        _ = try await Framegrep.run(["find", "BUBBLES", clip, "--to", "1", "--save-video", part] + engine)
        let info = try await MediaProbe.examine(uri: "file://\(part)")
        #expect(
            info.hasAudio && abs((info.duration ?? .zero).seconds - 1) < 0.15, "\(String(describing: info.duration))")
    }

    /// A clip of three seconds with a tone from 1.2 to 1.5.
    private func soundingClip(in folder: TemporaryFolder) async throws -> String {
        let wav = try folder.write(tone(), to: "tone.wav")
        let clip = folder.file("sounding.mkv")
        try await run(
            "filesrc location=\(try await cutsClip()) ! qtdemux ! h264parse ! queue ! matroskamux name=m ! filesink location=\(clip) "
                + "filesrc location=\(wav) ! wavparse ! audioconvert ! audioresample ! audio/x-raw,rate=44100 ! vorbisenc ! queue ! m."
        )
        return clip
    }

    @Test(arguments: ["mp4", "mkv", "webm"]) func recordingsKeepTheSound(kind: String) async throws {
        let folder = try TemporaryFolder()
        let clip = try await soundingClip(in: folder)
        let path = folder.file("seen.\(kind)")
        let outcome = try await Framegrep.run(["live", "BUBBLES", clip, "--headless", "--record", path] + engine)
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        let info = try await MediaProbe.examine(uri: "file://\(path)")
        #expect(info.hasAudio && abs((info.duration ?? .zero).seconds - 3) < 0.4, "\(info)")
        // The whole picture is shown some hundredths of a second late, and so is the sound.
        #expect(abs(try await onset(of: path, folder) - 1.2) < 0.25)
        #expect(try await pictures(of: path).count >= 60)
    }

    @Test func aRecordingWithoutSoundStaysOne() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("seen.mp4")
        let clip = try await cutsClip()
        let outcome = try await Framegrep.run(
            ["live", "BUBBLES", clip, "--headless", "--record", path, "-m", "1"] + engine)
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        #expect(try await MediaProbe.examine(uri: "file://\(path)").hasAudio == false)
    }

    @Test func theSoundEndsWithARecordingThatIsEnded() async throws {
        let folder = try TemporaryFolder()
        let clip = try await soundingClip(in: folder)
        let path = folder.file("seen.mkv")
        let outcome = try await Framegrep.run(
            ["live", "BUBBLES", clip, "--headless", "--record", path, "-m", "1"] + engine, timeout: 30)
        #expect(outcome.status == 0 && !outcome.timedOut, "\(outcome)")
        let info = try await MediaProbe.examine(uri: "file://\(path)")
        #expect(info.hasAudio && (info.duration ?? .zero).seconds < 2.9, "\(info)")
    }

    @Test func picturesOfSightingsNeverOverwriteEachOther() async throws {
        let folder = try TemporaryFolder()
        let clip = KnownClip.cuts
        for (name, index) in [("a", 10), ("b", 40)] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
            try clip.picture(index).writePNG(to: folder.file(name + "/shot.png"))
        }
        let find = ["find", "GATE", "a/shot.png", "b/shot.png", "--save-frames", "found"] + engine
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.file("found")).sorted()
        }
        #expect(try await Framegrep.run(find, in: folder.path).status == 0)
        #expect(try names() == ["shot-00.00.00.000-1-GATE-2.png", "shot-00.00.00.000-1-GATE.png"])
        // The same search again gives the same names; another search has others.
        #expect(try await Framegrep.run(find, in: folder.path).status == 0)
        #expect(try names().count == 2)
        _ = try await Framegrep.run(
            ["find", "BUBBLES", "b/shot.png", "--save-frames", "found"] + engine, in: folder.path)
        #expect(try names().count == 3)
        // If nothing is found, there is no folder.
        _ = try await Framegrep.run(
            ["find", "zebra", "b/shot.png", "--save-frames", "none/of/it"] + engine, in: folder.path)
        #expect(folder.names == ["a", "b", "found"])
    }
}
