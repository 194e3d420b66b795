import GStreamerMedia
import TextSpotting

/// The picture's side of the live job: takes every frame, hands the newest to the reader, draws the boxes there are and
/// passes the frame on. It never waits for the reader.
///
/// Runs on a thread of its own and is used by that thread only.
struct DisplayLoop: ~Copyable {
    private let session: LiveSession
    private let pipeline: Pipeline
    private let sink: AppSink
    private let source: AppSource?
    private let isLive: Bool
    private let keepsTimes: Bool
    private var painter: WindowPainter
    private var frozen = FrozenFrame()
    private var clock = FrameClock()
    private let pictures = SmallPictures()
    private var displayed: DisplayedBoxes
    private var shown: Sample?
    private var shownTime = StreamTime.zero
    /// How much later than its own clock says the picture of a file is shown: for opening the window, and for the time
    /// it was frozen.
    private var delay = StreamTime.zero
    private var lastPush = StreamTime.zero
    private var hasWarned = false
    private var isWindowOpen = false

    /// - Parameters:
    ///   - isLive: the source does not wait while the picture is frozen.
    ///   - keepsTimes: no window shows the frames, so none of them is too late for anything.
    init(
        session: LiveSession, pipeline: Pipeline, sink: AppSink, source: AppSource?, isLive: Bool, keepsTimes: Bool
    ) {
        self.session = session
        self.pipeline = pipeline
        self.sink = sink
        self.source = source
        self.isLive = isLive
        self.keepsTimes = keepsTimes
        painter = WindowPainter(session)
        displayed = DisplayedBoxes(maximumAge: session.settings.maximumBoxAge)
    }

    /// How often a frozen picture is drawn anew, for what is typed and for new words.
    private static let frozenInterval = Duration.milliseconds(66)

    /// Blocks until the stream ends or the job is stopped.
    mutating func run() {
        while !session.isStopping {
            if session.isFrozen, shown != nil, source != nil {
                stayFrozen()
                continue
            }
            switch sink.pull(timeout: .milliseconds(100)) {
            case .sample(let sample): pass(sample)
            case .timedOut: continue
            case .endOfStream:
                // A source that fails sends an end too, and the bus's message may not have been looked at yet.
                let failure = pipeline.bus.firstFailure
                session.end(failure == nil ? .eos : .error, failure: failure)
            }
        }
        session.slot.finish()
        source?.endOfStream()
        drain()
    }

    private mutating func pass(_ sample: consuming Sample) {
        let arrival = ContinuousClock.now
        let time = clock.time(of: sample)
        session.frameArrived(at: time.start)
        // First, because the reader looks at it before it reads.
        let small = picture(of: sample, at: time)
        session.slot.put(LiveFrame(sample: sample.retained(), time: time, arrival: arrival))
        guard let source else { return session.showed([], at: time.start) { $0 } }
        let boxes = small.map { displayed.boxes(on: $0.frame, scale: $0.scale, session.board.take()) } ?? []
        let running = punctual(sample.runningTime ?? time.start)
        shown = sample.retained()
        shownTime = time.start
        push(sample, with: boxes, to: source, at: running)
        if !isLive, !isWindowOpen { awaitWindow() }
    }

    /// Waits until the window has taken its first frame: opening it may take a second, in which the next frames, already
    /// on their way, would get too late and be thrown away. A file has the time; where there is no window nothing is
    /// waited for.
    private mutating func awaitWindow() {
        isWindowOpen = true
        guard !keepsTimes else { return }
        let deadline = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < deadline, !session.isStopping {
            let window = pipeline.sinkStatistics()
            if window.rendered + window.dropped > 0 { return }
            BlockingSleep.sleep(.milliseconds(5))
        }
    }

    /// The frame's small picture, which the reader gets too.
    private mutating func picture(of sample: borrowing Sample, at time: FrameTime)
        -> (frame: PictureTrail.Frame, scale: Double)?
    {
        do {
            let (picture, scale) = try pictures.picture(of: sample)
            let frame = PictureTrail.Frame(time: time, picture: picture)
            session.trail.append(frame, scale: scale)
            return (frame, scale)
        } catch {
            warnOnce(error)
            return nil
        }
    }

    /// When to show a frame.
    ///
    /// A window throws late frames away. A file's frames are late as a whole when opening the window (or anything else)
    /// took its time: then the rest of the file is shown so much later, and none is lost. A camera's are shown when they come.
    private mutating func punctual(_ running: StreamTime) -> StreamTime {
        guard !isLive, !keepsTimes, let now = pipeline.runningTime else { return running + delay }
        if now - (running + delay) > Self.lateness { delay = now - running + Self.lead }
        return running + delay
    }

    /// Files whose frames are later than this are shown later from then on.
    private static let lateness = StreamTime(seconds: 0.015)
    /// So long before its time a frame is passed on, for drawing and converting.
    private static let lead = StreamTime(seconds: 0.05)

    /// Draws the boxes on a frame and sends it on.
    private mutating func push(
        _ sample: consuming Sample, with boxes: [FollowedBox], to source: AppSource, at running: StreamTime
    ) {
        let info = sample.info
        painter.keepIfWanted(sample, with: boxes, at: shownTime)
        let patches = draw(boxes, width: info?.width ?? 0, height: info?.height ?? 0)
        lastPush = running
        guard source.push(sample, drawing: patches, at: running) == .ok else { return }
        let aspect = info?.pixelAspectRatio.value ?? 1
        session.showed(boxes, at: shownTime) { $0.scaled(x: aspect > 0 ? aspect : 1, y: 1) }
    }

    private mutating func draw(_ boxes: [FollowedBox], width: Int, height: Int) -> [OverlayPatch] {
        guard width > 0, height > 0 else { return [] }
        do {
            return try painter.patches(for: boxes, at: shownTime, width: width, height: height)
        } catch {
            warnOnce(error)
            return []
        }
    }

    private mutating func warnOnce(_ error: any Error) {
        if !hasWarned, let error = error as? FramegrepError { session.warn(error) }
        hasWarned = true
    }

    /// Shows the last frame again, with the boxes and words of now. A camera's frames are taken and thrown away, so
    /// that none of them is old when the picture moves again; a file waits.
    private mutating func stayFrozen() {
        let begun = ContinuousClock.now
        if isLive {
            _ = sink.pull(timeout: Self.frozenInterval)
        }
        let rest = Self.frozenInterval - (.now - begun)
        if rest > .zero { BlockingSleep.sleep(rest) }
        let passed = StreamTime(nanoseconds: Int64((ContinuousClock.now - begun).milliseconds * 1e6))
        if !isLive { delay = delay + passed }
        guard let source, let frame = shown?.retained() else { return }
        frozen.ask(session, frame, at: shownTime)
        push(frame, with: displayed.update(with: session.board.take()), to: source, at: lastPush + passed)
    }

    /// Takes what still comes, so that the end of the stream can get through and files are completed.
    private func drain() {
        let deadline = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < deadline {
            switch sink.pull(timeout: .milliseconds(100)) {
            case .endOfStream: return
            default: continue
            }
        }
    }
}
