import GStreamerMedia
import TextSpotting

/// Where the frames of a live job are passed on to: a pipeline that the job keeps, set up for frames that made a detour.
struct LiveOutput: Sendable {
    let pipeline: Pipeline
    /// Nil where the pipeline takes no frames back: it is only the source.
    let overlay: AppSource?
    /// Carries sound into the recording; nil where none is recorded.
    let sound: LiveSound?
    /// Draws in the window's own pixels; nil where there is no window, or one that only GStreamer knows how to draw on.
    let canvas: WindowCanvas?
    /// Others than a window get the frames.
    let marksFrames: Bool

    /// Frames make a detour through the program; the window waits so long for them, and what else plays with it.
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
