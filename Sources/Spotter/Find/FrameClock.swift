import GStreamerMedia
import TextSpotting

/// Gives each frame of a stream its index and times, also where the stream itself is silent about them.
struct FrameClock: Sendable {
    private var count = 0
    private var last: FrameTime?

    /// What a frame lasts that says nothing, in a stream without a frame rate: a still picture is shown for a second.
    static let stillDuration = StreamTime(seconds: 1)

    /// The time of the next frame.
    ///
    /// A frame without a timestamp follows the one before it. One without a duration (and without a frame rate) lasts as
    /// long as the one before, else a second.
    mutating func time(of sample: borrowing Sample) -> FrameTime {
        var duration = sample.duration ?? .zero
        if duration <= .zero { duration = last?.duration ?? Self.stillDuration }
        let start = sample.streamTime ?? last?.end ?? .zero
        let time = FrameTime(index: count, start: start, duration: duration)
        count += 1
        last = time
        return time
    }
}
