import GStreamerMedia
import OverlayDrawing
import TextSpotting

/// The picture's side of the live job: takes every frame, hands the newest to the reader, draws the boxes there are and
/// passes the frame on: at once, or a fixed time later (``OverlayTiming``). It never waits for the reader.
///
/// Runs on a thread of its own and is used by that thread only.
struct DisplayLoop: ~Copyable {
    private let session: LiveSession
    private let pipeline: Pipeline
    private let sink: AppSink
    private let source: AppSource?
    private let isLive: Bool
    private let keepsTimes: Bool
    private let rasterizer = OverlayRasterizer()
    private var clock = FrameClock()
    private let pictures = SmallPictures()
    private var displayed: DisplayedBoxes
    private var held: HeldFrames
    private var shown: HeldFrame?
    /// How much later than its own clock says the picture of a file is shown: for opening the window, and for the time
    /// it was frozen.
    private var delay = StreamTime.zero
    /// How much later than their time the pipeline shows all frames.
    private let latency: StreamTime
    private var lastPush = StreamTime.zero
    private var hasWarned = false
    private var isWindowOpen = false
    private let begun = ContinuousClock.now

    /// - Parameters:
    ///   - isLive: the source does not wait while the picture is frozen.
    ///   - keepsTimes: no window shows the frames, so none of them is too late for anything.
    ///   - latency: how much later than their time the pipeline shows all frames.
    init(
        session: LiveSession, pipeline: Pipeline, sink: AppSink, source: AppSource?, isLive: Bool, keepsTimes: Bool,
        latency: StreamTime
    ) {
        self.latency = latency
        self.session = session
        self.pipeline = pipeline
        self.sink = sink
        self.source = source
        self.isLive = isLive
        self.keepsTimes = keepsTimes
        let timing = session.settings.overlay
        displayed = DisplayedBoxes(timing: timing, maximumAge: session.settings.maximumAge)
        held = HeldFrames(delay: source == nil ? .zero : timing.delay)
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
            // A file waits where it is; a camera's next frame is on its way.
            if !isLive, held.isFull {
                BlockingSleep.sleep(max(.milliseconds(1), min(.milliseconds(20), held.rest)))
                showDue()
                continue
            }
            switch sink.pull(timeout: max(.milliseconds(1), min(.milliseconds(100), held.rest))) {
            case .sample(let sample): take(sample)
            case .timedOut: break
            case .endOfStream: endOfSource()
            }
            showDue()
        }
        session.slot.finish()
        showDue(isEnding: true)
        source?.endOfStream()
        drain()
    }

    /// The source has ended: what is held is still shown when its time comes.
    private mutating func endOfSource() {
        session.slot.finish()
        while held.count > 0, !session.isStopping {
            BlockingSleep.sleep(max(.milliseconds(1), min(.milliseconds(20), held.rest)))
            showDue()
        }
        // A source that fails sends an end too, and the bus's message may not have been looked at yet.
        let failure = pipeline.bus.firstFailure
        session.end(failure == nil ? .eos : .error, failure: failure)
    }

    private mutating func take(_ sample: consuming Sample) {
        let arrival = ContinuousClock.now
        let time = clock.time(of: sample)
        session.frameArrived(at: time.start)
        // First, because the reader looks at it before it reads.
        if let small = picture(of: sample, at: time) { displayed.see(small.frame, scale: small.scale) }
        session.slot.put(LiveFrame(sample: sample.retained(), time: time, arrival: arrival))
        guard source != nil else { return session.showed([], at: time.start) { $0 } }
        let running = sample.runningTime ?? time.start
        // A camera has few buffers, and would wait for those that are held here.
        if isLive, session.settings.overlay.delay > .zero, let copy = sample.copied() { sample = copy }
        held.append(HeldFrame(sample, time: time, running: running, arrival: arrival))
    }

    /// Shows the frames whose time has come.
    ///
    /// - Parameter isEnding: all of them.
    private mutating func showDue(isEnding: Bool = false) {
        if !isEnding, shown == nil, isWaitingForReader { return }
        while let source, let frame = held.next(isEnding: isEnding) {
            session.holding(held.count)
            shown = frame
            let boxes = displayed.boxes(on: frame.time, session.board.take())
            push(frame, with: boxes, to: source, at: punctual(frame.running))
            if !isLive, !isWindowOpen { awaitWindow() }
        }
    }

    /// The first reading loads the engine's networks. Where boxes are to be right rather than soon, a file begins after it.
    private var isWaitingForReader: Bool {
        guard !isLive, session.settings.overlay.delay > .zero, !session.hasRead, held.rest <= .zero else {
            return false
        }
        return ContinuousClock.now - begun < .seconds(3)
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
        let due = now - latency
        if due - (running + delay) > Self.lateness { delay = due - running + Self.lead }
        return running + delay
    }

    /// Files whose frames are later than this are shown later from then on.
    private static let lateness = StreamTime(seconds: 0.015)
    /// So long before its time a frame is passed on, for drawing and converting.
    private static let lead = StreamTime(seconds: 0.05)

    /// Draws the boxes on a frame and sends it on.
    private mutating func push(
        _ frame: HeldFrame, with boxes: [FollowedBox], to source: AppSource, at running: StreamTime
    ) {
        let info = frame.sample.info
        let patches = draw(boxes, at: frame.time.start, width: info?.width ?? 0, height: info?.height ?? 0)
        lastPush = running
        guard source.push(frame.sample.retained(), drawing: patches, at: running) == .ok else { return }
        let aspect = info?.pixelAspectRatio.value ?? 1
        session.showed(boxes, at: frame.time.start) { $0.scaled(x: aspect > 0 ? aspect : 1, y: 1) }
    }

    private mutating func draw(_ boxes: [FollowedBox], at time: StreamTime, width: Int, height: Int) -> [OverlayPatch] {
        guard width > 0, height > 0 else { return [] }
        let drawn = boxes.map { box in
            let age = (time - box.readAt).seconds / max(1e-3, session.settings.maximumAge.seconds)
            return OverlayBox(
                quad: box.quad, text: box.match.pattern, score: box.match.score, age: max(age, 1 - box.presence),
                patternIndex: box.match.patternIndex)
        }
        var status = session.status
        status.matches = drawn.count
        let list = OverlayComposer(pictureWidth: width, pictureHeight: height)
            .compose(drawn, status: session.settings.showsStatus ? status : nil)
        do {
            return try rasterizer.rasterize(list, width: width, height: height)
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
            held.clear()
            _ = sink.pull(timeout: Self.frozenInterval)
        }
        let rest = Self.frozenInterval - (.now - begun)
        if rest > .zero { BlockingSleep.sleep(rest) }
        let passed = StreamTime(nanoseconds: Int64((ContinuousClock.now - begun).milliseconds * 1e6))
        if !isLive { delay = delay + passed }
        guard let source, let frame = shown else { return }
        push(frame, with: displayed.boxes(on: frame.time, session.board.take()), to: source, at: lastPush + passed)
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
