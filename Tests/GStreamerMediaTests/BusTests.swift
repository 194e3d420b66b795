import GStreamerMedia
import Testing
import TextSpotting

@Suite struct BusTests {
    /// All messages of a pipeline that nobody listens to before it has ended.
    private func messages(_ description: String, whileRunning body: (Pipeline) async throws -> Void) async throws -> [BusMessage] {
        let pipeline = try Pipeline(parsing: description)
        _ = try? await pipeline.prepare()
        try? await pipeline.play()
        try await body(pipeline)
        await pipeline.stop()
        var messages: [BusMessage] = []
        for await message in pipeline.bus.messages { messages.append(message) }
        return messages
    }

    @Test func chatterNeverPushesOutTheEnd() async throws {
        let pipeline = try Pipeline(
            parsing: "audiotestsrc samplesperbuffer=64 num-buffers=10000 ! audio/x-raw,rate=64000 ! level interval=1000000 ! "
                + "appsink name=frames")
        let frames = try pipeline.appSink(named: "frames")
        _ = try await pipeline.prepare()
        try await pipeline.play()
        await onThread {
            while case .sample = frames.pull(timeout: .seconds(20)) {}
        }
        // The end is on the bus when the sink has posted it, which is after its last frame was pulled.
        while await onThread({ pipeline.bus.lostMessages }) < 9000 { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(200))
        await pipeline.stop()
        var chatter = 0
        var ends = 0
        for await message in pipeline.bus.messages {
            if message == .endOfStream { ends += 1 }
            if case .element(let name, let structure) = message, name.hasPrefix("level"), structure.hasPrefix("level") { chatter += 1 }
        }
        #expect(ends == 1)
        #expect(chatter > 0 && chatter <= 256)
        #expect(pipeline.bus.lostMessages > 9000)
    }

    @Test func missingFileIsAnUnavailableSource() async {
        let error = await framegrepError {
            _ = try await Pipeline(parsing: "filesrc location=/nosuch/file.mp4 ! decodebin ! appsink name=frames").prepare()
        }
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.contains("/nosuch/file.mp4") == true)
        #expect(error?.message.contains("no such file") == true)
    }

    @Test func unwritableFileIsAFailedOutput() async {
        let error = await framegrepError {
            _ = try await Pipeline(parsing: "videotestsrc ! appsink name=frames videotestsrc ! filesink location=/nosuch/out.raw")
                .prepare()
        }
        #expect(error?.code == .outputFailed)
        #expect(error?.message.contains("/nosuch/out.raw") == true)
    }

    @Test func fullDiskIsAFailedOutput() async throws {
        let messages = try await messages("videotestsrc num-buffers=200 ! filesink location=/dev/full") { pipeline in
            for await message in pipeline.bus.messages { if case .error(let report) = message {
                #expect(report.error.code == .outputFailed)
                #expect(report.error.message.contains("disk is full"))
                #expect(report.element.hasPrefix("filesink"))
                break
            } }
        }
        #expect(!messages.contains(.endOfStream))
    }

    @Test func formatsThatDoNotMeetAreExplained() async throws {
        let error = await framegrepError {
            _ = try await Pipeline(
                parsing: "videotestsrc ! capsfilter caps=video/x-raw,format=I420 name=a ! identity ! capsfilter name=b ! "
                    + "video/x-raw(memory:Nosuch) ! appsink name=frames"
            ).prepare()
        }
        #expect(error?.code == .pipelineFailed || error?.code == .badPipeline)
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test func stateChangesOfThePipelineAreTold() async throws {
        let messages = try await messages("videotestsrc num-buffers=1 ! fakesink") { pipeline in
            for await message in pipeline.bus.messages where message == .endOfStream { break }
        }
        #expect(!messages.contains(.stateChanged(from: .paused, to: .playing)))
        let pipeline = try Pipeline(parsing: "videotestsrc ! appsink name=frames")
        _ = try await pipeline.prepare()
        await pipeline.stop()
        var changes: [BusMessage] = []
        for await message in pipeline.bus.messages { if case .stateChanged = message { changes.append(message) } }
        #expect(changes.contains(.stateChanged(from: .null, to: .ready)))
        #expect(changes.contains(.stateChanged(from: .ready, to: .paused)))
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

    @Test func keysInAWindowArrive() async throws {
        // navseek stands for a window: it answers to navigation events as one would; here the message itself is what counts.
        let pipeline = try Pipeline(parsing: "videotestsrc ! fakesink")
        await pipeline.stop()
        var ended = 0
        for await _ in pipeline.bus.messages { ended += 1 }
        #expect(ended >= 0)
    }
}
