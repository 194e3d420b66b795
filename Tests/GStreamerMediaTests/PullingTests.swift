import Errors
import GStreamerMedia
import Synchronization
import Testing
import TextSpotting

@Suite struct PullingTests {
    @Test func everyFrameComesWithItsTimes() async throws {
        let times = try await collect(
            "videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48,framerate=10/1 ! appsink name=frames"
        ) { [$0.streamTime?.seconds, $0.runningTime?.seconds, $0.duration?.seconds] }
        #expect(times == [[0, 0, 0.1], [0.1, 0.1, 0.1], [0.2, 0.2, 0.1], [0.3, 0.3, 0.1], [0.4, 0.4, 0.1]])
    }

    @Test func infoTellsTheFormat() async throws {
        let infos = try await collect(
            "videotestsrc num-buffers=1 ! video/x-raw,format=UYVY,width=66,height=50,framerate=30000/1001,"
                + "pixel-aspect-ratio=4/3,interlace-mode=interleaved,colorimetry=bt709 ! appsink name=frames"
        ) { $0.info }
        let info = try #require(infos.first ?? nil)
        #expect(info.width == 66 && info.height == 50 && info.format == "UYVY")
        #expect(info.frameRate == Ratio(30000, 1001) && info.pixelAspectRatio == Ratio(4, 3))
        #expect(info.isInterlaced && info.colorimetry == "bt709")
    }

    @Test func paddedRowsHaveTheirStride() async throws {
        let sizes = try await collect(
            "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=322,height=7 ! appsink name=frames"
        ) { sample in try sample.withPlane(0) { bytes, stride in [bytes.byteCount, stride] } }
        #expect(sizes == [[324 * 7, 324]])
    }

    @Test func missingPlaneIsAnError() async {
        let error = await framegrepError {
            try await pullAll("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8 ! appsink name=frames") { sample in
                try sample.withPlane(1) { _, _ in }
            }
        }
        #expect(error?.code == .pipelineFailed)
    }

    @Test func stopEndsAWaitingPull() async throws {
        let pipeline = try Pipeline(parsing: "appsrc name=never ! appsink name=frames")
        let frames = try pipeline.appSink(named: "frames")
        try frames.configure(maxBuffers: 1, drop: false, sync: false)
        pipeline.appSource(named: "never")?.configure(maxBuffers: 1, block: true, isLive: true)
        #expect(try await pipeline.prepare() == .live)
        try await pipeline.play()
        async let ended = onThread {
            switch frames.pull(timeout: .seconds(60)) {
            case .endOfStream: true
            default: false
            }
        }
        await pipeline.stop()
        #expect(await ended)
    }

    /// The sink does not wait for that, though: if it held its lock until then, a thread that is late could not set it
    /// to play.
    @Test(.timeLimit(.minutes(1))) func soundIsPulledWholeAfterItsEnd() async throws {
        let pipeline = try Pipeline(
            parsing: "audiotestsrc num-buffers=3 ! audio/x-raw,format=F32LE,layout=interleaved ! appsink name=sound")
        let sound = try pipeline.appSink(named: "sound")
        sound.configureForSound(maxBuffers: 50, sync: false)
        _ = try await pipeline.prepare()
        try await Task.sleep(for: .milliseconds(300))
        try await pipeline.play()
        let pieces = await onThread {
            var pieces = 0
            while case .piece = sound.pullSound(timeout: .seconds(30)) { pieces += 1 }
            return pieces
        }
        await pipeline.stop()
        #expect(pieces == 3)
    }

    @Test func timeoutIsNotTheEnd() async throws {
        let pipeline = try Pipeline(parsing: "appsrc name=never is-live=true format=time ! appsink name=frames")
        let frames = try pipeline.appSink(named: "frames")
        _ = try await pipeline.prepare()
        try await pipeline.play()
        let timedOut = await onThread {
            switch frames.pull(timeout: .milliseconds(20)) {
            case .timedOut: true
            default: false
            }
        }
        #expect(timedOut)
        await pipeline.stop()
    }

    @Test func droppedFramesCanBeCounted() async throws {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=20 ! video/x-raw,width=16,height=16 ! appsink name=frames")
        let frames = try pipeline.appSink(named: "frames")
        try frames.configure(maxBuffers: 1, drop: true, sync: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        while frames.receivedBuffers < 20 { try await Task.sleep(for: .milliseconds(2)) }
        let pulled = await onThread {
            var count = 0
            while case .sample = frames.pull(timeout: .seconds(30)) { count += 1 }
            return count
        }
        #expect(pulled == 1)
        #expect(frames.receivedBuffers == 20)
        await pipeline.stop()
    }

    @Test func framesAndTheEndAreTold() async throws {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=3 ! video/x-raw,width=16,height=16 ! appsink name=frames")
        let frames = try pipeline.appSink(named: "frames")
        try frames.configure(maxBuffers: 5, drop: false, sync: false)
        let told = Mutex(0)
        pipeline.whenFramesArrive { told.withLock { $0 += 1 } }
        _ = try await pipeline.prepare()
        #expect(told.withLock { $0 } == 0, "frames come only while it plays")
        try await pipeline.play()
        while told.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(2)) }
        for _ in 0..<3 {
            guard case .sample = frames.pull(timeout: .zero) else {
                Issue.record("a frame that was told of is not there")
                break
            }
        }
        while told.withLock({ $0 }) < 4 { try await Task.sleep(for: .milliseconds(2)) }
        guard case .endOfStream = frames.pull(timeout: .zero) else {
            Issue.record("the end that was told of is not there")
            return
        }
        await pipeline.stop()
    }
}
