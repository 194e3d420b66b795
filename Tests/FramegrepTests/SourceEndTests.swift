import Foundation
import GStreamerMedia
import Spotter
import TestSupport
import Testing
import TextSpotting

/// Sources that end in unusual ways: never, late, in the middle, or several times.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SourceEndTests {
    private func find(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["find", "--engine", "tesseract"] + arguments)
    }

    /// Returns a clip of this many seconds that shows a word from the second second on.
    private static func clip(_ word: String, _ encoding: String, seconds: Int = 3) -> KnownClip {
        KnownClip(
            width: 320, height: 180, frameCount: 25 * seconds,
            words: [KnownWord(text: word, x: 40, y: 60, size: 50, frames: 25..<(25 * seconds))], encoding: encoding)
    }

    /// Writes the bytes of two clips into one file.
    private func chain(_ name: String, _ encoding: String, in folder: TemporaryFolder) async throws -> String {
        var bytes = Data()
        for (number, word) in ["GATE", "BUBBLES"].enumerated() {
            let path = try await ClipCache.shared.path("chain-\(number)-\(name)", Self.clip(word, encoding))
            bytes += try Data(contentsOf: URL(fileURLWithPath: path))
        }
        return try folder.write(bytes, to: name)
    }

    @Test func allOfAChainInOggIsSearched() async throws {
        let folder = try TemporaryFolder()
        let path = try await chain("chain.ogv", "theoraenc ! oggmux", in: folder)
        let outcome = try await find("-e", "GATE", "-e", "BUBBLES", path, "--format", "jsonl")
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        #expect(outcome.objects.compactMap { $0["text"] as? String } == ["GATE", "BUBBLES"])
        let starts = outcome.objects.compactMap { $0["start"] as? Double }
        // Theora's last frame may be left out at the joint.
        #expect(starts.first == 1 && abs((starts.last ?? 0) - 4) < 0.1, "\(starts)")
    }

    @Test(arguments: ["chain.webm", "chain.mkv"]) func whatIsNotSearchedOfAChainIsSaid(name: String) async throws {
        let folder = try TemporaryFolder()
        let muxer = name.hasSuffix("webm") ? "webmmux" : "matroskamux"
        let path = try await chain(name, "vp8enc deadline=1 ! \(muxer)", in: folder)
        let outcome = try await find("-e", "GATE", "-e", "BUBBLES", path)
        // GStreamer also returns the last picture of the second clip, with a time of the first.
        #expect(
            outcome.status == 2 && outcome.lines.first?.hasSuffix("00:00:01.000-00:00:03.000: GATE") == true,
            "\(outcome)")
        #expect(outcome.stderr.contains("several recordings") && outcome.stderr.contains("00:00:03"))
        // A part within the first clip was searched completely.
        let part = try await find("GATE", path, "--to", "2")
        #expect(part.status == 0 && part.stderr == "", "\(part)")
    }

    /// The end is that of the last frame, whatever length a recording declares.
    @Test(arguments: [
        ("end.mp4", "x264enc bframes=0 key-int-max=25 ! mp4mux"),
        ("end-bframes.mkv", "x264enc bframes=2 key-int-max=60 ! matroskamux"),
        ("end-parts.mp4", "x264enc bframes=0 key-int-max=25 ! mp4mux fragment-duration=500"),
        ("end.avi", "jpegenc ! avimux"), ("end.mov", "jpegenc ! qtmux"),
        ("end.ts", "x264enc bframes=0 key-int-max=25 ! h264parse ! mpegtsmux"),
    ])
    func theEndIsThatOfTheLastFrame(name: String, encoding: String) async throws {
        let clip = try await ClipCache.shared.path(name, Self.clip("GATE", encoding, seconds: 4))
        let source = try await OpenedSource.open(try SourceURI(clip))
        for stated in [0.04, 1, 3.9, 4, 4.5, 11, 100, 3600, 90_000] {
            let end = try #require(
                try await RecordingEnd.seen(in: source, stating: StreamTime(seconds: stated)), "\(name), \(stated) s")
            #expect(abs(end.seconds - 4) < 0.05, "\(name), which states \(stated) s: \(end.seconds)")
        }
    }

    /// Returns a recording of four seconds that declares another length; its word appears in the last two seconds.
    private func untrue(_ seconds: Double, in folder: TemporaryFolder) async throws -> String {
        let word = KnownWord(text: "GATE", x: 40, y: 60, size: 50, frames: 50..<100)
        let clip = KnownClip(width: 320, height: 180, frameCount: 100, words: [word], encoding: "jpegenc ! matroskamux")
        var bytes = try Data(
            contentsOf: URL(fileURLWithPath: try await ClipCache.shared.path("untrue.mkv", clip)))
        let place = try #require(bytes.firstRange(of: Data([0x44, 0x89, 0x88]))).upperBound
        let stated = (seconds * 1000).bitPattern.bigEndian
        bytes.replaceSubrange(place..<place + 8, with: withUnsafeBytes(of: stated) { Data($0) })
        return try folder.write(bytes, to: "untrue-\(seconds).mkv")
    }

    @Test(arguments: [1, 4, 5.5, 3600])
    func timesFromTheEndCountFromTheLastFrame(stated: Double) async throws {
        let folder = try TemporaryFolder()
        let path = try await untrue(stated, in: folder)
        func times(_ arguments: String...) async throws -> [Double] {
            let outcome = try await Framegrep.run(
                ["find", "--engine", "tesseract", "GATE", path, "--format", "jsonl"] + arguments)
            let found = try #require(outcome.objects.first, "\(outcome)")
            return ["start", "end"].compactMap { found[$0] as? Double }
        }
        #expect(try await times("--from", "-1s") == [3, 4])
        #expect(try await times("--from", "75%") == [3, 4])
        #expect(try await times("--to", "-1s") == [2, 3])
        #expect(try await times("--from", "50%", "--to", "-1s") == [2, 3])
        // There is nothing there, and that is reported.
        let behind = try await find("GATE", path, "--from", "5s")
        #expect(
            behind.status == 1 && behind.stderr.contains("--from") || behind.stderr.contains("no frame"), "\(behind)")
        let copy = folder.file("copy.mkv")
        let redacted = try await Framegrep.run(
            ["redact", "--engine", "tesseract", "GATE", path, "--from", "-2s", "-o", copy])
        #expect(redacted.status == 0, "\(redacted)")
        #expect(try await find("GATE", copy).status == 1)
        let empty = try await Framegrep.run(
            ["redact", "--engine", "tesseract", "GATE", path, "--from", "5s", "-o", folder.file("none.mkv")])
        #expect(empty.status == 2 && !FileManager.default.fileExists(atPath: folder.file("none.mkv")), "\(empty)")
    }

    @Test func aTransportStreamBeginsWithItsFirstPicture() async throws {
        let clip = try await ClipCache.shared.path(
            "late.ts", Self.clip("GATE", "x264enc bframes=0 key-int-max=5 ! h264parse ! mpegtsmux"))
        // The times of its stream begin with a clock reference sent an eighth of a second before the picture.
        let whole = try await find("GATE", clip, "--format", "jsonl")
        #expect(whole.objects.first?["start"] as? Double == 1, "\(whole)")
        #expect(whole.objects.first?["end"] as? Double == 3)
        let part = try await find("GATE", clip, "--format", "jsonl", "--from", "1.4", "--to", "2")
        #expect(part.objects.first?["start"] as? Double == 1.4 && part.objects.first?["end"] as? Double == 2, "\(part)")
        // The second pass finds the same frames by their times.
        let folder = try TemporaryFolder()
        let saved = try await find(
            "GATE", clip, "--save-frames", folder.file("seen"), "--save-video", folder.file("copy.mkv"))
        #expect(saved.status == 0 && saved.stderr == "", "\(saved)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("seen")).count == 1)
    }

    /// Serves a recording over the network whose last third never arrives.
    private func stalling() async throws -> (server: PageServer, address: String) {
        let path = try await ClipCache.shared.path(
            "chain-0-chain.webm", Self.clip("GATE", "vp8enc deadline=1 ! webmmux"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let server = try PageServer()
        server.put(.stalling(bytes.prefix(bytes.count * 2 / 3), type: "video/webm"), at: "/clip.webm")
        return (server, server.address("/clip.webm"))
    }

    @Test func aSourceThatStallsEndsWithASentenceAndWhatWasFound() async throws {
        let (server, address) = try await stalling()
        defer { withExtendedLifetime(server) {} }
        let outcome = try await find("GATE", address, "--patience", "2s")
        #expect(outcome.status == 2 && outcome.lines.count == 1, "\(outcome)")
        #expect(outcome.stdout.contains(":00:00:01.000-"))
        #expect(outcome.stderr.contains("broke off") && outcome.stderr.contains("2 seconds"))
    }

    @Test func theCopyOfWhatWasSearchedEndsWhereTheSourceStalls() async throws {
        let (server, address) = try await stalling()
        defer { withExtendedLifetime(server) {} }
        let folder = try TemporaryFolder()
        let copy = folder.file("copy.mkv")
        let outcome = try await Framegrep.run(
            ["find", "--engine", "tesseract", "GATE", address, "--patience", "2s", "--save-video", copy], timeout: 60)
        #expect(outcome.status == 2 && !outcome.timedOut && outcome.lines.count == 1, "\(outcome)")
        let info = try await MediaProbe.examine(uri: "file://\(copy)")
        #expect(info.duration ?? .zero > StreamTime(seconds: 1), "\(info)")
    }

    @Test func theFirstEvidenceInASourceThatStallsIsEnough() async throws {
        let (server, address) = try await stalling()
        defer { withExtendedLifetime(server) {} }
        for options in [["-q"], ["-l"], ["-m", "1"]] {
            let outcome = try await Framegrep.run(
                ["find", "--engine", "tesseract", "--patience", "1h", "GATE", address] + options, timeout: 60)
            #expect(outcome.status == 0 && !outcome.timedOut && outcome.stderr == "", "\(outcome)")
        }
    }

    @Test func interruptedItTellsWhatWasReadUntilThen() async throws {
        let (server, address) = try await stalling()
        defer { withExtendedLifetime(server) {} }
        let job = try Running(
            Framegrep.path, ["find", "--engine", "tesseract", "GATE", address, "-v"],
            environment: ["GST_DEBUG": "framegrep:5"])
        #expect(await job.wait { job.stderr.contains("read frame 25") }, "\(job.stderr)")
        job.send(SIGINT)
        let outcome = await job.end()
        #expect(outcome.status == 130 && outcome.lines.count == 1, "\(outcome)")
        #expect(outcome.stdout.contains(":00:00:01.000-"))
    }
}
