import Errors
import GStreamerMedia
import Testing
import TextSpotting

@Suite struct BusTests {
    /// Returns the first message for which `wanted` returns a value, from a pipeline that runs by itself.
    private func first<Value>(_ description: String, _ wanted: (BusMessage) -> Value?) async throws -> Value? {
        let pipeline = try Pipeline(parsing: description)
        _ = try? await pipeline.prepare()
        try? await pipeline.play()
        var found: Value?
        for await message in pipeline.bus.messages {
            found = wanted(message)
            if found != nil { break }
        }
        await pipeline.stop()
        return found
    }

    @Test(.timeLimit(.minutes(1))) func chatterNeverPushesOutTheEnd() async throws {
        let pipeline = try Pipeline(
            parsing:
                "audiotestsrc samplesperbuffer=64 num-buffers=10000 ! audio/x-raw,rate=64000 ! level interval=1000000 ! "
                + "fakesink")
        _ = try await pipeline.prepare()
        try await pipeline.play()
        // There is no reader until most of the ten thousand messages were dropped.
        while pipeline.bus.lostMessages < 9500 { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(100))
        var chatter = 0
        for await message in pipeline.bus.messages {
            if case .element(let name, let structure) = message, name.hasPrefix("level"), structure.hasPrefix("level") {
                chatter += 1
            }
            if message == .endOfStream { break }
        }
        #expect(chatter > 0 && chatter <= 500)
        await pipeline.stop()
    }

    @Test func missingFileIsAnUnavailableSource() async {
        let error = await framegrepError {
            _ = try await Pipeline(parsing: "filesrc location=/nosuch/file.mp4 ! decodebin ! appsink name=frames")
                .prepare()
        }
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.contains("/nosuch/file.mp4") == true)
        #expect(error?.message.contains("no such file") == true)
    }

    @Test func unwritableFileIsAFailedOutput() async {
        let error = await framegrepError {
            _ = try await Pipeline(
                parsing: "videotestsrc ! appsink name=frames videotestsrc ! filesink location=/nosuch/out.raw"
            )
            .prepare()
        }
        #expect(error?.code == .outputFailed)
        #expect(error?.message.contains("/nosuch/out.raw") == true)
    }

    @Test func fullDiskIsAFailedOutput() async throws {
        let report = try await first("videotestsrc num-buffers=200 ! filesink location=/dev/full") { message in
            if case .error(let report) = message { report } else { nil }
        }
        #expect(report?.error.code == .outputFailed)
        #expect(report?.error.message.contains("disk is full") == true)
        #expect(report?.element.hasPrefix("filesink") == true)
    }

    @Test func formatsThatDoNotMeetAreExplained() async throws {
        let error = await framegrepError {
            _ = try await Pipeline(
                parsing:
                    "videotestsrc ! capsfilter caps=video/x-raw,format=I420 name=a ! identity ! capsfilter name=b ! "
                    + "video/x-raw(memory:Nosuch) ! appsink name=frames"
            ).prepare()
        }
        #expect(error?.code == .pipelineFailed || error?.code == .badPipeline)
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test(.timeLimit(.minutes(1)))
    func stateChangesOfThePipelineAreTold() async throws {
        let pipeline = try Pipeline(parsing: "videotestsrc ! appsink name=frames")
        // The second one may be posted after the first frame: a stop in between would discard it.
        async let told = Task {
            var changes: [BusMessage] = []
            for await message in pipeline.bus.messages {
                // A change that is requested again while it is under way is reported as one from a state to itself.
                if case .stateChanged(let from, let to) = message, from != to { changes.append(message) }
                if changes.count == 2 { break }
            }
            return changes
        }.value
        _ = try await pipeline.prepare()
        let changes = await told
        await pipeline.stop()
        #expect(changes == [.stateChanged(from: .null, to: .ready), .stateChanged(from: .ready, to: .paused)])
    }

    @Test func waitingReaderEndsWithItsTask() async throws {
        let pipeline = try Pipeline(parsing: "videotestsrc ! fakesink")
        let reader = Task {
            for await _ in pipeline.bus.messages {}
            return true
        }
        reader.cancel()
        #expect(await reader.value)
    }
}
