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
        ("avenc_qtrle", "qtmux"), ("avenc_zmbv", "avimux"), ("avenc_flashsv", "flvmux"), ("avenc_cinepak", "qtmux"),
        ("avenc_rpza", "qtmux"), ("avenc_msvideo1", "avimux"), ("avenc_png", "qtmux"),
    ])
    func everyFrameHasItsTime(encoder: String, muxer: String) async throws {
        guard MediaRuntime.hasElement(encoder), MediaRuntime.hasElement(muxer) else { return }
        let path = folder.file("a.mov")
        let writer = try Pipeline(
            parsing: "videotestsrc num-buffers=20 pattern=solid-color foreground-color=0xff336699 ! "
                + "video/x-raw,width=64,height=48,framerate=10/1 ! videoconvert ! \(encoder) ! \(muxer) ! "
                + "filesink location=\(path)")
        try await writer.playToItsEnd()
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
        #expect(times.count == 20 && zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.1) < 0.02 }, "\(times)")
    }
}
