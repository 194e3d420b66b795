import GStreamerMedia
import TextSpotting
import Threads

/// Sends frames on to where they are seen or recorded, with what lies over them, each at its time. Used by the display thread
/// only.
struct FrameOutput: ~Copyable {
    /// A frame later than this is late for a person too.
    private static let lateness = StreamTime(seconds: 0.015)

    private let pipeline: Pipeline
    private let source: AppSource
    private let sound: LiveSound?
    private var painter: WindowPainter
    private var pacer: FramePacer
    private let sightings: SightingReport
    private let measurements: LiveMeasurements
    private let rightOfWay: RightOfWay
    /// The output shows frames at their time, so that they can be late.
    private let isPacing: Bool

    /// - Parameters:
    ///   - pipeline: the one that has `source`, for its clock.
    ///   - sound: is told when each frame is shown; nil where no sound goes with them.
    ///   - rightOfWay: learns which frames are late.
    init(
        pipeline: Pipeline, source: AppSource, sound: LiveSound?, painter: consuming WindowPainter,
        pacer: FramePacer,
        sightings: SightingReport, measurements: LiveMeasurements, rightOfWay: RightOfWay
    ) {
        self.pipeline = pipeline
        self.source = source
        self.sound = sound
        self.painter = painter
        self.pacer = pacer
        self.sightings = sightings
        self.measurements = measurements
        self.rightOfWay = rightOfWay
        isPacing = pipeline.hasPacingSink
    }

    /// Shows a frame when its time comes.
    ///
    /// - Parameter count: how many more frames wait to be shown.
    /// - Returns: why nothing could be drawn over it; nil where it could.
    mutating func show(
        _ frame: HeldFrame, with boxes: [FollowedBox], pace: FramePacer.Pace, waiting count: Int
    ) -> (any Error)? {
        measurements.holding(count)
        let time = pacer.time(for: frame.running, now: pipeline.runningTime, pace: pace)
        if isPacing, let lateness = pacer.lateness, lateness > Self.lateness { rightOfWay.claim() }
        sound?.shows(frame.running, at: time)
        return push(frame, with: boxes, at: time)
    }

    /// Shows a frame once more, so much later than what was shown last.
    ///
    /// - Returns: why nothing could be drawn over it; nil where it could.
    mutating func showAgain(_ frame: HeldFrame, with boxes: [FollowedBox], after passed: Duration) -> (any Error)? {
        let time = pacer.time(after: StreamTime(passed))
        sound?.shows(nil, at: time)
        return push(frame, with: boxes, at: time)
    }

    /// Shows later frames so much later.
    mutating func postpone(_ time: Duration) { pacer.hold(for: StreamTime(time)) }

    /// The next frame is the first of another connection.
    mutating func startAnew() { pacer.startAnew() }

    /// Ends the stream after what was shown.
    func finish() {
        source.endOfStream()
        sound?.finish()
    }

    private mutating func push(
        _ frame: HeldFrame, with boxes: [FollowedBox], at running: StreamTime
    ) -> (any Error)? {
        let (info, time) = (frame.sample.info, frame.time.start)
        let shown = frame.shown(boxes)
        painter.keepIfWanted(frame.sample, with: shown, at: time)
        var patches: [OverlayPatch] = []
        var failure: (any Error)?
        if let info, info.width > 0, info.height > 0 {
            do {
                patches = try painter.patches(for: shown, at: time, info, shownAt: running)
            } catch {
                failure = error
            }
        }
        guard source.push(frame.sample.retained(), drawing: patches, at: running) == .ok else { return failure }
        // Where the picture is shown later than it came, the reading may be younger than the frame.
        measurements.showed(staleness: boxes.map { max(time - $0.readAt, $0.readAt - time) }.max())
        sightings.drew(boxes, at: time) { info?.displayed($0) ?? $0 }
        return failure
    }
}

/// Says when each frame is to be shown, on the clock of the window or recording that shows it.
///
/// Times it gives never go back, whatever the source's do, and go on over a reconnection. A value; times are running times
/// of the source (given) and of the output (returned).
struct FramePacer: Sendable {
    /// Who sets the pace.
    enum Pace: Sendable {
        /// Late frames are not dropped: a source's times are kept.
        case asStored
        /// A file's frames are late as a whole when opening the window (or anything else) took its time: then the rest is
        /// shown so much later, and none is lost.
        case file
        /// A camera's are shown when they come, without its own jitter: the distances are the source's.
        case live
    }

    /// How much later than the times given here the output shows all frames.
    private let latency: StreamTime
    /// How long frames are held back on their way, so that they come here so much later than from the source.
    private let held: StreamTime
    /// How much later than the source's own time a frame is shown.
    private var delay = StreamTime.zero
    private var last: StreamTime?
    private var isNew = false
    private var hasBegun = false
    /// How much later than it should have been the last frame was there, negative for one that was in time; nil for the first and
    /// where the output has no clock.
    private(set) var lateness: StreamTime?

    /// Files whose frames are later than this are shown later from then on.
    private static let lateness = StreamTime(seconds: 0.015)
    /// So long before its time a file's frame is passed on, for drawing and converting.
    private static let lead = StreamTime(seconds: 0.05)
    /// A camera's frame that is earlier or later than its time by more than this sets the time anew.
    private static let jitter = StreamTime(seconds: 0.04)
    private static let step = StreamTime(nanoseconds: 1_000_000)

    init(latency: StreamTime = .zero, held: StreamTime = .zero) {
        self.latency = latency
        self.held = held
    }

    /// The next frame is the first of another connection: its own times mean nothing here.
    mutating func startAnew() { isNew = true }

    /// The picture stood still for this long: what comes is shown so much later.
    mutating func hold(for time: StreamTime) { delay = delay + time }

    /// When to show the frame of this running time; `now` is the output's running time, nil where it has none. Never before zero: a frame that
    /// is shown sooner than planned, because the job ends, may have been held for longer than the output runs.
    mutating func time(for running: StreamTime?, now: StreamTime?, pace: Pace) -> StreamTime {
        let arrived = now.map { $0 - held }
        let fallback = arrived ?? last.map { $0 + Self.step } ?? .zero
        let running = running ?? fallback - delay
        if isNew {
            delay = max(fallback, last ?? .zero) - running
            isNew = false
        }
        lateness = nil
        if let now, let arrived {
            if hasBegun { lateness = (pace == .live ? arrived : now - latency) - (running + delay) }
            switch pace {
            case .asStored: break
            case .file:
                let due = now - latency
                if due - (running + delay) > Self.lateness { delay = due - running + Self.lead }
            case .live:
                let lateness = arrived - (running + delay)
                if !hasBegun || lateness > Self.jitter || lateness < .zero - Self.jitter { delay = arrived - running }
            }
        }
        hasBegun = true
        return monotonic(running + delay)
    }

    /// When to show the last frame once more, so much later than what was shown last.
    mutating func time(after passed: StreamTime) -> StreamTime { monotonic((last ?? .zero) + passed) }

    private mutating func monotonic(_ time: StreamTime) -> StreamTime {
        let result = max(last.map { $0 + StreamTime(nanoseconds: 1) } ?? .zero, time)
        last = result
        return result
    }
}
