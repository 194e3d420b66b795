import Foundation
import Spotter
import TextSpotting

/// Everything that one run of `find` writes, checked before anything is read.
struct FindOutputs {
    let results: ResultOutput
    /// The same as ``results`` where both go to standard output.
    let boxes: ResultOutput?
    let video: OutputFile?
    let container: RecordingContainer?
    let pictures: PictureFolder?
    let clips: PictureFolder?

    /// Something is made in a second pass over each input.
    var needSecondPass: Bool { video != nil || pictures != nil || clips != nil }

    /// - Throws: ``FramegrepError`` for an output that cannot be written, or is also read.
    ///
    /// - Parameter journal: told of the files that are written from now on.
    init(_ options: FindOutputOptions, plan: OutputPlan, journal: SearchJournal?) throws {
        var plan = plan
        let file = try options.path.flatMap { try plan.writes($0, by: "-o") }
        let boxesFile = try options.boxesPath.flatMap { try plan.writes($0, by: "--boxes") }
        container = try options.saveVideo.map { try RecordingContainer(ofFileNamed: $0) }
        video = try options.saveVideo.flatMap { try plan.writes($0, by: "--save-video") }
        try options.checkIsNoRecording()
        if let container { try RecordingAnnotator.check(container) }
        if options.clips.folder != nil { try RecordingAnnotator.check(.mp4) }
        pictures = try options.saveFrames.map { try PictureFolder($0, by: "--save-frames", plan) }
        do {
            clips = try options.clips.folder.map { try PictureFolder($0, by: "--save-clips", plan) }
        } catch {
            pictures?.removeIfEmpty()
            throw error
        }
        let standard = file == nil || options.boxesPath != nil && boxesFile == nil ? ResultOutput.standard() : nil
        do {
            results = try file.map { try ResultOutput($0, by: "-o", journal) } ?? standard ?? .standard()
        } catch {
            [pictures, clips].forEach { $0?.removeIfEmpty() }
            throw error
        }
        do {
            boxes =
                try boxesFile.map { try ResultOutput($0, by: "--boxes", journal) }
                ?? (options.boxesPath == nil ? nil : standard)
        } catch {
            results.abandon()
            [pictures, clips].forEach { $0?.removeIfEmpty() }
            throw error
        }
    }

    /// The first failure of writing lines.
    var failure: (any Error)? { results.failure ?? boxes?.failure }

    private func removeEmptyFolders() { [pictures, clips].forEach { $0?.removeIfEmpty() } }

    /// Nothing more will be written.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if something is not in its place.
    func finish() throws {
        removeEmptyFolders()
        // Both are to be in their places, whatever happens to the one.
        let outcome = Result { try results.finish() }
        try boxes?.finish()
        try outcome.get()
    }

    /// The run has failed, or must stop at once: complete files take their place, incomplete ones go.
    func abandon() {
        results.abandon()
        boxes?.abandon()
        removeEmptyFolders()
        if let video, video.discard() {
            StandardError.line("framegrep: \(video.name) was not finished and has been removed.")
        }
    }
}
