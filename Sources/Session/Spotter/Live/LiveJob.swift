import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// One run of a live job: owns everything that runs.
///
/// One task group holds everything: the display's thread, the reader, the window's keys, the keeper of the source, the
/// statistics. When the job must end (``JobLife``) each of them is notified, and ``run()`` returns only when all of
/// them have ended.
struct LiveJob: Sendable {
    /// The part of a job that has ended.
    fileprivate enum Part: Sendable {
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
    /// Determines when the job ends.
    let life: JobLife
    let snapshots: Snapshots
    /// The writer of sighting pictures; nil if none are wanted.
    let pictures: SightingPictureWriter?
    let window = WindowState()
    let turns: CameraTurns
    /// The voice control; nil if there is no microphone.
    let voice: VoiceControl?
    /// The player of the source; nil if that is not a recording, or no window shows it.
    let player: RecordingPlayer?
    /// The recording that is searched while it is played.
    let recording: LiveSource.Recording?

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
        recording = settings.playsRecordings ? task.recording : nil
        player = recording == nil ? nil : RecordingPlayer(words, zoom)
        snapshots = Snapshots(folder: settings.snapshotFolder, of: session)
        pictures = settings.pictures.map { [life] pictures in
            SightingPictureWriter(pictures, report) { life.end(.error, failure: $0) }
        }
        turns = CameraTurns(camera: controls, notices: session.notices)
        voice = settings.voice.map { [session] in VoiceControl($0, session.text, session.notices) }
    }

    /// Runs until the source ends or something ends the job.
    ///
    /// - Throws: ``FramegrepError`` if a pipeline cannot be started.
    func run() async throws -> LiveEnd {
        switch task {
        case .pipeline(let description): try await host(try Pipeline(parsing: description))
        case .source(let source, let output):
            try await keep(source, try output.map { try Pipeline(parsing: $0) })
        }
    }

    /// Runs `body` with the group that holds everything that runs; when this returns, all of it has ended and the
    /// pipeline is stopped.
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

    /// Runs one pipeline that is both source and output.
    private func host(_ pipeline: Pipeline) async throws -> LiveEnd {
        try await owning(pipeline) { group in
            let sink = try pipeline.appSink(named: Pipeline.framesName)
            try pipeline.checkAppSource(named: Self.overlayName)
            let output = LiveOutput(pipeline, isOwn: false)
            // A window sets the pace of a file, through the queues in between; without one the clock has to.
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
            group.run { await silence.run() }
            return try await show(frames, output: output, latency: latency, group: &group)
        }
    }

    /// Reports properties whose values differ from those in the user's description.
    private func tell(of changes: [PropertyChange], atElementNamed name: String) {
        guard !changes.isEmpty else { return }
        let list = changes.map(\.description).joined(separator: ", ")
        settings.hearChange?("properties of '\(name)' are set by the program itself: \(list).")
    }

    /// Runs source and output as two pipelines, so that the source can be opened again.
    private func keep(_ source: LiveSource, _ pipeline: Pipeline?) async throws -> LiveEnd {
        try await owning(pipeline) { group in
            let output = pipeline.map { LiveOutput($0, isOwn: true) }
            session.source.begin()
            let frames = SourceFrames()
            // With a pipeline of its own, which need not wait for the window.
            if let reader = aheadReader(showing: frames) { group.run { await reader.run() } }
            // Open the window before the source: without a display nothing else needs to be opened.
            if let pipeline, try await prepare(pipeline) == nil { return finish() }
            let keeper = SourceConnection(
                source: source, condition: session.source, frames: frames,
                controls: controls ?? SourceControls(zoom: zoom), zoom: zoom,
                isPaced: !(pipeline?.hasPacingSink ?? false), player: keptPlayer, sound: output?.sound,
                life: life,
                report: session.report)
            if let sound = output?.sound { carry(sound, &group) }
            group.run { await keeper.listen() }
            do {
                try await life.untilStopped { try await keeper.begin() }
            } catch is CancellationError where life.isStopping {}
            // A source that is still awaited counts as a camera, because its nature is unknown.
            let isLive = frames.isLive || source.policy.triesFirstOpening
            let latency = LiveOutput.latency(
                of: settings.overlay, isLive: isLive, isShown: output?.overlay != nil)
            if latency > .zero { pipeline?.setLatency(latency) }
            // From here on the source is open: the keeper closes it, however the job ends.
            group.run { await keeper.keep() }
            if let player = player {
                group.run { await player.follow(frames) }
            }
            try await pipeline?.play()
            return try await show(frames, output: output, latency: latency, group: &group)
        }
    }

    /// Carries the sound of the source to the recording.
    private func carry(_ sound: LiveSound, _ group: inout Group) {
        group.run {
            await withTaskCancellationHandler {
                try? await DedicatedThread.run(named: "framegrep-sound") { sound.run() }
            } onCancel: {
                sound.abandon()
            }
        }
    }

