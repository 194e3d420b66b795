import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// Opens a source, monitors it, and opens it again when it was lost.
///
/// ``SourceLife`` decides; this class carries it out. One task runs ``begin()`` and ``keep()``, another ``listen()``.
final class SourceConnection: Sendable {
    /// Messages of the source's own pipeline since the last check.
    private enum News: Sendable {
        case failed(FramegrepError)
        case ended
    }

    /// Callbacks of the object that plays a recording back and forth.
    struct Player: Sendable {
        /// Called when the recording is open.
        let open: @Sendable (Pipeline) -> Void
        /// Called when it has sent its last frame.
        let reachEnd: @Sendable () -> Void
    }

    private struct State {
        var pipeline: Pipeline?
        var news: News?
        /// The action after the first opening, which failed.
        var first: SourceLife.Action?
    }

    private let source: LiveSource
    private let condition: SourceState
    private let frames: SourceFrames
    private let controls: SourceControls
    private let life: JobLife
    private let report: LiveReport
    /// Whether frames arrive by the clock, because nothing after the output sets the pace.
    private let isPaced: Bool
    private let zoom: DigitalZoom
    /// Takes the source's sound; nil if it is not wanted.
    private let sound: LiveSound?
    /// Plays the source, which then does not end; nil if it ends.
    private let player: Player?
    private let silence: SilenceWatch
    private let state = Mutex(State())
    /// The pipelines that were opened, for the task that listens to their messages.
    private let pipelines: AsyncStream<Pipeline>
    private let opened: AsyncStream<Pipeline>.Continuation

    /// A pipeline that does not stop within this time is abandoned, and the job continues without it.
    private static let stopPatience = Duration.seconds(5)
    /// The time that the display, which may be busy, has to learn that the source was lost before other parts do.
    private static let lossPatience = Duration.milliseconds(300)

