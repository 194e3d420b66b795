import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// One run of a live job: owns all that runs.
///
/// One task group holds everything: the display's thread, the reader, the window's keys, the source's keeper, the statistics.
/// When the job is to end (``JobLife``) each of them is told, and ``run()`` returns only when all of them have ended.
struct LiveJob: Sendable {
    /// Which part of a job has ended.
    private enum Part: Sendable {
        case display, control, reading, other
    }

    /// The name of the `appsrc` at which frames come back.
    fileprivate static let overlayName = "overlay"

    private typealias Group = ThrowingTaskGroup<Part, any Error>

    private let task: LiveTask
    private let controls: SourceControls?
    private let zoom: DigitalZoom
    let settings: LiveSettings
    let reader: any TextReader
    /// Takes frames and reads them.
    let session: LatestSession
    /// How long it goes on.
    let life: JobLife
    let snapshots: Snapshots
    /// Nil where no pictures of sightings are wanted.
    let pictures: SightingPictureWriter?
    let window = WindowState()
    let turns: CameraTurns
    /// Listens to the person; nil if there is no microphone.
    let voice: VoiceControl?
    /// Plays the source; nil where that is no recording, or no window shows it.
    let player: RecordingPlayer?
    /// The pipeline of a search of the same recording.
    let search: String?

    init(
        task: LiveTask, settings: LiveSettings, reader: any TextReader, words: SearchedWords,
        controls: SourceControls?, zoom: DigitalZoom, report: LiveReport, life: JobLife
    ) {
        self.task = task
        self.settings = settings
        self.reader = reader
        self.controls = controls
        self.zoom = zoom
        self.life = life
        session = LatestSession(
            words, report, policy: task.policy, stallTime: settings.stallTime, closeReader: settings.closeReader)
        search = settings.playsRecordings ? task.search : nil
        player = search == nil ? nil : RecordingPlayer(words, zoom)
        snapshots = Snapshots(folder: settings.snapshotFolder, session.notices, report, session.measurements)
        pictures = settings.pictures.map { [life] pictures in
            SightingPictureWriter(pictures, report) { life.end(.error, failure: $0) }
        }
        turns = CameraTurns(camera: controls, notices: session.notices)
        voice = settings.voice.map { [session] in VoiceControl($0, session.text, session.notices) }
    }

    /// Runs until the source ends or something ends the job.
    ///
    /// - Throws: ``FramegrepError`` when a pipeline cannot be started.
    func run() async throws -> LiveEnd {
        switch task {
        case .pipeline(let description): try await host(try Pipeline(parsing: description))
        case .source(let source, let output):
            try await keep(source, try output.map { try Pipeline(parsing: $0) })
        }
    }

    /// Runs `body` with the group that holds all that runs; nothing of it is left when this returns, and the pipeline is
    /// stopped.
    private func owning(
        _ pipeline: Pipeline?, _ body: (inout Group) async throws -> LiveEnd
    ) async throws -> LiveEnd {
        do {
            let end = try await withThrowingTaskGroup(of: Part.self) { group in
                do {
                    let end = try await body(&group)
                    group.cancelAll()
                    while try await group.next() != nil {}
                    return end
                } catch {
                    life.end(.error)
                    throw error
                }
            }
            await pipeline?.stop()
            return end
        } catch {
            await pipeline?.stop()
            throw error
        }
    }

    // MARK: Source and output

    /// One pipeline is source and output.
    private func host(_ pipeline: Pipeline) async throws -> LiveEnd {
        try await owning(pipeline) { group in
            let sink = try pipeline.appSink(named: Pipeline.framesName)
            try pipeline.checkAppSource(named: Self.overlayName)
            let output = LiveOutput(pipeline, isOwn: false)
            // With a window, that sets a file's pace, through the queues in between; without one the clock has to.
            let changes = try sink.configure(maxBuffers: 3, drop: false, sync: !pipeline.hasPacingSink)
            session.source.begin()
            guard let isLive = try await prepare(pipeline) else { return finish() }
            let latency = LiveOutput.latency(
                of: settings.overlay, isLive: isLive, isShown: output.overlay != nil)
            if isLive { sink.becomeLive() }
            tell(of: sink.lasting(changes), atElementNamed: Pipeline.framesName)
            tell(of: output.changes, atElementNamed: Self.overlayName)
            if latency > .zero { pipeline.setLatency(latency) }
            let frames = SourceFrames(shared: pipeline)
            frames.connect(sink, of: pipeline, isLive: isLive)
            try await pipeline.play()
            let silence = SilenceWatch(source: session.source, frames: frames)
            group.addTask {
                await silence.run()
                return .other
            }
            return try await show(frames, output: output, latency: latency, group: &group)
        }
    }

    /// Says which properties have other values now than a person's description gave them.
    private func tell(of changes: [PropertyChange], atElementNamed name: String) {
        guard !changes.isEmpty else { return }
        let list = changes.map(\.description).joined(separator: ", ")
        settings.hearChange?("properties of “\(name)” are set by the program itself: \(list).")
    }

