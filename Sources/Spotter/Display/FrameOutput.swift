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
    ///   - rightOfWay: is told of frames that are late.
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
