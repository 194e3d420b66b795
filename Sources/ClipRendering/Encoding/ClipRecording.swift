import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// One run of a pipeline that encodes a scene's frames into a file.
final class ClipRecording: Sendable {
    let scene: ClipScene
    /// The file that is written; incomplete unless ``run()`` returned without an error.
    let path: String
    private let pipeline: Pipeline
    private let input: AppSource

    /// - Throws: `FramegrepError` (`missingPlugin`) if an encoder is not installed.
    init(_ scene: ClipScene, path: String, encoding: ClipEncoding) throws {
        self.scene = scene
        self.path = path
        pipeline = try Pipeline(
            parsing: "appsrc name=in ! videoconvert ! video/x-raw,format=I420 ! "
                + "\(encoding.elements(for: scene)) ! filesink name=file")
        try pipeline.setProperty("location", to: path, onElementNamed: "file")
        guard let source = pipeline.appSource(named: "in") else {
            throw FramegrepError(.badPipeline, "The clip's pipeline has no appsrc named “in”.")
        }
        input = source
        input.configure(maxBuffers: 2, block: true, isLive: false)
    }

    /// Draws, encodes and writes; the pipeline is stopped when it returns. To be called once.
    func run() async throws {
        do {
            _ = try await pipeline.prepare()
            try await pipeline.play()
        } catch {
            await pipeline.stop()
            throw error
        }
        // Both at once: after an error the pushes wait for ever, until the pipeline is stopped.
        let drawing = Task { [self] in
            try await DedicatedThread.run(named: "clip painter") { [self] in try pushAll() }
        }
        let failure = await end()
        await pipeline.stop()
        try await drawing.value
        if let failure { throw failure }
        try Task.checkCancellation()
    }

    /// Draws every frame and hands it on; stops early where the pipeline takes no more.
    private func pushAll() throws {
        // Also after an error: the pipeline then comes to its end, and its owner looks here for the reason.
        defer { input.endOfStream() }
        let painter = try ClipPainter(scene)
        let duration = StreamTime(nanoseconds: 1_000_000_000 / Int64(scene.frameRate))
        for index in 0..<scene.frameCount {
            let result = input.push(
                bgra: try painter.bgra(ofFrame: index), width: scene.width, height: scene.height,
                at: scene.time(ofFrame: index), duration: duration)
            guard result == .ok else { return }
        }
    }

    /// Waits for the end of the stream, an error (which is returned), or the task's cancellation.
    private func end() async -> FramegrepError? {
        for await message in pipeline.bus.messages {
            switch message {
            case .endOfStream: return nil
            case .error(let report): return report.error
            default: continue
            }
        }
        return nil
    }
}
