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

/// Gives each frame of a running source its index and its time.
///
/// `t` is the source's stream time, counted from its beginning where that is not 0 (``StreamOrigin``). After a reconnection it
/// goes on: the first frame of a new connection comes as much later than the last frame of the one before as it did by the clock
/// on the wall. So times never go back, and differences stay true over a gap.
struct LiveClock: Sendable {
    private var frames = FrameClock()
    private var offset = StreamTime.zero
    private var last: (time: FrameTime, arrival: ContinuousClock.Instant)?
    private var isNew = false

    /// The next frame is the first of another connection.
    mutating func startAnew() { isNew = last != nil }

    /// The next frame is the very first, or of another time of the same recording, which is to be said as it is.
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

/// The source's time at which players begin with 0.
///
/// The times of an MPEG stream are those of a clock that runs since long before; GStreamer counts from the first reading of
/// that clock in the stream, which is sent ahead of the first picture by as much as a receiver is to buffer: 0.7 s where
/// FFmpeg wrote it. Players count from the first picture. Every other container says itself when its first picture is shown,
/// which may be late on purpose (an edit list).
enum StreamOrigin {
    /// Demuxers that count so: MPEG transport streams, those of HLS included, and program streams.
    static let demuxers: Set<String> = ["tsdemux", "mpegpsdemux"]

    /// - Parameters:
    ///   - pipeline: prepared, and not yet moved to another time.
    ///   - sink: where its frames come out.
    static func time(of pipeline: Pipeline, at sink: AppSink) -> StreamTime {
        guard pipeline.hasElement(ofAnyKind: demuxers) else { return .zero }
        return sink.firstSample()?.streamTime ?? .zero
    }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}

extension StreamTime {
    /// As much time as has passed on the clock on the wall.
    init(_ duration: Duration) {
        self.init(nanoseconds: Int64(duration.milliseconds * 1e6))
    }
}

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
