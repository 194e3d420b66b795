import Errors
import GStreamerMedia
import Synchronization
import Testing
import TextSpotting
import Threads

@testable import Spotter

@Suite(.timeLimit(.minutes(1))) struct SourceFramesTests {
    /// Returns the result of one pull, on a separate thread because it may wait forever.
    private func pull(_ frames: SourceFrames) async throws -> String {
        try await DedicatedThread.run(named: "pull") {
            switch frames.pull(within: nil) {
            case .sample(_, let connection): "frame of \(connection)"
            case .nothing: "nothing"
            case .lost: "lost"
            case .endOfStream(let failure): "end \(failure?.message ?? "")"
            }
        }
    }

    private func opened(_ description: String, _ frames: SourceFrames) async throws -> Pipeline {
        let pipeline = try Pipeline(parsing: "\(description) ! appsink name=frames")
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        _ = try sink.configure(maxBuffers: 3, drop: false, sync: false)
        _ = try await pipeline.prepare()
        frames.connect(sink, of: pipeline, isLive: false)
        try await pipeline.play()
        return pipeline
    }

    @Test func whoeverWaitsIsWokenByFramesAndByTheEnd() async throws {
        let frames = SourceFrames()
        let pipeline = try await opened("videotestsrc num-buffers=2 ! video/x-raw,width=64,height=48", frames)
        // The bell rings for the connection too.
        var heard: [String] = []
        while heard.count < 2 {
            let one = try await pull(frames)
            if one != "nothing" { heard.append(one) }
        }
        #expect(heard == ["frame of 1", "frame of 1"])
        // The code that opened the source decides whether the stream's end is the end of the job.
        let waiting = Task {
            while true {
                let one = try await pull(frames)
                if one != "nothing" { return one }
            }
        }
        frames.end(FramegrepError(.sourceDamaged, "It is cut short."))
        #expect(try await waiting.value == "end It is cut short.")
        await pipeline.stop()
    }

    @Test func aLossIsToldOnceAndThenKnown() async throws {
        let frames = SourceFrames()
        let pipeline = try await opened("videotestsrc ! video/x-raw,width=64,height=48", frames)
        frames.disconnect()
        async let known: Void = frames.awaitLossBeingKnown(atMost: .seconds(60))
        #expect(try await pull(frames) == "lost")
        await known
        frames.bell.ring()
        #expect(try await pull(frames) == "nothing")
        await pipeline.stop()
    }

    @Test func aLossThatNobodyHearsOfIsNotWaitedForWithoutEnd() async throws {
        let frames = SourceFrames()
        let pipeline = try await opened("videotestsrc ! video/x-raw,width=64,height=48", frames)
        frames.disconnect()
        await frames.awaitLossBeingKnown(atMost: .milliseconds(20))
        await pipeline.stop()
    }

    @Test func aSourceIsSilentOnlyWhileItsFramesAreWanted() async throws {
        let frames = SourceFrames()
        #expect(frames.silence == nil)
        let pipeline = try await opened("appsrc is-live=true format=time", frames)
        // The bell has rung for the connection.
        #expect(try await pull(frames) == "nothing")
        let waiting = Task { try await pull(frames) }
        // There was no query in the last second, but a task waits.
        try await Task.sleep(for: .milliseconds(1200))
        let wanted = try #require(frames.silence?.silent)
        #expect(wanted >= .seconds(1))
        frames.bell.ring()
        _ = try await waiting.value
        try await Task.sleep(for: .milliseconds(1200))
        #expect(frames.silence?.silent == .zero)
        await pipeline.stop()
    }

    @Test func aFrameThatIsShownForLongIsNoSilence() async throws {
        let frames = SourceFrames()
        let pipeline = try await opened(
            "videotestsrc num-buffers=2 ! video/x-raw,width=64,height=48,framerate=1/30", frames)
        while try await pull(frames) != "frame of 1" {}
        try await Task.sleep(for: .milliseconds(100))
        let silent = try #require(frames.silence?.silent)
        #expect(silent < .seconds(-20) && silent > .seconds(-30), "\(silent)")
        await pipeline.stop()
    }

    @Test func theWatchReturnsWhenTheSilenceMatters() async throws {
        var policy = LossPolicy.network(.tries(1))
        policy.firstFrameTime = .milliseconds(150)
        let source = SourceState(SourceLife(policy: policy, stallTime: .seconds(60)), LiveReport { _ in })
        let frames = SourceFrames()
        let watch = SilenceWatch(source: source, frames: frames)
        // Nothing is open yet: only news end this.
        let early = Task { await watch.wait() }
        source.changes.ring()
        await early.value
        let pipeline = try await opened("appsrc is-live=true format=time", frames)
        #expect(watch.look() == .none)
        var action = SourceLife.Action.none
        while action == .none {
            await watch.wait()
            action = watch.look()
        }
        guard case .end(let failure?) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(failure.message.hasPrefix("No frame came from the source within 0.2 s."))
        await pipeline.stop()
    }

    @Test func whoeverLooksAtASilenceThatChangesNothingWakesNobody() async throws {
        let source = SourceState(SourceLife(policy: .none, stallTime: .seconds(60)), LiveReport { _ in })
        let frames = SourceFrames()
        let pipeline = try await opened("appsrc is-live=true format=time", frames)
        let told = Mutex(0)
        source.listen { told.withLock { $0 += 1 } }
        source.begin()
        source.frameArrived()
        #expect(told.withLock { $0 } == 1)
        await source.changes.wait()
        let watch = SilenceWatch(source: source, frames: frames)
        for _ in 0..<3 { #expect(watch.look() == .none) }
        source.frameArrived()
        #expect(told.withLock { $0 } == 1)
        let begun = ContinuousClock.now
        await source.changes.wait(atMost: .milliseconds(30))
        #expect(.now - begun >= .milliseconds(30))
        // An action of the user is a change, whatever state is reported.
        #expect(source.toggleFreeze() && source.patience == nil && told.withLock { $0 } == 2)
        await source.changes.wait()
        await pipeline.stop()
    }
}
