import Errors
import Foundation
import Spotter
import TextSpotting

/// Everything that one run of `find` writes, checked before anything is read.
struct FindOutputs {
    let results: ResultOutput
    /// The boxes; the same as ``results`` if both go to standard output.
    let boxes: ResultOutput?
    let video: OutputFile?
    let container: RecordingContainer?
    let pictures: PictureFolder?
    let clips: PictureFolder?

    /// Whether something is made in a second pass over each input.
    var needSecondPass: Bool { video != nil || pictures != nil || clips != nil }

    /// - Parameter journal: records the files that are written from now on.
    /// - Throws: ``FramegrepError`` for an output that cannot be written, or is also read.
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
            results.abandonAtOnce()
            [pictures, clips].forEach { $0?.removeIfEmpty() }
            throw error
        }
    }

    /// The first failure of writing lines.
    var failure: (any Error)? { results.failure ?? boxes?.failure }

    /// Returns when all results have been written, and at once when the program must end: the search is no faster than
    /// its results are consumed.
    func caughtUp() async {
        await results.caughtUp()
        await boxes?.caughtUp()
        await StandardError.queue.caughtUp()
    }

    /// Returns when all results have been written; when the program must end, waits only for a while.
    func settled() async {
        async let first: Void = results.settled()
        await boxes?.settled()
        await first
    }

    /// Runs an action once all lines so far are written.
    func then(_ action: @escaping @Sendable () -> Void) {
        guard let boxes, boxes !== results else { return results.then(action) }
        results.then { boxes.then(action) }
    }

    private func removeEmptyFolders() { [pictures, clips].forEach { $0?.removeIfEmpty() } }

    /// Completes the outputs, because nothing more will be written.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if something could not be put into place.
    func finish() async throws {
        removeEmptyFolders()
        // Finish both, whatever happens to the other.
        let outcome = await Result { try await results.finish() }
        try await boxes?.finish()
        try outcome.get()
    }

    /// Cleans up after the run has failed: complete files are put into place, incomplete ones are removed.
    func abandon() async {
        await settled()
        abandonAtOnce()
    }

    /// Does the same for a program that stops at once.
    func abandonAtOnce() {
        results.abandonAtOnce()
        boxes?.abandonAtOnce()
        removeEmptyFolders()
        if let video, video.discard() {
            StandardError.line("framegrep: \(video.name) was not finished and has been removed.")
        }
    }
}

/// A folder of `--save-frames`, `--save-clips` or `redact -r`, created if it is missing and removed again if it stays
/// empty.
final class PictureFolder: Sendable {
    let path: String
    /// The folders that were created for it, the innermost first.
    private let made: [String]

    /// - Parameters:
    ///   - option: the option that named it, for messages.
    ///   - plan: checks the path before anything is created.
    /// - Throws: ``FramegrepError`` (`outputFailed`) if it is not a folder, or cannot be created or written to.
    init(_ path: String, by option: String, _ plan: OutputPlan) throws(FramegrepError) {
        try plan.writes(intoFolder: path, by: option)
        self.path = path
        var missing: [String] = []
        var rest = path
        while !rest.isEmpty, FileStatus(of: rest) == nil {
            missing.append(rest)
            let parent = FileIdentity.split(rest.hasSuffix("/") ? String(rest.dropLast()) : rest).folder
            guard parent != rest else { break }
            rest = parent
        }
        for (index, folder) in missing.enumerated().reversed()
        where FileName.withCName(folder, { mkdir($0, 0o777) }) != 0 && errno != EEXIST {
            let reason = String(cString: strerror(errno))
            for made in missing[(index + 1)...] { _ = FileName.withCName(made) { rmdir($0) } }
            throw FramegrepError(.outputFailed, "The folder \(path) cannot be made: \(reason).")
        }
        made = missing
        guard FileStatus(of: path)?.isFolder == true else { throw Self.isFile(path) }
        guard FileName.withCName(path, { access($0, W_OK | X_OK) }) == 0 else {
            let reason = String(cString: strerror(errno))
            removeIfEmpty()
            throw FramegrepError(.outputFailed, "The folder \(path) cannot be written to: \(reason).")
        }
    }

    /// Checks whether pictures could be written into it, without creating anything.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    static func check(_ path: String) throws(FramegrepError) {
        guard let status = FileStatus(of: path), !status.isFolder else { return }
        throw Self.isFile(path)
    }

    private static func isFile(_ path: String) -> FramegrepError {
        FramegrepError(
            .outputFailed, "\(path) is a file. Pictures are written into a folder: name one.")
    }

    /// Removes the folder again if nothing was found.
    func removeIfEmpty() {
        for folder in made { guard FileName.withCName(folder, { rmdir($0) }) == 0 else { return } }
    }
}
