import GStreamerMedia
import Testing
import Threads

@testable import Spotter

extension FrameGeometry {
    /// Returns how a frame with these caps maps to the displayed picture.
    static func ofCaps(_ caps: String, region: String? = nil) async throws -> FrameGeometry {
        let pipeline = try Pipeline(parsing: "videotestsrc num-buffers=1 ! video/x-raw,\(caps) ! appsink name=frames")
        let sink = try pipeline.appSink(named: "frames")
        _ = try sink.configure(maxBuffers: 1, drop: false, sync: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        let info = try await DedicatedThread.run(named: "pull") {
            if case .sample(let sample) = sink.pull(timeout: .seconds(10)) { sample.info } else { VideoInfo?.none }
        }
        await pipeline.stop()
        return try FrameGeometry(try #require(info), region: try region.map(RegionOfInterest.init(parsing:)))
    }
}
