import GStreamerMedia
import OverlayDrawing
import TextSpotting

/// The picture's side of the live job: takes every frame, hands the newest to the reader, draws the boxes there are and
/// passes the frame on. It never waits for the reader.
///
/// Runs on a thread of its own and is used by that thread only.
struct DisplayLoop: ~Copyable {
    private let session: LiveSession
    private let frames: SourceFrames
    /// What the frames are passed on to; nil where nobody sees them.
    private let output: Pipeline?
    private let source: AppSource?
    private let keepsTimes: Bool
    private let rasterizer = OverlayRasterizer()
    private var clock = LiveClock()
    private var pacer = FramePacer()
    private let pictures = SmallPictures()
    private var displayed: DisplayedBoxes
    private var shown: Sample?
    private var shownTime = StreamTime.zero
    private var shownAt = ContinuousClock.now
    private var hasWarned = false
    private var isWindowOpen = false
    /// The connection whose frames are shown, and the number of its first frame.
    private var connection: (number: Int, firstFrame: Int)?
    private var frameCount = 0

    /// - Parameters:
    ///   - output: the pipeline that has `source`, for its clock and its window.
    ///   - keepsTimes: no window shows the frames, so none of them is too late for anything.
    init(session: LiveSession, frames: SourceFrames, output: Pipeline?, source: AppSource?, keepsTimes: Bool) {
        self.session = session
        self.frames = frames
        self.output = output
        self.source = source
        self.keepsTimes = keepsTimes
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
            switch frames.pull(timeout: .milliseconds(100)) {
            case .sample(let sample, let connection): pass(sample, connection)
            case .timedOut: stayWithLastFrame()
            case .lost: loseSource()
            case .endOfStream(let failure): session.end(failure == nil ? .eos : .error, failure: failure)
            }
        }
        session.slot.finish()
        source?.endOfStream()
        if frames.isShared { drain() }
    }

    private mutating func pass(_ sample: consuming Sample, _ connection: Int) {
        let arrival = ContinuousClock.now
        if connection != self.connection?.number { begin(connection) }
        let time = clock.time(of: sample, arrival: arrival, usesArrival: frames.isUntimed)
        frameCount = time.index + 1
        session.frameArrived(at: time.start)
        // First, because the reader looks at it before it reads.
        let small = picture(of: sample, at: time)
        session.slot.put(LiveFrame(sample: sample.retained(), time: time, arrival: arrival, connection: connection))
        guard let source else { return session.showed([], at: time.start) { $0 } }
        let boxes = small.map { displayed.boxes(on: $0.frame, scale: $0.scale, newReading()) } ?? []
        let running = pacer.time(
            for: frames.isUntimed ? nil : sample.runningTime ?? time.start, now: output?.runningTime, pace: pace)
        shown = sample.retained()
        shownTime = time.start
        push(sample, with: boxes, to: source, at: running)
        if !frames.isLive, !isWindowOpen { awaitWindow() }
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

    /// The source is gone: the last picture stays, but nothing on it is so any more.
    private mutating func loseSource() {
        forgetBoxes()
        connection?.firstFrame = .max
        session.slot.put(
            LiveFrame(
                sample: nil, time: FrameTime(index: frameCount, start: shownTime, duration: .zero), arrival: .now,
                connection: connection?.number ?? 0))
    }

    private mutating func forgetBoxes() {
        displayed = DisplayedBoxes(maximumAge: session.settings.maximumBoxAge)
        session.trail.clear()
    }

    /// Nothing came: while the source is not running the last frame is shown again from time to time, with its state.
    private mutating func stayWithLastFrame() {
        guard let source, output != nil, session.status.state != .running, .now - shownAt > Self.idleInterval,
            let frame = shown?.retained()
        else { return }
        let passed = StreamTime(nanoseconds: Int64((ContinuousClock.now - shownAt).milliseconds * 1e6))
        push(frame, with: displayed.update(with: newReading()), to: source, at: pacer.time(after: passed))
    }

    /// How often the last picture of a silent source is drawn anew.
    private static let idleInterval = Duration.milliseconds(250)

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

    /// Draws the boxes on a frame and sends it on.
    private mutating func push(
        _ sample: consuming Sample, with boxes: [FollowedBox], to source: AppSource, at running: StreamTime
    ) {
        let info = sample.info
        let patches = draw(boxes, width: info?.width ?? 0, height: info?.height ?? 0)
        shownAt = .now
        guard source.push(sample, drawing: patches, at: running) == .ok else { return }
        let aspect = info?.pixelAspectRatio.value ?? 1
        session.showed(boxes, at: shownTime) { $0.scaled(x: aspect > 0 ? aspect : 1, y: 1) }
    }

    private mutating func draw(_ boxes: [FollowedBox], width: Int, height: Int) -> [OverlayPatch] {
        guard width > 0, height > 0 else { return [] }
        let drawn = boxes.map { box in
            let age = Double((shownTime - box.readAt).nanoseconds)
            return OverlayBox(
                quad: box.quad, text: box.match.pattern, score: box.match.score,
                age: age / Double(max(1, session.settings.maximumBoxAge.nanoseconds)),
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
        if frames.isLive {
            if case .lost = frames.pull(timeout: Self.frozenInterval) { loseSource() }
        }
        let rest = Self.frozenInterval - (.now - begun)
        if rest > .zero { BlockingSleep.sleep(rest) }
        let passed = StreamTime(nanoseconds: Int64((ContinuousClock.now - begun).milliseconds * 1e6))
        if !frames.isLive { pacer.hold(for: passed) }
        guard let source, let frame = shown?.retained() else { return }
        push(frame, with: displayed.update(with: newReading()), to: source, at: pacer.time(after: passed))
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
