import GStreamerMedia
import TextSpotting

/// A frame that came and is still to be shown, or is shown.
final class HeldFrame {
    let sample: Sample
    let time: FrameTime
    /// When to show it, on the source's clock; nil where the source gives no times.
    let running: StreamTime?
    let arrival: ContinuousClock.Instant

    init(_ sample: consuming Sample, time: FrameTime, running: StreamTime?, arrival: ContinuousClock.Instant) {
        self.sample = sample
        self.time = time
        self.running = running
        self.arrival = arrival
    }
}
