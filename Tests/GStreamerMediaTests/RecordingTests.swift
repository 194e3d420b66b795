import GStreamerMedia
import TestSupport
import Testing
import TextSpotting

/// Records `count` frames, each brighter than the one before, ten a second.
func record(_ count: Int, to path: String, encoder: String = "x264enc ! mp4mux", width: Int = 64, height: Int = 48)
    async throws
{
    let pipeline = try Pipeline(parsing: "appsrc name=in ! videoconvert ! \(encoder) ! filesink location=\"\(path)\"")
    let input = try #require(pipeline.appSource(named: "in"))
    input.configure(maxBuffers: 2, block: true, isLive: false)
    _ = try await pipeline.prepare()
    try await pipeline.play()
    let isComplete = await onThread {
        for index in 0..<count {
            let bytes = [UInt8](repeating: UInt8(index * 8 % 256), count: width * height * 4)
            let time = StreamTime(nanoseconds: Int64(index) * 100_000_000)
            let result = input.push(
                bgra: bytes, width: width, height: height, at: time, duration: StreamTime(seconds: 0.1))
            guard result == .ok else { return false }
        }
        input.endOfStream()
        return true
    }
    #expect(isComplete)
    var ended = false
    for await message in pipeline.bus.messages {
        if case .error(let report) = message { throw report.error }
        ended = message == .endOfStream
        if ended { break }
    }
    #expect(ended)
    await pipeline.stop()
}

/// Records less than a second of a tone.
func recordSound(to path: String) async throws {
    let pipeline = try Pipeline(parsing: "audiotestsrc num-buffers=30 ! wavenc ! filesink location=\(path)")
    _ = try await pipeline.prepare()
    try await pipeline.play()
    for await message in pipeline.bus.messages where message == .endOfStream { break }
    await pipeline.stop()
}

@Suite struct RecordingTests {
    @Test func endOfStreamCompletesAFile() async throws {
        let folder = try TemporaryFolder()
        try await record(20, to: folder.file("clip.mp4"))
        let info = try await MediaProbe.examine(uri: folder.file("clip.mp4"))
        #expect(info.duration == StreamTime(seconds: 2))
        #expect(info.width == 64 && info.height == 48 && info.frameRate.value == 10)
        #expect(info.hasVideo && !info.hasAudio && !info.isImage && info.isSeekable && !info.isLive)
        #expect(info.videoCodec.contains("H.264") && info.container?.isEmpty == false)
    }

    /// x264's B-frames make mp4mux write an edit list: bare timestamps would begin late.
    @Test(arguments: ["x264enc ! mp4mux", "x264enc bframes=0 ! mp4mux", "x264enc ! matroskamux", "jpegenc ! avimux"])
    func streamTimesBeginAtZero(encoder: String) async throws {
        let folder = try TemporaryFolder()
        try await record(12, to: folder.file("clip"), encoder: encoder)
        let times = try await collect(
            "filesrc location=\(folder.file("clip")) ! decodebin ! appsink name=frames"
        ) { $0.streamTime?.nanoseconds ?? -1 }
        #expect(times.map { ($0 + 5_000_000) / 10_000_000 } == (0..<12).map { $0 * 10 })
    }

    @Test func seekGoesToTheVeryFrame() async throws {
        let folder = try TemporaryFolder()
        try await record(20, to: folder.file("clip.mp4"))
        let pipeline = try Pipeline(
            parsing: "filesrc location=\(folder.file("clip.mp4")) ! decodebin ! appsink name=frames")
        let frames = try pipeline.appSink(named: "frames")
        try frames.configure(maxBuffers: 2, drop: false, sync: false)
        _ = try await pipeline.prepare()
        #expect(await pipeline.seek(to: StreamTime(seconds: 1.3), accurate: true))
        try await pipeline.play()
        let first: [Double?] = await onThread {
            guard case .sample(let sample) = frames.pull(timeout: .seconds(30)) else { return [] }
            return [sample.streamTime?.seconds, sample.runningTime?.seconds]
        }
        #expect(first == [1.3, 0])
        #expect(await pipeline.seek(to: StreamTime(seconds: 100), accurate: true))
        let ended = await onThread { drainToTheEnd(frames) }
        #expect(ended)
        await pipeline.stop()
    }

    @Test func sourcesCanBeEnded() async throws {
        let pipeline = try Pipeline(
            parsing: "videotestsrc is-live=true ! video/x-raw,framerate=50/1 ! appsink name=frames")
        let frames = try pipeline.appSink(named: "frames")
        try frames.configure(maxBuffers: 1, drop: true, sync: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        _ = await onThread { if case .sample = frames.pull(timeout: .seconds(30)) { true } else { false } }
        pipeline.sendEndOfStream()
        let ended = await onThread { drainToTheEnd(frames) }
        #expect(ended)
        await pipeline.stop()
    }
}
