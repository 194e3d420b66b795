import Foundation
import GStreamerMedia
import Spotter
import TextSpotting

/// Writes the video and the pictures that `find` was asked for, once the search is over.
struct AnnotatedOutputs {
    let output: FindOutputOptions
    let uri: SourceURI
    let isQuiet: Bool

    func write(_ sightings: [Sighting], until end: StreamTime) async throws {
        let folder = sightings.isEmpty ? nil : output.saveFrames
        guard output.saveVideo != nil || folder != nil else { return }
        if let folder {
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            } catch {
                throw FramegrepError(
                    .outputFailed, "The folder \(folder) cannot be made: \(error.localizedDescription).")
            }
        }
        let progress = ProgressLine(name: "writing", isEnabled: !isQuiet)
        defer { progress.clear() }
        try await RecordingAnnotator(uri: uri.text, videoPath: output.saveVideo, frameFolder: folder)
            .write(sightings, until: end) { progress.update($0, of: end) }
    }
}
