import Foundation
import Spotter
import TextSpotting

/// Everything that one run of `live` or `run` writes, checked before anything is read.
struct LiveOutputs {
    /// Nil for standard output.
    private let resultFile: OutputFile?
    let recording: OutputFile?
    let container: RecordingContainer?
    /// For the pictures of `--save-frames`; nil if none are wanted.
    let pictures: PictureFolder?

    /// - Throws: ``FramegrepError`` for an output that cannot be written, or is also read.
    init(
        _ options: LiveOutputOptions, _ window: WindowOptions, _ targets: NoticeTargetOptions, plan: OutputPlan
    ) throws {
        var plan = plan
        if let outbox = targets.outbox { try plan.writes(intoFolder: outbox, by: "--outbox") }
        if let snapshots = window.snapshots ?? (options.headless ? nil : ".") {
            try plan.writes(intoFolder: snapshots, by: "--snapshots")
        }
        resultFile = try options.path.flatMap { try plan.writes($0, by: "-o") }
        container = try options.record.map { try RecordingContainer(ofFileNamed: $0) }
        recording = try options.record.flatMap { try plan.writes($0, by: "--record") }
        pictures = try options.saveFrames.map { try PictureFolder($0, by: "--save-frames", plan) }
    }

    /// Does work that may still fail before anything is written; leaves nothing behind then.
    func keeping<Result>(_ work: () throws -> Result) throws -> Result {
        do { return try work() } catch {
            pictures?.removeIfEmpty()
            throw error
        }
    }

    /// Opens what results go to. To be called once.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    func results() throws -> ResultOutput {
        try resultFile.map { try ResultOutput($0, isFollowed: true) } ?? .standard()
    }

    /// Makes the file of the recording. To be called once.
    ///
    /// - Returns: nil if nothing is recorded.
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    func begin() throws -> Recording? {
        guard let recording, let container else { return nil }
        return Recording(path: try recording.begin(), container: container)
    }
}
