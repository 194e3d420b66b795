import GStreamerMedia
import TextSpotting

/// Gives each frame of a running source its index and its time.
///
/// `t` is the source's stream time. After a reconnection it goes on: the first frame of a new connection comes as much
/// later than the last frame of the one before as it did by the clock on the wall. So times never go back, and
/// differences stay true over a gap.
struct LiveClock: Sendable {
    private var frames = FrameClock()
    private var offset = StreamTime.zero
    private var last: (time: FrameTime, arrival: ContinuousClock.Instant)?
    private var isNew = false

    /// The next frame is the first of another connection.
    mutating func startAnew() { isNew = last != nil }

    /// The next frame is of another time of the same recording, which is to be said as it is.
    mutating func jump(origin: StreamTime) {
        frames.jump(origin: origin)
        (last, isNew, offset) = (nil, false, .zero)
    }

    /// - Parameter usesArrival: the source's own times are missing, so the time of arrival counts.
    mutating func time(of sample: borrowing Sample, arrival: ContinuousClock.Instant, usesArrival: Bool) -> FrameTime {
        var time = frames.time(of: sample)
        time = next(time, arrival: arrival, usesArrival: usesArrival)
        return time
    }

    /// The same from the time that the source gives.
    mutating func next(_ own: FrameTime, arrival: ContinuousClock.Instant, usesArrival: Bool) -> FrameTime {
        var start = own.start + offset
        if let last {
            let elapsed = StreamTime(nanoseconds: Int64((arrival - last.arrival).milliseconds * 1e6))
            if isNew || usesArrival {
                start = last.time.start + max(elapsed, StreamTime(nanoseconds: 1))
                offset = start - own.start
            }
            start = max(start, last.time.start)
        }
        isNew = false
        let time = FrameTime(index: own.index, start: start, duration: own.duration)
        last = (time, arrival)
        return time
    }
}
