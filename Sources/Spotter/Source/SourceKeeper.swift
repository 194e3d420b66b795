import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// Opens a source, watches it, and opens it again when it was lost.
///
/// What to do is ``SourceLife``'s to say; here it is done. One task runs ``keep()``; nothing else uses the keeper then.
final class SourceKeeper: Sendable {
    /// What the source's own pipeline said since it was last looked at.
    private enum News: Sendable {
        case failed(FramegrepError)
        case ended
    }

    private struct State {
        var pipeline: Pipeline?
        var news: News?
        var listener: Task<Void, Never>?
        /// What the first opening, which failed, asks for.
        var first: SourceLife.Action?
    }

    private let source: LiveSource
    private let session: LiveSession
    private let frames: SourceFrames
    /// Frames come by the clock: nothing behind the output sets the pace.
    private let isPaced: Bool
    private let zoom: DigitalZoom
    private let state = Mutex(State())

    /// How often the source is looked at.
    private static let interval = Duration.milliseconds(100)
    /// A pipeline that does not stop within this time is left to itself; the job goes on without it.
    private static let stopPatience = Duration.seconds(5)

    init(source: LiveSource, session: LiveSession, frames: SourceFrames, isPaced: Bool, zoom: DigitalZoom) {
        self.source = source
        self.session = session
        self.frames = frames
        self.isPaced = isPaced
        self.zoom = zoom
    }

    /// Opens the source for the first time.
    ///
    /// - Throws: ``FramegrepError`` when it cannot be opened and is not to be tried again.
    func begin() async throws {
        do {
            try await open()
            try await set()
        } catch let failure as FramegrepError {
            await close()
            let action = session.sourceLost(failure, held: .zero)
            guard case .reopen = action else { throw failure }
            // The watching begins with this.
            state.withLock { $0.first = action }
        } catch {
            await close()
            throw error
        }
    }

    /// Watches the source until the job is over; then closes it.
    func keep() async {
        while !session.isStopping, !Task.isCancelled, !frames.isOver {
            guard (try? await Task.sleep(for: Self.interval)) != nil else { break }
            await act(on: await look())
        }
        frames.end()
        // The display thread still takes what there is.
        while !session.isStopping, (try? await Task.sleep(for: .milliseconds(20))) != nil {}
        await close()
    }

    /// What to do now.
    private func look() async -> SourceLife.Action {
        let (news, first) = state.withLock { state in
            defer { (state.news, state.first) = (nil, nil) }
            return (state.news, state.first)
        }
        if let first { return first }
        let silence = frames.silence
        switch news {
        case .failed(let failure):
            await letGo()
            return session.sourceLost(source.explain(failure), held: silence?.held ?? .zero)
        case .ended:
            let isComplete = hasKnownLength
            if source.policy.endIsLoss, !isComplete { await letGo() }
            return session.sourceEnded(isComplete: isComplete, held: silence?.held ?? .zero)
        case nil:
            guard let silence else { return .none }
            return session.sourceSilent(for: silence.silent, held: silence.held)
        }
    }

    /// Takes the source's frames away, and waits until the display knows: no box of the old picture is reported after the
    /// loss is.
    private func letGo() async {
        frames.disconnect()
        for _ in 0..<30 where !frames.isLossKnown { try? await Task.sleep(for: .milliseconds(10)) }
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
        while case .reopen(let pause) = action, !session.isStopping {
            await close()
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            // What the closed pipeline has freed by now is of no use to the threads of the next one.
            MediaRuntime.returnFreeMemory()
            do {
                try await open()
                await setAgain()
                return
            } catch let failure as FramegrepError {
                action = session.sourceLost(failure, held: .zero)
            } catch {
                return
            }
        }
        if case .end = action { await act(on: action) }
    }

    private func open() async throws {
        let opening = try await source.open()
        session.sourceOpening(opening)
        let pipeline = try Pipeline(parsing: opening.description)
        state.withLock { state in
            state.pipeline = pipeline
            state.news = nil
        }
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        _ = try sink.configure(maxBuffers: 3, drop: false, sync: isPaced)
        zoom.attach(to: pipeline)
        let isLive = try await pipeline.prepare(timeout: .seconds(15)) == .live
        if isLive { sink.becomeLive() }
        listen(to: pipeline)
        frames.connect(sink, isLive: isLive)
        try await pipeline.play()
    }

    /// Sets what was asked for.
    private func set() async throws {
        try await source.opened()
        guard !source.turns.isEmpty else { return }
        try await DedicatedThread.run(named: "framegrep-source") { [source, session] in
            for (knob, turn) in source.turns { _ = try session.camera?.turn(knob, turn) }
        }
    }

    private func setAgain() async {
        do {
            try await set()
        } catch let warning as FramegrepError {
            session.warn(warning)
        } catch {}
    }

    /// Whether the source says how long it is: a recording does, a camera does not.
    private var hasKnownLength: Bool {
        state.withLock { $0.pipeline }?.duration.map { $0 > .zero } ?? false
    }

    private func listen(to pipeline: Pipeline) {
        let listener = Task { [weak self] in
            for await message in pipeline.bus.messages {
                switch message {
                case .error(let report): self?.hear(.failed(report.error), of: pipeline)
                case .endOfStream: self?.hear(.ended, of: pipeline)
                case .warning(let report): self?.session.warn(report.error)
                default: continue
                }
            }
        }
        state.withLock { $0.listener = listener }
    }

    /// The first news count: an error is followed by an end.
    private func hear(_ news: News, of pipeline: Pipeline) {
        state.withLock { state in
            guard state.pipeline === pipeline else { return }
            if case .failed = news { state.news = news } else { state.news = state.news ?? news }
        }
    }

    private func close() async {
        frames.disconnect()
        zoom.attach(to: nil)
        let (pipeline, listener) = state.withLock { state in
            defer { (state.pipeline, state.listener, state.news) = (nil, nil, nil) }
            return (state.pipeline, state.listener)
        }
        guard let pipeline else { return }
        await pipeline.stop(within: Self.stopPatience)
        listener?.cancel()
    }
}
