import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextSpotting

/// Writes the video and the pictures that `find` was asked for, once the search is over.
struct AnnotatedOutputs {
    let outputs: FindOutputs
    let journal: SearchJournal?
    let source: OpenedSource
    let patience: Duration
    /// Where all text was seen; nil where nobody looked.
    let text: TextPlaces?
    let isQuiet: Bool

    private var uri: SourceURI { source.uri }
    private var info: MediaInfo { source.info }

    /// - Parameters:
    ///   - end: how far the recording was searched.
    ///   - isPart: the recording goes on after that.
    ///   - isInterrupted: it was not searched as far as was asked for.
    /// - Throws: ``FramegrepError`` (`outputFailed`) when a file cannot be written.
    func write(_ sightings: [Sighting], until end: StreamTime, isPart: Bool, isInterrupted: Bool) async throws {
        let video = isInterrupted ? partly(until: end) : outputs.video
        let pictures =
            sightings.isEmpty ? nil : outputs.pictures.map { SightingPictures(folder: $0.path, source: uri.redacted) }
        guard video != nil || pictures != nil else { return }
        let recording = try video.flatMap { try begin($0) }
        let progress = ProgressLine(name: "writing", isEnabled: !isQuiet)
        defer { progress.clear() }
        do {
            let annotator = RecordingAnnotator(
                source, recording: recording, pictures: pictures, patience: patience, avoiding: text)
            let outcome = try await annotator.write(sightings, until: end, isPart: isPart || isInterrupted) {
                progress.update($0, of: end)
            }
            progress.clear()
            try finish(video, outcome)
        } catch let failure as FramegrepError {
            progress.clear()
            guard let video else { throw failure }
            throw await video.failed(failure, canBeRepeated: true)
        }
    }

    /// The file for the copy of a part; nil where that is not written.
    private func partly(until end: StreamTime) -> OutputFile? {
        guard let video = outputs.video else { return nil }
        guard !video.isReplacing, end > .zero else {
            say(
                "interrupted; \(video.name) is \(video.isReplacing ? "as it was before" : "not written: no frame was searched")."
            )
            return nil
        }
        say("interrupted; \(video.name) is written up to \(ClockTime.text(end)). Ctrl-C once more stops that too.")
        return video
    }

    private func begin(_ file: OutputFile) throws -> Recording? {
        guard let container = outputs.container else { return nil }
        var recording = Recording(path: try file.begin(), container: container)
        journal?.hand(file, by: "--save-video")
        do {
            recording.sound = try info.audioFormat.map { try SoundTrack(of: uri.text, format: $0, into: container) }
        } catch let warning as FramegrepError {
            say(warning.message)
        }
        return recording
    }

    /// Says what is missing, and has the video take its place.
    private func finish(_ video: OutputFile?, _ outcome: RecordingAnnotator.Outcome) throws {
        let reason = outcome.failure.map { "\(uri.redacted) could not be read again to its end: \($0.message)" }
        var lacks: [String] = []
        if let video, let failure = outcome.soundFailure {
            say("\(video.name) is without sound, or without the rest of it: \(failure.message)")
        }
        if let video {
            if outcome.isWhole {
                try video.commit()
            } else if outcome.end > .zero, !video.isReplacing {
                try video.commit()
                lacks.append("\(video.name) plays up to \(ClockTime.text(outcome.end)).")
            } else {
                video.discard()
                lacks.append(
                    "\(video.name) \(video.isReplacing ? "is as it was before" : "was removed, as it has no frame").")
            }
        }
        if outcome.missingPictures > 0 {
            lacks.append("\(outcome.missingPictures) of the pictures of --save-frames were not written.")
        }
        if outcome.failure == nil, lacks.isEmpty { return }
        let text = ([reason ?? (outcome.isWhole ? nil : "interrupted;")].compactMap { $0 } + lacks).joined(
            separator: " ")
        if let failure = outcome.failure { throw FramegrepError(failure.code, text) }
        say(text)
    }

    private func say(_ text: String) { StandardError.line("framegrep: \(text)") }
}
