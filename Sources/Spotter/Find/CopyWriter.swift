import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// The pipeline that writes the annotated copy, and what became of it. Thread-safe.
///
/// Its bus is listened to from the beginning by a task of its own, which no cancellation ends: a writer that fails is stopped
/// at once, and with it a push that waits for it.
final class CopyWriter: Sendable {
    /// The sound failed before any of it was written.
    struct SoundFailure: Error {
        let error: FramegrepError
    }

    private struct State {
        var failure: FramegrepError?
        var soundFailure: FramegrepError?
        var hasAllFrames = false
        var isComplete = false
        var isInterrupted = false
        var frames = 0
    }

    /// Where frames go.
    let source: AppSource
    private let pipeline: Pipeline
    private let sound: StreamCut?
    private let state = Mutex(State())

    /// How long a file that is being completed after an interruption may take.
    private static let patience = Duration.seconds(10)

    /// - Throws: ``FramegrepError`` (`missingPlugin`) where an encoder is not installed.
    init(_ recording: Recording) throws {
        pipeline = try Pipeline(parsing: SourceDescription.encoding(to: recording))
        guard let source = pipeline.appSource(named: "overlay") else {
            throw FramegrepError(.badPipeline, "The pipeline of the copy has no appsrc named “overlay”.")
        }
        self.source = source
        if recording.hidesPlaces { pipeline.dropWords(behindElementNamed: SoundTrack.cutName) }
        sound = pipeline.makeCut(behindElementNamed: SoundTrack.cutName)
    }

    /// Opens the file.
    ///
    /// - Parameter patience: how long nothing may get into the file while there is nothing to do.
    /// - Returns: waits for the end of the writing, however that comes.
    /// - Throws: ``SoundFailure`` where it is only the sound that cannot be opened.
    func begin(patience: Duration) async throws -> Task<Void, Never> {
        source.configure(maxBuffers: 4, block: true, isLive: false)
        RecordedPicture.settle(in: pipeline)
        do {
            _ = try await pipeline.prepare()
            try await pipeline.play()
        } catch let error as FramegrepError {
            guard sound != nil, pipeline.bus.firstError.map(Self.isOfSound) ?? true else { throw error }
            throw SoundFailure(error: error)
        }
        return Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.watchForStall(patience) }
                await self.watch()
                group.cancelAll()
            }
        }
    }

    /// Has the sound end at a time of the file, if not before.
    func cutSound(at time: StreamTime) { sound?.cut(at: time) }

    /// A frame got in.
    func progressed() { state.withLock { $0.frames += 1 } }

    /// Why the file cannot be written any more; nil while it can.
    var failure: FramegrepError? { state.withLock { $0.failure } }

    /// Why there is no sound, or none from somewhere on; nil where nothing happened to it.
    var soundFailure: FramegrepError? { state.withLock { $0.soundFailure } }

    /// Set where nothing of the sound got into the file before it failed.
    var missingSound: SoundFailure? {
        guard let sound, !sound.hasPassed else { return nil }
        return soundFailure.map(SoundFailure.init)
    }

    /// The file has its end.
    var isComplete: Bool { state.withLock { $0.isComplete } }

    /// Ends the file after what was pushed.
    ///
    /// - Parameter time: where the sound ends too; nil for its own end.
    func end(soundAt time: StreamTime?) {
        if let time { cutSound(at: time) }
        let isInterrupted = state.withLock { state in
            state.hasAllFrames = true
            return state.isInterrupted
        }
        if isInterrupted { cutSound(at: .zero) }
        source.endOfStream()
    }

    /// From now on only the file's end is waited for, and not for ever.
    func interrupt() {
        let hasAllFrames = state.withLock { state in
            state.isInterrupted = true
            return state.hasAllFrames
        }
        // The rest of a sound that is longer than the picture.
        if hasAllFrames { cutSound(at: .zero) }
        Task { [weak self] in
            try? await Task.sleep(for: Self.patience)
            await self?.giveUp()
        }
    }

    private func giveUp() async {
        let isLate = state.withLock { state in
            guard !state.isComplete, state.failure == nil else { return false }
            let text = "The video could not be completed within \(Self.patience.components.seconds) seconds."
            state.failure = FramegrepError(.outputFailed, text)
            return true
        }
        if isLate { await stop() }
    }

    func stop() async { await pipeline.stop() }

    /// Gives up a file that nothing gets into any more: its sound may come from a source that has stalled, and pictures wait for
    /// their sound. A source that brings no pictures either is found out first, by who waits for those.
    private func watchForStall(_ patience: Duration) async {
        var watch = StallWatch(patience: patience + .seconds(5))
        var seen = 0
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let frames = state.withLock { $0.frames }
            if frames != seen { watch.reset() }
            seen = frames
            guard watch.look(at: .now, work: ProcessWork.current) else { continue }
            state.withLock { $0.failure = $0.failure ?? watch.stall }
            return await stop()
        }
    }

    private func watch() async {
        for await message in pipeline.bus.messages {
            switch message {
            case .endOfStream:
                return state.withLock { $0.isComplete = true }
            case .error(let report) where Self.isOfSound(report):
                state.withLock { $0.soundFailure = $0.soundFailure ?? report.error }
                sound?.end()
            case .error(let report):
                state.withLock { $0.failure = $0.failure ?? report.error }
                // A frame may be stuck on its way into what failed.
                return await pipeline.stop()
            default: continue
            }
        }
    }

    private static func isOfSound(_ report: MediaReport) -> Bool { report.bins.contains(SoundTrack.sourceName) }
}
