import Errors
import Foundation
import TextSpotting

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