    /// Source and output are two pipelines, so that the source can be opened again.
    private func keep(_ source: LiveSource, _ pipeline: Pipeline?) async throws -> LiveEnd {
        try await owning(pipeline) { group in
            let output = pipeline.map { LiveOutput($0, isOwn: true) }
            session.source.begin()
            let frames = SourceFrames()
            readAhead(frames, &group)
            // The window comes before the source: without a display nothing else needs to be opened.
            if let pipeline, try await prepare(pipeline) == nil { return finish() }
            let keeper = SourceConnection(
                source: source, condition: session.source, frames: frames,
                controls: controls ?? SourceControls(zoom: zoom), zoom: zoom,
                isPaced: !(pipeline?.hasPacingSink ?? false), player: keptPlayer, sound: output?.sound,
                life: life,
                report: session.report)
            if let sound = output?.sound { carry(sound, &group) }
            group.addTask {
                await keeper.listen()
                return .other
            }
            do {
                try await life.untilStopped { try await keeper.begin() }
            } catch is CancellationError where life.isStopping {}
            // A source that is waited for counts as a camera: its nature is unknown yet.
            let isLive = frames.isLive || source.policy.triesFirstOpening
            let latency = LiveOutput.latency(
                of: settings.overlay, isLive: isLive, isShown: output?.overlay != nil)
            if latency > .zero { pipeline?.setLatency(latency) }
            // From here on the source is open: the keeper closes it, however the job ends.
            group.addTask {
                await keeper.keep()
                return .other
            }
            if let player = player {
                group.addTask {
                    await player.follow(frames)
                    return .other
                }
            }
            try await pipeline?.play()
            return try await show(frames, output: output, latency: latency, group: &group)
        }
    }

    /// Reads a recording ahead of the picture, from a pipeline of its own: it need not wait for the window.
    private func readAhead(_ frames: SourceFrames, _ group: inout Group) {
        guard let reader = aheadReader(showing: frames) else { return }
        group.addTask {
            await reader.run()
            return .other
        }
    }

    /// Carries the source's sound to the recording.
    private func carry(_ sound: LiveSound, _ group: inout Group) {
        group.addTask {
            await withTaskCancellationHandler {
                try? await DedicatedThread.run(named: "framegrep-sound") { sound.run() }
            } onCancel: {
                sound.abandon()
            }
            return .other
        }
    }

    /// Opens a pipeline's files, devices and windows; says whether it is live, or nil where the job was stopped meanwhile.
    private func prepare(_ pipeline: Pipeline) async throws -> Bool? {
        do {
            return try await life.untilStopped { try await pipeline.prepare() } == .live
        } catch is CancellationError where life.isStopping {
            return nil
        }
    }

    // MARK: Showing and reading

    /// Shows and reads the frames until the job is over.
    private func show(
        _ frames: SourceFrames, output: LiveOutput?, latency: StreamTime, group: inout Group
    ) async throws -> LiveEnd {
        if let hiding = settings.hiding {
            return try await hide(hiding, in: frames, on: output, latency: latency, &group)
        }
        let sightings = SightingReport(
            session.report, session.measurements, isShown: output?.overlay != nil,
            tellsBoxes: settings.reportsBoxes)
        // Reading a recording as it is shown only fills gaps: its sightings are reported by the reader ahead.
        let joiner = self.joiner(player == nil ? sightings : nil)
        group.addTask {
            try await DedicatedThread.run(named: "framegrep-display") {
                display(frames, on: output, latency, sightings)
            }
            return .display
        }
        group.addTask(executorPreference: BatchThreads.shared) {
            await read(into: joiner, showing: frames)
            return .reading
        }
        group.addTask(executorPreference: BatchThreads.shared) {
            await searchAgain(joiner, output)
            return .other
        }
        group.addTask {
            await measure(frames, output)
            return .other
        }
        group.addTask {
            if let output {
                await control(output).follow(expectsEnd: output.expectsEnd)
            }
            return .control
        }
        try await watch(frames, output, &group)
        await snapshots.finish()
        await pictures?.finish()
        return finish(sightings.count)
    }

    /// Reads the frames and passes them on with what is found hidden, until the job is over.
    private func hide(
        _ hiding: RunningHidingSettings, in frames: SourceFrames, on output: LiveOutput?, latency: StreamTime,
        _ group: inout Group
    ) async throws -> LiveEnd {
        let told = HidingReport(session.report, life)
        group.addTask {
            try await DedicatedThread.run(named: "framegrep-hiding") {
                self.hide(hiding, in: frames, on: output, latency: latency, report: told)
            }
            return .display
        }
        group.addTask {
            await measure(frames, output)
            return .other
        }
        group.addTask {
            if let output { await control(output).follow(expectsEnd: output.expectsEnd) }
            return .control
        }
        group.addTask {
            if let output { await keepTitle(control(output)) }
            return .other
        }
        try await watch(frames, output, &group)
        return finish(told.sightings)
    }

