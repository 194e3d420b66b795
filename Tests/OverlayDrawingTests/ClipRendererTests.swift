import ClipRendering
import Errors
import Foundation
import GStreamerMedia
import OverlayDrawing
import Painting
import Synchronization
import Testing
import TextSpotting
import Threads

/// Files decode to the frames that were drawn, at their times.
@Suite struct ClipRendererTests {
    private static func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    private struct Frame: Sendable {
        var time: StreamTime
        var bgra: [UInt8]
    }

    /// Returns every frame of a file, in presentation order.
    private static func decode(_ path: String, width: Int, height: Int) async throws -> [Frame] {
        let pipeline = try Pipeline(
            parsing: "filesrc name=file ! decodebin ! videoconvert ! video/x-raw,format=BGRx ! appsink name=frames")
        try pipeline.setProperty("location", to: path, onElementNamed: "file")
        let sink = try pipeline.appSink(named: "frames")
        try sink.configure(maxBuffers: 2, drop: false, sync: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        let frames = Mutex<[Frame]>([])
        try await DedicatedThread.run(named: "decoder") {
            while case .sample(let sample) = sink.pull(timeout: .seconds(10)) {
                let bytes = try sample.withPlane(0) { span, stride in
                    span.withUnsafeBytes { bytes in
                        (0..<height).flatMap { bytes[$0 * stride..<$0 * stride + width * 4] }
                    }
                }
                let frame = Frame(time: sample.streamTime ?? StreamTime(seconds: -1), bgra: bytes)
                frames.withLock { $0.append(frame) }
            }
        }
        await pipeline.stop()
        return frames.withLock { $0 }
    }

    private static let scene = ClipScene(
        width: 320, height: 180, frameRate: 25, seconds: 1.2, background: .flat(OverlayColor(hex: 0x203040)),
        texts: [
            ClipText(
                "MOVING", size: 30, color: .white, motion: ClipMotion(Point(110, 90), velocity: Point(80, 0)),
                frames: 6..<24)
        ])

    @Test(arguments: [("mp4", 0), ("mp4", 2), ("mkv", 0), ("webm", 0), ("avi", 0)])
    func everyContainerHoldsTheFramesThatWereDrawn(fileExtension: String, bFrames: Int) async throws {
        var scene = Self.scene
        scene.bFrames = bFrames
        try await Self.withFolder { folder in
            let path = folder + "/a clip.\(fileExtension)"
            let truth = try await ClipRenderer.render(scene, to: path)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                    == ["a clip.\(fileExtension)", "a clip.truth.json"].sorted())
            let frames = try await Self.decode(path, width: 320, height: 180)
            #expect(frames.count == 30)
            let text = try #require(truth.text("MOVING"))
            for (index, frame) in frames.enumerated() {
                let late = frame.time.nanoseconds - scene.time(ofFrame: index).nanoseconds
                #expect(abs(late) <= 1_000_000, "frame \(index) is \(late) ns late")
                let canvas = try Canvas(bgra: frame.bgra, width: 320, height: 180)
                let seen = canvas.ink(on: OverlayColor(hex: 0x203040), tolerance: 90)
                #expect((seen != nil) == (6..<24).contains(index), "frame \(index)")
                if let seen, let place = text.place(at: frame.time, frameRate: 25) {
                    #expect(place.frame == index)
                    #expect(place.quad.bounds.isWithin(3, of: seen), "frame \(index): \(place.quad.bounds) and \(seen)")
                }
            }
        }
    }

    @Test func thirtyFramesASecondKeepTheirTimes() async throws {
        let scene = ClipScene(width: 64, height: 48, frameRate: 30, seconds: 3)
        try await Self.withFolder { folder in
            try await ClipRenderer.render(scene, to: folder + "/clip.mp4")
            let times = try await Self.decode(folder + "/clip.mp4", width: 64, height: 48).map(\.time.nanoseconds)
            #expect(times.count == 90)
            for (index, time) in times.enumerated() {
                #expect(abs(time - scene.time(ofFrame: index).nanoseconds) < 1_000_000)
            }
        }
    }

    /// Returns the reason a scene could not be rendered; nil if it was.
    private static func failure(rendering scene: ClipScene, to path: String) async -> FramegrepError? {
        do {
            try await ClipRenderer.render(scene, to: path)
            return nil
        } catch {
            return error as? FramegrepError
        }
    }

    @Test func whatCannotBeWrittenIsNamedAndLeavesNothing() async throws {
        let unknown = await Self.failure(rendering: Self.scene, to: "/tmp/clip.gif")
        #expect(unknown?.code == .badArgument && unknown?.message.contains("gif") == true)
        let nowhere = await Self.failure(rendering: Self.scene, to: "/nowhere/at/all/clip.mp4")
        #expect(nowhere?.message.contains("/nowhere/at/all/clip.mp4") == true)
        var tooLarge = Self.scene
        tooLarge.background = .wall(ClipWall(width: 100_000, height: 10, color: .black, shapes: []))
        try await Self.withFolder { [tooLarge] folder in
            let failure = await Self.failure(rendering: tooLarge, to: folder + "/clip.mp4")
            #expect(failure?.code == .outputFailed && failure?.message.contains("100000") == true)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.isEmpty)
        }
    }

    @Test func cancellingStopsTheDrawing() async throws {
        let long = ClipScene(
            width: 640, height: 360, seconds: 36_000,
            texts: [ClipText("LONG", motion: ClipMotion(Point(0, 100), velocity: Point(1, 0)))])
        try await Self.withFolder { folder in
            let rendering = Task { try await ClipRenderer.render(long, to: folder + "/clip.mp4") }
            try await Task.sleep(for: .milliseconds(300))
            rendering.cancel()
            await #expect(throws: CancellationError.self) { try await rendering.value }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.isEmpty)
        }
    }
}
