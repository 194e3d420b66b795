public import Errors
import Foundation
import GStreamerMedia
import TextSpotting
import Threads

/// A container with its codec, known by the file's extension.
public enum ClipEncoding: String, CaseIterable, Sendable {
    /// H.264 in MP4.
    case mp4
    /// H.264 in Matroska.
    case mkv
    /// VP8 in WebM.
    case webm
    /// Motion JPEG in AVI.
    case avi

    /// - Throws: `FramegrepError` (`badArgument`) naming the extensions that are known.
    public init(extension name: String) throws(FramegrepError) {
        guard let known = ClipEncoding(rawValue: name.lowercased()) else {
            let all = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw FramegrepError(.badArgument, "Clips cannot be encoded as '\(name)'. Choose one of \(all).")
        }
        self = known
    }

    /// From raw frames to a file's bytes, in the words of gst-launch.
    ///
    /// Quality is constant and good enough for small text; key frames come every 30 frames, so that seeking is short.
    func elements(for scene: ClipScene) -> String {
        switch self {
        case .mp4: "\(Self.h264(scene)) ! mp4mux"
        case .mkv: "\(Self.h264(scene)) ! matroskamux"
        case .webm:
            "vp8enc deadline=1 cpu-used=8 end-usage=cq cq-level=8 min-quantizer=2 max-quantizer=24 "
                + "target-bitrate=20000000 keyframe-max-dist=30 ! webmmux"
        case .avi: "jpegenc quality=92 ! avimux"
        }
    }

    /// Without x264's rate buffer, which would lower the quality of busy pictures, and by different amounts each time.
    private static func h264(_ scene: ClipScene) -> String {
        // Grain kept in full would take most of the file; 28 keeps what a camera's own encoder would.
        "x264enc pass=qual quantizer=\(scene.quantizer ?? (scene.noise > 0 ? 28 : 20)) vbv-buf-capacity=0 speed-preset=veryfast key-int-max=30 "
            + "bframes=\(max(0, scene.bFrames)) b-adapt=false"
    }
}

/// Renders scenes into video files.
public enum ClipRenderer {
    /// Draws and encodes all of `scene` into the file `path`, and writes its truth beside it.
    ///
    /// The file's extension decides the encoding, see ``ClipEncoding``. The clip appears under its name only when it is
    /// complete. Drawing runs on a thread of its own; cancelling the task stops it.
    /// - Returns: the truth of the clip; also in ``ClipTruth/path(forClip:)``.
    /// - Throws: `FramegrepError`: `badArgument` for an unknown extension, `outputFailed` if the file cannot be
    ///   written, `missingPlugin` where an encoder is not installed; `CancellationError`.
    @discardableResult
    public static func render(_ scene: ClipScene, to path: String) async throws -> ClipTruth {
        let recording = try ClipRecording(scene, path: path + ".part", encoding: encoding(ofFile: path))
        do {
            try await recording.run()
        } catch {
            unlink(recording.path)
            throw error
        }
        return try finish(recording, path: path)
    }

    private static func encoding(ofFile path: String) throws(FramegrepError) -> ClipEncoding {
        try ClipEncoding(extension: (path as NSString).pathExtension)
    }

    private static func finish(_ recording: ClipRecording, path: String) throws(FramegrepError) -> ClipTruth {
        let truth = try ClipTruth(of: recording.scene)
        try truth.write(to: ClipTruth.path(forClip: path))
        guard rename(recording.path, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(recording.path)
            throw FramegrepError(.outputFailed, "Cannot write \(path): \(reason).")
        }
        return truth
    }
}

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
            throw FramegrepError(.badPipeline, "The clip's pipeline has no appsrc named 'in'.")
        }
        input = source
        input.configure(maxBuffers: 2, block: true, isLive: false)
    }

    /// Draws, encodes and writes; the pipeline is stopped when it returns. Call it once.
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