    /// - Parameters:
    ///   - condition: receives and interprets the events of the source.
    ///   - frames: receives its frames.
    ///   - controls: the settings of the source.
    init(
        source: LiveSource, condition: SourceState, frames: SourceFrames, controls: SourceControls,
        zoom: DigitalZoom, isPaced: Bool, player: Player?, sound: LiveSound? = nil, life: JobLife, report: LiveReport
    ) {
        self.source = source
        self.condition = condition
        self.frames = frames
        self.controls = controls
        self.zoom = zoom
        self.sound = sound
        self.player = player
        self.isPaced = isPaced
        self.life = life
        self.report = report
        silence = SilenceWatch(source: condition, frames: frames)
        // Only one pipeline is open at a time: a listener whose pipeline was closed continues with the newest.
        (pipelines, opened) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Opens the source for the first time.
    ///
    /// - Throws: ``FramegrepError`` if it cannot be opened and must not be retried.
    func begin() async throws {
        do {
            try await open()
            try await set()
        } catch let failure as FramegrepError {
            await close()
            let action = lose(failure, held: .zero)
            guard case .reopen = action else { throw failure }
            // Monitoring begins with this action.
            state.withLock { $0.first = action }
        } catch {
            await close()
            throw error
        }
    }

    /// Monitors the source until the job is over, then closes it.
    func keep() async {
        try? await life.untilStopped { await self.watch() }
        frames.end()
        // The display thread still takes the available frames.
        await life.stopped()
        await close()
        opened.finish()
    }

    /// Listens to the messages of the opened pipelines, one after the other: each until it is closed.
    func listen() async {
        for await pipeline in pipelines {
            for await message in pipeline.bus.messages {
                switch message {
                case .error(let report): hear(.failed(report.error), of: pipeline)
                case .endOfStream: hear(.ended, of: pipeline)
                case .warning(let warning): report.warn(warning.error)
                default: continue
                }
            }
        }
    }

    private func watch() async {
        while !Task.isCancelled, !life.isStopping, !frames.isOver {
            await act(on: await look())
            guard !frames.isOver else { return }
            await silence.wait()
        }
    }

    /// Decides what to do now.
    private func look() async -> SourceLife.Action {
        let (news, first) = state.withLock { state in
            defer { (state.news, state.first) = (nil, nil) }
            return (state.news, state.first)
        }
        if let first { return first }
        let held = frames.silence?.held ?? .zero
        switch news {
        case .failed(let failure):
            await letGo()
            return lose(source.explain(failure), held: held)
        case .ended where player != nil:
            player?.reachEnd()
            return .none
        case .ended:
            let isComplete = hasKnownLength
            if source.policy.endIsLoss, !isComplete { await letGo() }
            return explained(condition.ended(isComplete: isComplete, held: held))
        case nil:
            return explained(silence.look())
        }
    }

    /// Returns an end with the source's own explanation, if it has a better one.
    private func explained(_ action: SourceLife.Action) -> SourceLife.Action {
        if case .end(let failure?) = action { .end(source.explain(failure)) } else { action }
    }

    private func lose(_ failure: FramegrepError, held: Duration) -> SourceLife.Action {
        controls.attach(nil)
        return condition.lost(failure, held: held)
    }

    /// Disconnects the source's frames, and waits until the display knows: no box of the old picture is reported after
    /// the loss.
    private func letGo() async {
        frames.disconnect()
        await frames.awaitLossBeingKnown(atMost: Self.lossPatience)
    }

    private func act(on action: SourceLife.Action) async {
        switch action {
        case .none: return
        case .end(let failure): frames.end(failure)
        case .reopen(let pause): await reopen(after: pause)
        }
    }

    private func reopen(after pause: Duration) async {
        var action = SourceLife.Action.reopen(after: pause)
        while case .reopen(let pause) = action, !life.isStopping {
            await close()
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            // The next pipeline's threads cannot reuse the memory that the closed one has freed.
            MediaRuntime.returnFreeMemory()
            do {
                try await open()
                await setAgain()
                return
            } catch let failure as FramegrepError {
                action = lose(failure, held: .zero)
            } catch {
                return
            }
        }
        if case .end = action { await act(on: action) }
    }

    private func open() async throws {
        let opening = try await source.open()
        controls.attach(opening.controls)
        condition.opening(opening.nature)
        let pipeline = try Pipeline(parsing: opening.description)
        state.withLock { state in
            state.pipeline = pipeline
            state.news = nil
        }
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        _ = try sink.configure(maxBuffers: 3, drop: false, sync: isPaced)
        let soundSink = sound == nil ? nil : try? pipeline.appSink(named: SourceDescription.soundName)
        soundSink?.configureForSound(maxBuffers: 50, sync: isPaced)
        zoom.attach(to: pipeline)
        let isLive = try await pipeline.prepare(timeout: .seconds(15)) == .live
        if isLive { sink.becomeLive() }
        opened.yield(pipeline)
        // A live source has no first frame yet, and its time is that of the job.
        let origin = isLive ? .zero : StreamOrigin.time(of: pipeline, at: sink)
        frames.connect(sink, of: pipeline, isLive: isLive, origin: origin)
        if let soundSink { sound?.connect(soundSink) }
        player?.open(pipeline)
        try await pipeline.play()
    }

    /// Applies the requested settings.
    private func set() async throws {
        try await source.opened()
        guard !source.turns.isEmpty else { return }
        try await DedicatedThread.runUnlessCancelled(named: "framegrep-source") { [source, controls] in
            for (knob, turn) in source.turns { _ = try controls.turn(knob, turn) }
        }
    }

    private func setAgain() async {
        do {
            try await set()
        } catch let warning as FramegrepError {
            report.warn(warning)
        } catch {}
    }

    /// Whether the source states its length: a recording does, a camera does not.
    private var hasKnownLength: Bool {
        state.withLock { $0.pipeline }?.duration.map { $0 > .zero } ?? false
    }

    /// Takes a message; the first counts, because an error is followed by an end.
    private func hear(_ news: News, of pipeline: Pipeline) {
        state.withLock { state in
            guard state.pipeline === pipeline else { return }
            if case .failed = news { state.news = news } else { state.news = state.news ?? news }
        }
        condition.changes.ring()
    }

    private func close() async {
        frames.disconnect()
        sound?.disconnect()
        zoom.attach(to: nil)
        let pipeline = state.withLock { state in
            defer { (state.pipeline, state.news) = (nil, nil) }
            return state.pipeline
        }
        await pipeline?.stop(within: Self.stopPatience)
    }
}

/// Waits until the silence of a source matters.
struct SilenceWatch: Sendable {
    let source: SourceState
    let frames: SourceFrames

    private static let shortest = Duration.milliseconds(10)

    /// Returns when the silence may have become too long, when the source's state has changed, and when the task is
    /// cancelled.
    ///
    /// Frames do not wake it: a frame that arrived meanwhile is noticed when the time is over, so a running source
    /// wakes it once per stall time.
    func wait() async {
        guard let patience = source.patience, let silence = frames.silence else { return await source.changes.wait() }
        await source.changes.wait(atMost: max(Self.shortest, patience - silence.silent))
    }

    /// Returns the action that the current silence requires; none if frames come.
    func look() -> SourceLife.Action {
        guard let silence = frames.silence else { return .none }
        return source.silent(for: silence.silent, held: silence.held)
    }

    /// Keeps the state up to date for a source that cannot be opened again, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await wait()
            _ = look()
        }
    }
}
