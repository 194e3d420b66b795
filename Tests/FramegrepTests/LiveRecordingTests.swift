import Foundation
import GStreamerMedia
import Spotter
import TestSupport
import Testing
import TextSpotting
import Threads

@testable import framegrep

/// Recordings that end badly.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LiveRecordingTests {
    private let engine = ["--engine", "tesseract"]

    /// Returns the number of frames of a file that can be decoded.
    private func frames(of path: String) async throws -> Int {
        let pipeline = try Pipeline(parsing: "filesrc name=file ! decodebin ! videoconvert ! appsink name=frames")
        try pipeline.setProperty("location", to: path, onElementNamed: "file")
        let sink = try pipeline.appSink(named: "frames")
        _ = try sink.configure(maxBuffers: 4, drop: false, sync: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        let count = try await DedicatedThread.run(named: "count") {
            var count = 0
            while case .sample = sink.pull(timeout: .seconds(5)) { count += 1 }
            return count
        }
        await pipeline.stop()
        return count
    }

    @Test(arguments: ["mp4", "mkv", "webm"]) func aRecordingPlaysAfterTheProgramWasKilled(kind: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("seen.\(kind)")
        let running = try Running(
            Framegrep.path,
            ["live", "GATE", try await standingClip(), "--headless", "--record", path, "--format", "jsonl", "--stats"]
                + engine)
        // Returns the time reached, by the frames that were shown.
        func shown() -> Double {
            running.stdout.split(separator: "\n").compactMap {
                let event = try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
                return event?["type"] as? String == "stats" ? event?["fps_shown"] as? Double : nil
            }.reduce(0, +)
        }
        #expect(await running.wait { shown() >= 75 })
        running.send(SIGKILL)
        let outcome = await running.end(within: 60)
        #expect(outcome.signal == SIGKILL)
        #expect(try await frames(of: path) >= 25)
    }

    /// A GIF names no rate, and its last frame no end.
    @Test(arguments: ["mp4", "mov", "mkv", "webm"]) func theLastFrameIsInTheRecording(kind: String) async throws {
        let (folder, tool) = (try TemporaryFolder(), try #require(Tool("ffmpeg")))
        for (name, frame) in [("1.png", 0), ("2.png", 30), ("3.png", 60)] {
            try KnownClip.cuts.picture(frame).writePNG(to: folder.file(name))
        }
        let made = try await tool.run([
            "-v", "error", "-framerate", "2", "-i", folder.file("%d.png"), folder.file("three.gif"),
        ])
        try #require(made.status == 0, "\(made)")
        let path = folder.file("seen.\(kind)")
        let outcome = try await Framegrep.run(
            ["live", "BUBBLES", folder.file("three.gif"), "--headless", "--record", path] + engine)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try await frames(of: path) == 3)
    }

    @Test(arguments: ["mp4", "mkv"]) func aFullDiskIsASentenceAndWhatWasWrittenPlays(kind: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("seen.\(kind)")
        let shell = try #require(Tool("sh"))
        // The blocks of ulimit have 512 bytes.
        let outcome = try await shell.run(
            [
                "-c", "ulimit -f 60; exec \"$0\" \"$@\"", Framegrep.path, "live", "GATE", try await standingClip(),
                "--headless", "--record", path,
            ]
                + engine)
        #expect(outcome.status == 2 && !outcome.timedOut, "\(outcome)")
        #expect(outcome.stderr.contains("cannot be written"))
        #expect(try await frames(of: path) >= 5)
    }

    @Test func aRecordingWithoutAFrameLeavesNoFile() async throws {
        let folder = try TemporaryFolder()
        let kept = try folder.write("a video of before", to: "kept.mp4")
        let path = folder.file("seen.mp4")
        let server = try SilentServer()
        // No server answers: the source is opened again and again without a frame.
        let running = try Running(
            Framegrep.path,
            ["live", "GATE", "rtsp" + server.address.dropFirst(4), "--headless", "--record", path] + engine)
        #expect(await running.wait { server.hasGuest && FileManager.default.fileExists(atPath: path) })
        running.send(SIGINT)
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 130, "\(outcome)")
        #expect(outcome.stderr.contains("nothing was recorded") && !FileManager.default.fileExists(atPath: path))
        // A file that was not opened stays unchanged.
        let refused = try await Framegrep.run(
            ["live", "GATE", folder.file("nothere.mp4"), "--headless", "--record", kept] + engine)
        #expect(refused.status == 2)
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "a video of before")
    }

    /// A job may be stopped at the moment when its first frame has arrived and nothing was shown yet.
    @Test func aRecordingThatGotNoFrameIsRemovedAlsoWhereOneCame() throws {
        let folder = try TemporaryFolder()
        for count in [0, 3] {
            let path = folder.file("seen\(count).mp4")
            let file = try OutputFile(path)
            _ = try file.begin()
            let recording = LiveRecording(file)
            recording.take(.state(.running, message: ""))
            var end = LiveEnd(reason: .signal, sightings: 0, statistics: LiveStatistics(), time: .zero)
            end.shownFrames = count
            recording.take(.end(end))
            try recording.complete()
            #expect(FileManager.default.fileExists(atPath: path) == (count > 0))
        }
    }

    @Test(arguments: ["mp4", "mkv", "webm"]) func aStreamThatChangesItsFormatIsRecordedInItsFirst(kind: String)
        async throws
    {
        let folder = try TemporaryFolder()
        // The picture becomes larger, with another shape and rate, as in an adaptive stream.
        var stream = Data()
        for (index, format) in ["width=320,height=180,framerate=25/1", "width=640,height=480,framerate=50/1"]
            .enumerated()
        {
            let part = folder.file("part\(index).ts")
            let made = try await Tool("gst-launch-1.0")?.run([
                "-q", "videotestsrc", "num-buffers=25", "timestamp-offset=\(index * 1_000_000_000)", "!",
                "video/x-raw,\(format)", "!", "x264enc",
                "tune=zerolatency", "key-int-max=5", "!", "mpegtsmux", "!", "filesink", "location=\(part)",
            ])
            #expect(made?.status == 0)
            stream += try #require(FileManager.default.contents(atPath: part))
        }
        let source = try folder.write(stream, to: "adaptive.ts")
        let shown = folder.file("seen.\(kind)")
        let outcome = try await Framegrep.run(["live", "zebra", source, "--headless", "--record", shown] + engine)
        #expect(outcome.status == 1, "\(outcome)")
        let seen = try await pictures(of: shown)
        #expect(seen.count >= 48 && seen.allSatisfy { $0.width == 320 && $0.height == 180 }, "\(seen.count)")
        // A narrower picture has black borders at its sides.
        let (first, last) = (try #require(seen.first), try #require(seen.last))
        let atTheSide = (90 * 320 + 3) * 3
        let (before, after) = (first.bytes[atTheSide...].prefix(3), last.bytes[atTheSide...].prefix(3))
        #expect(before.contains { $0 > 60 })
        #expect(after.allSatisfy { $0 < 40 })
    }

    @Test func aRecordingThatEndsWellIsAnOrdinaryFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("seen.mp4")
        let outcome = try await Framegrep.run(
            ["live", "GATE", try await standingClip(), "--headless", "--record", path] + engine)
        #expect(outcome.status == 0)
        #expect(try await frames(of: path) == KnownClip.standing.frameCount)
        let info = try await MediaProbe.examine(uri: "file://\(path)")
        #expect(abs((info.duration ?? .zero).seconds - 6) < 0.2)
    }
}
