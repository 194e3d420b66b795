import GStreamerMedia
import TextSpotting

/// Gives each frame of a stream its index and times, also where the stream itself is silent about them, or goes back.
///
/// Each frame begins after the one before it. Where the stream's times jump back (one recording behind another in a file, a
/// clock that was set), times go on from where they were.
struct FrameClock: Sendable {
    private var origin: StreamTime
    private var count = 0
    private var last: FrameTime?
    /// The sum that jumps have added to the stream's own times.
    private var offset = StreamTime.zero

    /// The duration of a frame without one, in a stream without a frame rate: a still picture is shown for a second.
    static let stillDuration = StreamTime(seconds: 1)
    /// Frames that are this much before the last one, or less, are out of order; others come after a jump.
    static let disorder = StreamTime(seconds: 0.5)

    /// - Parameter origin: the stream's own time that is to be called 0.
    init(origin: StreamTime = .zero) {
        self.origin = origin
    }

    /// The next frame is of another time, before or after: it begins when the stream says.
    mutating func jump(origin: StreamTime) {
        (self.origin, last, offset) = (origin, nil, .zero)
    }

    /// The time of the next frame.
    ///
    /// A frame without a timestamp follows the one before it. A frame is visible until the next one comes, which matters
    /// where frames come at no fixed rate (and containers then say what a frame lasts usually); where that is not known,
    /// as long as it says, else for one frame of the stream's rate, else as long as the one before, else a second.
    /// - Parameter next: when the stream says that the next frame begins, if it has come already.
    mutating func time(of sample: borrowing Sample, until next: StreamTime? = nil) -> FrameTime {
        self.next(sample.streamTime, duration: sample.duration, until: next)
    }

    /// The same from what the stream says about the frame.
    mutating func next(_ own: StreamTime?, duration: StreamTime?, until next: StreamTime?) -> FrameTime {
        var duration = duration ?? .zero
        if let next, let own, next > own { duration = next - own }
        if duration <= .zero { duration = last?.duration ?? Self.stillDuration }
        let time = FrameTime(index: count, start: start(own), duration: duration)
        count += 1
        last = time
        return time
    }

    private mutating func start(_ own: StreamTime?) -> StreamTime {
        let time = own.map { $0 - origin + offset }
        guard let last else { return time ?? .zero }
        guard let time else { return last.end }
        if time > last.start { return time }
        if last.start - time <= Self.disorder { return last.start + StreamTime(nanoseconds: 1) }
        offset = offset + (last.end - time)
        return last.end
    }
}
