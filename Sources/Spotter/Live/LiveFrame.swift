import GStreamerMedia
import TextSpotting

/// A frame on its way to the reader, and when it came.
struct LiveFrame: ~Copyable, Sendable {
    let sample: Sample
    let time: FrameTime
    let arrival: ContinuousClock.Instant
    /// The picture stands still at this frame, so there is time to read it closely.
    var isFrozen = false
}
