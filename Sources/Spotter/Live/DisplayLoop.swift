import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// The picture's side of the live job: takes every frame, hands the newest to the reader, draws the boxes there are and
/// passes the frame on: at once, or a fixed time later (``OverlayTiming``). It never waits for the reader.
///
/// Runs on a thread of its own and is used by that thread only.
struct DisplayLoop: ~Copyable {
    private let session: LiveSession
    private let frames: SourceFrames
    /// What the frames are passed on to; nil where nobody sees them.
    private let output: Pipeline?
    private let source: AppSource?
    private let keepsTimes: Bool
    /// The output shows frames at their time, so that they can be late.
    private let isPacing: Bool
    private var painter: WindowPainter
    private var frozen = FrozenFrame()
    private var clock = LiveClock()
    private var pacer: FramePacer
    private let pictures = SmallPictures()
    private var displayed: DisplayedBoxes
    private var held: HeldFrames
    private var shown: HeldFrame?
    private var shownAt = ContinuousClock.now
    private var hasWarned = false
    private var isWindowOpen = false
    private let begun = ContinuousClock.now
    /// The connection whose frames are taken, and the number of its first frame.
    private var connection: (number: Int, firstFrame: Int)?
    private var frameCount = 0

    /// - Parameters:
    ///   - output: the pipeline that has `source`, for its clock and its window.
    ///   - keepsTimes: no window shows the frames, so none of them is too late for anything.
    ///   - latency: how much later than their time the output shows all frames.
    init(
        session: LiveSession, frames: SourceFrames, output: Pipeline?, source: AppSource?, keepsTimes: Bool,
        latency: StreamTime
    ) {
        self.session = session
        self.frames = frames
        self.output = output
        self.source = source
        self.keepsTimes = keepsTimes
        isPacing = output?.hasPacingSink ?? false
        painter = WindowPainter(session)
        let timing = session.settings.overlay
        pacer = FramePacer(latency: latency, held: source == nil ? .zero : timing.delay)
        displayed = DisplayedBoxes(timing: timing, maximumAge: session.settings.maximumAge)
        held = HeldFrames(delay: source == nil ? .zero : timing.delay)
    }

