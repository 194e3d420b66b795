import GStreamerMedia
import TextSpotting
import Threads

/// Sends frames with their overlay to the window or recording, each at its time. Used only by the display thread.
struct FrameOutput: ~Copyable {
    /// The delay from which a user perceives a frame as late.
    private static let lateness = StreamTime(seconds: 0.015)

    /// The pipeline that contains ``source``, for its clock.
    let pipeline: Pipeline
    let source: AppSource
    /// Is notified when each frame is shown; nil if there is no sound.
    let sound: LiveSound?
    private(set) var painter: WindowPainter
    private(set) var pacer: FramePacer
    /// Whether the output shows frames at their time, so that they can be late.
    let isPacing: Bool
    let sightings: SightingReport
    let measurements: LiveMeasurements
    /// Is notified of late frames.
    let rightOfWay: RightOfWay

    /// Shows a frame when its time comes.
    ///
    /// - Parameter count: the number of further frames waiting to be shown.
    /// - Returns: the reason nothing could be drawn over it; nil if drawing succeeded.
    mutating func show(
        _ frame: HeldFrame, with boxes: [FollowedBox], pace: FramePacer.Pace, waiting count: Int
    ) -> (any Error)? {
        measurements.holding(count)
        let time = pacer.time(for: frame.running, now: pipeline.runningTime, pace: pace)
        if isPacing, let lateness = pacer.lateness, lateness > Self.lateness { rightOfWay.claim() }
        sound?.shows(frame.running, at: time)
        return push(frame, with: boxes, at: time)
    }

    /// Shows a frame again, this much later than the last one shown.
    ///
    /// - Returns: the reason nothing could be drawn over it; nil if drawing succeeded.
    mutating func showAgain(_ frame: HeldFrame, with boxes: [FollowedBox], after passed: Duration) -> (any Error)? {
        let time = pacer.time(after: StreamTime(passed))
        sound?.shows(nil, at: time)
        return push(frame, with: boxes, at: time)
    }

    /// Delays all later frames by this time.
    mutating func postpone(_ time: Duration) { pacer.hold(for: StreamTime(time)) }

    /// Announces that the next frame is the first of another connection.
    mutating func startAnew() { pacer.startAnew() }

    /// Ends the stream after the frames shown so far.
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
        // If the picture is delayed, the reading may be newer than the frame.
        measurements.showed(staleness: boxes.map { max(time - $0.readAt, $0.readAt - time) }.max())
        sightings.drew(boxes, at: time) { info?.displayed($0) ?? $0 }
        return failure
    }
}

/// Determines when each frame is shown, on the clock of the window or recording that shows it.
///
/// The returned times never go back, whatever the source's do, and continue over a reconnection. A value; the given
/// times are running times of the source, the returned ones those of the output.
struct FramePacer: Sendable {
    enum Pace: Sendable {
        /// The times of the source are kept; late frames are not dropped.
        case asStored
        /// For files: if opening the window (or anything else) took time, all remaining frames are shown that much
        /// later, and none is lost.
        case file
        /// For cameras: frames are shown on arrival, without the jitter of the transport; the intervals are the
        /// source's.
        case live
    }

    /// The time by which the output shows all frames later than the times given here.
    private let latency: StreamTime
    /// The time by which frames are held back between the source and this type.
    private let held: StreamTime
    /// The delay of frames relative to the source's own time.
    private var delay = StreamTime.zero
    private var last: StreamTime?
    private var isNew = false
    private var hasBegun = false
    /// The lateness of the last frame, negative if it was early; nil for the first and if the output has no clock.
    private(set) var lateness: StreamTime?

    /// The lateness from which all further frames of a file are delayed.
    private static let lateness = StreamTime(seconds: 0.015)
    /// The time by which a file's frame is passed on early, for drawing and converting.
    private static let lead = StreamTime(seconds: 0.05)
    /// The deviation from which a camera's frame resets the timing.
    private static let jitter = StreamTime(seconds: 0.04)
    private static let step = StreamTime(nanoseconds: 1_000_000)

    init(latency: StreamTime = .zero, held: StreamTime = .zero) {
        self.latency = latency
        self.held = held
    }

    /// Announces that the next frame is the first of another connection, whose times are unrelated.
    mutating func startAnew() { isNew = true }

    /// Records that the picture stood still for this time, by which further frames are delayed.
    mutating func hold(for time: StreamTime) { delay = delay + time }

    /// Returns when to show the frame with this running time; `now` is the output's running time, nil if it has none.
    /// Never negative: a frame that is shown early because the job ends may have been held for longer than the output
    /// has been running.
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

    /// Returns when to show the last frame again, this much later than the last one shown.
    mutating func time(after passed: StreamTime) -> StreamTime { monotonic((last ?? .zero) + passed) }

    private mutating func monotonic(_ time: StreamTime) -> StreamTime {
        let result = max(last.map { $0 + StreamTime(nanoseconds: 1) } ?? .zero, time)
        last = result
        return result
    }
}
