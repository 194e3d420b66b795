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
    /// Where all text was seen; nil if that was not recorded.
    let text: TextRegions?
    let isQuiet: Bool
    /// The part of the recording around each sighting that is written; nil for all of it.
    var context: SightingContext? = nil

    private var uri: SourceURI { source.uri }
    private var info: MediaInfo { source.info }

    /// - Parameters:
    ///   - end: the time up to which the recording was searched.
    ///   - isPart: whether the recording continues after it.
    ///   - isInterrupted: whether it was searched less far than requested.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if a file cannot be written.
    func write(_ sightings: [Sighting], until end: StreamTime, isPart: Bool, isInterrupted: Bool) async throws {
        var video = isInterrupted ? partly(until: end) : outputs.video
        if let name = video?.name, context != nil, sightings.isEmpty {
            say("\(name) is not written, because nothing was found.")
            video = nil
        }
        let pictures =
            sightings.isEmpty ? nil : outputs.pictures.map { SightingPictures(folder: $0.path, source: uri.redacted) }
        try await writeClips(of: sightings, until: end)
        guard video != nil || pictures != nil else { return }
        let recording = try video.flatMap { try begin($0) }
        let progress = ProgressLine(name: "writing", isEnabled: !isQuiet)
        defer { progress.clear() }
        do {
            let annotator = RecordingAnnotator(
                source, recording: recording, pictures: pictures, patience: patience, avoiding: text,
                stretches: context?.stretches(of: sightings, until: end))
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

    /// Writes a clip of each sighting; none replaces an existing file.
    private func writeClips(of sightings: [Sighting], until end: StreamTime) async throws {
        guard let folder = outputs.clips, !sightings.isEmpty else { return }
        guard !source.isStill else { return say("\(uri.redacted) is a still picture, so it has no clip.") }
        let names = SightingPictures(folder: folder.path, source: uri.redacted)
        let progress = ProgressLine(name: "writing clips", isEnabled: !isQuiet)
        defer { progress.clear() }
        for (index, sighting) in sightings.enumerated() {
            guard !Task.isCancelled else {
                progress.clear()
                return say("interrupted; \(sightings.count - index) of the clips of --save-clips were not written.")
            }
            guard let stretch = (context ?? SightingContext()).stretches(of: [sighting], until: end).first else {
                continue
            }
            try await writeClip(of: stretch, sightings, to: try newClip(names.name(of: sighting), in: folder))
            progress.update(sighting.end, of: end)
        }
    }

    private func writeClip(of stretch: Range<StreamTime>, _ sightings: [Sighting], to file: OutputFile) async throws {
        let recording = Recording(path: try file.begin(), container: .mp4)
        let annotator = RecordingAnnotator(
            source, recording: recording, pictures: nil, patience: patience, avoiding: text, stretches: [stretch])
        do {
            let outcome = try await annotator.write(
                sightings, from: stretch.lowerBound, until: stretch.upperBound, isPart: true
            ) { _ in }
            guard outcome.isWhole else {
                file.discard()
                throw outcome.failure
                    ?? FramegrepError(.outputFailed, "\(file.name) was not finished, and was removed.")
            }
            try file.commit()
        } catch let failure as FramegrepError {
            file.discard()
            throw FramegrepError(failure.code, file.naming(failure.message))
        }
    }

    /// Returns a file with a free name.
    private func newClip(_ stem: String, in folder: PictureFolder) throws -> OutputFile {
        let prefix = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        for number in 1...999 {
            let file = try OutputFile("\(prefix)\(stem)\(number == 1 ? "" : "-\(number)").mp4")
            if case .nothing = file.before { return file }
        }
        throw FramegrepError(
            .outputFailed, "The clip \(prefix)\(stem).mp4 cannot be written: a thousand files of that name exist.")
    }

    /// Returns the file for the copy of a part; nil if that is not written.
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
        if context != nil {
            if info.audioFormat != nil { say("\(file.name) has no sound, because it is made of parts.") }
            return recording
        }
        do {
            recording.sound = try info.audioFormat.map { try SoundTrack(of: uri.text, format: $0, into: container) }
        } catch let warning as FramegrepError {
            say(warning.message)
        }
        return recording
    }

    /// Reports missing parts, and moves the video to its destination.
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