    /// A frame later than this is late for a person too.
    private static let lateness = StreamTime(seconds: 0.015)

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
            if !frames.isLive, held.isFull {
                BlockingSleep.sleep(max(.milliseconds(1), min(.milliseconds(20), held.rest)))
                showDue()
                continue
            }
            switch frames.pull(timeout: max(.milliseconds(1), min(.milliseconds(100), held.rest))) {
            case .sample(let sample, let connection): take(sample, connection)
            case .timedOut: stayWithLastFrame()
            case .lost: loseSource()
            case .endOfStream(let failure): endOfSource(failure)
            }
            showDue()
        }
        session.slot.finish()
        showDue(isEnding: true)
        source?.endOfStream()
        if frames.isShared { drain() }
    }

    /// The source has ended: what is held is still shown when its time comes.
    private mutating func endOfSource(_ failure: FramegrepError?) {
        session.slot.finish()
        while held.count > 0, !session.isStopping {
            BlockingSleep.sleep(max(.milliseconds(1), min(.milliseconds(20), held.rest)))
            showDue()
        }
        session.end(failure == nil ? .eos : .error, failure: failure)
    }

    private mutating func take(_ sample: consuming Sample, _ connection: Int) {
        let arrival = ContinuousClock.now
        if connection != self.connection?.number { begin(connection) }
        let time = clock.time(of: sample, arrival: arrival, usesArrival: frames.isUntimed)
        frameCount = time.index + 1
        session.frameArrived(at: time.start)
        // First, because the reader looks at it before it reads.
        if let small = picture(of: sample, at: time) { displayed.see(small.frame, scale: small.scale) }
        session.slot.put(LiveFrame(sample: sample.retained(), time: time, arrival: arrival, connection: connection))
        guard source != nil else { return session.showed([], at: time.start) { $0 } }
        let running = frames.isUntimed ? nil : sample.runningTime ?? time.start
        // A camera has few buffers, and would wait for those that are held here.
        if frames.isLive, session.settings.overlay.delay > .zero, let copy = sample.copied() { sample = copy }
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
            let boxes = displayed.boxes(on: frame.time, newReading())
            let running = pacer.time(for: frame.running, now: output?.runningTime, pace: pace)
            if isPacing, let lateness = pacer.lateness, lateness > Self.lateness { session.settings.rightOfWay.claim() }
            push(frame, with: boxes, to: source, at: running)
            if !frames.isLive, !isWindowOpen { awaitWindow() }
        }
    }

    /// The first reading loads the engine's networks. Where boxes are to be right rather than soon, a file begins after it.
    private var isWaitingForReader: Bool {
        guard !frames.isLive, session.settings.overlay.delay > .zero, !session.hasRead, held.rest <= .zero else {
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
            guard let window = output?.sinkStatistics() else { return }
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

    private var pace: FramePacer.Pace {
        if frames.isLive { return frames.isShared ? .asStored : .live }
        return keepsTimes ? .asStored : .file
    }

    /// The newest reading, unless it is of a frame of an earlier connection.
    private func newReading() -> BoxBoard.Reading? {
        session.board.take().flatMap { $0.time.index >= connection?.firstFrame ?? 0 ? $0 : nil }
    }

    /// The first frame of a connection: nothing of the one before says anything about it.
    private mutating func begin(_ number: Int) {
        if connection != nil {
            clock.startAnew()
            pacer.startAnew()
            forgetBoxes()
        }
        connection = (number, frameCount)
    }

    /// Takes the boxes off the last picture, which stays when the source is gone: what they tell of is over.
    private mutating func loseSource() {
        forgetBoxes()
        connection?.firstFrame = .max
        let time = FrameTime(index: frameCount, start: shown?.time.start ?? .zero, duration: .zero)
        session.slot.put(LiveFrame(sample: nil, time: time, arrival: .now, connection: connection?.number ?? 0))
    }

    private mutating func forgetBoxes() {
        displayed = DisplayedBoxes(timing: session.settings.overlay, maximumAge: session.settings.maximumAge)
        held.clear()
        session.trail.clear()
    }

    /// Nothing came: while the source is not running the last frame is shown again from time to time, with its state.
    private mutating func stayWithLastFrame() {
        guard let source, output != nil, held.count == 0, session.status.state != .running,
            .now - shownAt > Self.idleInterval, let frame = shown
        else { return }
        let passed = StreamTime(nanoseconds: Int64((ContinuousClock.now - shownAt).milliseconds * 1e6))
        push(frame, with: displayed.boxes(on: frame.time, newReading()), to: source, at: pacer.time(after: passed))
    }

    /// How often the last picture of a silent source is drawn anew.
    private static let idleInterval = Duration.milliseconds(250)

    /// Draws the boxes on a frame and sends it on.
    private mutating func push(
        _ frame: HeldFrame, with boxes: [FollowedBox], to source: AppSource, at running: StreamTime
    ) {
        let info = frame.sample.info
        painter.keepIfWanted(frame.sample, with: boxes, at: frame.time.start)
        let patches = draw(boxes, at: frame.time.start, width: info?.width ?? 0, height: info?.height ?? 0)
        shownAt = .now
        guard source.push(frame.sample.retained(), drawing: patches, at: running) == .ok else { return }
        let aspect = info?.pixelAspectRatio.value ?? 1
        session.showed(boxes, at: frame.time.start) { $0.scaled(x: aspect > 0 ? aspect : 1, y: 1) }
    }

    private mutating func draw(_ boxes: [FollowedBox], at time: StreamTime, width: Int, height: Int) -> [OverlayPatch] {
        guard width > 0, height > 0 else { return [] }
        do {
            return try painter.patches(for: boxes, at: time, width: width, height: height)
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
        if frames.isLive {
            held.clear()
            if case .lost = frames.pull(timeout: Self.frozenInterval) { loseSource() }
        }
        let rest = Self.frozenInterval - (.now - begun)
        if rest > .zero { BlockingSleep.sleep(rest) }
        let passed = StreamTime(nanoseconds: Int64((ContinuousClock.now - begun).milliseconds * 1e6))
        if !frames.isLive { pacer.hold(for: passed) }
        guard let source, let frame = shown else { return }
        frozen.ask(session, frame, connection: connection?.number ?? 0)
        push(frame, with: displayed.boxes(on: frame.time, newReading()), to: source, at: pacer.time(after: passed))
    }

    /// Takes what still comes, so that the end of the stream can get through and files are completed.
    private func drain() {
        let deadline = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < deadline {
            switch frames.pull(timeout: .milliseconds(100)) {
            case .endOfStream: return
            default: continue
            }
        }
    }
}
