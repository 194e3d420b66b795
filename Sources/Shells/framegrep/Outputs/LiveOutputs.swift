import Errors
import Foundation
import Spotter
import Synchronization
import TextSpotting

/// Everything that one run of `live` or `run` writes, checked before anything is read.
struct LiveOutputs {
    /// The file of the results; nil for standard output.
    private let resultFile: OutputFile?
    let recording: OutputFile?
    let container: RecordingContainer?
    /// The folder for the pictures of `--save-frames`; nil if none are wanted.
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

    /// Does work that may still fail before anything is written; leaves nothing behind in that case.
    func keeping<Result>(_ work: () throws -> Result) throws -> Result {
        do { return try work() } catch {
            pictures?.removeIfEmpty()
            throw error
        }
    }

    /// Opens the output of the results. Call it once.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    func results() throws -> ResultOutput {
        try resultFile.map { try ResultOutput($0, isFollowed: true) } ?? .standard()
    }

    /// Creates the file of the recording. Call it once.
    ///
    /// - Returns: nil if nothing is recorded.
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    func begin() throws -> Recording? {
        guard let recording, let container else { return nil }
        return Recording(path: try recording.begin(), container: container)
    }
}

/// The file of `--record`, which is not kept if no frame came, because players refuse an MP4 without a frame.
/// Thread-safe.
final class LiveRecording: EventSink {
    private let file: OutputFile?
    private let hasFrames = Mutex(false)

    /// - Parameter file: nil if nothing is recorded.
    init(_ file: OutputFile?) { self.file = file }

    /// Learns from the job's events whether there is anything to keep.
    func take(_ event: LiveEvent) {
        switch event {
        // Recorded with the first frame that arrives. A job that dies after that leaves its recording.
        case .state(.running, _): hasFrames.withLock { $0 = true }
        // If the job was stopped at that moment, it may have recorded no frame.
        case .end(let end): hasFrames.withLock { $0 = end.shownFrames > 0 }
        default: return
        }
    }

    /// Completes the recording, because the job has ended cleanly.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if it cannot be moved into place.
    func complete() throws {
        guard let file else { return }
        guard hasFrames.withLock({ $0 }) else { return discard(file) }
        try file.commit()
    }

    /// Called when the job has failed. If the recording itself is fine, it is completed up to there; otherwise its
    /// beginning stays, because it cannot be recorded again.
    ///
    /// - Returns: the error to report.
    func failed(_ error: any Error) async -> any Error {
        guard let file, file.written != nil else { return error }
        guard hasFrames.withLock({ $0 }) else {
            // The error says enough.
            file.discard()
            return error
        }
        if let failure = error as? FramegrepError, failure.code == .outputFailed {
            return await file.failed(failure, canBeRepeated: false)
        }
        do { try file.commit() } catch { StandardError.line("framegrep: \(error.message)", as: .error) }
        return error
    }

    private func discard(_ file: OutputFile) {
        guard file.discard() else { return }
        let fate = file.isReplacing ? "is as it was before" : "was removed"
        StandardError.line("framegrep: nothing was recorded, because no frame came; \(file.name) \(fate).")
    }
}
