import GStreamerMedia
import TextSpotting

/// A frame on its way to the reader, and when it came.
struct LiveFrame: ~Copyable, Sendable {
    /// Nil: no frame, but the news that the source was lost. What was seen is over.
    let sample: Sample?
    let time: FrameTime
    let arrival: ContinuousClock.Instant
    /// Frames of different connections have nothing in common.
    let connection: Int
    /// The picture stands still at this frame, so there is time to read it closely.
    var isFrozen = false
}