    /// Opens the files, devices and windows of a pipeline; returns whether it is live, or nil if the job was stopped
    /// meanwhile.
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
        // Reading a recording as it is shown only fills gaps: the reader ahead reports its sightings.
        let joiner = self.joiner(player == nil ? sightings : nil)
        group.run(.display) {
            try await DedicatedThread.run(named: "framegrep-display") {
                display(frames, on: output, latency, sightings)
            }
        }
        group.run(.reading, on: BatchThreads.shared) { await read(into: joiner, showing: frames) }
        group.run(on: BatchThreads.shared) { await searchAgain(joiner, output) }
        group.run { await measure(frames, output) }
        group.run(.control) {
            if let output {
                await control(output).follow(expectsEnd: output.expectsEnd)
            }
        }
        try await watch(frames, output, &group)
        await snapshots.finish()
        await pictures?.finish()
        return finish(sightings.count)
    }

    /// Reads the frames and passes them on with the findings hidden, until the job is over.
    private func hide(
        _ hiding: RunningHidingSettings, in frames: SourceFrames, on output: LiveOutput?, latency: StreamTime,
        _ group: inout Group
    ) async throws -> LiveEnd {
        let told = HidingReport(session.report, life)
        group.run(.display) {
            try await DedicatedThread.run(named: "framegrep-hiding") {
                self.hide(hiding, in: frames, on: output, latency: latency, report: told)
            }
        }
        group.run { await measure(frames, output) }
        group.run(.control) { if let output { await control(output).follow(expectsEnd: output.expectsEnd) } }
        group.run { if let output { await keepTitle(control(output)) } }
        try await watch(frames, output, &group)
        return finish(told.sightings)
    }

    /// Keeps the title of the window in step with what is hidden.
    private func keepTitle(_ control: WindowControl) async {
        control.showTitle()
        for await _ in session.words.changes { control.showTitle() }
    }

    /// Searches the last reading whenever the search changes, even if nothing new is read because the picture stands
    /// still or the reader is slow.
    private func searchAgain(_ joiner: SightingJoiner, _ output: LiveOutput?) async {
        let control = output.map { self.control($0) }
        control?.showTitle()
        await session.searchAgain(in: joiner) {
            player?.searchAnew()
            control?.showTitle()
        }
    }

    /// Waits until both the picture and its reading are over, in any order.
    private func watch(_ frames: SourceFrames, _ output: LiveOutput?, _ group: inout Group) async throws {
        var going: Set<Part> = settings.hiding == nil ? [.display, .control, .reading] : [.display, .control]
        while !going.isEmpty, let ended = try await group.next() {
            going.remove(ended)
            if ended == .control, let output {
                group.run { await rescue(frames, output) }
            }
            // A reading in progress may take seconds; a user who quits does not wait for it.
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

    /// Stops the output if the display does not end: when a recording can no longer be written, a frame may be stuck on
    /// its way into the pipeline.
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

extension ThrowingTaskGroup where ChildTaskResult == LiveJob.Part, Failure == any Error {
    fileprivate mutating func run(
        _ part: LiveJob.Part = .other, on executor: (any TaskExecutor)? = nil,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        addTask(executorPreference: executor) {
            try await body()
            return part
        }
    }
}

/// The destination of the frames of a live job: a pipeline that the job keeps, set up for frames that pass through the
/// program.
struct LiveOutput: Sendable {
    let pipeline: Pipeline
    /// The source that takes the frames; nil if the pipeline is only a source.
    let overlay: AppSource?
    /// Whether the end of the stream must run through it before it may be stopped, because it takes frames or writes
    /// files of its own.
    let expectsEnd: Bool
    /// The properties of ``overlay`` that the description had set to something else.
    let changes: [PropertyChange]
    /// Carries sound into the recording; nil if none is recorded.
    let sound: LiveSound?
    /// Draws in the pixels of the window; nil without a window, or if only GStreamer can draw on it.
    let canvas: WindowCanvas?
    /// Whether outputs other than a window get the frames.
    let marksFrames: Bool

    /// The time that the window, and sound played with it, waits for frames, because these pass through the program.
    private static let displayLatency = StreamTime(seconds: 0.06)

    /// - Parameter isOwn: whether the pipeline is known only to show and record the frames; otherwise it is the user's
    ///   own.
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

    /// Returns the time by which the output shows frames late: the way through the program, and the delay of the boxes.
    static func latency(of timing: OverlayTiming, isLive: Bool, isShown: Bool) -> StreamTime {
        let delay = isShown ? timing.delay : .zero
        return isLive || delay > .zero ? displayLatency + delay : .zero
    }
}
