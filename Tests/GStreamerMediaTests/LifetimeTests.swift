import Foundation
import GStreamerMedia
import Testing
import TextSpotting

@Suite struct LifetimeTests {
    /// Resident memory of this process, in bytes.
    private func residentMemory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return Int(text.split(separator: " ")[1]).map { $0 * 4096 } ?? 0
    }

    private func runAndStop() async throws {
        let pipeline = try Pipeline(
            parsing:
                "videotestsrc ! video/x-raw,format=I420,width=1280,height=720 ! tee name=t t. ! queue ! appsink name=frames "
                + "t. ! queue ! fakesink appsrc name=overlay ! fakesink")
        let frames = try pipeline.appSink(named: "frames")
        let overlay = try #require(pipeline.appSource(named: "overlay"))
        try frames.configure(maxBuffers: 2, drop: false, sync: false)
        overlay.configure(maxBuffers: 2, block: true, isLive: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        let converter = PictureConverter()
        let patch = OverlayPatch(x: 5, y: 5, width: 50, height: 50, bgra: .init(repeating: 200, count: 10000))
        async let pulled: Void = onThread {
            while case .sample(let sample) = frames.pull(timeout: .seconds(10)) {
                _ = try? converter.picture(from: sample, format: .rgb, size: (64, 36))
                guard overlay.push(sample.retained(), drawing: [patch]) == .ok else { break }
            }
        }
        while pipeline.position ?? .zero == .zero { await Task.yield() }
        await pipeline.stop()
        await pulled
    }

    /// A leaked frame a cycle would be 1.4 MB: 70 MB in 50 cycles, and a leaked pipeline holds several.
    @Test func startingAndStoppingLeaksNothing() async throws {
        for _ in 0..<10 { try await runAndStop() }
        let before = try residentMemory()
        for _ in 0..<50 { try await runAndStop() }
        let grown = try residentMemory() - before
        #expect(grown < 60_000_000, "grew by \(grown / 1_000_000) MB")
    }

    @Test func droppingAPipelineStopsIt() async throws {
        var pipeline: Pipeline? = try Pipeline(parsing: "videotestsrc ! appsink name=frames")
        let frames = try #require(pipeline).appSink(named: "frames")
        try frames.configure(maxBuffers: 1, drop: true, sync: false)
        _ = try await pipeline?.prepare()
        try await pipeline?.play()
        weak let gone = pipeline
        pipeline = nil
        #expect(gone == nil)
        let ended = await onThread { drainToTheEnd(frames) }
        #expect(ended)
    }

    @Test func sampleOutlivesItsPipeline() async throws {
        let pictures = try await onlySample()
        #expect(pictures == 16 * 16)
    }

    private func onlySample() async throws -> Int {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=1 ! video/x-raw,width=16,height=16 ! appsink name=frames")
        let frames = try pipeline.appSink(named: "frames")
        _ = try await pipeline.prepare()
        try await pipeline.play()
        guard case .sample(let sample) = frames.pull(timeout: .seconds(5)) else { return 0 }
        await pipeline.stop()
        return try PictureConverter().picture(from: sample, format: .luma).bytes.count
    }
}
