import Displays
import Errors
import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextSpotting

@Suite struct PreparingTests {
    private func liveness(_ description: String) async throws -> Liveness {
        let pipeline = try Pipeline(parsing: description)
        let liveness = try await pipeline.prepare()
        await pipeline.stop()
        return liveness
    }

    @Test func sourceDecidesWhetherItIsLive() async throws {
        #expect(try await liveness("videotestsrc is-live=true ! appsink name=frames") == .live)
        #expect(try await liveness("videotestsrc ! appsink name=frames") == .recorded)
        #expect(try await liveness("videotestsrc is-live=true ! tee ! queue ! appsink name=frames") == .live)
        #expect(try await liveness("videotestsrc num-buffers=0 ! appsink name=frames") == .recorded)
    }

    @Test(arguments: [
        "fakesink", "x264enc ! mp4mux ! filesink location=/dev/null", "queue ! videoconvert ! appsink name=shown",
        "tee name=t t. ! queue ! fakesink t. ! queue ! x264enc ! matroskamux ! filesink location=/dev/null",
    ])
    func sinksBehindTheOverlayDoNotHoldItUp(branch: String) async throws {
        #expect(try await liveness("videotestsrc ! appsink name=frames appsrc name=overlay ! \(branch)") == .recorded)
    }

    /// A pipe without a writer blocks any program that opens it, as a driver may.
    @Test(.timeLimit(.minutes(1))) func aSourceThatBlocksHoldsUpNobodyWhoGivesUp() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let pipeline = try Pipeline(
            parsing: "filesrc location=\(pipe) ! decodebin ! videoconvert ! appsink name=frames")
        let preparing = Task { try await pipeline.prepare(timeout: .seconds(3600)) }
        try await Task.sleep(for: .milliseconds(200))
        preparing.cancel()
        await #expect(throws: CancellationError.self) { try await preparing.value }
        await pipeline.stop(within: .seconds(3600))
        // Release the thread that is still blocked.
        close(open(pipe, O_RDWR | O_NONBLOCK))
    }

    @Test func missingDisplayIsAnError() async {
        let error = await framegrepError {
            _ = try await Pipeline(
                parsing:
                    "videotestsrc ! appsink name=frames appsrc name=overlay ! videoconvert ! ximagesink display=:4242"
            ).prepare()
        }
        #expect(error?.code == .noDisplay)
        #expect(error?.message.contains("--headless") == true)
    }

    @Test(.enabled(if: DisplayAvailability.current.isNone)) func automaticWindowNeedsADisplayToo() async {
        let error = await framegrepError {
            _ = try await Pipeline(
                parsing: "videotestsrc ! appsink name=frames appsrc name=overlay ! videoconvert ! autovideosink"
            ).prepare()
        }
        #expect(error?.code == .noDisplay)
    }

    @Test func soundAloneIsNoVideo() async throws {
        let folder = try TemporaryFolder()
        try await recordSound(to: folder.file("sound.wav"))
        let error = await framegrepError {
            _ = try await Pipeline(
                parsing: "filesrc location=\(folder.file("sound.wav")) ! decodebin ! videoconvert ! appsink name=frames"
            ).prepare()
        }
        #expect(error?.code == .sourceNotVideo, "\(String(describing: error))")
    }

    @Test func waitingForAFirstFrameCanBeCancelled() async throws {
        let pipeline = try Pipeline(parsing: "appsrc name=never ! appsink name=frames")
        let preparing = Task { try await pipeline.prepare() }
        try await Task.sleep(for: .milliseconds(50))
        preparing.cancel()
        await #expect(throws: CancellationError.self) { try await preparing.value }
        await pipeline.stop()
        await pipeline.stop()
    }

    @Test func waitingForAFirstFrameEnds() async throws {
        let pipeline = try Pipeline(parsing: "appsrc name=never ! appsink name=frames")
        let error = await framegrepError { _ = try await pipeline.prepare(timeout: .milliseconds(50)) }
        #expect(error?.code == .sourceUnavailable)
        await pipeline.stop()
    }

    @Test func durationAndPositionAreKnown() async throws {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=50 ! video/x-raw,framerate=10/1 ! appsink name=frames")
        _ = try await pipeline.prepare()
        #expect(pipeline.position == .zero)
        #expect(await pipeline.seek(to: StreamTime(seconds: 2), accurate: true))
        #expect(pipeline.position == StreamTime(seconds: 2))
        #expect(pipeline.duration == StreamTime(seconds: 5))
        await pipeline.stop()
    }

    @Test func windowStatisticsCountFrames() async throws {
        let pipeline = try Pipeline(
            parsing:
                "videotestsrc num-buffers=12 ! tee name=t t. ! queue ! fakesink sync=false t. ! queue ! appsink name=frames"
        )
        let frames = try pipeline.appSink(named: "frames")
        try frames.configure(maxBuffers: 20, drop: false, sync: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        await onThread { while case .sample = frames.pull(timeout: .seconds(30)) {} }
        for await message in pipeline.bus.messages where message == .endOfStream { break }
        #expect(pipeline.sinkStatistics() == (rendered: 12, dropped: 0))
        await pipeline.stop()
    }
}