    /// Has the window's title say what is hidden, also after that has changed.
    private func keepTitle(_ control: WindowControl) async {
        control.showTitle()
        for await _ in session.words.changes { control.showTitle() }
    }

    /// Searches what was read last for each other word that is asked for; also while nothing new is read, because the picture may
    /// stand still, or the reader take its time.
    private func searchAgain(_ joiner: SightingJoiner, _ output: LiveOutput?) async {
        let control = output.map { self.control($0) }
        control?.showTitle()
        await session.searchAgain(in: joiner) {
            player?.searchAnew()
            control?.showTitle()
        }
    }

    /// Waits until the picture and the reading of it are over, in whichever order.
    private func watch(_ frames: SourceFrames, _ output: LiveOutput?, _ group: inout Group) async throws {
        var going: Set<Part> = settings.hiding == nil ? [.display, .control, .reading] : [.display, .control]
        while !going.isEmpty, let ended = try await group.next() {
            going.remove(ended)
            if ended == .control, let output {
                group.addTask {
                    await rescue(frames, output)
                    return .other
                }
            }
            // A reading that is under way may take seconds; a person who quits does not wait for it.
            let isShown = going.contains(.display) || going.contains(.control)
            if !isShown, !life.isSourceOver { group.cancelAll() }
        }
    }

    /// Reports once a second how well the job keeps up.
    private func measure(_ frames: SourceFrames, _ output: LiveOutput?) async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let window = output?.overlay == nil ? nil : output?.pipeline.sinkStatistics()
            session.report.tell(
                session.measurements.tick(
                    received: frames.received, window: window, skipped: session.slot.skipped))
        }
    }

    /// Stops the output when the display does not end: where a recording cannot be written any more, a frame may be stuck on its
    /// way into the pipeline.
    private func rescue(_ frames: SourceFrames, _ output: LiveOutput) async {
        let hasFailed = !frames.isShared && output.pipeline.bus.firstFailure != nil
        let patience =
            hasFailed ? Duration.zero : life.ending.reason == .error ? .seconds(2) : .seconds(12)
        guard (try? await Task.sleep(for: patience)) != nil else { return }
        await output.pipeline.stop()
        frames.bell.ring()
    }

    /// Reports the end, as the last event.
    private func finish(_ sightings: Int = 0) -> LiveEnd {
        let (reason, failure) = life.ending
        let end = LiveEnd(
            reason: reason, sightings: sightings,
            statistics: session.measurements.totals(skipped: session.slot.skipped),
            time: session.measurements.time,
            failure: failure, shownFrames: session.measurements.shownFrames)
        session.report.tell(.state(failure == nil ? .ended : .failed, message: failure?.message ?? ""))
        session.report.tell(.end(end))
        return end
    }
}

/// Where the frames of a live job are passed on to: a pipeline that the job keeps, set up for frames that made a detour.
struct LiveOutput: Sendable {
    let pipeline: Pipeline
    /// Nil where the pipeline takes no frames back: it is only the source.
    let overlay: AppSource?
    /// The end has to run through it before it may be stopped: frames come back into it, or it writes files of its own.
    let expectsEnd: Bool
    /// The properties of ``overlay`` that the description had set to something else.
    let changes: [PropertyChange]
    /// Carries sound into the recording; nil where none is recorded.
    let sound: LiveSound?
    /// Draws in the window's own pixels; nil where there is no window, or one that only GStreamer knows how to draw on.
    let canvas: WindowCanvas?
    /// Others than a window get the frames.
    let marksFrames: Bool

    /// Frames make a detour through the program; the window, and sound that plays with it, waits this long for them.
    private static let displayLatency = StreamTime(seconds: 0.06)

    /// - Parameter isOwn: the pipeline is known to do nothing else with the frames than show and record them; else it is a
    ///   person's own.
    init(_ pipeline: Pipeline, isOwn: Bool) {
        self.pipeline = pipeline
        sound = isOwn ? pipeline.appSource(named: SourceDescription.soundName).map(LiveSound.init) : nil
        let canvas = pipeline.hasDrawableWindow ? WindowCanvas() : nil
        self.canvas = canvas
        marksFrames = !isOwn || pipeline.hasOtherOutputs
        if let canvas { pipeline.drawOnWindows { canvas.patches(on: $0) } }
        overlay = pipeline.appSource(named: LiveJob.overlayName)
        expectsEnd = overlay != nil || !pipeline.filePaths.written.isEmpty
        changes = overlay?.configure(maxBuffers: 2, block: true, isLive: false) ?? []
        overlay?.reportPointer(to: pipeline.bus)
        RecordedPicture.settle(in: pipeline)
    }

    /// How much later than their time the output shows frames: the detour, and what the boxes wait for.
    static func latency(of timing: OverlayTiming, isLive: Bool, isShown: Bool) -> StreamTime {
        let delay = isShown ? timing.delay : .zero
        return isLive || delay > .zero ? displayLatency + delay : .zero
    }
}
