import Foundation
import TestSupport
import Testing
import TextSpotting

@testable import GStreamerMedia

/// Recordings in which nothing changes for a while, in the formats of screen recordings: every frame has its own time.
@Suite(.timeLimit(.minutes(2))) struct RepeatedPicturesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try MediaRuntime.initialize(arguments: [])
    }

    @Test(arguments: [
        ("qtrle", "mov"), ("zmbv", "avi"), ("flashsv", "flv"), ("cinepak", "mov"), ("rpza", "mov"), ("msvideo1", "avi"),
        ("png", "mov"),
    ])
    func everyFrameHasItsTime(encoder: String, ending: String) async throws {
        let path = folder.file("a." + ending)
        let isWritten = await onThread {
            let writer = Process()
            writer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            writer.arguments =
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=0x336699:size=64x48:rate=10", "-frames:v", "20"]
                + ["-c:v", encoder, path]
            writer.standardInput = FileHandle.nullDevice
            guard (try? writer.run()) != nil else { return false }
            writer.waitUntilExit()
            return writer.terminationStatus == 0
        }
        // Not every FFmpeg has every encoder.
        guard isWritten else { return }
        let reader = try Pipeline(parsing: "uridecodebin uri=file://\(path) ! videoconvert ! appsink name=frames")
        let sink = try reader.appSink(named: "frames")
        try sink.configure(maxBuffers: 4, drop: false, sync: false)
        _ = try await reader.prepare()
        try await reader.play()
        let times = await onThread {
            var times: [Double] = []
            while times.count < 100, case .sample(let sample) = sink.pull(timeout: .seconds(10)) {
                times.append(sample.streamTime?.seconds ?? -1)
            }
            return times
        }
        await reader.stop()
        // GStreamer 1.28 leaves out the pictures of QuickTime RLE in which nothing at all has changed.
        #expect(times.count == 20 || encoder == "qtrle" && times.count > 1, "\(times)")
        for (time, next) in zip(times, times.dropFirst()) {
            let frames = (next - time) * 10
            #expect(
                abs(frames - frames.rounded()) < 0.2 && (times.count == 20 ? frames < 1.2 : frames > 0.8), "\(times)")
        }
    }
}
