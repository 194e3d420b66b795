import GStreamerMedia
import TextSpotting

/// Where the frames of a live job are passed on to: a pipeline that the job keeps, set up for frames that made a detour.
struct LiveOutput: Sendable {
    let pipeline: Pipeline
    /// Nil where the pipeline takes no frames back: it is only the source.
    let overlay: AppSource?

    /// Frames make a detour through the program; the window waits so long for them, and what else plays with it.
    private static let displayLatency = StreamTime(seconds: 0.06)

    init(_ pipeline: Pipeline) {
        self.pipeline = pipeline
        overlay = pipeline.appSource(named: "overlay")
        _ = overlay?.configure(maxBuffers: 2, block: true, isLive: false)
        overlay?.reportPointer(to: pipeline.bus)
        RecordedPicture.settle(in: pipeline)
    }

    /// How much later than their time the output shows frames: the detour, and what the boxes wait for.
    static func latency(of timing: OverlayTiming, isLive: Bool, isShown: Bool) -> StreamTime {
        let delay = isShown ? timing.delay : .zero
        return isLive || delay > .zero ? displayLatency + delay : .zero
    }
}
