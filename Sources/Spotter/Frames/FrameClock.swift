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
    /// A frame without a timestamp follows the one before it. A frame is visible until the next one comes, which matters
    /// where frames come at no fixed rate (and containers then say what a frame lasts usually); where that is not known,
    /// as long as it says, else for one frame of the stream's rate, else as long as the one before, else a second.
    /// - Parameter next: when the next frame begins, if it has come already.
    mutating func time(of sample: borrowing Sample, until next: StreamTime? = nil) -> FrameTime {
        var duration = sample.duration ?? .zero
        if let next, let start = sample.streamTime, next > start { duration = next - start }
        if duration <= .zero { duration = last?.duration ?? Self.stillDuration }
        let start = sample.streamTime ?? last?.end ?? .zero
        let time = FrameTime(index: count, start: start, duration: duration)
        count += 1
        last = time
        return time
    }
}
